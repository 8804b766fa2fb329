"""Writes objects as Go: literals of internal types, and the assignments that turn one object into another.

Objects are JSON of a published type. Fields of the internal type are found by their Go names, as in generated
conversions. A field that the internal type does not have raises `Inexpressible`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.case import Json
from harness.export.imports import Imports
from harness.export.series import Inexpressible, series
from harness.export.special import SPECIAL
from harness.field.error import quote
from harness.gotypes.model import Field, Struct, TypeRef
from harness.gotypes.packages import Universe
from harness.objectmodel import TYPE_META, is_type_meta

PTR, STRINGS, FMT = "k8s.io/utils/ptr", "strings", "fmt"

_RUN = re.compile(r"(?s)(.*?)((.{1,4}?)\3{23,})(.*)")
MAX_ITEMS = 12
"""At most so many items of a list are written one by one; longer lists must follow a pattern."""


@dataclass(slots=True)
class Writer:
    """Writes values of the types of a universe. `converts` wraps strings of named types in a conversion."""

    universe: Universe
    imports: Imports
    converts: bool = False

    def object(self, value: Json, published: str, internal: str) -> str:
        """Write a whole object as a pointer to its internal type."""
        return "&" + self._typed(value, TypeRef("named", published), TypeRef("named", internal))

    def changes(self, name: str, base: Json, other: Json, published: str, internal: str) -> list[str]:
        """Return the statements that turn one object into another. Empty when their internal forms are the same."""
        return list(self._assign(name, base, other, TypeRef("named", published), TypeRef("named", internal)))

    # Types

    def _name(self, qualified: str) -> str:
        package, _, name = qualified.rpartition(".")
        return f"{self.imports.name(package)}.{name}" if package else name

    def _type(self, ref: TypeRef) -> str:
        match ref.kind:
            case "named":
                return self._name(ref.name)
            case "pointer":
                return "*" + self._type(_of(ref.elem))
            case "list" | "array":
                return "[]" + self._type(_of(ref.elem))
            case "map":
                return f"map[{self._type(_of(ref.key))}]{self._type(_of(ref.elem))}"
            case "builtin":
                return "byte" if ref.name == "uint8" else ref.name
        raise Inexpressible(f"a value of type {ref}")

    def _members(self, published: str, internal: str) -> Iterator[tuple[Field, Field | None]]:
        """Yield the fields of a published struct with those of its internal one, in order."""
        one, other = self.universe.find(published), self.universe.find(internal)
        if not isinstance(one, Struct) or not isinstance(other, Struct):
            raise Inexpressible(f"{internal.rpartition('/')[2]}, which is not a struct")
        known = {member.name: member for member in other.fields}
        for member in one.fields:
            if member.inline and is_type_meta(member.name):
                continue
            if member.inline and member.type.kind == "named" and member.name not in known:
                yield from self._members(member.type.name, internal)
            else:
                yield member, known.get(member.name)

    # Literals

    def _typed(self, value: Json, published: TypeRef, internal: TypeRef) -> str:
        """Write a value with its type."""
        plain = self._plain(value, published, internal)
        return self._type(internal) + plain if plain.startswith("{") else plain

    def _plain(self, value: Json, published: TypeRef, internal: TypeRef) -> str:
        """Write a value; a composite one from its brace on."""
        if internal.kind == "named":
            special = self._special(value, internal.name)
            if special:
                return special
        if internal.kind == "pointer":
            return self._pointer(value, _bare(published), _of(internal.elem))
        below, resolved = self.universe.resolve(_bare(published)), self.universe.resolve(internal)
        match resolved.kind:
            case "named":
                return self._struct(value, below.name, resolved.name)
            case "list" | "array" if _of(resolved.elem).name == "uint8" and isinstance(value, str):
                return f"[]byte({_bytes(base64.b64decode(value))})"
            case "list" | "array":
                return self._list(value or [], _of(below.elem), _of(resolved.elem))
            case "map":
                return self._map(value or {}, below, resolved)
            case "builtin":
                return self._scalar(value, internal, resolved.name)
        raise Inexpressible(f"a value of type {internal}")

    def _struct(self, value: Json, published: str, internal: str) -> str:
        lines = []
        rest = dict(value or {})
        for member, own in self._members(published, internal):
            held = self._pop(rest, member)
            if held is None:
                continue
            if own is None:
                raise Inexpressible(f"the field {member.json_name}, which only the published type has")
            if not self._is_zero(held, own.type):
                lines.append(f"{own.name}: {self._typed(held, member.type, own.type)},\n")
        unknown = [name for name in rest if name not in TYPE_META]
        if unknown:
            raise Inexpressible(f"the field {unknown[0]}, which its type does not have")
        return "{\n" + "".join(lines) + "}" if lines else "{}"

    def _is_zero(self, held: Json, ref: TypeRef) -> bool:
        """Whether a value is the zero value of a field whose type has no nil."""
        if ref.kind not in ("builtin", "named") or ref.name in SPECIAL:
            return False
        return held in ("", 0, False) or (held == {} and self.universe.resolve(ref).kind == "named")

    def _pop(self, rest: dict[str, Json], member: Field) -> Json:
        """Remove and return the value of a field; an inlined struct is an object of its own in Go."""
        if not member.inline:
            return rest.pop(member.json_name or member.name, None)
        return {name: rest.pop(name) for name in self._names(member.type.name) if name in rest} or None

    def _names(self, published: str) -> Iterator[str]:
        """Yield the JSON names of a struct, including those of inlined structs."""
        found = self.universe.find(published)
        for member in found.fields if isinstance(found, Struct) else ():
            if member.inline:
                yield from self._names(member.type.name)
            else:
                yield member.json_name

    def _list(self, items: list[Json], published: TypeRef, internal: TypeRef) -> str:
        if len(items) > MAX_ITEMS:
            self.imports.name(FMT)
            counting = Writer(self.universe, self.imports, converts=True)
            return series([counting._typed(item, published, internal) for item in items], self._type(internal))
        written = [self._item(item, published, internal) for item in items]
        multi = any("\n" in one for one in written)
        if multi:
            return "{\n" + "".join(f"{one},\n" for one in written) + "}"
        return "{" + ", ".join(written) + "}"

    def _item(self, item: Json, published: TypeRef, internal: TypeRef) -> str:
        """Write an item of a list or a value of a map, where Go allows a composite literal without its type."""
        if internal.kind == "pointer":
            plain = self._plain(item, _bare(published), _of(internal.elem))
            return plain if plain.startswith("{") else self._plain(item, published, internal)
        return self._plain(item, published, internal)

    def _map(self, value: dict[str, Json], published: TypeRef, internal: TypeRef) -> str:
        if len(value) > 4 * MAX_ITEMS:
            raise Inexpressible(f"a map of {len(value)} entries")
        key, elem, below = _of(internal.key), _of(internal.elem), _of(published.elem)
        entries = [
            f"{self._scalar(name, key, 'string')}: {self._item(value[name], below, elem)}" for name in sorted(value)
        ]
        if len(entries) > 1 or any("\n" in one for one in entries):
            return "{\n" + "".join(f"{one},\n" for one in entries) + "}"
        return "{" + "".join(entries) + "}"

    def _pointer(self, value: Json, published: TypeRef, internal: TypeRef) -> str:
        plain = self._plain(value, published, internal)
        if plain.startswith("{"):
            return "&" + self._type(internal) + plain
        ptr = self.imports.name(PTR)
        resolved = self.universe.resolve(internal)
        untyped = resolved.kind == "builtin" and (plain[:1] in '"-0123456789' or plain.startswith(("true", "false")))
        natural = internal.kind == "builtin" and internal.name in ("string", "bool", "int")
        return f"{ptr}.To[{self._type(internal)}]({plain})" if untyped and not natural else f"{ptr}.To({plain})"

    def _scalar(self, value: Json, internal: TypeRef, builtin: str) -> str:
        if builtin == "string":
            text = value if isinstance(value, str) else ""
            const = self._constant(text, internal)
            written = const or self._text(text)
            is_call = (self.converts or "Repeat(" in written) and internal.kind == "named" and not const
            return f"{self._type(internal)}({written})" if is_call else written
        if builtin == "bool":
            return "true" if value else "false"
        return repr(value) if isinstance(value, int | float) else "0"

    def _constant(self, text: str, internal: TypeRef) -> str:
        """Return the constant with this value, when exactly one has it."""
        if internal.kind != "named" or not text:
            return ""
        fitting = [one for one in self.universe.consts_of(internal.name) if one.value == text and one.name[0].isupper()]
        return self._name(f"{fitting[0].package}.{fitting[0].name}") if len(fitting) == 1 else ""

    def _text(self, text: str) -> str:
        found = _RUN.fullmatch(text) if len(text) > 40 else None
        if found is None:
            return quote(text)
        before, run, unit, after = found.groups()
        parts = [quote(before)] if before else []
        parts.append(f"{self.imports.name(STRINGS)}.Repeat({quote(unit)}, {len(run) // len(unit)})")
        return " + ".join([*parts, *([self._text(after)] if after else [])])

    def _special(self, value: Json, name: str) -> str:
        """Write a value of a type with its own JSON form (`SPECIAL`); empty for others."""
        maker = SPECIAL.get(name)
        return maker(self.imports, value) if maker else ""

    # Changes

    def _assign(self, name: str, base: Json, other: Json, published: TypeRef, internal: TypeRef) -> Iterator[str]:
        if base == other and type(base) is type(other):
            return
        below, resolved = self.universe.resolve(_bare(published)), internal
        if internal.kind == "pointer":
            resolved = _of(internal.elem)
        is_special = resolved.kind == "named" and resolved.name in SPECIAL
        resolved = self.universe.resolve(resolved)
        if isinstance(base, dict) and isinstance(other, dict) and resolved.kind == "named" and not is_special:
            yield from self._members_changed(name, base, other, below.name, resolved.name)
        elif _are_alike(base, other) and resolved.kind == "list" and internal.kind != "pointer":
            for number, (one, two) in enumerate(zip(base, other, strict=True)):
                yield from self._assign(f"{name}[{number}]", one, two, _of(below.elem), _of(resolved.elem))
        else:
            before, after = self._whole(base, published, internal), self._whole(other, published, internal)
            if before != after:  # different JSON may be the same Go value, such as absent and zero
                yield f"{name} = {after}"

    def _members_changed(self, name: str, base: Json, other: Json, published: str, internal: str) -> Iterator[str]:
        for member, own in self._members(published, internal):
            if member.inline and own is not None:
                yield from self._members_changed(name, base, other, member.type.name, own.type.name)
                continue
            json_name = member.json_name or member.name
            before, after = base.get(json_name), other.get(json_name)
            if before == after:
                continue
            if own is None:
                raise Inexpressible(f"the field {json_name}, which only the published type has")
            struct = own.type.kind == "named" and self.universe.resolve(own.type).kind == "named"
            if struct and own.type.name not in SPECIAL:
                before, after = before or {}, after or {}
            below = name if own.embedded else f"{name}.{own.name}"
            yield from self._assign(below, before, after, member.type, own.type)

    def _whole(self, value: Json, published: TypeRef, internal: TypeRef) -> str:
        resolved = self.universe.resolve(internal)
        if value is None and resolved.kind in ("pointer", "list", "map", "interface"):
            return "nil"
        if value is None and internal.kind == "named" and (internal.name in SPECIAL or resolved.kind == "named"):
            return f"{self._type(internal)}{{}}"
        return self._typed(value, published, internal)


def _of(ref: TypeRef | None) -> TypeRef:
    return ref if ref is not None else TypeRef("other")


def _bare(ref: TypeRef) -> TypeRef:
    return _of(ref.elem) if ref.kind == "pointer" else ref


def _are_alike(base: Json, other: Json) -> bool:
    """Whether two lists can be compared item by item: of the same length, and of objects only."""
    lists = isinstance(base, list) and isinstance(other, list) and len(base) == len(other)
    return lists and all(isinstance(item, dict) for item in (*base, *other))


def _bytes(data: bytes) -> str:
    """Write bytes as a Go string: as text when they are valid UTF-8."""
    try:
        return quote(data.decode())
    except UnicodeDecodeError:
        return '"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'
