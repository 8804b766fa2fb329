"""What is new is reduced and explained side by side."""

from __future__ import annotations

import math
import random
from typing import Any

import msgspec
import pytest

from harness import tuning
from harness.case import Answer, Case, Failure, Operation
from harness.compare.finding import SEVERITIES, Finding
from harness.compare.severity import severity_of
from harness.engine.config import RunConfig
from harness.engine.ledger import Ledger
from harness.engine.local import Callbacks, Local
from harness.engine.outcome import JobOutcome
from harness.engine.plan import Search, key_of
from harness.engine.shrinkphase import ShrinkPhase, run_in_lockstep
from harness.engine.units import RequestKind
from harness.events import Budget
from harness.fuzzers.budget import Clock
from harness.fuzzers.shapepaths import digest
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

    steps = run_in_lockstep([search("a", [1, 2], [3]), search("none"), search("b", [4], [], [5, 6])])
    asked, batch = [], next(steps)
    try:
        while True:
            asked.append([one.id for one in batch])
            batch = steps.send([Answer(one.id) for one in batch])
    except StopIteration:
        pass
    assert asked == [[1, 2, 4], [3], [5, 6]]
    assert heard == {"a": [[1, 2], [3]], "b": [[4], [], [5, 6]], "none": []}


def found(seconds: float, a_turn: float, after: float = math.inf) -> tuple[list[Finding], JobOutcome]:
    """Search for so long on a machine that takes so long for a turn, and see what is found. It stands still `after`."""
    now = [0.0]
    subject: Any = ToySubject(ToySpec())

    def turn(search: Any) -> None:
        now[0] += a_turn if now[0] < after else 1000.0

    clock = Clock(seconds, lambda: now[0])
    outcome = Local(subject, RunConfig(seed=3, budget=Budget(seconds)), Callbacks(on_turn=turn), clock).run()
    return [one.unpack() for unit in outcome.units for one in unit.findings], outcome


def test_a_slow_machine_tells_no_other_cause_than_a_quick_one() -> None:
    """What was met is reduced and explained beyond the time, so that a cause is a function of the case."""
    quick, _ = found(100.0, 0.25)
    slow, outcome = found(60.0, 0.5)
    causes = {one.fingerprint: (one.cause, one.severity, one.detail) for one in quick}
    assert slow
    assert [] == [one for one in slow if causes.get(one.fingerprint) != (one.cause, one.severity, one.detail)]
    assert outcome.overrun.seconds > 0
    assert (0, True) == (outcome.overrun.left, outcome.overrun.findings > 0)
    assert str(outcome.overrun).endswith(f"beyond --max-time to explain {outcome.overrun.findings} findings")


def test_what_is_not_explained_in_the_end_says_so_and_tells_no_guess() -> None:
    """The machine stands still just after the time: every difference is told as it was met, without a cause."""
    some, outcome = found(40.0, 0.5, after=42.0)
    assert some
    assert {"not-explained"} == {one.cause for one in some}
    assert all(one.detail.endswith("; not explained: budget") for one in some)
    assert outcome.overrun.left == len(some) == outcome.overrun.findings


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
    outcome = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=400)), Callbacks(), Clock()).run()
    late = [one.unpack() for unit in outcome.units for one in unit.findings]
    late = [one for one in late if one.origin == "clock" and one.mismatch == "unmatched"]
    assert late
    assert {"unstable"} == {one.cause for one in late}
    assert all("clock" in {said.origin for said in one.answer.handwritten} for one in late)
    assert all("does not show when the same case is asked again" in one.detail for one in late)


class Remembering(Forgetful):
    """Tells of every object that it said something else of before, as a target with a validator behind it does."""

    def _answer(self, case: Case) -> Answer:
        answer = super()._answer(case)
        if any(one.origin == "clock" for one in answer.handwritten) or not (case.object.get("spec") or {}).get("title"):
            return answer
        return Answer(case.id, failure=Failure("self", "two answers: too late, then accepted"))


def test_a_difference_that_its_target_takes_back_has_no_cause() -> None:
    """Where the target itself says that it gave two answers, nothing is concluded from either."""
    subject: Any = ToySubject(ToySpec())
    subject.target = Remembering([WIDGETS])
    outcome = Local(subject, RunConfig(seed=3, budget=Budget(max_cases=400)), Callbacks(), Clock()).run()
    late = [one.unpack() for unit in outcome.units for one in unit.findings]
    late = [one for one in late if one.origin == "clock" or one.mismatch == "self"]
    assert {"self", "unmatched"} <= {one.mismatch for one in late}
    assert {"unstable"} == {one.cause for one in late}


class Coin(ToyTarget):
    """Says something of objects with a title in four of ten answers, whatever was said before."""

    def __init__(self, seed: int) -> None:
        super().__init__([WIDGETS])
        self._random = random.Random(seed)

    def _answer(self, case: Case) -> Answer:
        answer = super()._answer(case)
        titled = answer.failure is None and (case.object.get("spec") or {}).get("title")
        if not titled or self._random.random() > 0.4:
            return answer
        extra = error("Invalid", "spec.title", "not today", "coin", covered=True)
        return msgspec.structs.replace(answer, handwritten=(*answer.handwritten, extra))


@pytest.mark.parametrize("seed", range(4))
def test_a_case_that_changes_its_answer_gets_no_cause(seed: int) -> None:
    """Four answers in ten are others: whatever experiments would show is luck."""
    subject: Any = ToySubject(ToySpec())
    subject.target = Coin(seed)
    outcome = Local(subject, RunConfig(seed=seed, budget=Budget(max_cases=1500)), Callbacks(), Clock()).run()
    thrown = [one.unpack() for unit in outcome.units for one in unit.findings]
    thrown = [one for one in thrown if one.origin == "coin"]
    assert thrown
    assert {"unstable"} == {one.cause for one in thrown}


def test_what_was_explained_before_is_asked_again_once_a_kind_is_known_to_change_its_mind() -> None:
    """Answers turn in the middle of a run: the cause that was told until then is taken back."""
    subject: Any = ToySubject(ToySpec())
    local = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=3000)), Callbacks(), Clock())

    class Turning(Coin):
        def _answer(self, case: Case) -> Answer:
            is_early = self.asked < 3000
            answer = ToyTarget._answer(self, case) if is_early else super()._answer(case)
            return answer

    subject.target = Turning(1)
    outcome = local.run()
    told = [one.unpack() for unit in outcome.units for one in unit.findings]
    titled = [one for one in told if (one.case.object.get("spec") or {}).get("title")]
    assert titled
    assert {"unstable"} == {one.cause for one in titled}


class Planted(ToyTarget):
    """Crashes on one title: nine letters that are all the same are what a reduction makes of a title of nine."""

    def _answer(self, case: Case) -> Answer:
        spec = (case.object or {}).get("spec") if isinstance(case.object, dict) else None
        if isinstance(spec, dict) and spec.get("title") == "aaaaaaaaa":
            return Answer(case.id, failure=Failure("handwritten", "ValueError: planted", panic=True))
        return super()._answer(case)


@pytest.mark.parametrize("seed", range(4))
def test_a_crash_that_a_reduction_meets_is_a_finding(seed: int) -> None:
    """Nothing was drawn that crashes: what is asked to make a difference small is looked at as well."""
    subject: Any = ToySubject(ToySpec())
    subject.target = Planted([WIDGETS])
    outcome = Local(subject, RunConfig(seed=seed, budget=Budget(max_cases=2500)), Callbacks(), Clock()).run()
    crashed = [one.unpack() for unit in outcome.units for one in unit.findings if one.severity == "verdict"]
    assert {"panic"} == {one.cause for one in crashed if one.mismatch == "panic"}
    assert [] == [one for one in crashed if "planted" not in one.detail]


class Excessive(ToyTarget):
    """Says more than is kept of every object without replicas."""

    def _answer(self, case: Case) -> Answer:
        if (case.object.get("spec") or {}).get("replicas") is None:
            return Answer(case.id, failure=Failure("limit", "its answer has 50,000 errors"))
        return super()._answer(case)


def test_answers_that_are_too_large_are_counted_by_kind() -> None:
    """They are failures of their own, and no findings."""
    subject: Any = ToySubject(ToySpec())
    subject.target = Excessive([WIDGETS])
    outcome = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=300)), Callbacks(), Clock()).run()
    kinds = [kind for unit in outcome.units for kind in unit.kinds]
    assert all(0 < kind.too_large == kind.failures < kind.cases for kind in kinds)
    assert "panic" not in {one.unpack().mismatch for unit in outcome.units for one in unit.findings}


def test_no_difference_is_told_milder_than_it_was_met() -> None:
    """A smaller case that fewer people notice is another difference: it does not stand for this one."""
    subject: Any = ToySubject(ToySpec())
    worst: dict[tuple[str, ...], int] = {}
    local = Local(subject, RunConfig(seed=2, budget=Budget(max_cases=4000)), Callbacks(), Clock())
    take = Ledger._compare

    def watching(self: Ledger, case: Case, answer: Answer, *more: Any) -> Any:
        comparator = self.plan.comparators[key_of(case)]
        for one in comparator.compare(case, answer):
            name = (str(case.operation), case.resource, *one.signature)
            graded = SEVERITIES.index(severity_of(case, answer, one, comparator))
            worst[name] = min(worst.get(name, graded), graded)
        return take(self, case, answer, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ledger, "_compare", watching)
        outcome = local.run()
    told = {
        (one.operation, one.resource, one.mismatch, one.path, one.type, one.origin, one.side): one.severity
        for one in (packed.unpack() for unit in outcome.units for packed in unit.findings)
    }
    assert {name: SEVERITIES[graded] for name, graded in worst.items()} == told


def meeting_again(patch: pytest.MonkeyPatch) -> None:
    """Let whatever is being settled be met again, and worse, just before its turn."""
    find = ShrinkPhase._find_floor

    def meeting(self: ShrinkPhase, request: RequestKind) -> Search:
        self.ledger.pending += [one for one in self.ledger.seen.values() if one.sighting is not None]
        yield from find(self, request)

    patch.setattr(ShrinkPhase, "_find_floor", meeting)


def test_what_is_met_worse_just_before_its_turn_is_settled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits twice then, and has nothing left to settle when its second turn comes."""
    subject: Any = ToySubject(ToySpec())
    meeting_again(monkeypatch)
    outcome = Local(subject, RunConfig(seed=3, budget=Budget(max_cases=1200)), Callbacks(), Clock()).run()
    assert [""] * 4 == [report.error for unit in outcome.units for report in unit.kinds]
    assert "not-explained" not in {one.unpack().cause for unit in outcome.units for one in unit.findings}


def test_what_was_settled_while_it_waited_is_not_graded_when_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is brought into order, worst first, and settled in the same way."""
    meeting_again(monkeypatch)
    settled, sort = list[bool](), Ledger.sort_pending

    def counting(self: Ledger) -> None:
        settled.extend(seen.sighting is None for seen in self.pending)
        sort(self)

    monkeypatch.setattr(Ledger, "sort_pending", counting)
    findings, outcome = found(60.0, 0.5)
    assert [""] * 4 == [report.error for unit in outcome.units for report in unit.kinds]
    assert {True, False} == set(settled)
    assert findings


class Inventive(ToyTarget):
    """Names another path in every answer about an object with a title."""

    def _answer(self, case: Case) -> Answer:
        answer = super()._answer(case)
        if answer.failure is not None or not (case.object.get("spec") or {}).get("title"):
            return answer
        self.named = vars(self).get("named", 0) + 1
        more = error("Invalid", f"spec.made{self.named}", "no", "made", covered=True)
        return msgspec.structs.replace(answer, handwritten=(*answer.handwritten, more))


def test_a_validator_that_makes_its_paths_up_does_not_keep_a_run_for_ever() -> None:
    """Each question about one of its errors meets another one: so many are taken up, and the run ends."""
    subject: Any = ToySubject(ToySpec())
    subject.target = Inventive([WIDGETS])
    outcome = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=60)), Callbacks(), Clock()).run()
    assert outcome.stopped == "budget"
    assert len([one for unit in outcome.units for one in unit.findings]) < 60 + 60 + 2 * tuning.FOLLOWED
