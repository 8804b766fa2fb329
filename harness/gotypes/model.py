"""What types.go declares: structs, fields, typedefs, constants, packages. Plain data; no meaning of any tag.

Names across packages are qualified: `k8s.io/api/core/v1.PodSpec`. The universe in `packages.py` looks them up.
Source of the attachment rules of comments: semantics.md#1.1; of JSON names: semantics.md#2.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Literal, TypeAlias

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
    """One line of a comment block, markers removed. The position is that of the text's first character.

    Source: semantics.md#1.1.
    """

    text: str
    position: Position


Comments: TypeAlias = tuple[CommentLine, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a struct. `A, B string` gives two fields with the same comments.

    `json_name` is the path name (semantics.md#2.3), empty when inline. `inline` says the
    field's members appear at the parent's path; `json_ignored` is `json:"-"`. `omitempty` and `options` are as written.
    `comments` is the closest block, `second_comments` the second closest (semantics.md#1.1).
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

    @property
    def exported(self) -> bool:
        """Whether validation sees the field: its Go name does not start with a lower-case letter."""
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
