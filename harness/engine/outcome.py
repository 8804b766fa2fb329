"""The outcomes of searches, as plain records that processes exchange, and how they are merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from harness.engine.packedfinding import PackedFinding
from harness.engine.schedule import TimeSpent
from harness.engine.search import UnitSearch, describe_error
from harness.events import Discovery, ExampleReport, KindReport, Timings, stop_rank
from harness.fuzzers.budget import Clock

MAX_CHANGED_PATHS = 20
"""At most so many changed paths are reported for one operation."""


class UnitOutcome(msgspec.Struct, frozen=True):
    """The outcome of one unit's search, at its end or so far.

    `signature_ages` has the age of the run, in seconds, at which each signature was first seen.
    """

    index: int
    kinds: tuple[KindReport, ...]
    findings: tuple[PackedFinding, ...]
    cases: int
    compared: int
    composition_checked: int
    composition_differences: int
    observed: dict[str, Any] = {}
    signature_ages: tuple[float, ...] = ()
    examples: tuple[ExampleReport, ...] = ()
    generated_checked: int = 0
    round_trips_checked: int = 0

    @classmethod
    def of(cls, search: UnitSearch, stopped: str = "") -> UnitOutcome:
        """Return the outcome of a search so far; `stopped` is by what the run ended, if it did (`harness.events`)."""
        return cls(
            search.plan.unit.index,
            _kind_reports(search),
            tuple(search.ledger.findings(stopped)),
            search.asked,
            search.ledger.compared,
            search.ledger.composition_checked,
            search.ledger.composition_differences,
            {name: observer.outcome() for name, observer in search.plan.observers.items()},
            tuple(seen.age for seen in search.ledger.seen.values()),
            tuple(search.given.reports),
            search.ledger.generated_checked,
            search.ledger.round_trips_checked,
        )


class Overrun(msgspec.Struct, frozen=True):
    """How long a process ran beyond its time limit to explain findings, how many there were, and how many are left.

    Units: seconds.
    """

    seconds: float = 0.0
    findings: int = 0
    left: int = 0

    @classmethod
    def of(cls, clock: Clock, findings: int, left: int) -> Overrun:
        """Return the overrun of a process; none without a time limit."""
        if clock.max_time is None:
            return cls()
        return cls(max(0.0, clock.seconds - clock.max_time), findings, left)

    def __bool__(self) -> bool:
        """Whether the overrun is worth reporting."""
        return self.findings > 0 or self.seconds >= 1.0

    def __str__(self) -> str:
        if not self.findings:
            return f"{self.seconds:.0f} s beyond --max-time to wait for the last answers"
        words = f"{self.seconds:.0f} s beyond --max-time to explain {self.findings} finding{'s' * (self.findings != 1)}"
        return f"{words}; {self.left} of them not explained: budget" if self.left else words


class JobOutcome(msgspec.Struct, frozen=True):
    """The outcome of one process."""

    units: tuple[UnitOutcome, ...]
    timings: Timings = Timings()
    stopped: str = "budget"
    stopped_detail: str = ""
    restarts: int = 0
    overrun: Overrun = Overrun()


def describe_bug(error: BaseException) -> str:
    """Return the message for an internal error, with its location: it asks the user to report it."""
    return f"a bug of the harness, please report it: {describe_error(error)}"


def merge(jobs: Sequence[JobOutcome]) -> JobOutcome:
    """Merge the outcomes of several processes, with units in their order."""
    units = sorted((unit for job in jobs for unit in job.units), key=lambda unit: unit.index)
    stopped = min((job.stopped for job in jobs), key=stop_rank, default="budget")
    overrun = [job.overrun for job in jobs]
    details = dict.fromkeys(job.stopped_detail for job in jobs if job.stopped_detail)
    return JobOutcome(
        tuple(units),
        total(job.timings for job in jobs),
        stopped,
        "; ".join(details),
        sum(job.restarts for job in jobs),
        Overrun(
            max((one.seconds for one in overrun), default=0.0),
            sum(one.findings for one in overrun),
            sum(one.left for one in overrun),
        ),
    )


def discovery(units: Iterable[UnitOutcome], seconds: float) -> Discovery:
    """Count when new signatures were seen. `seconds` is the length of the run."""
    ages = [age for unit in units for age in unit.signature_ages]
    in_quarter = Counter(min(3, int(4 * age / seconds)) if seconds else 0 for age in ages)
    first, second, third, fourth = (in_quarter[number] for number in range(4))
    return Discovery(len(ages), max(ages, default=0.0), (first, second, third, fourth))


def total(timings: Iterable[Timings]) -> Timings:
    """Return the sum of timings."""
    parts = list(timings)
    return Timings(*(sum(getattr(part, name) for part in parts) for name in Timings.__struct_fields__))


def timings_of(spent: TimeSpent, searches: Iterable[UnitSearch]) -> Timings:
    """Return the timings of one process."""
    return Timings(spent.generate, spent.encode, spent.wait, sum(search.ledger.compare_seconds for search in searches))


def _kind_reports(search: UnitSearch) -> tuple[KindReport, ...]:
    path_coverage = search.path_coverage
    accepted = len(path_coverage.accepted) if path_coverage.paths else 0
    counts = (path_coverage.paths, accepted, path_coverage.outermost)
    return tuple(
        KindReport(
            state.request.info, str(state.request.operation), state.cases, state.accepted, state.has_seed,
            state.remaining, state.failures, search.error,
            *((0, 0, ()) if number else counts),
            changed_paths=state.changed_paths[:MAX_CHANGED_PATHS],
            rejected_paths=0 if number else path_coverage.rejections,
            sides=state.sides, seed_search_complete=state.seed_search_complete, too_large=state.too_large,
        )
        for number, state in enumerate(search.ledger.states.values())
    )  # fmt: skip
