"""The values that errors show are written as Go writes them."""

from __future__ import annotations

import pytest

from harness.field.make import as_json, json_float, plain_float, shown

FLOATS = [
    (-0.0, "-0", "-0"),
    (0.0, "0", "0"),
    (1.0, "1", "1"),
    (-0.5, "-0.5", "-0.5"),
    (123456.0, "123456", "123456"),
    (1000000.0, "1e+06", "1000000"),
    (1e20, "1e+20", "100000000000000000000"),
    (1e21, "1e+21", "1e+21"),
    (0.0001, "0.0001", "0.0001"),
    (0.00001, "1e-05", "0.00001"),
    (1e-7, "1e-07", "1e-7"),
    (123456789.125, "1.23456789125e+08", "123456789.125"),
    (9223372036854775808.0, "9.223372036854776e+18", "9223372036854776000"),
    (1e300, "1e+300", "1e+300"),
]
"""What `fmt.Println` and `json.Marshal` of Go 1.26 print of them."""


@pytest.mark.parametrize(("value", "plain", "json"), FLOATS)
def test_a_float_is_written_as_go_writes_it(value: float, plain: str, json: str) -> None:
    """As `%v` does where it is the bad value itself, as encoding/json does inside of another value."""
    assert plain == plain_float(value)
    assert json == json_float(value)
    assert (plain, json) == (shown(value), as_json(value))
