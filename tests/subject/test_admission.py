"""A server with a pair of validators of admission: who is asked what, and what counts as a difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import msgspec

from harness.case import Answer, Case, Failure, KindInfo, Operation, TargetInfo, Validated
from harness.compare.two_servers import served_after, served_before
from harness.field import ErrorType, FieldError
from harness.subject.admission import Admission, NamedTarget, asked_of
from harness.subject.targetpair import TargetPair
from harness.targets.target import Closing, Pending, Target

KIND = KindInfo("g", "v1", "T", "ts", "g/v1", composition="levels")
OTHER = KindInfo("g", "v1", "U", "us", "g/v1")
SERVER = FieldError(ErrorType.INVALID, "spec.n", "must not be negative")
FLAG = FieldError(ErrorType.FORBIDDEN, "spec.privileged", "disallowed by cluster policy")
AFTER = FieldError(ErrorType.FORBIDDEN, "", "odd", "policy.validations[0]")
BEFORE = FieldError(ErrorType.INVALID, "", 'object "a" is odd (1)')


class Fake(Closing):
    """A target of this process that remembers what it was asked."""

    def __init__(self, *kinds: KindInfo) -> None:
        self.info = TargetInfo("fake", kinds=kinds, abilities=("update", "validated", "versions"))
        self.asked: list[Case] = []
        self.closed = 0

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        self.asked += cases
        return [self.answer(case) for case in cases]

    def answer(self, case: Case) -> Answer:
        raise NotImplementedError

    def submit(self, cases: Sequence[Case]) -> Pending:
        answers = self.ask(cases)

        class Done:
            seconds = 0.0

            def wait(self, seconds: float) -> bool:
                return True

            def result(self) -> list[Answer]:
                return answers

        return Done()

    def close(self) -> None:
        self.closed += 1


class Server(Fake):
    """Rejects negative numbers, and 8 for a flag; it cannot decode 9, and adds a default."""

    def answer(self, case: Case) -> Answer:
        number = case.object["n"]
        if number == 9:
            return Answer(case.id, failure=Failure("decode", "no number", panic=True))
        errors = (SERVER,) if number < 0 else (FLAG,) if number == 8 else ()
        seen = {"v1": Validated("T", {**case.object, "default": True})} if not (case.brief and errors) else {}
        return Answer(case.id, handwritten=errors, validated=seen)


class Denying(Fake):
    """Denies some numbers."""

    def __init__(self, error: FieldError, *numbers: int) -> None:
        super().__init__()
        self._error, self._numbers = error, numbers

    def answer(self, case: Case) -> Answer:
        assert case.object["default"]
        return Answer(case.id, handwritten=(self._error,) if case.object["n"] in self._numbers else ())


def opened(after: Fake, before: Fake, server: Fake | None = None, kind: KindInfo = KIND) -> Admission:
    """A pair behind a server, about one kind."""
    sides = [
        cast(Target, NamedTarget(cast(Target, one), name, [kind])) for one, name in ((after, "new"), (before, "old"))
    ]
    pair = TargetPair(sides[0], sides[1], origins=True, verdicts=True)
    return Admission(cast(Target, server or Server(KIND, OTHER)), pair)


def case(number: int, **more: Any) -> Case:
    """A create of an object with a number."""
    return msgspec.structs.replace(KIND.case(Operation.CREATE, {"n": number}, id=number), **more)


def test_what_it_serves() -> None:
    """The kinds that the pair is asked about, with what a server and a pair can do; both are named."""
    with opened(Denying(AFTER), Denying(BEFORE)) as target:
        assert [KIND.key] == [kind.key for kind in target.info.kinds]
        assert ("update", "validated") == target.info.abilities
        assert ("old", "new") == target.pair.servers.names


def test_a_verdict_that_differs() -> None:
    """One of the two denies the object that the server accepts."""
    with opened(Denying(AFTER, 1), Denying(BEFORE, 2)) as target:
        new, old, none = target.ask([case(1), case(2), case(3)])
    assert ([AFTER.detail], []) == ([one.detail for one in served_after(new)], [*served_before(new)])
    assert ([], [BEFORE.detail]) == ([*served_after(old)], [one.detail for one in served_before(old)])
    assert ((), ()) == (none.handwritten, none.declarative)


def test_both_deny() -> None:
    """That is no difference, whatever they say, and the search still learns what each of them said."""
    with opened(Denying(AFTER, 1), Denying(BEFORE, 1)) as target:
        [both] = target.ask([case(1)])
        assert ["odd"] == [one.detail for one in target.pair.servers.reported_by("handwritten", both)]
        assert [BEFORE.detail] == [one.detail for one in target.pair.servers.reported_by("declarative", both)]
    assert (False, ()) == (any(one.covered for one in both.handwritten), both.declarative)


def test_what_the_server_rejects() -> None:
    """Neither is asked about it, and both servers report the error, or fail alike."""
    after = Denying(AFTER, -1)
    with opened(after, Denying(BEFORE)) as target:
        refused, failed = target.ask([case(-1), case(9)])
    assert ([SERVER], [SERVER]) == ([*served_after(refused)], [*served_before(refused)])
    assert failed.failure == Failure("decode", "no number")
    assert [] == after.asked


def test_a_flag_of_the_server() -> None:
    """What is rejected only without --allow-privileged is asked about: clusters have the flag."""
    with opened(Denying(AFTER, 8), Denying(BEFORE)) as target:
        [found] = target.ask([case(8)])
    assert [True] == [one.covered for one in found.handwritten]


def test_operations_of_both() -> None:
    """Where one of the two is about creates and the other about updates, both are asked about either."""
    creates = msgspec.structs.replace(KIND, operations=(Operation.CREATE,))
    updates = msgspec.structs.replace(KIND, operations=(Operation.UPDATE,))
    (kind,) = asked_of([updates, creates], [OTHER, KIND])
    assert KIND == kind
    with opened(Denying(AFTER), Denying(BEFORE, 2), kind=kind) as target:
        [found] = target.ask([case(2, operation=Operation.UPDATE, old={"n": 1})])
    assert [BEFORE.detail] == [one.detail for one in served_before(found)]


def test_subresources() -> None:
    """They are shown to nobody."""
    after = Denying(AFTER, 1)
    with opened(after, Denying(BEFORE)) as target:
        [answer] = target.ask([case(1, subresource="status")])
    assert ((), []) == (answer.handwritten, after.asked)


def test_what_was_validated() -> None:
    """Both were given the same object."""
    with opened(Denying(AFTER), Denying(BEFORE)) as target:
        [answer] = target.ask([case(1, validated=True)])
    assert {"old": {"n": 1, "default": True}, "new": {"n": 1, "default": True}} == {
        name: seen.object for name, seen in answer.validated.items()
    }


def test_all_are_closed() -> None:
    """Closing it closes the server and the pair."""
    server, after, before = Server(KIND), Denying(AFTER), Denying(BEFORE)
    opened(after, before, server).close()
    assert (1, 1, 1) == (server.closed, after.closed, before.closed)
