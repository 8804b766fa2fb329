"""Field errors read and travel as upstream's do."""

from __future__ import annotations

import msgspec
import pytest

from harness.field import ErrorType, FieldError, quote, type_text


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ('"abc"', "abc"),
        ('"\\"\\\\"', '"\\'),
        ('"\\a\\b\\f\\n\\r\\t\\v"', "\a\b\f\n\r\t\v"),
        ('"\\x00\\x7f"', "\x00\x7f"),
        ('"é 世"', "é 世"),
        ('"\\u00a0\\u200b"', "\u00a0\u200b"),
        ('"\\U000e0001"', "\U000e0001"),
        ('"<>&\'"', "<>&'"),
    ],
)
def test_quote_follows_go(expected: str, text: str) -> None:
    """Strings are quoted as Go's %q quotes them, escapes and all."""
    assert expected == quote(text)


def test_every_type_has_its_words() -> None:
    """Each machine value has a text; an unknown one is named as unknown, as upstream does."""
    assert type_text("FieldValueRequired") == "Required value"
    assert type_text(ErrorType.INTERNAL) == "Internal error"
    assert type_text("FieldValueOdd") == '<unknown error "FieldValueOdd">'
    assert all("unknown" not in type_text(error_type) for error_type in ErrorType)


@pytest.mark.parametrize(
    ("expected", "error"),
    [
        ("spec.x: Required value", FieldError(ErrorType.REQUIRED, "spec.x")),
        ("a: Invalid value: 3: too big", FieldError(ErrorType.INVALID, "a", "too big", value="3")),
        ("<nil>: Forbidden: no", FieldError(ErrorType.FORBIDDEN, "<nil>", "no", origin="update")),
    ],
)
def test_text_is_what_a_user_reads(expected: str, error: FieldError) -> None:
    """The text joins field, words of the type, value and detail, and leaves out what is empty."""
    assert expected == error.text


def test_the_wire_form_leaves_out_defaults() -> None:
    """An error travels as a small JSON object and comes back the same."""
    error = FieldError(ErrorType.DUPLICATE, "spec.l[1]", covered=True)
    wire = msgspec.json.encode(error)
    assert wire == b'{"type":"FieldValueDuplicate","field":"spec.l[1]","covered":true}'
    assert error == msgspec.json.decode(wire, type=FieldError)
