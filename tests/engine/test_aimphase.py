"""What observers want to see is gone for, wherever it lies and whatever it takes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

import msgspec
import pytest

from harness.case import Answer, Case, Json, Operation
from harness.engine.aimphase import AimPhase
from harness.engine.focus import NO_FOCUSED_PATHS
from harness.engine.plan import RequestState
from harness.engine.units import RequestKind, Unit
from harness.events import Result
from harness.field import FieldError
from harness.fuzzers.aims import Aim
from harness.fuzzers.shape import shape_of
from harness.gotypes.model import Struct
from harness.jsonpath import canonical_path
from harness.subject import Subject
from tests.engine.test_run import search
from tests.engine.toys import ToySubject
from tests.fuzzers.toys import PACKAGE, WIDGETS, Toys, ToyTarget, struct

AIMS = (
    Aim("spec.title", "FieldValueTooLong", "maxLength", limit=9),
    Aim("spec.mode", "FieldValueNotSupported"),
    Aim("spec.mode", "FieldValueRequired"),
    Aim("spec.replicas", "FieldValueInvalid", "minimum", limit=0),
    Aim("spec.ceiling", "FieldValueInvalid", "immutable", update=True),
)


@dataclass
class Hunter:
    """Wants errors of the declarative side, and remembers after how many cases it saw each."""

    seen: dict[tuple[str, str, str], int] = field(default_factory=dict)
    cases: int = 0

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        self.cases += len(cases)
        for answer in answers:
            for error in answer.declarative:
                self.seen.setdefault((canonical_path(error.field), error.type, error.origin), self.cases)

    def aims(self) -> Sequence[Aim]:
        return [aim for aim in AIMS if (aim.path, aim.type, aim.origin) not in self.seen]

    def outcome(self) -> dict[tuple[str, str, str], int]:
        return self.seen


class Hunting:
    """Makes hunters."""

    def observer(self, subject: Subject, unit: Unit) -> Hunter:
        return Hunter()


def hunted(jobs: int = 1) -> Result:
    """Search with a hunter in every unit."""
    return search(600, jobs=jobs, observers={"hunt": Hunting()})


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_aim_is_reached_before_there_are_bases(jobs: int) -> None:
    """A hundred cases are enough for five rules, in every process."""
    for seen in hunted(jobs).observed["hunt"]:
        assert all(seen[aim.path, aim.type, aim.origin] <= 100 for aim in AIMS)


class Preparing(ToyTarget):
    """A server that throws every title away, unless it is asked about objects as they stand."""

    def _answer(self, case: Case) -> Answer:
        if case.mode == "served":
            case = msgspec.structs.replace(case, object=_untitled(case.object), old=_untitled(case.old))
        return super()._answer(case)


def _untitled(obj: Json) -> Json:
    spec = obj.get("spec") if isinstance(obj, dict) else None
    if not isinstance(spec, dict):
        return obj
    return {**obj, "spec": {name: value for name, value in spec.items() if name != "title"}}


def _open_preparing(spec: Any, note: Callable[[str], None]) -> Any:
    subject = ToySubject(spec)
    subject.target = Preparing(subject.target.info.kinds)
    subject.target.info = msgspec.structs.replace(subject.target.info, abilities=("update", "modes"))
    return subject


def test_what_the_server_never_lets_through_is_seen_as_it_stands_and_not_compared() -> None:
    """The rule fires for the observer, and no finding tells of what no user can do."""
    result = search(3000, observers={"hunt": Hunting()}, opener=_open_preparing)
    assert all(("spec.title", "FieldValueTooLong", "maxLength") in seen for seen in result.observed["hunt"])
    assert "spec.title" not in {finding.path for finding in result.findings}
    assert result.findings


def test_aiming_is_a_function_of_the_seed() -> None:
    """The same aims, the same cases and the same findings."""
    first, again = hunted(), hunted()
    assert first.observed == again.observed
    assert [one.fingerprint for one in first.findings] == [one.fingerprint for one in again.findings]


class Statuses(Toys):
    """A widget with a status."""

    structs: ClassVar[dict[str, Struct]] = {
        **Toys.structs,
        "Widget": struct("Widget", {"metadata": "metav1.ObjectMeta", "spec": "Port", "status": "Port"}),
    }


class Recorder:
    """In the place of a search: writes down what would be asked."""

    asked = 0
    errors: tuple[FieldError, ...] = ()

    def __init__(self, universe: Any, aim: Aim, requests: Sequence[RequestKind]) -> None:
        observer = SimpleNamespace(aims=lambda: [aim])
        self.plan = SimpleNamespace(
            shape=shape_of(universe, f"{PACKAGE}.Widget"), observers={"one": observer}, focused=NO_FOCUSED_PATHS
        )
        self.ledger = SimpleNamespace(states=dict(enumerate(map(RequestState, requests))))
        self.wanted: list[tuple[RequestKind, Json, Json, Json]] = []

    def left(self) -> int:
        return 1000

    def is_spent(self) -> bool:
        return False

    def ask(
        self, wanted: Sequence[tuple[RequestKind, Json, Json, Json]], settle: bool, compiled: bool = False
    ) -> Generator[Any, Any, list[Answer]]:
        self.wanted += wanted
        yield from ()
        return [Answer(0, self.errors if old is None else ()) for _, _, old, _ in wanted]


def test_a_status_at_its_limit_is_sent_against_an_old_object_that_is_equal_but_for_it() -> None:
    """Whoever writes a status changes nothing else, whichever base it is made from, with a status before or without."""
    status = msgspec.structs.replace(WIDGETS, subresource="status")
    requests = [
        RequestKind(WIDGETS, Operation.CREATE),
        RequestKind(WIDGETS, Operation.UPDATE),
        RequestKind(status, Operation.UPDATE),
    ]
    seeds: list[Json] = [
        {"metadata": {"name": "a"}, "spec": {"name": name}, **more}
        for name, more in (("x", {"status": {"number": 3}}), ("y", {}))
    ]
    aim = Aim("status.name", "FieldValueTooLong", "maxLength", limit=5, wants="accept")
    universe: Any = Statuses()
    recorder: Any = Recorder(universe, aim, requests)
    for _ in AimPhase(recorder).run(seeds, (8, 8), "accept"):
        raise AssertionError("a recorder asks nothing")
    pairs = [(new, old) for request, new, old, _ in recorder.wanted if request.info.subresource == "status"]
    assert {"x", "y"} == {new["spec"]["name"] for new, _ in pairs}
    assert all(new["spec"] == old["spec"] for new, old in pairs)
    assert {None, 3} == {(old.get("status") or {}).get("number") for _, old in pairs}
    assert any(len(new["status"]["name"]) == 5 for new, _ in pairs)


def test_nothing_is_asked_for_twice() -> None:
    """Bases that are alike lead to the same objects, and so does each pass: what was asked is left out."""
    requests = [RequestKind(WIDGETS, Operation.CREATE), RequestKind(WIDGETS, Operation.UPDATE)]
    aim = Aim("spec.name", "FieldValueTooLong", "maxLength", limit=5)
    recorder: Any = Recorder(Statuses(), aim, requests)
    aim_phase = AimPhase(recorder)
    base: Json = {"metadata": {"name": "a"}, "spec": {"name": "x"}}
    for seeds in ([base, base], [base]):
        for _ in aim_phase.run(seeds, (40, 40)):
            raise AssertionError("a recorder asks nothing")
    asked = [repr((request.operation, new, old)) for request, new, old, _ in recorder.wanted]
    assert len(asked) == len(set(asked)) >= 40


def test_what_is_refused_for_something_new_is_followed() -> None:
    """Once for each error: among the questions is the object that was refused, as old and new."""
    requests = [RequestKind(WIDGETS, Operation.CREATE), RequestKind(WIDGETS, Operation.UPDATE)]
    recorder: Any = Recorder(Statuses(), Aim("spec.name", "FieldValueTooLong", "maxLength", limit=5), requests)
    recorder.errors = (FieldError("FieldValueTooLong", "spec.name", origin="maxLength"),)
    for _ in AimPhase(recorder).run([{"metadata": {"name": "a"}, "spec": {"name": "x"}}], (6,)):
        raise AssertionError("a recorder asks nothing")
    [(request, new)] = [(request, new) for request, new, old, _ in recorder.wanted if new == old]
    assert request is requests[1]
    assert new["spec"] == recorder.wanted[0][1]["spec"]
