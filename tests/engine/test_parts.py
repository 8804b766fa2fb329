"""One subject under several settings of its gates: parts of one run, each finding told once."""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.diagnostics import UsageError
from harness.engine import RunConfig, parts, run_parts
from harness.engine.gatecheck import GateCheck
from harness.events import Budget, Discovery, Event, Finished, Found, Noted, Progress, Result, Started
from harness.fuzzers.budget import Clock
from tests.engine.toys import ToySpec, open_toys

KINDS = ["widgets", "gizmos"]
PARTS: tuple[Any, ...] = (ToySpec(), ToySpec(gates=("OneLimit",)))


def search(jobs: int = 2, cases: int = 24_000, kinds: Sequence[str] = KINDS, **options: Any) -> tuple[Result, ...]:
    """Search the toys with their gate off and on."""
    config = RunConfig(seed=1, budget=Budget(max_cases=cases), jobs=jobs, kinds=kinds)
    return run_parts(PARTS, config, **{"opener": open_toys, **options})


@pytest.fixture(scope="module")
def results() -> tuple[Result, ...]:
    """One run in two processes."""
    return search()


def test_each_part_has_its_own_result(results: tuple[Result, ...]) -> None:
    """Named by its gates, with its kinds, and in half of the cases."""
    off, on = results
    assert ["toys", "toys OneLimit"] == [off.part, on.part]
    assert ["toys", "toys"] == [off.subject, on.subject]
    assert {"widgets"} == {report.kind.resource for report in off.kinds}
    assert {"widgets", "gizmos"} == {report.kind.resource for report in on.kinds}
    assert (False, True) == (off.beside, on.beside)
    assert all(12_000 <= result.cases <= 14_000 for result in results)


def test_progress_counts_what_the_report_will() -> None:
    """A finding that two parts meet at the same time is one, while the run goes on as in the end."""
    events: list[Event] = []
    results = search(on_event=events.append)
    seen: set[str] = set()
    told = []
    for event in events:
        if isinstance(event, Found):
            seen.add(event.finding.fingerprint)
        elif isinstance(event, Progress):
            told.append((event.findings, len(seen)))
    assert told
    assert [(number, number) for _, number in told] == told
    assert len(seen) < sum(isinstance(event, Found) for event in events)
    assert seen <= {finding.fingerprint for result in results for finding in result.findings}


def test_a_finding_is_told_once_and_says_where_it_shows(results: tuple[Result, ...]) -> None:
    """What both parts found is told by the first; what a part cannot be asked about stays with the one that can."""
    off, on = results
    names = [finding.fingerprint for result in results for finding in result.findings]
    assert len(names) == len(set(names))
    by = {(one.resource, one.operation, one.path): one.parts for one in (*off.findings, *on.findings)}
    assert by["widgets", "update", "spec.replicas"] == ("toys", "toys OneLimit")
    assert by["widgets", "create", "spec.title"] == ("toys",)
    assert {one.resource for one in on.findings} == {"gizmos"}
    told = {one.parts: one.detail.rpartition("; ")[2] for one in on.findings if one.case.object is not None}
    unserved = "it shows in `toys OneLimit`, and `toys` does not serve toys.example.com/v1 gizmos"
    assert {("toys OneLimit",): unserved} == told
    both = [one.detail for one in off.findings if len(one.parts) == 2]
    assert both
    assert not any("it shows in" in detail for detail in both)


def test_a_gate_that_makes_both_sides_agree_is_the_cause(results: tuple[Result, ...]) -> None:
    """The silent side speaks with the gate on: that explains more than its silence."""
    off, _ = results
    titles = [one for one in off.findings if one.path == "spec.title" and one.mismatch == "unmatched"]
    assert {("gate", "gate")} == {(one.cause, one.code) for one in titles}
    assert all("toys OneLimit" in one.detail and "feature gate" in one.fix for one in titles)
    assert {"ratcheting"} == {one.cause for one in off.findings if one.path == "spec.replicas"}


def test_processes_change_nothing(results: tuple[Result, ...]) -> None:
    """In one process, in two, in four: the same findings in the same parts."""
    for jobs in (1, 4):
        again = search(jobs)
        assert [one.findings for one in results] == [one.findings for one in again]
        assert [one.cases for one in results] == [one.cases for one in again]


def test_events_tell_of_every_part() -> None:
    """Both begin before either ends."""
    events: list[Event] = []
    ended = search(cases=4000, on_event=events.append)
    marks = [type(event) for event in events if isinstance(event, Started | Finished)]
    assert [Started, Started, Finished, Finished] == marks
    assert [event.result for event in events if isinstance(event, Finished)] == list(ended)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_part_without_what_is_wanted_is_left_out(jobs: int) -> None:
    """The kind that needs a gate is searched where the gate is on; what no part has is a wrong call."""
    (only,) = search(jobs, 2000, kinds=["gizmos"])
    assert "toys OneLimit" == only.part
    with pytest.raises(UsageError, match="gadgetry"):
        search(jobs, 2000, kinds=["gadgetry"])


@pytest.mark.parametrize(
    ("quarters", "least", "most"),
    [
        ((1758, 334, 146, 82), 200, 700),
        ((1735, 346, 155, 130), 400, 1200),
        ((1823, 357, 200, 206), 800, 2400),
        ((9, 5, 4, 2), 2, 20),
        ((9, 5, 4, 0), 0, 0),
        ((9, 0, 0, 1), None, None),
        ((1, 2, 4, 4), None, None),
        ((0, 0, 0, 3), None, None),
    ],
)
def test_what_a_longer_run_would_meet_is_estimated_only_while_discovery_slows_down(
    quarters: tuple[int, int, int, int], least: int | None, most: int | None
) -> None:
    """By a power of the time, which a single low quarter does not change much. Still rising: nobody knows.

    The first three are two minutes of a release, ten of which met some 1,200 more.
    """
    further = Discovery(sum(quarters), 1.0, quarters).further_differences
    assert further is None if least is None or most is None else further is not None and least <= further <= most


def test_discovery_that_falls_with_the_time_goes_on_by_its_logarithm() -> None:
    """Twice as long, half as many: then a run five times as long meets as many as that power says."""
    quarters = (100, 3500, 2100, 1500)
    assert Discovery(7200, 1.0, quarters).further_differences == pytest.approx(5250 * math.log(5), rel=0.001)


def test_discovery_counts_every_signature(results: tuple[Result, ...]) -> None:
    """Those of all kinds of a part, by the quarter of the run in which they were met first."""
    for result in results:
        assert result.discovery.signatures == sum(result.discovery.quarters) >= 5
        assert 0.0 < result.discovery.last <= result.seconds


class Counted:
    """Opens toys, and writes down which process did."""

    def __init__(self, log: Path) -> None:
        self.log = log

    def __call__(self, spec: Any, note: Callable[[str], None]) -> Any:
        """Open the toy subject."""
        with self.log.open("a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {spec.beside}\n")
        return open_toys(spec, note)


def test_parts_that_are_open_are_asked_about_the_findings_of_others(tmp_path: Path) -> None:
    """A part is opened to see what it has and by the process that searches it; to be asked across it is open still."""
    log = tmp_path / "opened"
    off, _ = search(cases=4000, opener=Counted(log))
    assert any(one.parts == ("toys", "toys OneLimit") for one in off.findings)
    opened = Counter(line.split()[0] for line in log.read_text(encoding="utf-8").splitlines())
    assert [1, 1, 2] == sorted(opened.values())
    assert 2 == opened[str(os.getpid())]


def test_a_process_knows_how_many_work_beside_it(tmp_path: Path) -> None:
    """Whoever searches shares the cores with the others of the run; whoever looks what there is, with nobody."""
    log = tmp_path / "opened"
    search(cases=400, opener=Counted(log))
    here = str(os.getpid())
    told = [line.split() for line in log.read_text(encoding="utf-8").splitlines()]
    assert {"1"} == {beside for process, beside in told if process == here}
    assert ["2", "2"] == [beside for process, beside in told if process != here]


def test_a_part_that_cannot_be_asked_any_more_says_nothing_of_others() -> None:
    """The findings of others stay as they are, and somebody is told why."""
    events: list[Event] = []
    specs: tuple[Any, ...] = (ToySpec(), ToySpec(gates=("OneLimit",), fault="die", at=3000))
    results = run_parts(
        specs,
        RunConfig(seed=1, budget=Budget(max_cases=8000), jobs=2, kinds=KINDS),
        opener=open_toys,
        on_event=events.append,
    )
    assert ["budget", "target-lost"] == [result.stopped for result in results]
    assert results[0].findings
    assert any("was not asked about the findings of other parts" in e.text for e in events if isinstance(e, Noted))


def test_a_finding_is_in_the_part_whose_answer_it_has(results: tuple[Result, ...]) -> None:
    """What two parts found is told at its worst, where it is so: elsewhere the answer would be another one."""
    worst, mild = (
        msgspec.structs.replace(results[0].findings[0], severity=severity, occurrences=1, parts=())
        for severity in ("verdict", "shadow")
    )
    found = [
        msgspec.structs.replace(one, findings=(finding,), stopped="interrupted")
        for one, finding in zip(results, (mild, worst), strict=True)
    ]
    merged = GateCheck(lambda event: None).merge(found, [])
    names = tuple(one.part for one in results)
    assert [[], ["verdict"]] == [[one.severity for one in result.findings] for result in merged]
    assert (names[::-1], 2) == (merged[1].findings[0].parts, merged[1].findings[0].occurrences)


def test_a_part_that_serves_the_kind_and_shows_nothing_is_told_as_such(results: tuple[Result, ...]) -> None:
    """That a difference does not show says something of the gates only where the kind is there."""
    first, other = (msgspec.structs.replace(one, findings=()) for one in results)
    finding = msgspec.structs.replace(results[0].findings[0], cause="path", detail="d")
    alone = msgspec.structs.replace(first, findings=(finding,))
    told = {}
    for showing in ("", "agreeing", "absent"):
        answers: list[Any] = [lambda findings: [], lambda findings, showing=showing: [showing] * len(findings)]
        [merged] = GateCheck(lambda event: None).merge([alone, other], answers)[0].findings
        told[showing] = merged.detail
    kind = f"{finding.group}/{finding.version} {finding.resource}"
    assert {
        "": "d; it shows in `toys`, and not in `toys OneLimit`",
        "agreeing": "d; it shows in `toys`, and not in `toys OneLimit`",
        "absent": f"d; it shows in `toys`, and `toys OneLimit` does not serve {kind}",
    } == told


HOUR = 3600.0


class Building:
    """Opens toys; the first time that one is opened here it takes an hour. In other processes it is built then."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.hours = 0

    def __call__(self, spec: Any, note: Callable[[str], None]) -> Any:
        """Open the toy subject."""
        self.hours += os.getpid() == self.process
        return open_toys(spec, note)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("specs", [PARTS[:1], PARTS], ids=["one", "two"])
def test_time_begins_when_everything_is_built(monkeypatch: pytest.MonkeyPatch, jobs: int, specs: Any) -> None:
    """A target that takes longer to build than the whole run may is searched all the same, and for all of the time."""
    building, day = Building(), time.time
    # The clocks of this process are behind until all is built: those of the others are right.
    monkeypatch.setattr(time, "time", lambda: day() + HOUR * (building.hours - len(specs)))
    monkeypatch.setattr(parts, "Clock", partial(Clock, now=lambda: time.monotonic() + HOUR * building.hours))
    budget = Budget(max_time=60.0, max_cases=800)
    results = run_parts(
        specs, RunConfig(seed=1, budget=budget, jobs=jobs, kinds=["widgets", "gadgets"]), opener=building
    )
    assert len(specs) == len(results)
    assert all(result.cases >= 800 // len(specs) and result.seconds < 60.0 for result in results)
