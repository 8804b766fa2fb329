"""What a search of a mutant shows beside the unmutated worker: mismatches that only the mutant has."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from harness.case import Answer, Case, Failure, KindInfo, Operation
from harness.compare.comparator import Comparator
from harness.field import FieldError
from harness.power.handwritten import NOBODY, ask_apart
from harness.power.judge import Compared, Signature
from harness.power.lockstep import MutantWatch, _Lockstep, _Recorder
from harness.targets.target import Closing

INFO = KindInfo("apps", "v1", "Widget", "widgets", "apps/v1")
HAND = FieldError("FieldValueInvalid", "spec.size", "too large", origin="maximum", covered=True)
RULE = FieldError("FieldValueInvalid", "spec.size", "too large", origin="maximum", level="beta")
PLAIN = FieldError("FieldValueForbidden", "spec.name", "never")
AGREED = Answer(1, (HAND,), (RULE,))
CASE = Case(1, "apps", "v1", "Widget", Operation.CREATE, {}, resource="widgets", blocks="widgets")


class Unmutated(Closing):
    """A worker that gives one answer to all cases, and keeps what it was asked."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[Case] = []

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer."""
        self.asked += cases
        return [self.answer] * len(cases)


def watched(
    answer: Answer, unmutated: Answer, known: frozenset[Signature] = frozenset(), case: Case = CASE
) -> MutantWatch:
    """Let a mutant give one answer beside an unmutated worker."""
    worker = Unmutated(unmutated)
    watch = MutantWatch(7, None, known, worker)  # type: ignore[arg-type]  # it is asked, and nothing else
    _Lockstep(watch, {INFO.key: Comparator(INFO)}, Compared()).examine([case], [answer], 0.0)
    assert all(not one.blocks for one in worker.asked), "the unmutated worker tells no blocks"
    return watch


def test_a_mismatch_that_the_mutant_alone_has_kills_it() -> None:
    """A mark that was removed, and a check that was lost."""
    unmarked = msgspec.structs.replace(HAND, covered=False)
    assert watched(msgspec.structs.replace(AGREED, handwritten=(unmarked,)), AGREED).shown
    lost = watched(msgspec.structs.replace(AGREED, handwritten=()), AGREED)
    assert lost.shown.startswith("extra: apps/v1/widgets create spec.size")
    assert lost.clock.is_over()


def test_a_mismatch_without_the_mutant_does_not() -> None:
    """Neither one of the same case, nor one of the search of the unmutated worker."""
    alone = Answer(1, (HAND,), ())
    assert not watched(Answer(1, (HAND, PLAIN), ()), alone).shown
    shown = watched(alone, Answer(1))
    assert shown.shown
    known = frozenset({(INFO.key, Operation.CREATE, one) for one in Comparator(INFO).signatures(CASE, alone)})
    hidden = watched(alone, Answer(1), known)
    assert ("", 1, 0) == (hidden.shown, hidden.hidden, shown.hidden)


def test_errors_that_no_rule_reports_are_counted() -> None:
    """They say that nothing is compared with them."""
    watch = watched(Answer(1, (PLAIN,)), Answer(1))
    assert ("", 1, [("spec.name", "FieldValueForbidden", False)]) == (watch.shown, watch.changed, list(watch.errors))


@pytest.mark.parametrize(
    "answer",
    [
        Answer(1, (msgspec.structs.replace(HAND, source="a.go:1", stack="a.go:1, called at b.go:2"),), (RULE,)),
        Answer(1, failure=Failure("limit", "too slow")),
        Answer(1, (PLAIN, HAND), (RULE,)),
    ],
)
def test_what_is_no_change_counts_as_none(answer: Answer) -> None:
    """The line of code that made an error, a case that one worker had no time for, and another order."""
    unmutated = msgspec.structs.replace(AGREED, handwritten=(HAND, PLAIN)[: len(answer.handwritten) or 1])
    assert 0 == watched(answer, unmutated).changed


def test_cases_that_are_not_compared_are_not_asked_again() -> None:
    """They are for observers alone."""
    given = msgspec.structs.replace(CASE, mode="given")
    assert (1, 0, "") == ((watch := watched(Answer(1), AGREED, case=given)).asked, watch.changed, watch.shown)


def test_the_statement_of_the_mutant_is_told() -> None:
    """By its probe, in the answer to the last case of a batch."""
    assert watched(Answer(1, blocks=(3, 7)), Answer(1)).reached
    assert not watched(Answer(1, blocks=(3,)), Answer(1)).reached


def test_the_unmutated_search_tells_which_unit_reaches_a_probe() -> None:
    """And which differences there are without any mutant."""
    told: list[tuple[str, int, tuple[int, ...]]] = []
    recorder = _Recorder(
        lambda unit, found, answer: told.append((unit, len(found), answer.blocks)),
        "apps/v1 widgets", {INFO.key: Comparator(INFO)}, Compared(),
    )  # fmt: skip
    recorder.examine([CASE, CASE], [Answer(1, (HAND,), ()), Answer(1, blocks=(4,))], 0.0)
    assert [("apps/v1 widgets", 1, ()), ("apps/v1 widgets", 0, (4,))] == told


def test_what_a_search_does_not_ask_for_is_not_told_to_the_next() -> None:
    """The last case of a resource asks, if its search does not: a donor's. Subresources are of their resource."""

    def case(resource: str, subresource: str = "", blocks: str = "") -> Case:
        return msgspec.structs.replace(CASE, resource=resource, subresource=subresource, blocks=blocks)

    cases = [case("pods"), case("pods", "status"), case("jobs"), case("jobs", blocks="jobs"), case("pods")]
    assert ["", NOBODY, "", "jobs", NOBODY] == [one.blocks for one in ask_apart(cases)]
    assert [] == ask_apart([])
