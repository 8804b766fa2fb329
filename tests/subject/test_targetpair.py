"""Two targets as one: equal answers are no mismatch, each difference is one, whatever else both serve."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from harness import engine
from harness.case import Answer, Case, Failure, KindInfo, Operation, TargetInfo
from harness.compare.comparator import Comparator
from harness.compare.mismatch import failed
from harness.compare.two_servers import encode_difference
from harness.diagnostics import TargetError, UsageError
from harness.engine import RunConfig
from harness.events import Budget
from harness.field import FieldError
from harness.subject import SubjectSpec, open_subject
from harness.subject.targetpair import TargetPair
from harness.targets.target import Closing

ROOT = Path(__file__).parent.parent.parent
KIND = KindInfo("g", "v1", "T", "ts", "g/v1", type="example.T", options={"a": True, "b": True}, versions=("v2",))
CASE = Case(7, "g", "v1", "T", Operation.CREATE, {}, resource="ts", served=True, versions=True, repeat=True)
INVALID = FieldError("FieldValueInvalid", "spec.a", "is bad", "origin-a", value="1")
REQUIRED = FieldError("FieldValueRequired", "spec.b", "", covered=True)


class Toy(Closing):
    """A target that gives one answer, and remembers what it was asked."""

    def __init__(self, *kinds: KindInfo, gates: dict[str, bool] | None = None, **answer: Any) -> None:
        abilities = ("served", "versions", "repeat", "modes", "options", "update")
        self.info = TargetInfo("toy", release="1", abilities=abilities, kinds=kinds or (KIND,), gates=gates or {})
        self.answer, self.asked, self.closed = Answer(3, **answer), list[Case](), 0

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        self.asked += cases
        return [self.answer for _ in cases]

    def submit(self, cases: Sequence[Case]) -> Any:
        answers = self.ask(cases)
        return type("Pending", (), {"result": lambda _: answers})()

    def close(self) -> None:
        self.closed += 1


def test_the_blocks_that_the_code_of_a_project_reaches() -> None:
    """Are in the answer, also where a difference is asked about again, which asks for blocks too."""
    second = Toy(handwritten=(INVALID,), blocks=(3, 4))
    second.info = msgspec.structs.replace(second.info, abilities=("blocks", "update"))
    asked = msgspec.structs.replace(CASE, blocks="a")
    for first, most in ((Toy(handwritten=(INVALID,)), 1), (Toy(), 2)):
        second.asked.clear()
        with TargetPair(first, second, traces=True) as pair:
            assert "blocks" in pair.info.abilities
            [answer] = pair.ask([asked])
        assert {3, 4} == set(answer.blocks)
        assert ["a"] * most == [case.blocks for case in second.asked]
    with TargetPair(Toy(), second) as pair:
        assert "blocks" not in pair.info.abilities


def found(first: Toy, second: Toy) -> list[tuple[str, str]]:
    """Ask both, and return the kind and the path of each mismatch."""
    with TargetPair(first, second) as pair:
        [answer] = pair.ask([CASE])
        assert answer.id == 7
        return [(m.kind, m.path) for m in Comparator(pair.info.kinds[0]).compare(CASE, answer)]


def test_where_handwritten_errors_are_made() -> None:
    """The sources of a project's own code are passed on where they are asked for, and make no difference."""
    own = FieldError("FieldValueInvalid", "spec.a", "is bad", source="a.go:1 in f")
    both = FieldError("FieldValueInvalid", "spec.b", "is bad", source="a.go:2 in f")
    before, after = Toy(handwritten=(own, both)), Toy(handwritten=(msgspec.structs.replace(both, source=""),))
    before.info = msgspec.structs.replace(before.info, abilities=("update", "trace"))
    with TargetPair(after, before) as silent, TargetPair(after, before, traces=True) as pair:
        assert (False, True) == tuple("trace" in one.info.abilities for one in (silent, pair))
        [answer] = pair.ask([CASE])
    assert [("spec.a", "a.go:1 in f")] == [(one.field, one.source) for one in answer.declarative]
    assert ["spec.b"] == [one.field for one in answer.handwritten]


def test_equal_answers_are_no_mismatch() -> None:
    """Neither for migrated rules, nor for repeated errors, nor for errors of both."""
    declarative = (FieldError("FieldValueInvalid", "spec.c", "no", "x"),)
    for handwritten in [(), (INVALID,), (REQUIRED,), (INVALID, INVALID, REQUIRED)]:
        toys = [Toy(handwritten=handwritten, declarative=declarative) for _ in range(2)]
        assert found(*toys) == []


class Clock(Toy):
    """A target whose first answer has another time of day in it."""

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        first = not self.asked
        self.asked += cases
        late = FieldError("FieldValueInvalid", "spec.a", "is bad at 12:00:01", "origin-a", value="1")
        return [Answer(3, handwritten=(late,)) if first else self.answer for _ in cases]


def test_a_difference_that_does_not_show_again_is_none() -> None:
    """Both are asked again if they differ, and a difference is reported if it is there again."""
    assert [] == found(Clock(handwritten=(INVALID,)), Toy(handwritten=(INVALID,)))
    assert [] != found(Clock(), Toy(handwritten=(INVALID,)))
    same = Toy(handwritten=(INVALID,))
    found(same, Toy(handwritten=(INVALID,)))
    assert 1 == len(same.asked)


def test_only_handwritten_code_is_repeated() -> None:
    """The sample that is asked twice is one of the code of a project; servers are asked once."""
    ours, theirs = Toy(), Toy()
    with TargetPair(ours, theirs, traces=True) as pair:
        pair.ask([CASE])
        assert "repeat" in pair.info.abilities
    assert ([False], [True]) == ([one.repeat for one in ours.asked], [one.repeat for one in theirs.asked])
    again = Toy(failure=Failure("self", "two answers"))
    assert [("self", "")] == found(Toy(), again)
    with TargetPair(Toy(), again) as pair:
        [answer] = pair.ask([CASE])
        assert answer.failure is not None
        assert "two answers" == pair.servers.describe(failed(answer.failure)[0], answer)


@pytest.mark.parametrize(("ours", "theirs", "expected"), [("409", "409", "409"), ("409", "", ""), ("", "409", "")])
def test_a_request_that_both_refuse_is_refused(ours: str, theirs: str, expected: str) -> None:
    """Where one of two servers validates what the other refuses, users see the difference."""
    with TargetPair(Toy(unreachable=ours), Toy(unreachable=theirs, handwritten=(INVALID,))) as pair:
        assert [expected] == [answer.unreachable for answer in pair.ask([CASE])]


def test_order_and_invisible_properties_are_not_compared() -> None:
    """Users see neither marks, levels and origins of errors, nor a stable order of the keys of maps."""
    other = FieldError("FieldValueInvalid", "spec.a", "is bad", "another", value="1", covered=True)
    assert found(Toy(handwritten=(INVALID, REQUIRED)), Toy(handwritten=(REQUIRED, other))) == []


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ((INVALID,), (), [("unmatched", "spec.a")]),
        ((), (INVALID,), [("extra", "spec.a")]),
        ((INVALID, INVALID), (INVALID,), [("unmatched", "spec.a")]),
        ((INVALID, REQUIRED), (INVALID, REQUIRED, REQUIRED), [("extra", "spec.b")]),
        (
            (INVALID,),
            (FieldError("FieldValueInvalid", "spec.a", "is wrong", value="1"),),
            [("unmatched", "spec.a"), ("extra", "spec.a")],
        ),
        (
            (INVALID,),
            (FieldError("FieldValueInvalid", "spec.a", "is bad", value="2"),),
            [("unmatched", "spec.a"), ("extra", "spec.a")],
        ),
    ],
)
def test_each_difference_is_a_mismatch(ours: Any, theirs: Any, expected: Any) -> None:
    """An error more or less, once more or less, other words, another value. Without composition, to see all of it."""
    raw = KindInfo("g", "v1", "T", "ts", "g/v1", composition="shadow")
    assert found(Toy(raw, handwritten=ours), Toy(raw, handwritten=theirs)) == expected


def test_lists_mismatch_exactly_if_they_differ() -> None:
    """Random lists of few errors have a mismatch if and only if they differ as multisets."""
    random = Random(5)
    errors = [
        FieldError("FieldValueInvalid", path, detail, value=value)
        for path in ("a", "b")
        for detail in ("x", "y")
        for value in ("", "1")
    ]
    with TargetPair(Toy(), Toy()) as pair:
        comparator = Comparator(pair.info.kinds[0])
    for _ in range(3000):
        ours, theirs = (random.choices(errors, k=random.randrange(4)) for _ in range(2))
        handwritten, declarative = encode_difference(ours, theirs)
        mismatches = comparator.compare(CASE, Answer(1, handwritten, declarative))
        differ = sorted(e.text for e in ours) != sorted(e.text for e in theirs)
        assert bool(mismatches) is differ, (ours, theirs)


def test_each_is_served_under_its_own_gates() -> None:
    """A beta rule counts where the gate of its target is on."""
    beta = (FieldError("FieldValueInvalid", "spec.c", "no", level="beta"),)
    on, off = ({"DeclarativeValidationBeta": value} for value in (True, False))
    assert found(Toy(gates=on, declarative=beta), Toy(gates=on, declarative=beta)) == []
    assert found(Toy(gates=on, declarative=beta), Toy(gates=off, declarative=beta)) == [("unmatched", "spec.c")]


def test_a_failure_on_both_sides_is_none_to_be_reported_here() -> None:
    """Alike, it is a failure and no finding; on one side, or with other words, it is a difference."""
    panic = Failure("handwritten", "panic: x", True)
    with TargetPair(Toy(failure=panic), Toy(failure=panic)) as pair:
        assert pair.ask([CASE]) == [Answer(7, failure=Failure("handwritten", "panic: x"))]
    assert found(Toy(failure=panic), Toy()) == [("unmatched", "")]
    assert found(Toy(), Toy(failure=panic)) == [("extra", "")]
    assert found(Toy(failure=panic), Toy(failure=Failure("decode", "no"))) == [("unmatched", ""), ("extra", "")]


def test_only_common_requests_are_served() -> None:
    """The others are excluded, with the release that serves them; abilities of one release are dropped."""
    other = KindInfo("g", "v2", "T", "ts", "g/v2", subresource="status")
    pair = TargetPair(first := Toy(KIND, other), Toy(KIND))
    assert [kind.key for kind in pair.info.kinds] == [KIND.key]
    assert [(e.version, e.resource, e.reason) for e in pair.info.excluded] == [
        ("v2", "ts/status", "served by 1 after only")
    ]
    assert pair.info.abilities == ("modes", "options", "update")
    pair.ask([CASE])
    assert [(c.served, c.versions, c.repeat) for c in first.asked] == [(False, False, False)]


def test_two_targets_without_a_common_resource_are_an_error() -> None:
    """The error is raised when the pair is created."""
    with pytest.raises(TargetError, match="serve no common resource"):
        TargetPair(Toy(), Toy(KindInfo("h", "v1", "T", "ts", "h/v1")))


def test_both_are_closed() -> None:
    """With the pair."""
    first, second = Toy(), Toy()
    TargetPair(first, second).close()
    assert (first.closed, second.closed) == (1, 1)


def test_a_suite_against_itself_is_equivalent() -> None:
    """The proof of no false alarms, on what has findings when its two sides are compared."""
    place = str(ROOT / "examples" / "migration")
    result = engine.run(SubjectSpec("suite", place, against=place), RunConfig(seed=1, budget=Budget(max_cases=1500)))
    assert (result.findings, result.cases >= 1500, result.subject) == ((), True, "migration against migration")
    assert all(kind.has_seed for kind in result.kinds)


def test_declarative_sides_are_not_swapped_in_a_pair() -> None:
    """Two options that contradict each other are an error."""
    with pytest.raises(UsageError, match="leave --declarative out"):
        open_subject(SubjectSpec("suite", "examples/migration", declarative="python", against="examples/migration"))


def test_settings_of_the_migration_are_composed_here() -> None:
    """A beta rule of one target is served with its gate, and is not served without it."""
    rule = FieldError("FieldValueInvalid", "spec.c", "no", "x", level="beta")
    with TargetPair(Toy(declarative=(rule,)), Toy(), {"DeclarativeValidationBeta": True}) as pair:
        assert ["spec.c"] == [error.field for error in pair.ask([CASE])[0].handwritten]
    with TargetPair(Toy(declarative=(rule,)), Toy(), {"DeclarativeValidationBeta": False}) as pair:
        assert () == pair.ask([CASE])[0].handwritten


def test_a_suite_need_not_know_the_gates_of_the_migration() -> None:
    """They say how lists are composed, so they open two suites that declare no gates."""
    suite = str(ROOT / "suites" / "workload_v1")
    spec = SubjectSpec("suite", suite, {"DeclarativeValidationBeta": False}, against=suite)
    with open_subject(spec) as subject:
        assert "workload_v1 against workload_v1 DeclarativeValidationBeta=false" == subject.part


def test_restarts_of_both_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that wraps workers has the number of their restarts."""
    monkeypatch.setattr(Toy, "restarts", 2)
    with TargetPair(Toy(), Toy()) as pair:
        assert pair.restarts == 4
