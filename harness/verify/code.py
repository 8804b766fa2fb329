"""The code of base or head as a graph of names: which declarations refer to another, validate a kind, name a field.

The code is matched by names; it is not type-checked. A line names a field when it contains the field's JSON name in
quotes (`Child("port")`, `spec["port"]`) or its Go name after a dot (`ship.Port`), and the field's type can occur in a
kind that the declaration validates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from harness.gotypes.model import Field, Struct
from harness.verify.change import Cause, KindName
from harness.verify.collector import Member
from harness.verify.sides import Side
from harness.verify.sources import Declaration, Name, SourceLine
from harness.verify.typepaths import TypePaths, resolve_native

_MAX_CALL_DEPTH = 6
"""At most this many callers deep is a line searched that names a field."""
_MAX_FIELDS_PER_LINE = 40
"""A line that matches more fields than these counts as naming none: `"name"` may belong to any type of a kind."""


@dataclass(frozen=True)
class NamedFields:
    """The fields that some code names, each with the kinds it is named for.

    `certain` is False when only callers name the fields; `unnamed` are kinds whose code names no field.
    """

    fields: Mapping[Member, frozenset[KindName]] = field(default_factory=dict)
    certain: bool = True
    unnamed: frozenset[KindName] = frozenset()


class Code(ABC):
    """The code of base or head. Subclasses, one for a language, find references and the validators of kinds."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self._types: dict[str, frozenset[str]] = {}
        self._kinds_with_causes: dict[Name, frozenset[tuple[KindName, Cause]]] = {}

    @abstractmethod
    def references(self, one: Declaration) -> Iterator[tuple[Declaration, tuple[SourceLine, ...]]]:
        """Yield every declaration that refers to another one, with the lines that do."""

    @abstractmethod
    def entry_kinds(self, one: Declaration) -> Collection[tuple[KindName, Cause | None]]:
        """Return the kinds that a declaration is an entry point of, each with its cause where that is known."""

    def cause(self, one: Declaration) -> Cause:
        """Return the cause that a change of a declaration counts as."""
        return "handwritten"

    def kinds_with_causes(self, one: Declaration) -> frozenset[tuple[KindName, Cause]]:
        """Return the kinds whose code uses a declaration, directly or through callers, each with its cause."""
        if one.name not in self._kinds_with_causes:
            found: set[tuple[KindName, Cause]] = set()
            waiting, seen = [one], {one.name}
            while waiting:
                user = waiting.pop()
                entries = {(kind, cause or self.cause(one)) for kind, cause in self.entry_kinds(user)}
                found |= entries
                for caller, _ in self.references(user) if not entries else ():
                    if caller.name not in seen:
                        seen.add(caller.name)
                        waiting.append(caller)
            self._kinds_with_causes[one.name] = frozenset(found)
        return self._kinds_with_causes[one.name]

    def kinds(self, one: Declaration) -> frozenset[KindName]:
        """Return the kinds whose code uses a declaration."""
        return frozenset(kind for kind, _ in self.kinds_with_causes(one))

    def fields(self, one: Declaration, lines: tuple[SourceLine, ...]) -> NamedFields:
        """Return the fields that lines of a declaration name."""
        kinds = self.kinds(one)
        return NamedFields(dict.fromkeys(self._find_fields(one, lines, kinds), kinds))

    def fields_of_callers(self, one: Declaration) -> NamedFields:
        """Return the fields that the callers of a declaration name, or else the callers of these."""
        found: dict[Member, frozenset[KindName]] = {}
        unnamed: frozenset[KindName] = frozenset()
        waiting, seen = [(one, 0)], {one.name}
        while waiting:
            used, depth = waiting.pop(0)
            for user, lines in self.references(used) if depth < _MAX_CALL_DEPTH else ():
                named = self.fields(user, lines).fields or self.fields(user, user.enclosing_lines(lines)).fields
                for member, kinds in named.items():
                    found[member] = found.get(member, frozenset()) | kinds
                if not named and (self.entry_kinds(user) or depth + 1 == _MAX_CALL_DEPTH):
                    unnamed |= self.kinds(user)
                elif not named and user.name not in seen:
                    seen.add(user.name)
                    waiting.append((user, depth + 1))
        return NamedFields(found, one.lines[0].tokens[0] not in ("func", "def"), unnamed)

    def _find_fields(self, one: Declaration, lines: Iterable[SourceLine], kinds: frozenset[KindName]) -> set[Member]:
        """Return the fields that lines name.

        Fields of types that the declaration mentions come first, else those of the packages of the kinds, else all.
        """
        listed = list(lines)
        found = {member for line in listed for word in line.quoted for member in self._by_json_name.get(word, ())}
        selected = {word for line in listed for qualifier, word in line.selected if qualifier not in one.imports}
        found |= {member for word in selected for member in self._by_go_name.get(word, ())}
        types = self._types_of(kinds)
        found = {member for member in found if member[0] in types}
        own = {name for name in types if name.rpartition(".")[2] in one.words}
        own |= {inner for name in own for inner in self._embedded_types(name)}
        packages = {self.side.kinds[kind].package for kind in kinds if kind in self.side.kinds}
        near = {member for member in found if member[0] in own}
        near = near or {member for member in found if member[0].rpartition(".")[0] in packages} or found
        return (
            near
            if len({(name.rpartition(".")[2], go_field) for name, go_field in near}) <= _MAX_FIELDS_PER_LINE
            else set()
        )

    def is_check(self, one: Declaration) -> bool:
        """Whether generated code calls a declaration: then it validates every field with its rule, declaratively."""
        return False

    def checked_fields(self, one: Declaration) -> Collection[Member]:
        """Return the fields whose generated code calls it."""
        return ()

    # Types

    def has_field(self, kind: KindName, member: Member) -> bool:
        """Whether a field may occur in a kind."""
        return member[0] in self._types_of([kind])

    def json_name(self, member: Member) -> str:
        """Return the JSON name of a field."""
        declared = self.side.universe.find(member[0])
        fields = declared.fields if isinstance(declared, Struct) else ()
        return next((one.json_name for one in fields if one.name == member[1]), "")

    def kinds_with(self, types: Collection[str]) -> list[KindName]:
        """Return the kinds in which one of these types may occur."""
        return [kind for kind in self.side.kinds if not self._types_of([kind]).isdisjoint(types)]

    def _types_of(self, kinds: Iterable[KindName]) -> frozenset[str]:
        """Return the types that may occur in kinds."""
        roots = {self.side.kinds[kind].type for kind in kinds if kind in self.side.kinds}
        for root in roots - self._types.keys():
            self._types[root] = frozenset(self._type_paths.types(root))
        return frozenset().union(*(self._types[root] for root in roots))

    def _embedded_types(self, name: str) -> Iterator[str]:
        declared = self.side.universe.find(name)
        for one in declared.fields if isinstance(declared, Struct) else ():
            if one.embedded:
                yield resolve_native(self.side.universe, one.type).name

    @cached_property
    def _type_paths(self) -> TypePaths:
        return TypePaths(self.side.universe, {})

    @cached_property
    def _fields(self) -> list[tuple[str, Field]]:
        roots = {kind.type for kind in self.side.kinds.values()}
        types = sorted({name for root in roots for name in self._type_paths.types(root)})
        found = [(name, self.side.universe.find(name)) for name in types]
        return [
            (name, one)
            for name, declared in found
            if isinstance(declared, Struct)
            for one in declared.fields
            if not one.json_ignored and not one.inline
        ]

    @cached_property
    def _by_json_name(self) -> dict[str, list[Member]]:
        found: dict[str, list[Member]] = {}
        for name, one in self._fields:
            found.setdefault(one.json_name, []).append((name, one.name))
        return found

    @cached_property
    def _by_go_name(self) -> dict[str, list[Member]]:
        found: dict[str, list[Member]] = {}
        for name, one in self._fields:
            found.setdefault(one.name, []).append((name, one.name))
        return found
