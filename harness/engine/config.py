"""What a run is to do, as one record: made once by whoever wants a run, and handed on unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.engine.focus import NO_FOCUS, Focus
from harness.engine.observers import ObserverFactory
from harness.engine.units import WHOLE, Shard
from harness.errormatch.witness import Witness
from harness.events import Budget
from harness.subject import Example

DEFAULT_SECONDS = 60.0
"""How long a run searches that is given no budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """What a run is to do; the same for every process but for `part`, which is one of `jobs`.

    The budget in cases is that of all shards together; without any budget it is a minute. `kinds` are patterns
    (`deployments`, `apps/*`, `*/status`), `operations` names; none means all. Cases of `corpus` are replayed first,
    and reduced cases are kept there. `trusted` is the file of trusted wordings. `shard` is a part of the kinds: the
    shards of a run find together what the whole run finds. `focus` says which paths of types to lean to. `examples`
    are objects of the user's own, asked about before any is drawn; a suite has its own besides. `observers` make the
    observers that see every answer. `witnesses` are asked before the search, and their objects seed it.
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

    def __post_init__(self) -> None:
        if self.budget == Budget():
            object.__setattr__(self, "budget", Budget(DEFAULT_SECONDS))
