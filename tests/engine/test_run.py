from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness import tuning
from harness.case import Case, Operation
from harness.diagnostics import UsageError
from harness.engine import RunConfig, run
from harness.engine.shrinkphase import ShrinkPhase
from harness.events import Budget, Event, Finished, Found, Noted, Progress, Result, Started
from harness.fuzzers.corpus import content_name, keep
from tests.engine.toys import ToySpec, open_toys

PLANTED = {
    ("create", "unmatched", "spec.title"),
    ("create", "served", "spec.title"),
    ("update", "unmatched", "spec.title"),
    ("update", "served", "spec.title"),
    ("update", "unmatched", "spec.replicas"),
    ("update", "extra", "spec.ceiling"),
}
META = {"apiVersion": "toys.example.com/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "default"}}
REST = {"mode": "Fast", "ports": [{"number": 1}], "labels": {"a": "a"}, "selector": {"matchLabels": {"a": "a"}}}


def search(cases: int = 6000, spec: ToySpec | None = None, **options: Any) -> Result:
    """Search the toy subject."""
    toy: Any = spec or ToySpec()
    beside = {name: options.pop(name) for name in ("on_event", "opener") if name in options}
    config = RunConfig(**{"seed": 1, "budget": Budget(max_cases=cases), **options})
    return run(toy, config, **{"opener": open_toys, **beside})


def found(result: Result, resource: str = "widgets") -> set[tuple[str, str, str]]:
    """Say what was found about a resource."""
    return {(one.operation, one.mismatch, one.path) for one in result.findings if one.resource == resource}


@pytest.fixture(scope="module")
def result() -> Result:
    """One search of both toy kinds."""
    return search(16_000)


def test_every_planted_difference_is_found_within_the_budget(result: Result) -> None:
    """Eight thousand cases for each kind find all six signatures and invent none."""
    assert PLANTED == found(result, "widgets") == found(result, "gadgets")


def test_findings_are_reduced_to_the_planted_limits(result: Result) -> None:
    """The title that one side takes has nine letters, and a ratcheted value comes as an update without a change."""
    by_name = {(one.operation, one.mismatch, one.path): one for one in result.findings if one.resource == "widgets"}
    title = by_name["create", "unmatched", "spec.title"].case
    assert title.object == {**META, "spec": {**REST, "title": "aaaaaaaaa"}}
    replicas = by_name["update", "unmatched", "spec.replicas"]
    assert replicas.case.object["spec"]["replicas"] == -1
    assert replicas.case.object["spec"] == replicas.case.old["spec"]
    assert replicas.cause == "ratcheting"
    assert all(one.case.id == 0 and one.others == () for one in result.findings)


def test_what_was_done_is_told_by_kind_and_operation(result: Result) -> None:
    """Each kind and operation has its base, its counts, and no error."""
    assert [(report.kind.resource, report.operation) for report in result.kinds] == [
        ("widgets", "create"),
        ("widgets", "update"),
        ("gadgets", "create"),
        ("gadgets", "update"),
    ]
    assert all(report.has_seed and report.accepted > 500 and not report.error for report in result.kinds)
    assert 16_000 <= result.cases <= 17_000
    assert 0.9 * result.cases < result.compared <= result.cases
    assert result.stopped == "budget"


def comparable(result: Result) -> tuple[Any, ...]:
    """Everything of a result that must not depend on processes or timing."""
    return result.findings, result.cases, result.compared, result.kinds, result.stopped


def test_a_run_is_a_function_of_seed_and_cases(result: Result) -> None:
    """The same seed gives the same findings, in one process or in two; another seed draws other cases."""
    once = search(5000)
    assert comparable(once) == comparable(search(5000))
    assert comparable(once) == comparable(search(5000, jobs=2))
    assert comparable(result) != comparable(search(16_000, seed=2))


def test_kinds_and_operations_limit_the_search() -> None:
    """What does not match is not asked about."""
    some = search(3000, kinds=["gadgets"], operations=["update"])
    assert [(report.kind.resource, report.operation) for report in some.kinds] == [("gadgets", "update")]
    assert {"update"} == {one.operation for one in some.findings}


def test_nothing_to_search_is_a_wrong_call() -> None:
    """A pattern that matches nothing is told, and is no empty success."""
    with pytest.raises(UsageError, match="gizmos"):
        search(kinds=["gizmos"])


def test_events_tell_the_run_in_order() -> None:
    """A start, findings as they come, and the result in the end."""
    events: list[Event] = []
    end = search(on_event=events.append)
    assert isinstance(events[0], Started)
    assert events[0].kinds == 4
    assert [Finished(end)] == [event for event in events if isinstance(event, Finished)]
    assert {one.fingerprint for one in end.findings} == {e.finding.fingerprint for e in events if isinstance(e, Found)}


@pytest.mark.parametrize(("jobs", "seconds"), [(1, 1.5), (2, 12.0)])
def test_a_time_limit_ends_a_run(jobs: int, seconds: float) -> None:
    """With time alone the search goes on until the time is over, and not much longer."""
    events: list[Event] = []
    end = search(budget=Budget(max_time=seconds), jobs=jobs, on_event=events.append)
    assert 0.8 * seconds <= end.seconds < seconds + 20
    assert ("update", "extra", "spec.ceiling") in found(end)
    assert any(isinstance(event, Progress) and 0 < event.fraction <= 1 for event in events)


def test_an_interrupt_keeps_what_was_found() -> None:
    """Ctrl-C in mid-run returns a result."""
    end = search(100_000, ToySpec(fault="interrupt", at=6_000))
    assert end.stopped == "interrupted"
    assert ("update", "extra", "spec.ceiling") in found(end)
    assert 5_000 < end.cases < 7_000


def test_an_interrupt_reaches_every_process() -> None:
    """Ctrl-C while processes work stops them all, and what they told is in the result."""
    told: list[str] = []

    def interrupt(event: Event) -> None:
        if isinstance(event, Found):
            told.append(event.finding.fingerprint)
            if len(told) == 3:
                raise KeyboardInterrupt

    end = search(10_000_000, jobs=2, on_event=interrupt)
    assert "interrupted" == end.stopped
    assert set(told) <= {finding.fingerprint for finding in end.findings}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_lost_target_keeps_what_was_found(jobs: int) -> None:
    """A target that cannot be used any more ends the run with its message and everything found before."""
    end = search(100_000, ToySpec(fault="lost", at=6_000), jobs=jobs)
    assert (end.stopped, end.stopped_detail) == ("target-lost", "the worker does not come back")
    assert ("update", "extra", "spec.ceiling") in found(end)


def test_a_dead_process_loses_nothing_it_told() -> None:
    """When job processes die, what they had found stays, and the run says that they died."""
    end = search(100_000, ToySpec(fault="die", at=6_000), jobs=2)
    assert end.stopped == "target-lost"
    assert "exit code 3" in end.stopped_detail
    assert ("update", "extra", "spec.ceiling") in found(end)


def test_the_corpus_is_replayed_first(tmp_path: Path) -> None:
    """A kept case is found within fewer cases than a search for seeds needs; a broken file is noted."""
    spec = {"title": "nine char", **REST}
    case = Case(1, "toys.example.com", "v1", "Widget", Operation.CREATE, {**META, "spec": spec}, resource="widgets")
    keep(tmp_path, case, print)
    (tmp_path / "broken.json").write_text("{")
    events: list[Event] = []
    end = search(20, corpus=tmp_path, on_event=events.append)
    assert ("create", "unmatched", "spec.title") in found(end)
    assert len([event for event in events if isinstance(event, Noted)]) == 1


def test_kept_cases_are_explained_from_accepted_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not while they are replayed: without an object that both sides accept, each takes more cases to reduce."""
    spec = {"title": "nine char", **REST}
    case = Case(1, "toys.example.com", "v1", "Widget", Operation.CREATE, {**META, "spec": spec}, resource="widgets")
    keep(tmp_path, case, print)
    shrink, seen = ShrinkPhase.run, list[str]()

    def watched(self: ShrinkPhase) -> Any:
        seen.append(self.ledger.phase)
        return shrink(self)

    monkeypatch.setattr(ShrinkPhase, "run", watched)
    assert ("create", "unmatched", "spec.title") in found(search(corpus=tmp_path))
    assert seen
    assert "replay" not in seen


def test_a_barer_case_grades_a_signature_that_was_met_beside_other_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Met first where a selector is missing, it would pass for a shadow; alone it shows that a verdict changes."""
    monkeypatch.setattr(tuning, "REPAIR_ROUNDS", 0)  # which would find it on the first case already
    spec = {"title": "nine char", "mode": "Fast", "ports": [{"number": 1}]}
    case = Case(1, "toys.example.com", "v1", "Widget", Operation.CREATE, {**META, "spec": spec}, resource="widgets")
    keep(tmp_path, case, print)
    results = [search(cases, corpus=tmp_path, kinds=["widgets"], operations=["create"]) for cases in (20, 8000)]
    wanted = "spec.title", "unmatched"
    first, later = (next(one for one in end.findings if (one.path, one.mismatch) == wanted) for end in results)
    assert ("shadow", "graduation") == (first.severity, later.severity)
    assert first.fingerprint == later.fingerprint
    assert later.case.object["spec"] == {**REST, "title": "aaaaaaaaa"}


def test_reduced_cases_are_kept_in_the_corpus(tmp_path: Path) -> None:
    """What one run finds, the next one replays."""
    first = search(corpus=tmp_path)
    assert {content_name(finding.case) for finding in first.findings} == {path.name for path in tmp_path.glob("*.json")}
    assert found(first) == found(search(40, corpus=tmp_path))


def test_a_bug_in_one_search_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """An internal error is reported with the kind it happened to; the other kind is searched."""
    from harness.engine import boundaryphase as module

    boundary_phase = module.BoundaryPhase.run

    def broken(self: Any, seeds: Any, turns: range, which: Any = "every") -> Any:
        if self.search.plan.unit.requests[0].info.resource == "widgets":
            raise ZeroDivisionError("planted")
        return boundary_phase(self, seeds, turns, which)

    monkeypatch.setattr(module.BoundaryPhase, "run", broken)
    end = search(16_000)
    assert found(end, "gadgets") == PLANTED
    assert [one.kind.resource for one in end.kinds if "ZeroDivisionError: planted" in one.error] == [
        "widgets",
        "widgets",
    ]
