"""Each operator on errors changes what it says, and nothing else."""

from __future__ import annotations

import pytest

from harness.case import Operation
from harness.field import FieldError
from harness.power.operators.errors import OPERATORS, above, first_item_only, innermost

ORIGINAL = FieldError("FieldValueInvalid", "spec.items[2].name", "too odd", "odd", level="beta", value='"x"')
BY_NAME = {name: alter for name, alter, _ in OPERATORS}


def differing(name: str, operation: Operation = Operation.CREATE) -> list[set[str]]:
    """Which members of the error an operator changes, for each error that it leaves."""
    return [
        {member for member in FieldError.__struct_fields__ if getattr(one, member) != getattr(ORIGINAL, member)}
        for one in BY_NAME[name]([ORIGINAL], operation)
    ]


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("drop", []),
        ("skip updates", [set()]),
        ("change path", [{"field"}]),
        ("change type", [{"type"}]),
        ("change origin", [{"origin"}]),
        ("change detail", [{"detail"}]),
        ("report twice", [set(), set()]),
    ],
)
def test_an_operator_changes_what_it_says(name: str, left: list[set[str]]) -> None:
    """On a create: what is left of one error, and what differs in it."""
    assert left == differing(name)


def test_updates_are_skipped() -> None:
    """The operator that skips updates leaves nothing there."""
    assert [] == differing("skip updates", Operation.UPDATE)


def test_every_operator_is_tested() -> None:
    """No operator is without a line above."""
    assert 7 == len(BY_NAME)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("spec.items[2].name", "spec.items[2]"),
        ("spec.items[2]", "spec.items"),
        ("spec", "metadata"),
        ("metadata.labels[a.b/c]", "metadata.labels"),
        ("spec.data[a[0]]", "spec.data"),
    ],
)
def test_an_error_goes_to_what_holds_its_field(path: str, expected: str) -> None:
    """A root field has nothing above it that could be named; dots and brackets in a key are part of the key."""
    assert expected == above(path)


def test_only_the_first_item_counts() -> None:
    """Errors of other items are left out; an error of no item stays."""
    errors = [FieldError("FieldValueInvalid", f"spec.a[{index}]") for index in (0, 1)]
    assert errors[:1] == list(first_item_only(errors, Operation.CREATE))
    assert ["", "3", "a[0]"] == [innermost(path) for path in ("spec.a", "spec.a[0].b[3]", "spec.data[a[0]]")]
