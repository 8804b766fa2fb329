"""The input of a lint rule: one package, with its elements, their parsed tags, and its source lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.diagnostics import Position
from harness.gotypes.model import Comments, Const, Field, Struct, Typedef, TypeRef
from harness.gotypes.packages import Universe
from harness.tags.grammar import Tag
from harness.tags.release import Release
from harness.tags.spec import Scope
from harness.tags.types import Types
from harness.targets.kubernetes.strategies import KindStrategies


@dataclass(frozen=True, slots=True)
class Element:
    """A type, a field or a constant. `tags` are the tags of its closest comment block that parse, in source order."""

    scope: Scope
    name: str
    declaration: Struct | Typedef | Const
    member: Field | None
    type: TypeRef
    tags: tuple[Tag, ...]
    comments: Comments
    second_comments: Comments = ()

    def find_tags(self, name: str) -> Iterator[tuple[Tag, tuple[Tag, ...]]]:
        """Yield the tags of a name, at any depth of a chain, each with the tags around it, outermost first."""
        for tag in self.tags:
            wrappers: tuple[Tag, ...] = ()
            inner: Tag | None = tag
            while inner is not None:
                if inner.name == name:
                    yield inner, wrappers
                wrappers = (*wrappers, inner)
                inner = inner.payload


@dataclass(frozen=True, slots=True)
class PackageView:
    """A package to lint.

    `siblings` are the views of the other versions of the same group, by version. `roots` are the names of root types.
    `sources` are the lines of each file. `release` defines which tags exist. `generates`: validation is generated for
    the package. `lint`: the package is not marked with +k8s:validation-gen-nolint. `minor` is the minor release that
    the types are part of, None if unknown; `subresources` are the paths of those that something serves, none if
    unknown. `strategies` are those of root types whose strategies could be read, by name. `base` is the view of the
    same package before a change, if the lint is of a change. `memo` caches results that several rules use, by topic and
    element; `shared` caches those that all packages of a run use.
    """

    path: str
    group: str
    version: str
    universe: Universe
    types: Types
    elements: tuple[Element, ...]
    roots: frozenset[str] = frozenset()
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    siblings: Mapping[str, PackageView] = field(default_factory=dict)
    release: Release = field(default_factory=Release)
    generates: bool = True
    lint: bool = True
    minor: int | None = None
    subresources: frozenset[str] = frozenset()
    strategies: Mapping[str, KindStrategies] = field(default_factory=dict)
    base: PackageView | None = None
    memo: dict[tuple[str, int], Any] = field(default_factory=dict, repr=False, compare=False)
    shared: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def fields(self, struct: str) -> Iterator[Element]:
        """Return the fields of the struct with this name."""
        return (e for e in self.elements if e.member is not None and e.declaration.name == struct)

    def line(self, position: Position) -> str:
        """Return the source line of a position, in any package; empty if it cannot be read."""
        lines = self.sources.get(position.file)
        if lines is None:
            cache = self.shared.setdefault("lines", {})
            if position.file not in cache:
                cache[position.file] = lines_of(position.file)
            lines = cache[position.file]
        return lines[position.line - 1] if 0 < position.line <= len(lines) else ""


def lines_of(file: str) -> tuple[str, ...]:
    """Return the lines of a file, with their line endings except `\\n`; none if it cannot be read."""
    try:
        with Path(file).open(encoding="utf-8", errors="replace", newline="") as stream:
            return tuple(stream.read().split("\n"))
    except OSError:
        return ()
