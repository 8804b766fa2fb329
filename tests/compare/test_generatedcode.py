"""The declarative list of a target beside the list of its own tags: every part of an error counts, and the order."""

from __future__ import annotations

import msgspec
import pytest

from harness.compare.comparator import Comparator
from harness.compare.generatedcode import compare_generated
from harness.compare.severity import grade_alone, severity_of, worst_possible
from harness.field import FieldError
from tests.compare.builders import answer, case, error, errors, info

RULE = error("TooMany@a/maxItems beta sc", detail="must have at most 2 items", value="3")
PANIC = error("Internal@<nil>", detail="panic during declarative validation: nil")


def told(declarative: tuple[FieldError, ...], compiled: tuple[FieldError, ...]) -> list[tuple[str, str]]:
    return [(one.path, one.side) for one in compare_generated(declarative, compiled)]


def test_equal_lists_have_no_mismatch() -> None:
    """Neither have two empty ones, nor two crashes, which have other words in Go."""
    assert [] == told((), ())
    assert [] == told((RULE, *errors("Required@b")), (RULE, *errors("Required@b")))
    assert [] == told((PANIC,), (msgspec.structs.replace(PANIC, detail=f"{PANIC.detail} pointer"),))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"detail": "must have at most 3 items"}, "3 items"),
        ({"value": "4"}, ""),
        ({"level": "alpha"}, "level alpha"),
        ({"level": ""}, "level standard"),
        ({"short_circuit": False}, "not as a short-circuit"),
    ],
)
def test_every_part_of_an_error_counts(changed: dict[str, object], words: str) -> None:
    """Where both report the error, otherwise, it is one mismatch, which says what differs."""
    [found] = compare_generated((msgspec.structs.replace(RULE, **changed),), (RULE,))
    assert ("generated", "a", "both") == (found.kind, found.path, found.side)
    assert words in found.detail


@pytest.mark.parametrize("changed", [{"type": "FieldValueInvalid"}, {"field": "b"}, {"origin": "minItems"}])
def test_another_error_is_two_mismatches(changed: dict[str, object]) -> None:
    """An error of another type, path or origin is another one: generated code reports it alone, and so do the tags."""
    other = msgspec.structs.replace(RULE, **changed)
    assert [(other.field, "declarative"), ("a", "")] == told((other,), (RULE,))


def test_items_of_one_list_are_one_mismatch() -> None:
    """Ten items with the same mistake are told once; an error that is reported twice is one more."""
    items = tuple(error(f"Required@a[{number}]") for number in range(10))
    assert [("a[0]", "declarative")] == told(items, ())
    assert [("a", "declarative")] == told((RULE, RULE), (RULE,))


def test_the_order_counts() -> None:
    """The same errors in another order are one mismatch, at the first that differs."""
    first, second = errors("Required@b", "Required@c")
    assert [("b", "both")] == told((first, second), (second, first))


@pytest.mark.parametrize(
    ("handwritten", "declarative", "compiled", "expected"),
    [
        ([], ["TooMany@a"], [], "verdict"),
        ([], [], ["TooMany@a"], "verdict"),
        ([], [], ["TooMany@a beta"], "verdict"),
        ([], [], ["TooMany@a alpha"], "graduation"),
        (["Required@z"], [], ["TooMany@a"], "visible"),
        (["Required@z"], [], ["TooMany@a alpha"], "shadow"),
        (["TooMany@a covered"], ["TooMany@a alpha"], ["TooMany@a beta"], "visible"),
    ],
)
def test_it_is_graded_by_who_would_notice(
    handwritten: list[str], declarative: list[str], compiled: list[str], expected: str
) -> None:
    """Served now is compared with what is served once the code is generated anew, under each setting."""
    told = [error(one, detail="words of the rule") for one in compiled]
    said = answer(errors(*handwritten), errors(*declarative), compiled=tuple(told))
    comparator = Comparator(info())
    [found] = [one for one in comparator.compare(case(), said) if one.kind == "generated"]
    assert expected == severity_of(case(), said, found, comparator)
    if handwritten == ["Required@z"]:
        assert grade_alone(case(), said, found, comparator) in ("verdict", "graduation")
    else:
        assert worst_possible(said, comparator) == "verdict"


def test_the_comparator_looks_at_both() -> None:
    """Signatures show it too, where neither list of the target has an error; an unknown list is no difference."""
    comparator = Comparator(info())
    silent = answer((), (), compiled=(RULE,))
    assert [("generated", "a", RULE.type, RULE.origin, "")] == [*comparator.signatures(case(), silent)]
    assert [] == comparator.compare(case(), answer())
    assert [] == comparator.compare(case(), answer((), (), compiled=()))
