"""Draws cases, asks the target, calls the comparator and yields events. Knows no report and no command line.

`run` is the whole of it, `run_parts` the same for several settings of feature gates. What is found depends on the seed
and the number of cases, not on processes or timing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.engine import parts
from harness.engine.config import RunConfig
from harness.engine.focus import Focus
from harness.engine.jobs import Opener
from harness.events import Event, Result
from harness.fuzzers.budget import Clock
from harness.subject import SubjectSpec, open_subject

__all__ = ["Focus", "RunConfig", "run", "run_parts"]

OnEvent = Callable[[Event], None]


def run(
    spec: SubjectSpec,
    config: RunConfig,
    on_event: OnEvent = lambda event: None,
    opener: Opener = open_subject,
    clock: Clock | None = None,
) -> Result:
    """Search a subject for differences and explain them.

    An interrupt or a lost target ends the run early, and the result holds what was found until then. What observers
    saw is in `Result.observed` under their names, what witnesses showed in `Result.replayed`. Whoever has seen enough
    stops the run by its `clock`.
    Raises: HarnessError when the subject cannot be opened; UsageError when nothing matches.
    """
    return parts.run_one(spec, config, on_event, opener, clock)


def run_parts(
    specs: Sequence[SubjectSpec],
    config: RunConfig,
    on_event: OnEvent = lambda event: None,
    opener: Opener = open_subject,
) -> tuple[Result, ...]:
    """Search one subject under several settings of its feature gates: one part, and one result, for each.

    The budget is that of all parts together; with several processes they run side by side. Each finding is told in the
    part that found it first, and `Finding.parts` says where it shows. Everything else is as in `run`. When the parts
    run one after the other, an interrupt leaves out those that have not begun.
    """
    return parts.run_parts(specs, config, on_event, opener)
