"""Writes functions that print a value in an error as Go does. Source: semantics.md#6.4."""

from __future__ import annotations

import json

from harness.compiler.source import Source, identifier_of, indent, literal
from harness.compiler.values import Values
from harness.gotypes.model import TypeRef
from harness.tags.types import SPECIAL

_SHOW_SPECIAL = {
    "time": "show_time",
    "micro-time": "show_micro_time",
    "quantity": "show_quantity",
    "duration": "show_duration",
    "int-or-string": "show_number_or_text",
}


class Rendering:
    """Writes printing functions: one per type, on first use."""

    def __init__(self, values: Values, source: Source) -> None:
        self._values = values
        self._types = values.types
        self._source = source

    def show(self, ref: TypeRef) -> str:
        """Return the name of the function that prints a value in an error (semantics.md#6.4)."""
        declared = self._types.declared(ref)
        while declared.kind == "pointer" and declared.elem is not None:
            declared = self._types.declared(declared.elem)
        if declared.kind == "builtin" and declared.name == "string":
            return self._source.use("harness.field", "quote")
        if declared.kind == "builtin" and declared.name.startswith("float"):
            return self._source.use("harness.field.make", "plain_float")
        return self.render(declared)

    def render(self, ref: TypeRef) -> str:
        """Return the name of the function that writes a value as Go's encoding/json does."""
        inner = self._types.value(ref)
        struct = self._types.struct(inner)
        if struct is None and inner.kind not in ("list", "map"):
            return self._source.runtime(_SHOW_SPECIAL.get(SPECIAL.get(inner.name, ""), "show_json"))
        if struct is None and self._values.is_bytes(inner):
            return self._source.runtime("show_bytes")
        what = (
            identifier_of(struct.name)
            if struct
            else f"{inner.kind}_{identifier_of(str(inner.elem).rpartition('.')[2])}"
        )
        key = ("show", struct.qualified if struct else str(inner))
        return self._source.add_once("show", key, f"show_{what}", lambda name: self._render_body(name, inner))

    def _render_body(self, name: str, inner: TypeRef) -> str:
        if inner.kind in ("list", "map") and inner.elem is not None:
            helper = self._source.runtime(f"show_{inner.kind}")
            return f"def {name}(v):\n    return {helper}(v, {self.render(inner.elem)})"
        lines = [
            f"def {name}(v):",
            "    out = []",
            *indent(self._render_members(inner)),
            '    return "{" + ",".join(out) + "}"',
        ]
        return "\n".join(lines)

    def _render_members(self, inner: TypeRef) -> list[str]:
        """Write members as encoding/json does: in order, without empty ones that have `omitempty`, except structs."""
        struct = self._types.struct(inner)
        lines: list[str] = []
        for member in struct.fields if struct else ():
            if not member.exported or member.json_ignored:
                continue
            if member.embedded and member.inline:
                lines += self._render_members(member.type)
                continue
            name = member.json_name or member.name
            native = self._types.native(member.type)
            raw = f"v.get({literal(name)})"
            read = raw if native.kind == "pointer" else self._values.read(member, "v")
            text = f"out.append({literal(json.dumps(name) + ':')} + {self._render_expression(member.type, 'x')})"
            if member.omitempty and native.kind != "named":
                test = "x is not None" if native.kind in ("pointer", "interface") else "x"
                lines += [f"x = {read}", f"if {test}:", f"    {text}"]
            else:
                lines += [f"x = {read}", text]
        return lines

    def _render_expression(self, ref: TypeRef, value: str) -> str:
        native = self._types.native(ref)
        render = self.render(ref)
        if native.kind == "pointer":
            return f"{self._source.runtime('show_pointer')}({value}, {render})"
        return f"{render}({value})"
