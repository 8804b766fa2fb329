"""What a request puts aside is learnt from one question, and not asked about path by path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import pytest

from harness import engine
from harness.case import Answer, Case, Failure, Json, Operation, Validated
from harness.engine import RunConfig
from harness.engine.plan import Abilities
from harness.engine.units import RequestKind, Unit
from harness.engine.writableparts import WritableParts
from harness.events import Budget
from harness.jsonpath import differences
from harness.subject import Subject, SubjectSpec
from tests.fuzzers.toys import WIDGETS, widget_shape

CREATE, UPDATE = RequestKind(WIDGETS, Operation.CREATE), RequestKind(WIDGETS, Operation.UPDATE)
BASE: Json = {"metadata": {"name": "a"}, "spec": {"mode": "Fast"}}


class Server:
    """Asks nobody: it drops the title of what is new, and keeps the mode of what is old."""

    def __init__(self, failure: Failure | None = None, able: bool = True) -> None:
        self.plan = SimpleNamespace(shape=widget_shape(), abilities=Abilities(validated=able))
        requests = {
            (request.info.key, request.operation): SimpleNamespace(request=request) for request in (CREATE, UPDATE)
        }
        self.ledger = SimpleNamespace(states=requests)
        self.failure = failure
        self.asked = 0

    def reveal(self, request: RequestKind, new: Json, old: Json) -> Generator[list[Case], list[Answer], list[Answer]]:
        """Show what a server would have validated."""
        self.asked += 1
        spec = {name: value for name, value in new["spec"].items() if old is not None or name != "title"}
        if old is not None:
            spec["mode"] = old["spec"]["mode"]
        seen = {} if self.failure else {"v1": Validated("Widget", {**new, "spec": spec}, old)}
        return [Answer(1, failure=self.failure, validated=seen)]
        yield []


def learnt(server: Any) -> WritableParts:
    """What is known after the one question."""
    writable = WritableParts(server)
    assert list(writable.learn(BASE)) == []
    return writable


def test_what_never_arrives_is_put_aside() -> None:
    """A create loses its title, an update keeps its mode; all else arrives, whatever lies within."""
    writable = learnt(Server())
    assert (False, True) == (writable.has(CREATE, ("spec", "title")), writable.has(UPDATE, ("spec", "title")))
    assert (True, False) == (writable.has(CREATE, ("spec", "mode")), writable.has(UPDATE, ("spec", "mode")))
    assert writable.has(UPDATE, ("spec", "ports", 0, "name"))
    assert writable.has(UPDATE, ("spec",))
    assert writable.has(UPDATE, ("metadata", "labels"))
    assert writable.has(UPDATE, ())


@pytest.mark.parametrize("server", [Server(Failure("decode", "no")), Server(able=False)])
def test_what_is_not_known_is_taken(server: Server) -> None:
    """Where the question fails, or the target shows nothing, every request is asked about everything."""
    writable = learnt(server)
    assert all(writable.has(request, ("spec", name)) for request in (CREATE, UPDATE) for name in ("title", "mode"))


def test_nobody_is_asked_who_cannot_tell() -> None:
    """A target without the ability is not bothered."""
    server = Server(able=False)
    learnt(server)
    assert server.asked == 0


class _Watch:
    """Counts which parts of an object the updates of each subresource change."""

    def __init__(self) -> None:
        self.changed: Counter[tuple[str, str]] = Counter()

    def examine(self, cases: Any, answers: Any, seconds: float) -> None:
        for case in cases:
            if case.operation is Operation.UPDATE:
                parts = {str(path[0]) for path in differences(case.object, case.old)}
                self.changed.update((case.subresource, part) for part in parts)

    def aims(self) -> tuple[()]:
        return ()

    def outcome(self) -> Counter[tuple[str, str]]:
        return self.changed


class _Watching:
    def observer(self, subject: Subject, unit: Unit) -> _Watch:
        return _Watch()


def test_a_status_gets_few_questions_about_what_it_cannot_write() -> None:
    """The subresource of a suite puts the specification aside; only what is drawn at random changes it there."""
    result = engine.run(
        SubjectSpec("suite", "suites/claim_v1"),
        RunConfig(seed=1, budget=Budget(max_cases=1500), observers={"watch": _Watching()}),
    )
    (changed,) = result.observed["watch"]
    assert changed["status", "status"] > changed["status", "spec"]
    assert changed["", "spec"] > 5 * changed["status", "spec"]
