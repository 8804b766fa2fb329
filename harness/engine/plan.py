"""What one unit's search is given, and what is counted for each of its lanes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from harness import tuning
from harness.case import Answer, Case, Mode
from harness.compare.comparator import Comparator
from harness.compare.mismatch import Mismatch
from harness.engine.explain import Explainer
from harness.engine.focus import NOWHERE, Near
from harness.engine.observers import Observer
from harness.engine.units import Lane, Unit
from harness.fuzzers.bases import Side
from harness.fuzzers.corpus import KeptSeeds
from harness.fuzzers.lending import Stock
from harness.fuzzers.shape import Shape
from harness.fuzzers.unlike import Way
from harness.gotypes.literals import NO_LITERALS, Literals
from harness.subject.examples import Example

Search: TypeAlias = Generator[list[Case], list[Answer], Any]
"""Yields cases, is sent their answers. No cases are a pause: its place is before many are drawn."""


class Ahead(list[Case]):
    """Cases that are sent while the search goes on: it gets no answers now, and gets them when it yields the same list
    again."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What may be asked of the target besides the two lists."""

    served: bool = False
    versions: bool = False
    repeat: bool = False
    modes: bool = False
    validated: bool = False
    switches: bool = False

    @property
    def closer(self) -> bool:
        """Whether the target can say more of a case than it says of most."""
        return self.served or self.versions or self.repeat

    @classmethod
    def of(cls, names: Sequence[str]) -> Abilities:
        """Read the abilities a target names."""
        return cls(
            "served" in names, "versions" in names, "repeat" in names, "modes" in names, "validated" in names,
            "switches" in names,
        )  # fmt: skip


@dataclass(slots=True)
class UnitPlan:
    """What a unit's search is given. `cases` is its share, None when only time limits it; `age` is that of the run.

    `kept` are accepted objects of an earlier run, `keep` takes those of this one, where somebody wants them. `met` is
    told of every difference of a new signature, and of the phase that met it.

    `witnesses` are the cases that show what exceptions tolerate: asked with the corpus, and no object to start from.
    `examples` are objects of the user's own; `note` is told of those that are refused.

    `stocks` are what others lend: growth waits until they are ready.

    `abreast` says how many findings to settle at once when time is short.

    `unlike` are the places at which other versions of the type differ from it, `near` those that the search leans to.
    `leads` says that this version compares the lists of all of them where they do not differ: once is enough.
    `draws_ahead` says that nobody else's cases keep the target busy while this search draws and compares.
    """

    unit: Unit
    seed: int
    shape: Shape
    comparators: dict[tuple[str, str, str, str], Comparator]
    abilities: Abilities
    mode: Mode
    subject: str
    cases: int | None
    corpus: Sequence[Case] = ()
    witnesses: Sequence[Case] = ()
    literals: Literals = NO_LITERALS
    examples: Sequence[Example] = ()
    note: Callable[[str], None] = lambda text: None
    kept: KeptSeeds | None = None
    keep: Callable[[KeptSeeds], None] | None = None
    unlike: frozenset[Way] = frozenset()
    leads: bool = True
    draws_ahead: bool = False
    near: Near = NOWHERE
    stocks: tuple[Stock, ...] = ()
    observers: Mapping[str, Observer] = field(default_factory=dict)
    age: Callable[[], float] = float
    met: Callable[[Lane, Mismatch, str], None] = lambda lane, mismatch, phase: None
    is_late: Callable[[], bool] = bool
    is_over: Callable[[], bool] = bool
    abreast: Callable[[], int] = lambda: tuning.ABREAST
    explainer: Explainer = field(init=False)

    def __post_init__(self) -> None:
        objects = tuple(one.object for one in self.examples if not one.is_rejected)
        self.explainer = Explainer(self.shape, self.subject, self.literals, objects)


@dataclass(slots=True)
class LaneState:
    """The counts of one lane. `changed_paths` are the paths that an update changes which both sides accept.

    `has_seed` says that both sides accept some object, `seed_search_complete` that the search for one came to its end:
    no limit of time cut it short. `sides` says who reports each of the `remaining` errors.
    """

    lane: Lane
    cases: int = 0
    accepted: int = 0
    failures: int = 0
    has_seed: bool = False
    seed_search_complete: bool = False
    remaining: tuple[str, ...] = ()
    sides: tuple[Side, ...] = ()
    changed_paths: tuple[str, ...] = ()


def key_of(case: Case) -> tuple[str, str, str, str]:
    """Return what names the kind of a case, as `KindInfo.key` does."""
    return case.group, case.version, case.resource, case.subresource
