"""What was met and not explained is told as it was met, with little work and in little room."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Failure, Operation
from harness.compare.comparator import Comparator
from harness.compare.composition import Served
from harness.compiler.rulelines import RuleLines
from harness.diagnostics import Position
from harness.engine.explain import MAX_KEPT_ERRORS, Explainer, count_different
from harness.engine.ledger import Sighting
from harness.engine.shrinkphase import ShrinkPhase
from harness.engine.steadying import times_set
from harness.engine.units import RequestKind
from harness.errormatch.matcher import Matcher
from harness.field import FieldError
from harness.fuzzers.shape import FieldShape, Shape, shape_of
from harness.gotypes.packages import Universe
from harness.subject.deciding import HandwrittenCode
from harness.subject.errorstack import Made
from harness.tags.registry import rule_facts
from harness.tags.release import Release
from harness.targets.target import drive
from tests.compare.builders import answer, case, errors, info

MANY = 400
ANSWER = answer(
    errors(*(f"TooMany@spec.a{n}/maxItems covered" for n in range(MANY))),
    errors(*(f"TooMany@spec.b{n}/maxItems" for n in range(MANY))),
)


def test_an_unexplained_finding_keeps_its_errors_and_few_others() -> None:
    """The last error of a list is there, the count of what is left out is told, and a short answer is kept whole."""
    comparator, explainer = Comparator(info()), Explainer(Shape("struct"), "s")
    mismatch = next(m for m in comparator.compare(case(), ANSWER) if m.path == f"spec.a{MANY - 1}")
    found = explainer.leave_unexplained(case(), ANSWER, mismatch, comparator)
    assert (MAX_KEPT_ERRORS + 1, MAX_KEPT_ERRORS) == (len(found.answer.handwritten), len(found.answer.declarative))
    assert ANSWER.handwritten[-1] == found.answer.handwritten[-1]
    assert found.detail.startswith(
        f"{mismatch.detail}; not explained: budget; {2 * (MANY - MAX_KEPT_ERRORS) - 1} other errors"
    )
    short = answer(ANSWER.handwritten[:1], ANSWER.declarative[:1])
    mismatch = comparator.compare(case(), short)[0]
    found = explainer.leave_unexplained(case(), short, mismatch, comparator)
    assert (short, f"{mismatch.detail}; not explained: budget") == (found.answer, found.detail)


def test_an_unexplained_finding_says_by_what_the_run_ended() -> None:
    """More time is no help where the target was lost."""
    comparator, explainer = Comparator(info()), Explainer(Shape("struct"), "s")
    mismatch = comparator.compare(case(), ANSWER)[0]
    told = {
        stopped: explainer.leave_unexplained(case(), ANSWER, mismatch, comparator, stopped)
        for stopped in ("", "budget", "target-lost", "interrupted", "internal-error")
    }
    assert {"", "budget"} == {stopped for stopped, one in told.items() if "give the run more time" in one.fix}
    assert "not explained: the target was lost" in told["target-lost"].detail
    assert "not explained: the run was interrupted" in told["interrupted"].detail
    assert 4 == len({one.detail for one in told.values()})


def test_many_findings_of_one_answer_compare_no_two_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would look at every pair of errors, and nobody would be told what it found."""
    comparator, explainer = Comparator(info()), Explainer(Shape("struct"), "s")
    mismatches = comparator.compare(case(), ANSWER)
    asked = list[FieldError]()

    def matches(matcher: Matcher, want: FieldError, got: FieldError) -> bool:
        asked.append(got)
        return False

    monkeypatch.setattr(Matcher, "matches", matches)
    found = {explainer.leave_unexplained(case(), ANSWER, one, comparator).fingerprint for one in mismatches}
    assert len(mismatches) >= MANY
    assert (len(mismatches), 0) == (len(found), len(asked))


def test_the_lists_of_one_answer_are_composed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many differences of it are graded, until another answer comes."""
    comparator, composed = Comparator(info()), list[int]()
    original = comparator._lists.served_of

    def served_of(handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> list[Served]:
        composed.append(1)
        return original(handwritten, declarative)

    monkeypatch.setattr(comparator._lists, "served_of", served_of)
    first = comparator.served(ANSWER)
    assert (first, 1) == (comparator.served(ANSWER), len(composed))
    other = answer(ANSWER.handwritten[:1], ANSWER.declarative)
    assert first != comparator.served(other)
    assert 2 == len(composed)


ONE = FieldError("FieldValueInvalid", "spec.a[0]", "one of a, b", "enum", covered=True)
ELSEWHERE = FieldError("FieldValueInvalid", "spec.a[1]", "one of b, a", "enum", covered=True)
OTHER = FieldError("FieldValueRequired", "spec.b", "")
FIRST = Answer(1, (ONE, OTHER), (ONE,))


@pytest.mark.parametrize(
    ("again", "others"),
    [
        (Answer(2, (OTHER, ONE), (ONE,)), 0),
        (
            Answer(2, (ELSEWHERE, OTHER), (ONE,)),
            0,
        ),
        (Answer(2, (ONE,), (ONE,)), 1),
        (Answer(2, (ONE, ONE, OTHER), (ONE,)), 1),
        (Answer(2, (ONE, OTHER), (OTHER,)), 1),
        (Answer(2, (ONE, OTHER), (ONE,), versions={"v2": (ONE,)}), 1),
        (Answer(2, failure=Failure("handwritten", "IndexError: 3", panic=True)), 1),
    ],
)
def test_an_answer_is_another_when_it_has_other_errors(again: Answer, others: int) -> None:
    """In any order, in any words and at any item they are the same: validators walk maps in any order."""
    assert others == count_different(FIRST, [FIRST, again])


def test_a_crash_is_the_same_whatever_address_it_names() -> None:
    """Another stage or another message is another crash."""
    first = Answer(1, failure=Failure("handwritten", "nil at 0x12af", panic=True))
    same = Answer(1, failure=Failure("handwritten", "nil at 0x99ff", panic=True))
    other = Answer(1, failure=Failure("declarative", "nil at 0x12af", panic=True))
    assert 1 == count_different(first, [same, other])


def _clocked(asked: Case, ticks: Iterator[int], always: bool) -> Answer:
    """A target that defaults a time to the present: then old and new may differ, and the check looks at the item."""
    rule = errors("Required@spec[0].a beta")
    lists: list[Any] = [(obj or {}).get("spec") for obj in (asked.object, asked.old)]
    if not all(lists):
        return answer(errors("Required@spec[0].a covered"), rule)
    times = [one[0].get("at") or next(ticks) // 3 for one in lists]
    is_skipped = next(ticks) % 3 > 0 if always else times[0] == times[1]
    return answer(() if is_skipped else errors("Required@spec[0].a covered"), rule)


def _clocked_shape() -> Shape:
    """A list of items with a time."""
    taint = Shape("struct", "v1.Taint")
    taint.__dict__["fields"] = (FieldShape("at", Shape("time")),)
    items = Shape("list")
    items.__dict__["elem"] = taint
    root = Shape("struct", "v1.Kind")
    root.__dict__["fields"] = (FieldShape("spec", items),)
    return root


def test_a_case_whose_times_were_set_is_reduced_again() -> None:
    """Before, its answers depended on the clock, so that what a reduction left in it was chance; its times stay."""
    one, shape, ticks = Comparator(info()), _clocked_shape(), count(1)
    old: Any = {"spec": [{}], "rest": "not needed"}
    asked, explainer = case(old, old), Explainer(shape, "s")
    said = answer((), errors("Required@spec[0].a beta"))
    [mismatch] = one.compare(asked, said)
    ask = partial(_clocked, ticks=ticks, always=False)
    steps = explainer.explain(asked, said, mismatch, one, False, 8)
    finding = drive(steps, lambda cases: list(map(ask, cases)))
    request = RequestKind(one.info, Operation.UPDATE)
    phase = ShrinkPhase.__new__(ShrinkPhase)
    plan: Any = SimpleNamespace(comparators={one.info.key: one}, shape=shape, explainer=explainer)
    phase.plan, phase.floors, phase._last_reduced = plan, {}, {}
    start, times = Sighting(finding.case, finding.answer, mismatch, None), times_set(asked, finding.case, shape)
    assert {("spec", 0, "at")} == times
    search = phase._reduce_steadied(request, start, times)
    found: Sighting | None = drive(search, lambda cases: list(map(ask, cases)))
    assert found is not None
    assert {"spec": [{"at": "2024-01-01T00:00:00Z"}]} == found.case.object == found.case.old
    assert frozenset() == times_set(finding.case, finding.case, shape)
    assert drive(phase._reduce_steadied(request, start, frozenset()), lambda cases: []) is None


def test_an_error_at_the_path_of_the_internal_type_is_repaired_in_this_version() -> None:
    """Handwritten code says that a member is missing where this version has it one struct further down."""
    inner, root = Shape("struct", "v1.Basic"), Shape("struct", "v1.Kind")
    inner.__dict__["fields"] = (FieldShape("size", Shape("string")),)
    root.__dict__["fields"] = (FieldShape("basic", inner),)
    one = Comparator(info(normalization=((r"basic\.size", "size"),)))
    asked = case({"basic": {}}, {"basic": {}})
    repairs = list(Explainer(root, "s").repairs(asked, errors("Required@size"), one))
    assert any(new["basic"].get("size") and new == old for new, old in repairs)
    assert all("size" not in new for new, _ in repairs)


@pytest.mark.parametrize("crashes", [True, False])
def test_a_crash_is_reduced_below_what_is_accepted(crashes: bool) -> None:
    """No list of errors says of a crash that something is required, so that every accepted object may have too much."""
    one, asked = Comparator(info()), case({"spec": {}})
    said = answer(failure=Failure("handwritten", "panic: x", True)) if crashes else answer(errors("Required@a covered"))
    request, floor = RequestKind(one.info, Operation.CREATE), ({"spec": {"needed": 1}}, None)
    phase = ShrinkPhase.__new__(ShrinkPhase)
    shape = _clocked_shape()
    plan: Any = SimpleNamespace(comparators={one.info.key: one}, shape=shape, explainer=Explainer(shape, "s"))
    phase.plan, phase.floors, phase._last_reduced = plan, {request.key: floor}, {}
    [mismatch] = one.compare(asked, said)
    assert (None if crashes else floor) == phase.reducer(request, Sighting(asked, said, mismatch, None)).floor


@pytest.mark.parametrize(("always", "cause"), [(False, "ratcheting"), (True, "unstable")])
def test_a_time_that_defaults_to_the_present_is_set_before_a_case_is_called_unstable(always: bool, cause: str) -> None:
    """With the time in the object the answers are the same, and the cause is that of the difference."""
    comparator, explainer, ticks = Comparator(info()), Explainer(_clocked_shape(), "s"), count(1)
    old: Any = {"spec": [{}]}
    asked, said = case(old, old), answer((), errors("Required@spec[0].a beta"))
    [mismatch] = comparator.compare(asked, said)
    steps = explainer.explain(asked, said, mismatch, comparator, False, 8)
    found = drive(steps, lambda cases: [_clocked(one, ticks, always) for one in cases])
    assert cause == found.cause
    assert ("at" in found.case.object["spec"][0]) == (not always)


def test_a_tag_is_named_at_the_path_of_its_own_version() -> None:
    """The check reports the path of the internal type, which the types of an older version do not have."""
    root, spec = Shape("struct", "v1.Kind"), Shape("struct", "v1.Spec")
    text = Shape("string", "string")
    spec.__dict__["fields"] = (FieldShape("mode", text, owner="api/v1.Spec", position=Position("/x/types.go", 7)),)
    root.__dict__["fields"] = (FieldShape("spec", spec),)
    comparator = Comparator(info(normalization=((r"^spec\.mode", "spec.exactly.mode"),)), facts=rule_facts())
    asked, said = case({"spec": {}}), answer(errors("Required@spec.exactly.mode covered"))
    [mismatch] = comparator.compare(asked, said)
    steps = Explainer(root, "s").explain(asked, said, mismatch, comparator, False, 1)
    found = drive(steps, lambda cases: [said] * len(cases))
    assert "declare +k8s:required on spec.mode, or" in found.fix
    assert "for spec.exactly.mode (api/v1/types.go:7)" in found.fix
    assert "api/v1/types.go:7" == found.source


def test_an_empty_member_of_a_union_has_its_tag_named_and_what_counts_it(tmp_path: Path) -> None:
    """The tag of the first member is no place to mend: the sides differ on the list that is there and empty."""
    types = tmp_path / "types.go"
    types.write_text(
        """package v1

type Kind struct {
	Spec Spec `json:"spec"`
}

type Spec struct {
	// +k8s:unionMember
	One *int `json:"one"`
	// +k8s:unionMember
	Many []string `json:"many"`
}
"""
    )
    universe = Universe.from_files({"api/v1": [types]})
    shape, rules = shape_of(universe, "api/v1.Kind"), RuleLines(universe, Release())
    comparator, asked, told = Comparator(info(), facts=rule_facts()), case({"spec": {"many": []}}), list[Any]()

    class Counting(HandwrittenCode):
        def find_guard(self, check: Made, empty: Collection[str] = ()) -> str:
            told.append(list(empty))
            return "under a condition"

    def say(one: Case) -> Answer:
        check = msgspec.structs.replace(
            errors("Invalid@spec/union covered")[0], source="v.go:7 in f" if one.trace else ""
        )
        is_silent = one.object.get("spec") == {"many": []}
        return answer((check,), () if is_silent else errors("Invalid@spec/union beta"))

    [mismatch] = comparator.compare(asked, say(asked))
    explainer = Explainer(shape, "s", rules=rules, traces=True, code=Counting)
    steps = explainer.explain(asked, say(asked), mismatch, comparator, False, 2)
    found = drive(steps, lambda cases: [say(one) for one in cases])
    assert ("other-value", "api/v1/types.go:10", [["Many"]]) == (found.cause, found.rule_source, told)
