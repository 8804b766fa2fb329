"""A validator behind CRDs is asked about what these accept, as they prepared it, and about nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from harness.case import Answer, Case, Failure, KindInfo, Operation, TargetInfo, Validated
from harness.field import FieldError
from harness.targets.crd.behind import ValidatorBehind
from harness.targets.target import Closing

KIND = KindInfo("g", "v1", "T", "ts", "g/v1")
STATUS = KindInfo("g", "v1", "T", "ts", "g/v1", subresource="status")
SCHEMA = FieldError("FieldValueInvalid", "spec.n", "negative")
ODD = FieldError("FieldValueInvalid", "spec.n", "odd")


class Crds(Closing):
    """Rejects negative numbers and adds a default."""

    def __init__(self) -> None:
        self.info, self.closed = TargetInfo("crds", kinds=(KIND, STATUS)), 0

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        return [self.answer(case) for case in cases]

    def submit(self, cases: Sequence[Case]) -> Any:
        answers = self.ask(cases)
        return type("Pending", (), {"result": lambda _: answers, "seconds": 1.0, "wait": lambda _, seconds: True})()

    def answer(self, case: Case) -> Answer:
        if case.object["spec"]["n"] < 0:
            return Answer(case.id, declarative=(SCHEMA,))
        seen = {**case.object, "default": True}
        old = None if case.old is None else {**case.old, "default": True}
        return Answer(
            case.id, validated={"v1": Validated("g.T", seen, old)} if case.validated else {}, pruned=("spec.x",)
        )

    def close(self) -> None:
        self.closed += 1


def test_a_validator_that_knows_its_lines() -> None:
    """What is behind the CRDs may tell where its errors are made, though they cannot."""
    odd = Odd()
    assert "trace" not in ValidatorBehind(Crds(), odd).info.abilities
    odd.info = msgspec.structs.replace(odd.info, abilities=("trace",))
    assert "trace" in ValidatorBehind(Crds(), odd).info.abilities


def test_a_validator_that_counts_its_code() -> None:
    """The last case that it is asked about asks for the blocks, whatever case of the batch does; so does one again."""
    counting = Counting()
    with ValidatorBehind(Crds(), counting) as target:
        assert "blocks" in target.info.abilities
        answers = target.ask([case(2), case(4), case(-1, blocks="a")])
        assert ([(), (2,), ()], ["", "a"]) == (
            [one.blocks for one in answers], [one.blocks for one in counting.asked],
        )  # fmt: skip
        answers = target.ask([case(1, repeat=True), case(4, blocks="b")])
    assert ["", "b", "b"] == [one.blocks for one in counting.asked[2:]]
    assert [(5,), (4,)] == [one.blocks for one in answers]
    with ValidatorBehind(Crds(), counting) as target:
        assert [()] == [one.blocks for one in target.ask([case(-1, blocks="a")])]


class Odd(Closing):
    """Rejects odd numbers, and cannot answer for 5."""

    def __init__(self, *kinds: KindInfo) -> None:
        self.info, self.asked, self.closed = TargetInfo("odd", kinds=kinds), list[Case](), 0

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        self.asked += cases
        return [self.answer(case.object["spec"]["n"]) for case in cases]

    def submit(self, cases: Sequence[Case]) -> Any:
        raise NotImplementedError("a validator is asked when the CRDs have answered")

    def answer(self, number: int) -> Answer:
        if number == 5:
            return Answer(0, failure=Failure("handwritten", "down"))
        return Answer(0, handwritten=(ODD,) if number % 2 else ())

    def close(self) -> None:
        self.closed += 1


class Counting(Odd):
    """Has a block for each case that it was asked about."""

    def __init__(self) -> None:
        super().__init__()
        self.info = msgspec.structs.replace(self.info, abilities=("blocks",))

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        before = len(self.asked)
        numbered = enumerate(zip(cases, super().ask(cases), strict=True), start=before + 1)
        return [msgspec.structs.replace(answer, blocks=(at,) if case.blocks else ()) for at, (case, answer) in numbered]


def case(number: int, **more: Any) -> Case:
    """A create of an object with a number."""
    return msgspec.structs.replace(KIND.case(Operation.CREATE, {"spec": {"n": number}}, id=number), **more)


def test_who_is_asked_what() -> None:
    """What the schema rejects is not shown to the validator; the rest it gets with defaults, and answers in place."""
    odd = Odd()
    with ValidatorBehind(Crds(), odd) as target:
        answers = target.ask([case(-1), case(2), case(3), case(5)])
    assert [((), (SCHEMA,)), ((), ()), ((ODD,), ()), ((), ())] == [
        (one.handwritten, one.declarative) for one in answers
    ]
    assert [None, None, None, "down"] == [one.failure and one.failure.message for one in answers]
    assert [2, 3, 5] == [one.object["spec"]["n"] for one in odd.asked]
    assert all(one.object["default"] for one in odd.asked)
    assert ((), ("spec.x",)) == (answers[0].pruned, answers[1].pruned)


def test_an_update_has_both_objects() -> None:
    """The validator of an update gets the old object too, as it is stored."""
    odd = Odd()
    with ValidatorBehind(Crds(), odd) as target:
        target.ask([case(2, operation=Operation.UPDATE, old={"spec": {"n": 4}})])
    assert {"spec": {"n": 4}, "default": True} == odd.asked[0].old


def test_what_it_was_not_asked_for() -> None:
    """A webhook does not see subresources, nor kinds that it does not serve."""
    odd = Odd(KindInfo("g", "v1", "U", "us", "g/v1"))
    with ValidatorBehind(Crds(), odd) as target:
        target.ask([case(3), case(3, subresource="status")])
    assert [] == odd.asked


def test_what_its_kinds_name() -> None:
    """One that names operations and subresources is asked about those alone."""
    create, update = (Operation.CREATE,), (Operation.UPDATE,)
    odd = Odd(msgspec.structs.replace(KIND, operations=create), msgspec.structs.replace(STATUS, operations=update))
    more: dict[str, Any] = {"operation": Operation.UPDATE, "old": {"spec": {"n": 4}}}
    with ValidatorBehind(Crds(), odd) as target:
        target.ask([case(2), case(3, **more), case(4, subresource="status", **more)])
    assert [2, 4] == [one.object["spec"]["n"] for one in odd.asked]


def test_what_was_validated_is_told_on_request() -> None:
    """The prepared object is in the answer only if the case asked for it."""
    with ValidatorBehind(Crds(), Odd()) as target:
        quiet, told = target.ask([case(2), case(2, validated=True)])
    assert ([], ["v1"]) == (list(quiet.validated), list(told.validated))


def test_both_are_closed() -> None:
    """Closing it closes both."""
    crds, odd = Crds(), Odd()
    ValidatorBehind(crds, odd).close()
    assert (1, 1) == (crds.closed, odd.closed)


class Fickle(Odd):
    """Accepts an object once, and rejects it whenever it comes again, as one does that remembers what it saw."""

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        seen = [one.object["spec"]["n"] for one in self.asked]
        self.asked += cases
        return [Answer(one.id, handwritten=(ODD,) if one.object["spec"]["n"] in seen else ()) for one in cases]


def test_a_validator_that_changes_its_mind() -> None:
    """What is to be repeated is shown twice, and what comes again is known: two verdicts are none, and say which."""
    fickle = Fickle()
    with ValidatorBehind(Crds(), fickle) as target:
        assert "repeat" in target.info.abilities
        once, twice, refused = target.ask([case(2), case(4, repeat=True), case(-1, repeat=True)])
        [later] = target.ask([case(2, id=9)])
    assert [2, 4, 4, 2] == [one.object["spec"]["n"] for one in fickle.asked]
    assert (None, (), None) == (once.failure, once.handwritten, refused.failure)
    words = "odd gave two answers to one case: accepted, then rejected with spec.n: Invalid value: odd"
    assert [Failure("self", words)] * 2 == [twice.failure, later.failure]
    assert 9 == later.id


def test_a_validator_that_repeats_itself() -> None:
    """The same errors twice are an answer, and a failure stays what it is."""
    with ValidatorBehind(Crds(), Odd()) as target:
        answers = target.ask([case(3, repeat=True), case(5, repeat=True)])
    assert (None, (ODD,)) == (answers[0].failure, answers[0].handwritten)
    assert Failure("handwritten", "down") == answers[1].failure
