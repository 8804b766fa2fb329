"""A package as lint rules see it: every element with its tags parsed, whether they count or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.gotypes.model import Comments, Const, Field, Struct, Typedef, TypeRef
from harness.gotypes.packages import Universe
from harness.tags.grammar import Tag
from harness.tags.release import Release
from harness.tags.spec import Scope
from harness.tags.types import Types


@dataclass(frozen=True, slots=True)
class Element:
    """A type, a field or a constant. `tags` are all `+` tags of its closest block that parse, in source order."""

    scope: Scope
    name: str
    declaration: Struct | Typedef | Const
    member: Field | None
    type: TypeRef
    tags: tuple[Tag, ...]
    comments: Comments
    second_comments: Comments = ()

    def tagged(self, name: str) -> Iterator[tuple[Tag, tuple[Tag, ...]]]:
        """Every tag of a name anywhere in a chain, with the tags that enclose it, outermost first."""
        for tag in self.tags:
            around: tuple[Tag, ...] = ()
            inner: Tag | None = tag
            while inner is not None:
                if inner.name == name:
                    yield inner, around
                around = (*around, inner)
                inner = inner.payload


@dataclass(frozen=True, slots=True)
class PackageView:
    """One package that is linted.

    `siblings` are the views of the other versions of the same group, by version. `roots` are the names of root types.
    `sources` holds the lines of each file. `release` is the one whose tags count.
    `generates` is False when no validation is generated for the package, `lint` when it is marked nolint.
    `memo` is what rules work out once for all of them, by subject and element; `shared` the same for all packages
    of a run.
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
    memo: dict[tuple[str, int], Any] = field(default_factory=dict, repr=False, compare=False)
    shared: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def fields(self, struct: str) -> Iterator[Element]:
        """The fields of a struct, by its name."""
        return (e for e in self.elements if e.member is not None and e.declaration.name == struct)
