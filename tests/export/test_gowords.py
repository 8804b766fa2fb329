"""Field paths and expected errors as Go."""

from __future__ import annotations

import pytest

from harness.export.expected import ExpectedError
from harness.export.gowords import write_error, write_path
from harness.field import FieldError


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("spec", 'field.NewPath("spec")'),
        ("spec.items[0].name", 'field.NewPath("spec", "items").Index(0).Child("name")'),
        ("spec.labels[a.b/c]", 'field.NewPath("spec", "labels").Key("a.b/c")'),
        ("spec.a[0][1].b.c", 'field.NewPath("spec", "a").Index(0).Index(1).Child("b", "c")'),
        ("status.conditions.[0].type", 'field.NewPath("status.conditions.[0].type")'),
        ("", "nil"),
    ],
)
def test_paths(path: str, expected: str) -> None:
    """A path is built as validators build it; one that none should write is quoted whole."""
    assert expected == write_path(path)


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (ExpectedError(FieldError("FieldValueInvalid", "a", origin="minimum", level="beta"), False),
         'field.Invalid(field.NewPath("a"), nil, "").WithOrigin("minimum").MarkBeta()'),
        (ExpectedError(FieldError("FieldValueRequired", "a", covered=True), True, True),
         'field.Required(field.NewPath("a"), "").MarkShortCircuitedInDV()'),
        (ExpectedError(FieldError("FieldValueTooLong", "a", "may not be more than 63 bytes"), True),
         'field.TooLong(field.NewPath("a"), "", 63).MarkFromImperative()'),
        (ExpectedError(FieldError("SomethingElse", "a", level="alpha"), False),
         'field.Invalid(field.NewPath("a"), nil, "").MarkAlpha()'),
    ],
)  # fmt: skip
def test_errors(mark: ExpectedError, expected: str) -> None:
    """An error says its type, path, origin, level and side."""
    assert expected == write_error(mark, lambda path: path)
