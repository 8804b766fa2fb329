"""Writes functions that compare values as Go does, and that give equal values the same hashable form.

Source: semantics.md#4.2.
"""

from __future__ import annotations

from harness.compiler.source import Source, add_brackets, identifier_of
from harness.compiler.values import Values
from harness.gotypes.model import Struct, TypeRef
from harness.tags.rules import Identity
from harness.tags.types import SPECIAL

_SAME_SPECIAL = {
    "time": "same_time",
    "micro-time": "same_time",
    "quantity": "same_quantity",
    "duration": "same_duration",
    "any": "same_json",
    "int-or-string": "same_number_or_text",
    "integer": "same_plain",
}
_FORM_SPECIAL = {
    "time": "read_time",
    "micro-time": "read_time",
    "quantity": "read_quantity",
    "duration": "read_duration",
    "integer": "itself",
}


class Equality:
    """Writes comparisons: a function per type, on first use."""

    def __init__(self, values: Values, source: Source) -> None:
        self._values = values
        self._types = values.types
        self._source = source

    def expression(self, ref: TypeRef, a: str, b: str) -> str:
        """Return the expression that is true if two values are equal."""
        inner = self._types.value(ref)
        if inner.kind == "builtin":
            return f"{a} == {b}"
        return f"({a} is {b} or {self._both_set(ref, a, b)}{self.same(ref)}({a}, {b}))"

    def _both_set(self, ref: TypeRef, a: str, b: str) -> str:
        """Return a condition that neither value is nil, for pointers whose nil would equal zero: `*Quantity`."""
        inner = self._types.value(ref)
        special = inner.kind == "named" and inner.name in SPECIAL
        return f"{a} is not None and {b} is not None and " if special and self._types.is_pointer(ref) else ""

    def same(self, ref: TypeRef) -> str:
        """Return the name of the function that compares two values of a type as Go would (semantics.md#4.2)."""
        inner = self._types.value(ref)
        if inner.kind == "builtin":
            return self._source.runtime("same_plain")
        if inner.kind == "named" and inner.name in SPECIAL:
            return self._source.runtime(_SAME_SPECIAL[SPECIAL[inner.name]])
        if inner.kind == "list" and self._values.is_bytes(inner):
            return self._source.runtime("same_bytes")
        if inner.kind in ("list", "map") and inner.elem is not None:
            items = identifier_of(str(inner.elem).rpartition(".")[2])
            return self._source.add_once(
                "same", ("same", str(inner)), f"same_{inner.kind}_of_{items}", lambda n: self._same_many(n, inner)
            )
        struct = self._types.struct(inner)
        if struct is None:
            return self._source.runtime("same_json")
        return self._source.add_once(
            "same", ("same", struct.qualified), f"same_{struct.name}", lambda n: self._same_struct(n, inner)
        )

    def _same_many(self, name: str, inner: TypeRef) -> str:
        assert inner.elem is not None
        helper = self._source.runtime("same_items" if inner.kind == "list" else "same_values")
        same, zero = self.same(inner.elem), self._values.zero(inner.elem)
        return f"def {name}(a, b):\n    return a == b or {helper}(a, b, {same}, {zero})"

    def _same_struct(self, name: str, inner: TypeRef) -> str:
        struct = self._types.struct(inner)
        assert struct is not None
        tests = []
        for member in struct.fields:
            if member.exported and not member.json_ignored:
                a, b = self._values.read(member, "a"), self._values.read(member, "b")
                plain = self._types.value(member.type).kind == "builtin"
                if plain:
                    tests.append(f"{add_brackets(a)} == {add_brackets(b)}")
                elif self._both_set(member.type, a, b):
                    tests.append(self.expression(member.type, add_brackets(a), add_brackets(b)))
                else:
                    tests.append(f"{self.same(member.type)}({a}, {b})")
        joined = "\n        and ".join(tests) or "True"
        return (
            f"def {name}(a, b):\n    if a == b:\n        return True\n"
            f"    if a is None or b is None:\n        return False\n    return (\n        {joined}\n    )"
        )

    def form(self, ref: TypeRef) -> str:
        """Return the name of the function that gives equal values, and only these, the same hashable form."""
        inner = self._types.value(ref)
        struct = self._types.struct(inner)
        if inner.kind == "list" and self._values.is_bytes(inner):
            return self._source.runtime("form_of_bytes")
        if inner.kind in ("list", "map") and inner.elem is not None:
            helper = self._source.runtime(f"form_of_{inner.kind}")
            elem, zero = self.form(inner.elem), self._values.zero(inner.elem)
            items = identifier_of(str(inner.elem).rpartition(".")[2])
            return self._source.add_once(
                "same", ("form", str(inner)), f"form_of_{inner.kind}_of_{items}",
                lambda name: f"def {name}(v):\n    return {helper}(v, {elem}, {zero})",
            )  # fmt: skip
        if struct is not None:
            key = ("form", struct.qualified)
            return self._source.add_once(
                "same", key, f"form_of_{struct.name}", lambda name: self._form_body(name, struct)
            )
        if inner.kind == "builtin":
            return self._source.runtime("itself")
        return self._source.runtime(_FORM_SPECIAL.get(SPECIAL.get(inner.name, "any"), "form_of_json"))

    def _form_body(self, name: str, struct: Struct) -> str:
        parts = [
            f"{self.form(member.type)}({self._values.read(member, 'v')})"
            for member in struct.fields
            if member.exported and not member.json_ignored
        ]
        return f"def {name}(v):\n    return None if v is None else ({''.join(f'{part}, ' for part in parts)})"

    def key(self, which: Identity) -> str:
        """Return the name of the function from a list item to its key."""
        if which.semantic == "set":
            if self._types.kind(which.elem) in ("string", "bool", "integer", "float"):
                return self._source.runtime("itself")
            return self.form(which.elem)
        struct = self._types.struct(which.elem)
        assert struct is not None

        def body(name: str) -> str:
            members = [self._types.member(struct, key) for key in which.keys]
            reads = [self._values.read(member, "v") for member in members if member is not None]
            return f"def {name}(v):\n    return ({', '.join(reads)},)"

        wanted = f"key_of_{struct.name}_by_{identifier_of('_'.join(which.keys))}"
        return self._source.add_once("parts", ("key", str(which.elem), which.keys), wanted, body)
