"""The configuration of a run: one frozen record that is created once and passed on unchanged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from harness.engine.focus import NO_FOCUS, Focus
from harness.engine.observers import ObserverFactory
from harness.engine.shards import WHOLE, Shard
from harness.errormatch.witness import Witness
from harness.events import Budget
from harness.subject import Example

DEFAULT_SECONDS = 60.0
"""The time limit of a run without any budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """The configuration of a run, the same for every process except `part`, the number of the process among `jobs`.

    The budget in cases is that of all shards together. `kinds` are patterns (`deployments`, `apps/*`, `*/status`),
    `operations` are names; none means all. Cases of `corpus` are replayed first, and reduced cases are kept there.
    `trusted` is the file of trusted wordings. `shard` is a part of the kinds: together the shards of a run find what
    the whole run finds, unless they cut kinds. `focus` names the paths of types to edit more often. `examples` are
    objects of the user that are asked before any case is drawn, in addition to those of a suite. `observers` create the
    observers of every answer. `witnesses` of tolerated findings are asked before the search, and again during it. Every
    process of the run enters `around` before it opens its target, and leaves it when that is closed.
    """

    seed: int
    budget: Budget = field(default_factory=Budget)
    jobs: int = 1
    kinds: Sequence[str] = ()
    operations: Sequence[str] = ()
    corpus: Path | None = None
    trusted: Path | None = None
    part: int = 0
    shard: Shard = WHOLE
    focus: Focus = NO_FOCUS
    examples: Sequence[Example] = ()
    observers: Mapping[str, ObserverFactory] = field(default_factory=dict)
    witnesses: Sequence[Witness] = ()
    around: Callable[[], AbstractContextManager[None]] = nullcontext

    def __post_init__(self) -> None:
        if self.budget == Budget():
            object.__setattr__(self, "budget", Budget(DEFAULT_SECONDS))
