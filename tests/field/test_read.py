"""Errors read back from their texts: what a server writes, whole or in an aggregate, is understood again."""

from __future__ import annotations

import pytest

from harness.field import ErrorType, FieldError
from harness.field.read import read_body, read_errors

ERRORS = (
    FieldError(ErrorType.REQUIRED, "spec.a", "must be set"), FieldError(ErrorType.REQUIRED, "spec.a"),
    FieldError(ErrorType.INVALID, "spec.list[0].b", "must be: even", value='"a: \\"b\\""'),
    FieldError(ErrorType.INVALID, "spec.n", "must be even", value="3"),
    FieldError(ErrorType.FORBIDDEN, "metadata.labels[a.b/c]", "not here"),
    FieldError(ErrorType.DUPLICATE, "spec.list[1]", value='"a"'),
    FieldError(ErrorType.NOT_SUPPORTED, "spec.mode", 'supported values: "A", "B"', value='"C"'),
    FieldError(ErrorType.TOO_LONG, "spec.name", "may not be more than 3 bytes"),
)  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.text)
def test_an_error_is_read_from_its_text(error: FieldError) -> None:
    """Type, path, value and detail of an error are those that its text was made of."""
    assert [error] == read_errors(error.text)


def test_an_aggregate_is_read_one_by_one() -> None:
    """Several errors in brackets are several errors, whatever commas stand in their details."""
    assert list(ERRORS) == read_errors(f"[{', '.join(error.text for error in ERRORS)}]")


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.text)
def test_a_cause_of_a_status(error: FieldError) -> None:
    """A status names type and path by themselves, and the rest as one text."""
    body = error.text.partition(": ")[2]
    assert error == read_body(error.type, error.field, body)


@pytest.mark.parametrize("text", ["", "no", "backups are closed today: come back: tomorrow", "[]"])
def test_other_texts_hold_no_errors(text: str) -> None:
    """A sentence is not taken for an error."""
    assert [] == read_errors(text)
