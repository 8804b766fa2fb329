"""What generated validators lean on: values by meaning, and as Go writes them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.tags.runtime import (
    read_bytes,
    same_duration,
    same_json,
    same_quantity,
    same_time,
    show_duration,
    show_json,
    show_micro_time,
    show_time,
)
from harness.tags.runtime import show_quantity as quantity

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(), lambda inner: st.lists(inner)
)


@pytest.mark.parametrize(
    ("given_value", "shown"),
    [
        (None, '"0"'), ("1000m", '"1"'), ("1500m", '"1500m"'), ("1024Ki", '"1Mi"'), ("512Ki", '"512Ki"'),
        ("0.5", '"500m"'), ("1e3", '"1e3"'), ("1000000", '"1M"'), ("1E", '"1E"'), ("1n", '"1n"'), (5, '"5"'),
        ("what", '"what"'), (".", '"."'), ("1e30", '"1e30"'), ("10e1", '"100"'), ("0.1n", '"1n"'), ("-0.1n", '"-1n"'),
        ("1.500", '"1.500"'), ("01", '"01"'), ("+1", '"+1"'), ("0.0", '"0"'), ("-1000", '"-1k"'), ("1000E", '"1"'),
        ("1.5Ki", '"1536"'), ("1.5Gi", '"1536Mi"'), ("1000Ki", '"1000Ki"'), ("0.5Ki", '"512"'), ("9Ki", '"9Ki"'),
        ("2000Ei", '"9223372036854775807"'), ("0.1Ki", '"102400m"'), ("8Ki", '"8Ki"'), ("1.0001Ki", '"1024102400u"'),
    ],
)  # fmt: skip
def test_quantities_are_shown_canonical(given_value: Any, shown: str) -> None:
    """The largest suffix that leaves a whole number, as Go writes it."""
    assert shown == quantity(given_value)


def test_times_are_shown_in_utc() -> None:
    """To the second; the zero time is null, and text that is no time stays."""
    shown = [
        show_time(value)
        for value in ("2026-01-01T01:00:00.5+01:00", None, "soon", "0001-01-01T00:00:00Z", "0099-01-01T00:00:00Z")
    ]
    assert ['"2026-01-01T00:00:00Z"', "null", '"soon"', "null", '"0099-01-01T00:00:00Z"'] == shown


def test_named_strings_are_json() -> None:
    """With the escapes of Go's encoder."""
    assert '"\\u003ca\\u0026\\u003e\\u2028é"' == show_json("<a&>\u2028é")


@given(JSON, JSON)
def test_equalities_never_raise(a: Any, b: Any) -> None:
    """Whatever is compared is equal to itself, and never a crash."""
    for same in (same_json, same_quantity, same_time, same_duration):
        assert same(a, a)
        assert same(a, b) == same(b, a)


def test_json_tells_numbers_from_truth() -> None:
    """1 is not true, in any depth."""
    assert not same_json([{"a": 1}], [{"a": True}])
    assert same_json([{"a": 1}], [{"a": 1.0}])


@given(st.text())
def test_bytes_never_raise(text: str) -> None:
    """Text that is no base64 has a length, too."""
    assert isinstance(read_bytes(text), bytes)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("60s", '"1m0s"'),
        ("90m", '"1h30m0s"'),
        ("1500ms", '"1.5s"'),
        ("0.5s", '"500ms"'),
        ("1500ns", '"1.5µs"'),
        ("7ns", '"7ns"'),
        ("-1h", '"-1h0m0s"'),
        ("0", '"0s"'),
        (None, '"0s"'),
        ("soon", '"soon"'),
    ],
)
def test_durations_are_shown_as_go_writes_them(value: str | None, shown: str) -> None:
    """A duration is shown from its largest unit on, whatever unit it was written in."""
    assert shown == show_duration(value)


def test_times_are_shown_by_their_type() -> None:
    """A time is shown to the second, a micro time to the microsecond, both in UTC."""
    assert '"2026-01-01T11:00:00Z"' == show_time("2026-01-01T12:00:00+01:00")
    assert '"2026-01-01T11:00:00.250000Z"' == show_micro_time("2026-01-01T12:00:00.25+01:00")
