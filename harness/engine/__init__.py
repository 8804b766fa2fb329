"""Draws cases, asks the target, calls the comparator and yields events. Knows no report and no command line.

`run` is the whole of it, `run_parts` the same for several settings of feature gates. What is found depends on the seed
and the number of cases, not on processes or timing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from harness.engine import parts
from harness.engine.focus import NO_FOCUS, Focus
from harness.engine.jobs import Opener
from harness.engine.local import RunOrder
from harness.engine.observers import ObserverFactory
from harness.engine.units import WHOLE, Shard
from harness.errormatch.witness import Witness
from harness.events import Budget, Event, Result
from harness.subject import Example, SubjectSpec, open_subject

__all__ = ["Focus", "run", "run_parts"]

DEFAULT_SECONDS = 60.0


def run(
    spec: SubjectSpec,
    *,
    seed: int,
    budget: Budget,
    jobs: int = 1,
    kinds: Sequence[str] = (),
    operations: Sequence[str] = (),
    on_event: Callable[[Event], None] = lambda event: None,
    corpus: Path | None = None,
    trusted: Path | None = None,
    shard: Shard = WHOLE,
    focus: Focus = NO_FOCUS,
    examples: Sequence[Example] = (),
    observers: Mapping[str, ObserverFactory] = MappingProxyType({}),
    witnesses: Sequence[Witness] = (),
    opener: Opener = open_subject,
) -> Result:
    """Search a subject for differences and explain them.

    `kinds` are patterns (`deployments`, `apps/*`, `*/status`), `operations` names; none means all. An interrupt or a
    lost target ends the run early, and the result holds what was found until then. Cases of `corpus` are replayed
    first, and reduced cases are kept there. `trusted` is the file of trusted wordings. `shard` is a part of the kinds:
    the shards of a run find together what the whole run finds. `focus` says which places of types to lean to.
    `examples` are objects of the user's own, asked about before any is drawn; a suite has its own besides.
    `observers` make the observers that see every answer; what they saw is in `Result.observed` under their names.
    `witnesses` are asked before the search, and what they show is in `Result.replayed`; their objects seed the search.
    Raises: HarnessError when the subject cannot be opened; UsageError when nothing matches.
    """
    (result,) = run_parts(
        (spec,), seed=seed, budget=budget, jobs=jobs, kinds=kinds, operations=operations, on_event=on_event,
        corpus=corpus, trusted=trusted, shard=shard, focus=focus, examples=examples, witnesses=witnesses,
        observers=observers,
        opener=opener,
    )  # fmt: skip
    return result


def run_parts(
    specs: Sequence[SubjectSpec],
    *,
    seed: int,
    budget: Budget,
    jobs: int = 1,
    kinds: Sequence[str] = (),
    operations: Sequence[str] = (),
    on_event: Callable[[Event], None] = lambda event: None,
    corpus: Path | None = None,
    trusted: Path | None = None,
    shard: Shard = WHOLE,
    focus: Focus = NO_FOCUS,
    examples: Sequence[Example] = (),
    observers: Mapping[str, ObserverFactory] = MappingProxyType({}),
    witnesses: Sequence[Witness] = (),
    opener: Opener = open_subject,
) -> tuple[Result, ...]:
    """Search one subject under several settings of its feature gates: one part, and one result, for each.

    The budget is that of all parts together; with several processes they run side by side. Each finding is told in the
    part that found it first, and `Finding.parts` says where it shows. Everything else is as in `run`. When the parts
    run one after the other, an interrupt leaves out those that have not begun.
    """
    if budget.max_time is None and budget.max_cases is None:
        budget = Budget(DEFAULT_SECONDS)
    order = RunOrder(
        seed, budget, tuple(kinds), tuple(str(one) for one in operations), corpus, trusted, 0, max(1, jobs), shard,
        dict(observers), focus, tuple(examples), tuple(witnesses),
    )  # fmt: skip
    return parts.run_parts(specs, order, on_event, opener)
