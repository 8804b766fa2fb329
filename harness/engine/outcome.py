"""What searches came to: plain records that cross process borders, and their sum."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from harness.engine.packedfinding import PackedFinding
from harness.engine.schedule import TimeSpent
from harness.engine.search import UnitSearch
from harness.events import Discovery, ExampleReport, KindReport, Timings, how_bad
from harness.fuzzers.budget import Clock

MOST_CHANGED = 20
"""Changed places that are told about for one operation."""


class UnitOutcome(msgspec.Struct, frozen=True):
    """What one unit's search came to, or has come to so far.

    `met` has the age of the run, in seconds, at which each signature was met first.
    """

    index: int
    kinds: tuple[KindReport, ...]
    findings: tuple[PackedFinding, ...]
    cases: int
    compared: int
    composition_checked: int
    composition_differences: int
    observed: dict[str, Any] = {}
    met: tuple[float, ...] = ()
    examples: tuple[ExampleReport, ...] = ()

    @classmethod
    def of(cls, search: UnitSearch) -> UnitOutcome:
        """Take stock of a search."""
        return cls(
            search.plan.unit.index,
            _kind_reports(search),
            tuple(search.ledger.findings()),
            search.asked,
            search.ledger.compared,
            search.ledger.composition_checked,
            search.ledger.composition_differences,
            {name: observer.outcome() for name, observer in search.plan.observers.items()},
            tuple(seen.age for seen in search.ledger.seen.values()),
            tuple(search.given.reports),
        )


class Beyond(msgspec.Struct, frozen=True):
    """How long a process went on beyond its time to explain so many findings, and how many it could not explain.

    Units: seconds.
    """

    seconds: float = 0.0
    findings: int = 0
    left: int = 0

    @classmethod
    def of(cls, clock: Clock, findings: int, left: int) -> Beyond:
        """Say what a process did after its time; nothing where nothing was to be finished."""
        if clock.max_time is None:
            return cls()
        return cls(max(0.0, clock.seconds - clock.max_time), findings, left)

    def __bool__(self) -> bool:
        """Whether it is worth a word."""
        return self.findings > 0 or self.seconds >= 1.0

    def __str__(self) -> str:
        if not self.findings:
            return f"{self.seconds:.0f} s beyond --max-time to wait for the last answers"
        words = f"{self.seconds:.0f} s beyond --max-time to explain {self.findings} finding{'s' * (self.findings != 1)}"
        return f"{words}; {self.left} of them not explained: budget" if self.left else words


class JobOutcome(msgspec.Struct, frozen=True):
    """What one process came to."""

    units: tuple[UnitOutcome, ...]
    timings: Timings = Timings()
    stopped: str = "budget"
    stopped_detail: str = ""
    restarts: int = 0
    beyond: Beyond = Beyond()


def describe_bug(error: BaseException) -> str:
    """Say that the harness failed, and where: nothing that a user did is at fault."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"a bug of the harness, please report it: {type(error).__name__}: {error}{where}"


def merge(jobs: Sequence[JobOutcome]) -> JobOutcome:
    """Bring the outcomes of several processes together, units in their order."""
    units = sorted((unit for job in jobs for unit in job.units), key=lambda unit: unit.index)
    stopped = min((job.stopped for job in jobs), key=how_bad, default="budget")
    beyond = [job.beyond for job in jobs]
    details = dict.fromkeys(job.stopped_detail for job in jobs if job.stopped_detail)
    return JobOutcome(
        tuple(units),
        total(job.timings for job in jobs),
        stopped,
        "; ".join(details),
        sum(job.restarts for job in jobs),
        Beyond(
            max((one.seconds for one in beyond), default=0.0),
            sum(one.findings for one in beyond),
            sum(one.left for one in beyond),
        ),
    )


def discovery(units: Iterable[UnitOutcome], seconds: float) -> Discovery:
    """Say when what was new came. `seconds` is the length of the run."""
    ages = [age for unit in units for age in unit.met]
    in_quarter = Counter(min(3, int(4 * age / seconds)) if seconds else 0 for age in ages)
    first, second, third, fourth = (in_quarter[number] for number in range(4))
    return Discovery(len(ages), max(ages, default=0.0), (first, second, third, fourth))


def total(timings: Iterable[Timings]) -> Timings:
    """Add timings up."""
    every = list(timings)
    return Timings(*(sum(getattr(one, name) for one in every) for name in Timings.__struct_fields__))


def timings_of(spent: TimeSpent, searches: Iterable[UnitSearch]) -> Timings:
    """Say where the time of one process went."""
    return Timings(spent.generate, spent.encode, spent.wait, sum(search.ledger.compare_seconds for search in searches))


def _kind_reports(search: UnitSearch) -> tuple[KindReport, ...]:
    path_coverage = search.path_coverage
    accepted = len(path_coverage.accepted) if path_coverage.paths else 0
    counts = (path_coverage.paths, accepted, path_coverage.outermost)
    return tuple(
        KindReport(
            state.lane.info, str(state.lane.operation), state.cases, state.accepted, state.has_seed,
            state.remaining, state.failures, search.error,
            *((0, 0, ()) if number else counts),
            changed_paths=state.changed_paths[:MOST_CHANGED], rejected_paths=0 if number else path_coverage.rejections,
            sides=state.sides, seed_search_complete=state.seed_search_complete,
        )
        for number, state in enumerate(search.ledger.states.values())
    )  # fmt: skip
