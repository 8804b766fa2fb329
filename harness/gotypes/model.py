"""Models the declarations of types.go as plain data: structs, fields, typedefs, constants, packages.

Names across packages are qualified: `k8s.io/api/core/v1.PodSpec`. The universe in `packages.py` resolves them.
Source of the attachment rules of comments: semantics.md#1.1; of JSON names: semantics.md#2.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Any, Literal, TypeAlias

from harness.diagnostics import Diagnostic, Position

TypeKind: TypeAlias = Literal["builtin", "named", "pointer", "list", "array", "map", "interface", "struct", "other"]


@dataclass(frozen=True, slots=True)
class TypeRef:
    """A use of a type.

    `builtin`: `name` is bool, string, int32, float64, ... (byte and rune are given as uint8 and int32).
    `named`: `name` is qualified, `import/path.Name`; an unqualified name of the same file is qualified by its package.
    `pointer`, `list`, `array`, `map`: `elem`, and `key` for maps. `interface`: any interface, `any` too.
    `struct`: an anonymous struct with its `fields`. `other`: chan, func, generics; `name` is the source text.
    """

    kind: TypeKind
    name: str = ""
    elem: TypeRef | None = None
    key: TypeRef | None = None
    fields: tuple[Field, ...] = ()

    def __str__(self) -> str:
        if self.kind == "pointer":
            return f"*{self.elem}"
        if self.kind in ("list", "array"):
            return f"[]{self.elem}"
        if self.kind == "map":
            return f"map[{self.key}]{self.elem}"
        return self.name or self.kind


@dataclass(frozen=True, slots=True)
class CommentLine:
    """One line of a comment block, without markers. The position is that of the first character of the text.

    Source: semantics.md#1.1.
    """

    text: str
    position: Position


Comments: TypeAlias = tuple[CommentLine, ...]


@dataclass(frozen=True, slots=True)
class NamedValues:
    """Values that the source of a declaration names, where it is not written in Go: a schema's default, its limits.

    `likely` may be accepted. `own` are worth trying, for the field itself (a number may be the size of a list), `items`
    for its items or the values of a map.
    """

    likely: tuple[Any, ...] = ()
    own: tuple[Any, ...] = ()
    items: tuple[Any, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.likely or self.own or self.items)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter((self.likely, self.own, self.items))


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a struct. `A, B string` gives two fields with the same comments.

    `json_name` is the path name (semantics.md#2.3), empty when inline. With `inline` the members of the field are at
    the path of the parent; `json_ignored` is `json:"-"`. `omitempty` and `options` are as written.
    `comments` is the closest block, `second_comments` the second closest (semantics.md#1.1). `values` are those that
    its source names, if that is no Go file.
    """

    name: str
    json_name: str
    type: TypeRef
    position: Position
    embedded: bool = False
    inline: bool = False
    json_ignored: bool = False
    omitempty: bool = False
    options: tuple[str, ...] = ()
    comments: Comments = ()
    second_comments: Comments = ()
    values: NamedValues | None = None

    @property
    def exported(self) -> bool:
        """Whether validation can access the field: its Go name does not start with a lower-case letter."""
        return not self.name[:1].islower()


@dataclass(frozen=True, slots=True)
class Struct:
    """`type Name struct {...}`."""

    name: str
    package: str
    fields: tuple[Field, ...]
    position: Position
    comments: Comments = ()
    second_comments: Comments = ()

    @property
    def qualified(self) -> str:
        """`import/path.Name`."""
        return intern(f"{self.package}.{self.name}")


@dataclass(frozen=True, slots=True)
class Typedef:
    """`type Name <anything but a struct>`, or `type Name = Other` when `alias`."""

    name: str
    package: str
    underlying: TypeRef
    position: Position
    alias: bool = False
    comments: Comments = ()
    second_comments: Comments = ()

    @property
    def qualified(self) -> str:
        """`import/path.Name`."""
        return intern(f"{self.package}.{self.name}")


@dataclass(frozen=True, slots=True)
class Const:
    """A constant. `type` is qualified or a builtin's name, empty when untyped; `value` is None when not computable."""

    name: str
    package: str
    type: str
    value: str | int | float | bool | None
    position: Position
    comments: Comments = ()


@dataclass(frozen=True, slots=True)
class Package:
    """The declarations of one folder (no _test.go files). `comments` are all comment groups of doc.go.

    Source: semantics.md#1.1.
    """

    path: str
    name: str
    structs: Mapping[str, Struct] = field(default_factory=dict)
    typedefs: Mapping[str, Typedef] = field(default_factory=dict)
    consts: tuple[Const, ...] = ()
    comments: Comments = ()
    diagnostics: tuple[Diagnostic, ...] = ()
