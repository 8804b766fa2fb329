"""One subject, measured: opens it, lets a search find the objects, measures them, and adds up."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness import engine
from harness.case import Case, KindInfo, Operation
from harness.cost.measuring import NANOSECONDS, ROUNDS, Measured, Measuring
from harness.cost.objects import NAME, Chosen, CostObserverFactory
from harness.cost.summing import CONFIDENCE, answer_of, row_of, sums_of
from harness.diagnostics import UsageError
from harness.engine import RunConfig
from harness.engine.plan import key_of
from harness.engine.units import matches
from harness.events import Budget, Event, Result
from harness.report.model.cost import Cost, CostRow, Unmeasured
from harness.subject import SubjectSpec, open_subject

SEARCH = 0.4
"""The part of the time that is spent on finding objects."""


@dataclass(frozen=True, slots=True)
class CostRequest:
    """What was asked for. `corpus` has objects of an earlier run."""

    seed: int
    budget: Budget
    jobs: int
    kinds: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    corpus: Path | None = None


@dataclass(frozen=True, slots=True)
class CostOutcome:
    """What came of one subject: the search for its objects, what they cost, in how many passes, by which clock."""

    result: Result
    rows: tuple[CostRow, ...]
    unmeasured: tuple[Unmeasured, ...]
    passes: int
    clock: str
    interrupted: bool


def measure(
    spec: SubjectSpec,
    wanted: CostRequest,
    on_event: Callable[[Event], None],
    on_told: Callable[[int, int], None],
    note: Callable[[str], None],
) -> CostOutcome:
    """Measure the kinds of a subject that have rules and that users reach.

    Raises: UsageError when there is none or the target cannot measure, and whatever opening and searching raise.
    """
    if spec.declarative != "target":
        raise UsageError("what is measured is one target as it is\n  fix: leave --declarative out")
    with open_subject(spec, note) as subject:
        started = time.monotonic()  # a worker that had to be built took its own time
        info = subject.target.info
        if "measure" not in info.abilities:
            raise UsageError(
                f"{info.name} cannot measure: it does not name the ability `measure`\n"
                "  fix: let the program answer `cost`, as docs/reference/protocol.md tells"
            )
        kinds = [kind for kind in info.kinds if kind.rules and kind.served and matches(kind, wanted.kinds)]
        if not kinds:
            asked = ", ".join(wanted.kinds) or "anything with rules"
            raise UsageError(f"{subject.name} serves nothing with declarative rules that matches {asked}")
        result = engine.run(
            spec,
            RunConfig(
                seed=wanted.seed,
                budget=_of_search(wanted.budget),
                jobs=wanted.jobs,
                kinds=tuple(kind.name for kind in kinds),
                operations=wanted.operations,
                corpus=wanted.corpus,
                observers={NAME: CostObserverFactory(spec.mode)},
            ),
            on_event=on_event,
        )
        chosen: list[Chosen] = [one for some in result.observed.get(NAME, ()) for one in some]
        measuring = Measuring(subject.target, _left(wanted.budget, started), on_told)
        measuring.interrupted = result.stopped == "interrupted"
        found = [] if measuring.interrupted else measuring.run(chosen)
    by_key = {kind.key: kind for kind in kinds}
    rows = tuple(row_of(one, by_key[key_of(one.chosen.case)], result.subject) for one in found if one.samples)
    clock = next((one.clock for one in found if one.clock), "")
    return CostOutcome(
        result, rows, tuple(_unmeasured(kinds, wanted, found, result)), measuring.passes, clock, measuring.interrupted
    )


def cost_of(outcomes: Sequence[CostOutcome], busy: tuple[float, float]) -> Cost:
    """Make the section of the report. `busy` is how busy the machine was before and after."""
    rows = tuple(row for outcome in outcomes for row in outcome.rows)
    sums = sums_of(rows)
    return Cost(
        clock=next((outcome.clock for outcome in outcomes if outcome.clock), ""),
        rounds=ROUNDS,
        passes=max((outcome.passes for outcome in outcomes), default=0),
        sample=NANOSECONDS,
        confidence=CONFIDENCE,
        cores=cores(),
        busy=busy,
        answer=answer_of(sums),
        sums=sums,
        rows=rows,
        unmeasured=tuple(one for outcome in outcomes for one in outcome.unmeasured),
    )


def cores() -> int:
    """Return how many processes can run at once."""
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def busy_now() -> float:
    """Return how many processes wanted to run in the last minute; 0 where the system does not tell."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else 0.0


def _of_search(budget: Budget) -> Budget:
    return Budget(budget.max_time * SEARCH if budget.max_time else None, budget.max_cases)


def _left(budget: Budget, started: float) -> float | None:
    return None if budget.max_time is None else max(0.0, budget.max_time - (time.monotonic() - started))


def _unmeasured(
    kinds: Iterable[KindInfo], wanted: CostRequest, found: Sequence[Measured], result: Result
) -> Iterable[Unmeasured]:
    """Name what should have been measured, and why it was not."""
    measured = {_request(one.chosen.case) for one in found if one.samples}
    failed = {_request(one.chosen.case): one.failure for one in found if one.failure}
    for kind in kinds:
        for operation in kind.operations:
            request = (kind.key, operation)
            if request not in measured and (not wanted.operations or operation in wanted.operations):
                reason = failed.get(
                    request, "the search found no object that both sides accept and that changes something"
                )
                yield Unmeasured(result.subject, kind.name, str(operation), reason)


def _request(case: Case) -> tuple[tuple[str, str, str, str], Operation]:
    return key_of(case), case.operation
