"""What of two validators is a difference, under each of the three comparisons, and in which words."""

from __future__ import annotations

import pytest

from harness.case import Answer, Case, Failure, KindInfo, Operation
from harness.compare.comparator import Comparator
from harness.compare.severity import severity_of
from harness.compare.two_validators import TwoValidators, encode_pair
from harness.field import ErrorType, FieldError
from harness.suite import Compared

INFO = KindInfo("", "", "Order", "order", "", composition="takeover")
CASE = Case(1, "", "", "Order", Operation.CREATE, {"a": 1})
NAMES = TwoValidators("the old function", "the new model")


def error(field: str, detail: str = "bad", origin: str = "", type: ErrorType = ErrorType.INVALID) -> FieldError:
    return FieldError(type.value, field, detail, origin)


def differences(
    old: list[FieldError], new: list[FieldError], compare: Compared = "verdict"
) -> list[tuple[str, str, str, str]]:
    answer = Answer(1, *encode_pair(old, new, compare))
    comparator = Comparator(INFO, comparison=NAMES)
    return [
        (one.kind, one.path, NAMES.name_of(one.side), severity_of(CASE, answer, one, comparator))
        for one in comparator.compare(CASE, answer)
    ]


A, B = error("a"), error("b")
LONG = error("a", "too long", "maxLength", ErrorType.TOO_LONG)


@pytest.mark.parametrize("compare", ["verdict", "paths", "errors"])
def test_who_accepts_alone_is_a_difference(compare: Compared) -> None:
    """Of the verdict, for each error of the other one, whatever else is compared."""
    assert [] == differences([], [], compare)
    assert [("unmatched", "a", "the new model", "verdict")] == differences([], [LONG], compare)
    assert [("extra", "a", "the old function", "verdict")] == differences([A], [], compare)
    assert ["a", "b"] == [path for _, path, _, _ in differences([], [A, B], compare)]


def test_two_rejections_have_one_verdict() -> None:
    """Whatever they say, and wherever: they differ in their paths or their words only."""
    assert [] == differences([A], [B]) == differences([A], [LONG]) == differences([A, A], [error("a.b"), A])


def test_paths() -> None:
    """A path that one of them reports alone; of one that both report, the words are free."""
    assert [] == differences([A], [LONG], "paths")
    assert [
        ("unmatched", "b", "the new model", "visible"), ("extra", "a", "the old function", "visible"),
    ] == differences([A], [B], "paths")  # fmt: skip


def test_errors() -> None:
    """The words too."""
    assert [] == differences([A], [error("a", origin="maximum")], "errors")
    assert {("a", "visible")} == {(path, severity) for _, path, _, severity in differences([A], [LONG], "errors")}


@pytest.mark.parametrize("compare", ["paths", "errors"])
def test_a_validator_without_paths_is_compared_by_its_verdict(compare: Compared) -> None:
    """It would differ everywhere."""
    assert [] == differences([error("")], [LONG], compare) == differences([LONG], [error("")], compare)
    assert 1 == len(differences([error("")], [], compare))


@pytest.mark.parametrize(
    ("old", "new", "reporters"),
    [
        ([A], [error("b")], [("b", (True, False)), ("a", (False, True))]),
        ([A], [LONG], [("a", (True, True)), ("a", (True, True))]),
        ([error("")], [LONG], [("a", (True, True)), ("a", (True, True))]),
        ([error("a.b")], [A], [("a", (True, False)), ("a.b", (False, True))]),
    ],
)
def test_experiments_know_who_reported_an_error_that_is_no_difference(
    old: list[FieldError], new: list[FieldError], reporters: list[tuple[str, tuple[bool, bool]]]
) -> None:
    """The new and the old one; both, if the other reports something at the path, or nowhere in particular."""
    mixed, alone = encode_pair(old, new, "verdict")
    assert () == alone
    assert reporters == [(one.field, NAMES.reporters([one], [])) for one in mixed]


def test_an_error_of_a_model_without_a_path_is_about_the_whole_object() -> None:
    """Only a function that says no more may mean any value."""
    mixed, _ = encode_pair([A], [error("")], "verdict", (True, False))
    assert [("", (True, False)), ("a", (False, True))] == [(one.field, NAMES.reporters([one], [])) for one in mixed]


@pytest.mark.parametrize(("stage", "side"), [("old", "the old function"), ("new", "the new model")])
def test_a_crash_is_of_the_validator_that_raised(stage: str, side: str) -> None:
    """And changes the verdict."""
    answer = Answer(1, failure=Failure(stage, "KeyError: 'a'", True, "model.py:3 in check"))  # type: ignore[arg-type]
    comparator = Comparator(INFO, comparison=NAMES)
    [mismatch] = comparator.compare(CASE, answer)
    assert ("panic", side) == (mismatch.kind, NAMES.name_of(mismatch.side))
    assert "verdict" == severity_of(CASE, answer, mismatch, comparator)


def test_a_difference_is_told_with_both_names() -> None:
    """Who accepts, who rejects, and why."""
    comparator = Comparator(INFO, comparison=NAMES)
    told = []
    for old, new in (([], [LONG]), ([A], [])):
        answer = Answer(1, *encode_pair(old, new, "verdict"))
        told += [NAMES.describe(one, answer) for one in comparator.compare(CASE, answer)]
    assert [
        "the old function accepts, the new model rejects: a: Too long: too long",
        "the old function rejects, the new model accepts: a: Invalid value: bad",
    ] == told
