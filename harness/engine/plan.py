"""The inputs of one unit's search, and the counts of each of its requests."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from harness import tuning
from harness.case import Answer, Case, Json, Mode
from harness.compare.comparator import Comparator
from harness.compare.mismatch import Mismatch
from harness.compiler.rulelines import RuleLines
from harness.engine.explain import Explainer
from harness.engine.fixtrial import FixTrials
from harness.engine.focus import NO_FOCUSED_PATHS, FocusedPaths
from harness.engine.observers import Observer
from harness.engine.packedfinding import PackedFinding
from harness.engine.units import RequestKind, Unit
from harness.fuzzers.corpus import KeptSeeds, ReachingCases
from harness.fuzzers.donors import Donor
from harness.fuzzers.repair import Side
from harness.fuzzers.shape import Shape
from harness.fuzzers.versiondiff import PathPattern
from harness.gotypes.literals import NO_LITERALS, Literals
from harness.subject.deciding import UNREAD, HandwrittenCode
from harness.subject.examples import Example

Search: TypeAlias = Generator[list[Case], list[Answer], Any]
"""A generator that yields cases and is sent their answers; an empty list is a pause before it draws many cases."""


class CaseCollector(Protocol):
    """Collects cases of a search that are worth asking again."""

    def follow(self, steps: Search) -> Search:
        """Drive a search, and collect."""

    def result(self) -> ReachingCases:
        """Return the cases so far."""


class Ahead(list[Case]):
    """Cases that are sent without waiting: the search gets their answers when it yields the same list again."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """The abilities of the target beyond the handwritten and the declarative list: see `TargetInfo`."""

    served: bool = False
    versions: bool = False
    repeat: bool = False
    modes: bool = False
    validated: bool = False
    switches: bool = False
    trace: bool = False
    blocks: bool = False
    compiled: bool = False
    round_trip: bool = False

    @property
    def closer(self) -> bool:
        """Whether the target can answer more of a case than the two lists."""
        return self.served or self.versions or self.repeat or self.compiled or self.round_trip

    @classmethod
    def of(cls, names: Sequence[str]) -> Abilities:
        """Return the abilities from their names."""
        return cls(
            "served" in names, "versions" in names, "repeat" in names, "modes" in names, "validated" in names,
            "switches" in names, "trace" in names, "blocks" in names, "compiled" in names,
            "round trip" in names,
        )  # fmt: skip


@dataclass(slots=True)
class UnitPlan:
    """The inputs of a unit's search. `cases` is its share, None when only time limits it; `age` is that of the run.

    `kept` are accepted objects of an earlier run; `keep` stores those of this run. `reaching` are cases of one that
    reached a rule or a block first; `firsts` collects those of this run, if they are wanted. `explained` are findings
    that an earlier run of the same build explained, by fingerprint.
    `on_new_signature` is called with every difference that has a new signature, and with the phase that saw it.

    `witnesses` are the cases that show tolerated findings: they are asked with the corpus, but not used as seeds.
    `examples` are objects of the user; `note` is called with a message about those that are rejected.

    `donors` are searches that grow shared types: growth waits until they are ready, and splices their objects in.
    `fixes` tries the fixes of its findings.

    `settle_batch_size` returns how many findings to settle at once after the time limit.

    `other_shapes` are the shapes of the other served versions, and of other groups that have the kind,
    `differing_paths` the paths at which other versions of the type differ, `focused` those that the run focuses on.
    `compares_versions`: this version also compares the lists of all versions at the other paths. `draws_ahead`: there
    are too few other searches to keep the target busy while this one draws and compares. `counts_blocks`: the target
    is asked which blocks of code the cases reach. `stored` are the objects of which the target answers updates, none if
    it answers any update.
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
    rules: RuleLines | None = None
    code: Callable[[], HandwrittenCode] = lambda: UNREAD
    examples: Sequence[Example] = ()
    stored: Sequence[Json] = ()
    note: Callable[[str], None] = lambda text: None
    kept: KeptSeeds | None = None
    keep: Callable[[KeptSeeds], None] | None = None
    reaching: Sequence[Case] = ()
    firsts: CaseCollector | None = None
    explained: Mapping[str, PackedFinding] = field(default_factory=dict)
    other_shapes: Mapping[str, Shape] = field(default_factory=dict)
    differing_paths: frozenset[PathPattern] = frozenset()
    compares_versions: bool = True
    draws_ahead: bool = False
    counts_blocks: bool = False
    focused: FocusedPaths = NO_FOCUSED_PATHS
    donors: tuple[Donor, ...] = ()
    fixes: FixTrials | None = None
    observers: Mapping[str, Observer] = field(default_factory=dict)
    age: Callable[[], float] = float
    on_new_signature: Callable[[RequestKind, Mismatch, str], None] = lambda request, mismatch, phase: None
    is_late: Callable[[], bool] = bool
    is_over: Callable[[], bool] = bool
    settle_batch_size: Callable[[], int] = lambda: tuning.EXPLAINED_AT_ONCE
    explainer: Explainer = field(init=False)

    def __post_init__(self) -> None:
        objects = tuple(one.object for one in self.examples if not one.is_rejected)
        self.explainer = Explainer(
            self.shape, self.subject, self.literals, objects, self.other_shapes, self.rules, self.abilities.trace,
            self.fixes, self.code,
        )  # fmt: skip


@dataclass(slots=True)
class RequestState:
    """The counts of one request. `changed_paths` are the paths that an accepted update changes.

    `too_large` counts the failures that are answers with more errors than are kept. `has_seed`: an object was accepted
    by both validators; `seed_search_complete`: no time limit cut the search for one short. `sides` says who reports
    each of the `remaining` errors: handwritten, declarative or both.
    """

    request: RequestKind
    cases: int = 0
    accepted: int = 0
    failures: int = 0
    too_large: int = 0
    has_seed: bool = False
    seed_search_complete: bool = False
    remaining: tuple[str, ...] = ()
    sides: tuple[Side, ...] = ()
    changed_paths: tuple[str, ...] = ()


def is_as_drawn(plan: UnitPlan, case: Case) -> bool:
    """Whether a case has the mode and the options of drawn ones, so that both sides are compared."""
    return case.mode == plan.mode and not case.options


def key_of(case: Case) -> tuple[str, str, str, str]:
    """Return the identity of the kind of a case: see `KindInfo.key`."""
    return case.group, case.version, case.resource, case.subresource
