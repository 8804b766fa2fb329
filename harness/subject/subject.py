"""An open subject: its target, and what generators and the comparator need to know about its types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from harness.case import Json, KindInfo
from harness.compare.comparator import Comparator
from harness.compare.comparison import TWO_SIDES, Comparison
from harness.compiler.rulelines import RuleLines
from harness.diagnostics import UsageError
from harness.errormatch.trusted import Wordings
from harness.field.facts import NO_FACTS, RuleFacts
from harness.fuzzers.shape import ANY, Shape, shape_of
from harness.gotypes.literals import NO_LITERALS, Literals
from harness.gotypes.packages import Universe
from harness.gotypes.paths import TypeGraph, known_path_checker
from harness.subject.api import DEFAULT_RELEASE
from harness.subject.deciding import UNREAD, HandwrittenCode
from harness.subject.spec import SubjectSpec
from harness.subject.tagtrial import TagTrials
from harness.tags.release import release_of
from harness.targets.recording import Recording
from harness.targets.target import Target

Note: TypeAlias = Callable[[str], None]
Lister: TypeAlias = Callable[[KindInfo, Callable[[dict[str, Json]], dict[str, Json]]], Iterator[Json]]
"""Lists what a server stores of a kind, each object as the second argument shows it."""


def silent(_text: str) -> None:
    """Ignore a note."""


class Subject:
    """The suite, release or program that a run examines. Close it after use; other processes open it from `spec`.

    With a `recording`, only recorded cases are answered. `allow_incomplete` are patterns of kinds without an accepted
    object that do not make a run incomplete. `examples` is the folder of the author's objects, if there is one.
    `comparison` defines the two lists of its answers, `release` the tags of its types where its target has no release.
    `shape` is that of all its objects, and `facts` are those about its rules, where they do not come from Go types;
    `tags` tries changes of tags where they do. `lists` lists the objects of which its target answers updates;
    without it any update is answered. `code` returns what the sources of handwritten validators show, where there are
    any. `build` identifies what answers and the sources that it was built from, empty where that is unknown.
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
        comparison: Comparison = TWO_SIDES,
        release: str = "",
        shape: Shape | None = None,
        facts: RuleFacts | None = None,
        tags: TagTrials | None = None,
        code: Callable[[], HandwrittenCode] = lambda: UNREAD,
        lists: Lister | None = None,
        build: str = "",
    ) -> None:
        self.tags, self.code, self.lists, self.build = tags, code, lists, build
        self.spec, self.name, self.target, self.universe, self.corpus = spec, name, target, universe, corpus
        self.recording, self.examples, self.comparison = recording, examples, comparison
        self.allow_incomplete = tuple(allow_incomplete)
        self._literals, self._release = literals, release
        self._shape, self._facts = shape, facts
        self._checkers: dict[str, Callable[[str], bool]] = {}
        self._graph: TypeGraph | None = None

    @property
    def part(self) -> str:
        """The name of this part of a run: the subject with its feature gates."""
        return f"{self.name} {self.spec.gates_text}".rstrip()

    @property
    def is_plain(self) -> bool:
        """Whether its objects are plain: of one kind, and without apiVersion, kind and metadata."""
        return any(not info.api_version for info in self.target.info.kinds)

    def shape(self, info: KindInfo) -> Shape:
        """Return the shape of the objects of a kind; `any` if its types are unknown."""
        if self._shape is not None:
            return self._shape
        if self.universe is None or not info.type:
            return ANY
        return shape_of(self.universe, info.type)

    def is_known_path(self, info: KindInfo) -> Callable[[str], bool] | None:
        """Return the check whether a path is a field of a kind; None if its types are unknown."""
        if self.universe is None or self.comparison.names or not info.type or self.universe.find(info.type) is None:
            return None
        if info.type not in self._checkers:
            self._graph = self._graph or TypeGraph(self.universe)
            self._checkers[info.type] = known_path_checker(self._graph, info.type)
        return self._checkers[info.type]

    def comparator(self, info: KindInfo, trusted: Wordings, facts: RuleFacts = NO_FACTS) -> Comparator:
        """Return the comparator for answers about a kind."""
        known, facts = self.is_known_path(info), self._facts or facts
        return Comparator(
            info, is_known_path=known, trusted=trusted, comparison=self.comparison, facts=facts,
            vocabulary=self.target.info.vocabulary,
            versions={one.version: one for one in self.versions(info) if one.version != info.version},
        )  # fmt: skip

    def versions(self, info: KindInfo) -> Sequence[KindInfo]:
        """Return a resource or subresource in all of its versions, served or not."""
        return self._versions.get((info.group, info.resource, info.subresource), ())

    def in_other_groups(self, info: KindInfo) -> Sequence[KindInfo]:
        """Return a kind in the versions of other groups that have it too, as `Event` of two groups."""
        wanted = info.kind, info.resource, info.subresource
        kinds = self.target.info.kinds
        return [one for one in kinds if (one.kind, one.resource, one.subresource) == wanted and one.group != info.group]

    @cached_property
    def _versions(self) -> dict[tuple[str, str, str], list[KindInfo]]:
        """The kinds by resource and subresource, so that each finds its versions without a scan of thousands."""
        found: dict[tuple[str, str, str], list[KindInfo]] = {}
        for one in self.target.info.kinds:
            found.setdefault((one.group, one.resource, one.subresource), []).append(one)
        return found

    @cached_property
    def rules(self) -> RuleLines | None:
        """The tags of the types; None if these are unknown."""
        if self.universe is None:
            return None
        try:
            release = release_of(self._release or self.target.info.release)
        except UsageError:  # of a program, which counts its own releases
            release = release_of(DEFAULT_RELEASE)
        return RuleLines(self.universe, release)

    def literals(self, info: KindInfo) -> Literals:
        """Return the literals in the sources of a kind's handwritten validator; none if the sources are unknown."""
        return self._literals(info)

    def close(self) -> None:
        """Free the target. May be called twice."""
        self.target.close()

    def __enter__(self) -> Subject:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
