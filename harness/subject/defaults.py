"""Sets the defaults that `+default` tags of Go types name, as the code does that defaulter-gen writes.

An absent member gets its default, and so does one with the zero value of a type without pointer. The members of a
struct follow after its own default; a pointer that stays nil is not entered. `SetDefaults_` functions are Go, and are
not run. Source: k8s.io/code-generator v0.37.1, cmd/defaulter-gen (2026-11).
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from harness.case import Json
from harness.diagnostics import Diagnostic, InputError
from harness.gotypes.model import Comments, Field, Struct, Typedef, TypeRef
from harness.objectmodel import SPECIAL_TYPES
from harness.tags.grammar import tag_lines
from harness.tags.types import Declarations, Types

SetDefaults: TypeAlias = Callable[[Json], Json]
"""Returns an object with its defaults; the one that is given stays as it is."""

_TAG = "default"
_REF = re.compile(r"ref\((?P<name>[^()]+)\)")
_ZEROES: tuple[Json, ...] = ("", 0, False, None)


@dataclass(slots=True)
class _Defaulted:
    """What is set in values of a type: members of a struct, or the items of a list or map."""

    members: list[_Member] = field(default_factory=list)
    elem: _Defaulted | None = None

    @property
    def is_empty(self) -> bool:
        return not self.members and self.elem is None


@dataclass(frozen=True, slots=True)
class _Member:
    """A member: its default as a tuple of one, empty if it has none, and what is set below it.

    `inline`: its members are those of the struct. `is_struct`: a struct without pointer, which Go always has.
    """

    name: str
    default: tuple[Json, ...]
    is_pointer: bool
    is_struct: bool
    below: _Defaulted
    inline: bool = False


def defaults_of(declarations: Declarations, qualified: str) -> SetDefaults | None:
    """Return what sets the defaults of a type; None if it has no `+default`.

    Raises: InputError with every default that is no JSON and names no constant.
    """
    reader = _Reader(declarations)
    node = reader.read(TypeRef("named", qualified))
    if reader.wrong:
        raise InputError(reader.wrong)
    if not _sets_anything(node, set()):
        return None

    def set_defaults(value: Json) -> Json:
        value = copy.deepcopy(value)
        _fill(value, node)
        return value

    return set_defaults


def _sets_anything(node: _Defaulted, seen: set[int]) -> bool:
    if id(node) in seen:
        return False
    seen.add(id(node))
    below = [node.elem] if node.elem is not None else []
    below += [member.below for member in node.members]
    return any(member.default for member in node.members) or any(_sets_anything(one, seen) for one in below)


class _Reader:
    """Reads the defaults of types, each once: types may contain themselves."""

    def __init__(self, declarations: Declarations) -> None:
        self._declarations, self._types = declarations, Types(declarations)
        self._nodes: dict[str, _Defaulted] = {}
        self.wrong: list[Diagnostic] = []

    def read(self, ref: TypeRef) -> _Defaulted:
        """Return what is set in values of a type."""
        ref = self._types.declared(ref)
        while ref.kind == "pointer" and ref.elem is not None:
            ref = self._types.declared(ref.elem)
        if ref.kind in ("list", "map") and ref.elem is not None:
            return _Defaulted(elem=self.read(ref.elem))
        if ref.kind != "named" or ref.name in SPECIAL_TYPES:
            return _Defaulted()
        if ref.name in self._nodes:
            return self._nodes[ref.name]
        node = self._nodes[ref.name] = _Defaulted()
        declared = self._types.find(ref.name)
        if isinstance(declared, Struct):
            node.members += [self._member(declared, one) for one in declared.fields if not one.json_ignored]
        elif isinstance(declared, Typedef):
            below = self.read(declared.underlying)
            node.members, node.elem = below.members, below.elem
        return node

    def _member(self, struct: Struct, member: Field) -> _Member:
        default = tuple(self._defaults(member.comments, struct.package)) or tuple(self._of_type(member.type))
        is_pointer = self._types.is_pointer(member.type)
        is_struct = not is_pointer and self._types.kind(member.type) == "struct"
        inline = member.inline or not member.json_name
        return _Member(member.json_name, default[:1], is_pointer, is_struct, self.read(member.type), inline)

    def _of_type(self, ref: TypeRef) -> Iterator[Json]:
        """Yield the default of a named type, which members of it have without a tag of their own."""
        declared = self._types.find(ref.name) if ref.kind == "named" else None
        if isinstance(declared, Struct | Typedef):
            yield from self._defaults(declared.comments, declared.package)

    def _defaults(self, comments: Comments, package: str) -> Iterator[Json]:
        for line in tag_lines(comments):
            name, has_value, text = line.text.partition("=")
            if line.name != _TAG or name.strip().lstrip("+") != _TAG or not has_value:
                continue
            found = _REF.fullmatch(text.strip())
            try:
                yield json.loads(text) if found is None else self._constant(found["name"], package)
            except (ValueError, RecursionError, LookupError):
                what = "is no JSON" if found is None else "names no constant of the types that are given"
                why, fix = (
                    "objects get their defaults before they are validated",
                    '+default="a", or +default=ref(Const)',
                )
                self.wrong.append(Diagnostic(line.position, "tag-payload", f"{line.text.strip()} {what}", why, fix))

    def _constant(self, name: str, package: str) -> Json:
        """Return the value of a constant, `A` or `import/path.A`. Raises: LookupError."""
        path, _, name = name.rpartition(".")
        declared = self._declarations.package(path or package)
        found = {one.name: one.value for one in declared.consts if one.value is not None}
        return found[name]


def _fill(value: Any, node: _Defaulted) -> None:
    if node.elem is not None and isinstance(value, list | dict):
        for item in value if isinstance(value, list) else value.values():
            _fill(item, node.elem)
    if not isinstance(value, dict):
        return
    for member in node.members:
        if member.inline:
            _fill(value, member.below)
            continue
        found = value.get(member.name)
        is_unset = found is None or (not member.is_pointer and not isinstance(found, list | dict) and found in _ZEROES)
        if is_unset and member.default and (member.is_pointer or member.default[0] not in _ZEROES):
            value[member.name] = found = copy.deepcopy(member.default[0])
        elif found is None and member.is_struct:
            made: dict[str, Any] = {}
            _fill(made, member.below)
            if made:
                value[member.name] = made
            continue
        _fill(found, member.below)
