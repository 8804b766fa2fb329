"""What is new is reduced and explained side by side."""

from __future__ import annotations

from typing import Any

import msgspec

from harness.case import Answer, Case, Operation
from harness.compare.finding import Finding
from harness.engine.local import Local, Order, Telling
from harness.engine.plan import Search
from harness.engine.settling import UNREDUCED, abreast
from harness.events import Budget
from harness.fuzzers.budget import Clock
from harness.fuzzers.places import digest
from tests.engine.toys import ToySpec, ToySubject
from tests.fuzzers.toys import WIDGETS, ToyTarget, error


def case(number: int) -> Case:
    """Make a case that is told by its number."""
    return Case(number, "", "v1", "Widget", Operation.CREATE, {})


def test_searches_side_by_side_share_batches_and_get_their_own_answers() -> None:
    """Questions of all go out together, answers come back to who asked, and who is done drops out."""
    heard: dict[str, list[list[int]]] = {"a": [], "b": [], "none": []}

    def search(name: str, *batches: list[int]) -> Search:
        for batch in batches:
            answers = yield [case(number) for number in batch]
            heard[name].append([answer.id for answer in answers])

    steps = abreast([search("a", [1, 2], [3]), search("none"), search("b", [4], [], [5, 6])])
    asked, batch = [], next(steps)
    try:
        while True:
            asked.append([one.id for one in batch])
            batch = steps.send([Answer(one.id) for one in batch])
    except StopIteration:
        pass
    assert asked == [[1, 2, 4], [3], [5, 6]]
    assert heard == {"a": [[1, 2], [3]], "b": [[4], [], [5, 6]], "none": []}


def found(short_until: float) -> list[Finding]:
    """Search while there is time for explaining alone until then, of a hundred seconds."""
    now = [0.0]
    subject: Any = ToySubject(ToySpec())

    def turn(search: Any) -> None:
        now[0] += 0.25

    clock = Clock(100.0, lambda: now[0])
    local = Local(subject, Order(3, Budget(100.0, 1200)), Telling(on_turn=turn), clock)
    clock.least = lambda: 200.0 if now[0] < short_until else 0.0
    return [one.opened() for unit in local.run().units for one in unit.findings]


def test_what_time_is_too_short_to_reduce_is_explained_all_the_same_and_says_so() -> None:
    """A cause is worth more than a small object."""
    cut = found(short_until=200.0)
    assert cut
    assert [] == [one for one in cut if one.cause == "unknown" or not one.detail.endswith(UNREDUCED)]


def test_what_was_cut_short_is_reduced_where_time_is_left_after_all() -> None:
    """Nobody is told that time was up when it was not: the same differences, as small as they go."""
    whole = found(short_until=0.0)
    again = found(short_until=3.0)
    assert sorted(one.fingerprint for one in whole) == sorted(one.fingerprint for one in again)
    assert [] == [one for one in (*whole, *again) if UNREDUCED in one.detail]


class Forgetful(ToyTarget):
    """Says something of every object with a title the first time alone."""

    def _answer(self, case: Case) -> Answer:
        answer = super()._answer(case)
        seen = self.__dict__.setdefault("seen", set())
        what = digest((case.object, case.old, case.operation))
        if answer.failure is not None or what in seen or not (case.object.get("spec") or {}).get("title"):
            return answer
        seen.add(what)
        once = error("Invalid", "spec.title", "too late", "clock", covered=True)
        return msgspec.structs.replace(answer, handwritten=(*answer.handwritten, once))


def test_what_does_not_show_again_is_called_unstable_and_told_as_it_was_met() -> None:
    """No experiment can be trusted on a case that gives two answers, and the first one is what shows the difference."""
    subject: Any = ToySubject(ToySpec())
    subject.target = Forgetful([WIDGETS])
    outcome = Local(subject, Order(3, Budget(max_cases=400)), Telling(), Clock()).run()
    late = [one.opened() for unit in outcome.units for one in unit.findings]
    late = [one for one in late if one.origin == "clock" and one.mismatch == "unmatched"]
    assert late
    assert {"unstable"} == {one.cause for one in late}
    assert all("clock" in {said.origin for said in one.answer.handwritten} for one in late)
    assert all("does not show when the same case is asked again" in one.detail for one in late)
