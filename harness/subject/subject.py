"""An open subject: its target, and the readers of its types that generators and comparator want."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from harness.case import KindInfo
from harness.compare.ends import Ends
from harness.fuzzers.shape import ANY, Shape, shape_of
from harness.gotypes.literals import NO_LITERALS, Literals
from harness.gotypes.packages import Universe
from harness.gotypes.paths import TypeGraph, known_path_checker
from harness.subject.spec import SubjectSpec
from harness.subject.twin import TwinTarget
from harness.targets.recording import Recording
from harness.targets.target import Target

Note: TypeAlias = Callable[[str], None]


def silent(_text: str) -> None:
    """Tell nobody."""


class Subject:
    """What is examined. Close it when done; job processes open their own from `spec`.

    With a `recording` the target answers what was recorded, and nothing else. `allow_incomplete` are patterns of kinds
    of which a run may accept no object and be complete all the same. `examples` is the folder of its author's own
    objects, where it has one.
    """

    def __init__(
        self,
        spec: SubjectSpec,
        name: str,
        target: Target,
        universe: Universe | None,
        corpus: Path | None,
        literals: Callable[[KindInfo], Literals] = lambda info: NO_LITERALS,
        recording: Recording | None = None,
        allow_incomplete: Sequence[str] = (),
        examples: Path | None = None,
    ) -> None:
        self.spec, self.name, self.target, self.universe, self.corpus = spec, name, target, universe, corpus
        self.recording, self.examples = recording, examples
        self.allow_incomplete = tuple(allow_incomplete)
        self._literals = literals
        self._checkers: dict[str, Callable[[str], bool]] = {}
        self._graph: TypeGraph | None = None

    @property
    def part(self) -> str:
        """Its name among the parts of one run: with the feature gates that were asked for."""
        return f"{self.name} {self.spec.gates_text}".rstrip()

    @property
    def ends(self) -> Ends | None:
        """The names of both targets, when what users of two are served is compared."""
        return self.target.ends if isinstance(self.target, TwinTarget) else None

    def shape(self, info: KindInfo) -> Shape:
        """Return what JSON an object of this kind is made of; `any` when its types are not known."""
        if self.universe is None or not info.type:
            return ANY
        return shape_of(self.universe, info.type)

    def is_known_path(self, info: KindInfo) -> Callable[[str], bool] | None:
        """Return the check whether a reported path names a field of this kind, None when its types are not known."""
        if self.universe is None or self.spec.against or not info.type or self.universe.find(info.type) is None:
            return None
        if info.type not in self._checkers:
            self._graph = self._graph or TypeGraph(self.universe)
            self._checkers[info.type] = known_path_checker(self._graph, info.type)
        return self._checkers[info.type]

    def literals(self, info: KindInfo) -> Literals:
        """Return what the sources of the handwritten validator of this kind know; nothing where they are unknown."""
        return self._literals(info)

    def close(self) -> None:
        """Free the target. May be called twice."""
        self.target.close()

    def __enter__(self) -> Subject:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
