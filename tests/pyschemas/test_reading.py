"""What a callable returns or raises is read as errors, in every form that people write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema
import msgspec
import pytest
from pydantic import BaseModel

from harness.field import ErrorType, FieldError
from harness.pyschemas import Surroundings, adapter_of
from harness.pyschemas.reading import REJECTED

OBJECT = {"lines": [{"sku": "a"}], "note": None}
OWN = FieldError(ErrorType.INVALID, "note", "own")


class Note(BaseModel):
    note: str


class OrderError(Exception):
    """An exception of a project's own."""


def ask(function: Callable[[Any], Any], *rejections: type[Exception]) -> list[tuple[str, str]]:
    surroundings = Surroundings(rejections=rejections or (ValueError, AssertionError))
    return [(error.field, error.detail) for error in adapter_of(function).check(function, surroundings)(OBJECT)]


def raising(error: Exception) -> Callable[[Any], Any]:
    def validate(_obj: Any) -> None:
        raise error

    return validate


def type_name(value: object) -> str:
    """Return a name that is the same in each process."""
    return type(value).__name__


@pytest.mark.parametrize(
    "result",
    [None, True, "", [], (), set(), iter(()), Note(note="a"), object()],
    ids=type_name,
)
def test_what_accepts(result: Any) -> None:
    """Nothing to complain of, or an object that was made."""
    assert [] == ask(lambda obj: result)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (False, [("", REJECTED)]),
        ("bad", [("", "bad")]),
        (["one", "two"], [("", "one"), ("", "two")]),
        ([(("lines", 0, "sku"), "bad")], [("lines[0].sku", "bad")]),
        ([("lines[0].sku", "bad")], [("lines[0].sku", "bad")]),
        ([("lines.0.sku", "bad")], [("lines[0].sku", "bad")]),
        ([("$.lines[0].sku", "bad")], [("lines[0].sku", "bad")]),
        ([("/lines/0/sku", "bad")], [("lines[0].sku", "bad")]),
        ([("none", "missing")], [("none", "missing")]),
        (("note", "bad"), [("note", "bad")]),
        ([OWN], [("note", "own")]),
        (ValueError("bad"), [("", "bad")]),
        ([ValueError("bad")], [("", "bad")]),
        ([{"loc": ("lines", 0, "sku"), "msg": "bad", "type": "value_error"}], [("lines[0].sku", "bad")]),
        ((message for message in ["bad"]), [("", "bad")]),
    ],
    ids=type_name,
)
def test_what_rejects(result: Any, expected: list[tuple[str, str]]) -> None:
    """A bool, messages, pairs in every notation of a path, errors, and entries of pydantic."""
    assert expected == ask(lambda obj: result)


@pytest.mark.parametrize("result", [{"note": "bad"}, 3, 1.5, b"bad", [3], [None]], ids=type_name)
def test_what_says_neither(result: Any) -> None:
    """It is a mistake of the suite, and told as one."""
    with pytest.raises(TypeError, match="the validator returned"):
        ask(lambda obj: result)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (raising(ValueError("bad")), [("", "bad")]),
        (raising(AssertionError()), [("", "AssertionError")]),
        (Note.model_validate, [("note", "Input should be a valid string")]),
        (lambda obj: jsonschema.validate(obj, {"required": ["gone"]}), [("gone", "'gone' is a required property")]),
        (lambda obj: msgspec.convert(obj, dict[str, int]), [("", "Expected `int`, got `array`")]),
    ],
)
def test_exceptions_that_reject(function: Callable[[Any], Any], expected: list[tuple[str, str]]) -> None:
    """Those of the settings, and those of the libraries, whatever they derive from."""
    assert expected == ask(function)


def test_exceptions_of_a_project_reject_if_they_are_named() -> None:
    """Any other one is a crash."""
    assert [("", "bad")] == ask(raising(OrderError("bad")), OrderError)
    with pytest.raises(OrderError):
        ask(raising(OrderError("bad")))
    with pytest.raises(ValueError, match="bad"):
        ask(raising(ValueError("bad")), OrderError)
