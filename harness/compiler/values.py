"""Writes expressions that read values as their Go type has them.

- Strings, numbers and booleans: absent and null are read as the zero value.
- Lists and maps: null items are read as the zero value of their type.
- Pointers: None or the value. Structs: a dict, EMPTY if absent.
"""

from __future__ import annotations

from harness.compiler.source import Source, literal
from harness.gotypes.model import Field, TypeRef
from harness.tags.types import SPECIAL, Types


class Values:
    """Writes expressions that read values."""

    def __init__(self, types: Types, source: Source) -> None:
        self.types = types
        self._source = source

    def read(self, member: Field, holder: str) -> str:
        """Return the expression that reads a member from the dict of its struct."""
        if member.json_ignored:
            return self.zero(member.type)
        if member.embedded and member.inline:
            if not self.types.is_pointer(member.type):
                return holder
            keys = self._data_names(member.type)
            return f"(None if {literal(frozenset(keys))}.isdisjoint({holder}) else {holder})"
        name = member.json_name or member.name
        return self.in_form(f"{holder}.get({literal(name)})", member.type)

    def assign(self, name: str, member: Field, holder: str, unless: str = "") -> list[str]:
        """Return the lines that read a member into a variable, which is None if `unless` is true.

        Few lists and maps contain null, so testing for it is cheaper than a call.
        """
        before = f"None if {unless} else " if unless else ""
        native = self.types.native(member.type)
        read = self.read(member, holder)
        if native.elem is None or not read.startswith(("read_list(", "read_map(")):
            return [f"{name} = {before}{read}"]
        raw = f"{holder}.get({literal(member.json_name or member.name)})"
        held = f"{name}.values()" if native.kind == "map" else name
        return [
            f"{name} = {before}{raw}",
            f"if {name} and None in {held}:",
            f"    {name} = {self.in_form(name, member.type)}",
        ]

    def _data_names(self, ref: TypeRef, depth: int = 0) -> set[str]:
        struct = self.types.struct(ref)
        names: set[str] = set()
        for member in struct.fields if struct and depth < 8 else ():
            if member.embedded and member.inline:
                names |= self._data_names(member.type, depth + 1)
            else:
                names.add(member.json_name or member.name)
        return names

    def in_form(self, raw: str, ref: TypeRef) -> str:
        """Return the expression that converts a raw JSON value to the form of its type."""
        native = self.types.native(ref)
        if native.kind == "builtin" and native.name.startswith("float"):
            return f"{self._source.runtime('read_float')}({raw})"
        if native.kind == "builtin":
            return f"{raw} or {self.zero(ref)}"
        if native.kind == "list" and self.is_bytes(native):
            return f"{self._source.runtime('read_bytes')}({raw})"
        if native.kind in ("list", "map") and native.elem is not None and self.zero(native.elem) != "None":
            return f"{self._source.runtime(f'read_{native.kind}')}({raw}, {self.zero(native.elem)})"
        if native.kind == "named" and native.name not in SPECIAL:
            return f"{raw} or {self._source.runtime('EMPTY')}"
        return raw

    def is_bytes(self, native: TypeRef) -> bool:
        """Whether a list is one of bytes, which JSON writes as base64."""
        return native.elem is not None and self.types.native(native.elem).name == "uint8"

    def zero(self, ref: TypeRef) -> str:
        """Return the expression for an absent or null value."""
        native = self.types.native(ref)
        if native.kind == "builtin":
            return {"string": '""', "bool": "False"}.get(native.name, "0")
        if native.kind == "named" and native.name not in SPECIAL:
            return self._source.runtime("EMPTY")
        return "None"

    def is_nilable(self, ref: TypeRef) -> bool:
        """Whether Go distinguishes an absent value from the zero value."""
        return self.types.native(ref).kind in ("pointer", "list", "map", "interface")
