"""Writes Go types with their rules as the structural schemas of a CRD.

Types are written out where they are used, as structural schemas have no references. Objects are judged without zero
values: a member that Go cannot tell from an absent one is absent, so a value that must not be zero must be there.
Source: k8s.io/apiextensions-apiserver v0.37.1, pkg/apiserver/schema/structural.go (2026-11); semantics.md#2.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from harness.compiler.plan import FieldPlan, Inner, Plan, Root, TypePlan, rules_in
from harness.diagnostics import Diagnostic, Position
from harness.gotypes.model import Field, Struct, Typedef, TypeRef
from harness.objectmodel import METADATA, SPECIAL_TYPES, is_object_meta, is_type_meta
from harness.openapi.bounds import bound_costs
from harness.openapi.losses import DIFFERS, Losses
from harness.openapi.rules import Document, Place, RuleWriter, has_keys, let_key_be_zero
from harness.tags.grammar import NOWHERE
from harness.tags.rules import Identity, Rule
from harness.tags.translation import STRIP_ZERO, CelRule, Operand, UnselectableNameError
from harness.tags.types import Declarations, Types

_ANY_VALUE = {"x-kubernetes-preserve-unknown-fields": True}
_SPECIAL: Mapping[str, Document] = {
    "time": {"type": "string", "format": "date-time"},
    "micro-time": {"type": "string", "format": "date-time"},
    "duration": {"type": "string"},
    "quantity": {"x-kubernetes-int-or-string": True},
    "int-or-string": {"x-kubernetes-int-or-string": True},
    "fields": {"type": "object", **_ANY_VALUE},
    "raw": {"type": "object", **_ANY_VALUE},
    "any": _ANY_VALUE,
}
_SCALARS: Mapping[str, Document] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "float": {"type": "number"},
    "integer": {"type": "integer", "format": "int64"},
}
ZEROES = {"string": "", "bool": False, "integer": 0, "float": 0}
_CLOSED = ("minLength", "minimum")
"""Words of a schema that reject the zero value whatever its rules say."""
_CHECKED = ("x-kubernetes-validations", "enum", "minLength", "minimum")
"""Words of a schema that may reject the zero value."""


@dataclass(frozen=True, slots=True)
class StructuralSchema:
    """The schema of a root type, and what it does not say of the tags."""

    schema: Mapping[str, Any]
    losses: tuple[Diagnostic, ...]


@dataclass(slots=True)
class _Built:
    """The schema of a type, with the members that must be there, and the names of those that are pointers.

    `missing` is what is wrong with an empty value.
    """

    schema: Document
    needed: dict[str, list[CelRule]] = field(default_factory=dict)
    pointers: set[str] = field(default_factory=set)
    missing: list[CelRule] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Use:
    """Where a type is used: its name for messages, whether old values are found there, and the types around."""

    name: str
    correlated: bool = True
    around: tuple[str, ...] = ()
    position: Position = NOWHERE

    def below(self, name: str, correlated: bool = True) -> _Use:
        return _Use(f"{self.name}{name}", self.correlated and correlated, self.around, self.position)


class SchemaWriter:
    """Writes the roots of a plan. `options` are the validation options that are on; all others are off.

    `extensions`: the words that KEP-4153 proposes are written too, which no server knows.
    """

    def __init__(
        self,
        declarations: Declarations,
        plan: Plan,
        options: Mapping[str, bool] | None = None,
        extensions: bool = False,
    ) -> None:
        self._plan, self._types = plan, Types(declarations)
        self._options, self._extensions = options or {}, extensions

    def write(self, root: Root) -> StructuralSchema:
        """Return the schema of a root type."""
        self._losses = Losses()
        self._rules = RuleWriter(self._options, self._losses, self._extensions)
        ref = TypeRef("named", root.type)
        callee = root.type if root.type in self._plan.types else ""
        built = self._value(ref, Inner(callee), _Use(root.name))
        self._rules.write(self._own_rules(callee), Place(built.schema, root.name))
        bound_costs(built.schema, root.name, self._losses)
        return StructuralSchema(built.schema, tuple(self._losses))

    def _own_rules(self, callee: str) -> list[Rule]:
        plan = self._plan.types.get(callee)
        return [] if plan is None else list(rules_in(plan.cohorts))

    # Types

    def _value(self, ref: TypeRef, inner: Inner, use: _Use) -> _Built:
        while ref.kind == "pointer" and ref.elem is not None:
            ref = ref.elem
        match ref.kind:
            case "builtin":
                return _Built(_scalar(ref.name))
            case "list" | "array":
                return self._list(ref, inner, None, use)
            case "map":
                return self._map(ref, inner, use)
            case "named":
                return self._named(ref, inner, use)
        return _Built(dict(_ANY_VALUE))

    def _named(self, ref: TypeRef, inner: Inner, use: _Use) -> _Built:
        form = SPECIAL_TYPES.get(ref.name)
        if form is not None or ref.name == "time.Time":
            return _Built(dict(_SPECIAL[form or "time"]))
        if ref.name == "time.Duration":
            return _Built(_scalar("int64"))
        if ref.name in use.around:
            why = "the type contains itself, and a structural schema has no references: below, anything is accepted"
            name = ref.name.rpartition(".")[2]
            message, fix = f"{use.name} ends at {name}", "keep the handwritten check of what is nested deeper"
            self._losses.add(use.position, DIFFERS, message, why, fix)
            return _Built({"type": "object", **_ANY_VALUE})
        declared = self._types.find(ref.name)
        plan = self._plan.types.get(inner.callee)
        around = _Use(use.name, use.correlated, (*use.around, ref.name), use.position)
        if isinstance(declared, Struct):
            return self._struct(declared, plan, around)
        if isinstance(declared, Typedef):
            below = plan.inner if plan is not None else Inner()
            native = self._types.native(ref)
            if native.kind == "list":
                return self._list(native, below, self._rules.list_identity(self._own_rules(inner.callee)), around)
            return self._value(declared.underlying, below, around)
        return _Built(dict(_ANY_VALUE))

    def _list(self, ref: TypeRef, inner: Inner, identity: Identity | None, use: _Use) -> _Built:
        assert ref.elem is not None
        if ref.elem.kind == "builtin" and ref.elem.name in ("uint8", "byte"):
            return _Built({"type": "string", "format": "byte"})
        keyed = identity is not None and identity.semantic == "map"
        below = use.below("[*]", keyed)
        built = self._element(ref.elem, inner, below)
        if keyed and identity is not None and not self._settle_keys(built, identity.keys):
            # Items that may have no key have no old item that the server can find.
            below = use.below("[*]", False)
            built = self._element(ref.elem, inner, below)
        self._rules.write(self._own_rules(inner.elem), Place(built.schema, below.name, correlated=below.correlated))
        return _Built({"type": "array", "items": built.schema})

    def _element(self, ref: TypeRef, inner: Inner, use: _Use) -> _Built:
        """Return the schema of an item or of a value of a map, which may have the zero value."""
        built = self._value(ref, Inner(inner.elem), use)
        if built.schema.get("format") == "byte":  # a server takes no empty text for bytes
            del built.schema["format"]
        return built

    def _settle_keys(self, built: _Built, keys: Sequence[str]) -> bool:
        """Let each key of a list map have the value that Go has where it is absent, unless it must be there.

        Returns: False if an absent key differs from each value: it is a pointer, or its rules reject the zero value.
        """
        members = built.schema.get("properties", {})
        optional = [key for key in keys if key not in built.needed]
        zeroes = [
            key
            for key in keys
            if key not in built.pointers and not any(word in members.get(key, {}) for word in _CLOSED)
        ]
        if not members or any(
            key in built.pointers or any(word in members[key] for word in _CHECKED) for key in optional
        ):
            return False
        for key in keys:
            if key in zeroes:
                let_key_be_zero(built.schema, key)
            else:
                built.schema["required"] = sorted({*built.schema.get("required", ()), key})
        return True

    def _map(self, ref: TypeRef, inner: Inner, use: _Use) -> _Built:
        assert ref.elem is not None
        below = use.below("[*]")
        built = self._element(ref.elem, inner, below)
        self._rules.write(self._own_rules(inner.elem), Place(built.schema, below.name, correlated=below.correlated))
        schema: Document = {"type": "object", "additionalProperties": built.schema}
        self._rules.write_keys(self._own_rules(inner.key), Place(schema, use.name, correlated=use.correlated))
        return _Built(schema)

    # Structs

    def _struct(self, struct: Struct, plan: TypePlan | None, use: _Use) -> _Built:
        built = _Built({"type": "object", "properties": {}})
        plans = {one.field.name: one for one in plan.fields} if plan is not None else {}
        for member in struct.fields:
            if member.json_ignored or not member.exported:
                continue
            if is_type_meta(member.type.name) and (member.inline or member.embedded):
                built.schema["properties"].update(apiVersion={"type": "string"}, kind={"type": "string"})
            elif member.inline or not member.json_name:
                self._inline(built, member, plans.get(member.name), use)
            elif len(use.around) == 1 and member.json_name == METADATA and is_object_meta(member.type.name):
                self._metadata(built, member, plans.get(member.name), use)
            else:
                self._member(built, member, plans.get(member.name), use)
        own = self._own_rules(plan.name) if plan is not None else []
        refused = self._rules.rejects_absence(own, {})
        built.missing = [*chain.from_iterable(built.needed.values()), *([refused] if refused is not None else ())]
        return built

    def _inline(self, built: _Built, member: Field, plan: FieldPlan | None, use: _Use) -> None:
        inner = plan.inner if plan is not None else Inner()
        below = self._value(member.type, inner, use)
        self._rules.write(self._own_rules(inner.callee), Place(below.schema, use.name, correlated=use.correlated))
        for name, value in below.schema.items():
            if name == "properties":
                built.schema["properties"].update(value)
            elif isinstance(value, list):
                built.schema[name] = [*built.schema.get(name, ()), *value]
        built.needed |= below.needed
        built.pointers |= below.pointers

    def _metadata(self, built: _Built, member: Field, plan: FieldPlan | None, use: _Use) -> None:
        """Write the metadata of an object, of which a schema may say next to nothing."""
        built.schema["properties"][METADATA] = schema = {"type": "object"}
        if plan is not None:
            place = Place(schema, f"{use.name}.{METADATA}", built.schema, Operand().child(METADATA), f".{METADATA}")
            self._rules.write([*rules_in(plan.cohorts), *self._own_rules(plan.inner.callee)], place)
            self._rules.lose_metadata(self._plan.types.get(plan.inner.callee), place)

    def _member(self, built: _Built, member: Field, plan: FieldPlan | None, use: _Use) -> None:
        inner = plan.inner if plan is not None else Inner()
        name = member.json_name
        here = _Use(f"{use.name}.{name}", use.correlated, use.around, member.position)
        rules = [*rules_in(plan.cohorts)] if plan is not None else []
        if self._types.declared(member.type).kind == "list":
            below = self._list(self._types.declared(member.type), inner, self._rules.list_identity(rules), here)
        else:
            below = self._value(member.type, inner, here)
        built.schema["properties"][name] = below.schema
        if self._types.is_pointer(member.type):
            built.pointers.add(name)
        elif self._extensions and self._types.struct(member.type) is None:
            below.schema[STRIP_ZERO] = True
        every = [*rules, *self._own_rules(inner.callee)]
        try:
            at = Operand().child(name)
        except UnselectableNameError:
            for rule in every:
                why = f"CEL cannot select a member with the name {name}"
                self._losses.lose(rule, here.name, why, "rename it, or keep the handwritten check")
            return
        place = Place(
            below.schema, here.name, built.schema, at, f".{name}", use.correlated, elem=_items(below.schema, here),
        )  # fmt: skip
        if place.elem is not None:
            identity = self._rules.list_identity(every)
            keyed = identity is not None and has_keys(below.schema, identity.keys)
            place.elem.correlated = here.correlated and ("additionalProperties" in below.schema or keyed)
        self._rules.write(every, place)
        is_struct = not self._types.is_pointer(member.type) and "properties" in below.schema
        refused = None if is_struct else self._rules.rejects_absence(every, self._zero(member.type))
        missing = below.missing if is_struct else [refused] if refused is not None else []
        for one in missing:
            self._rules.require(place, one)
        if missing:
            built.needed[name] = [replace(one, path=f".{name}{one.path}") for one in missing]
        elif is_struct:
            below.schema["default"] = {}

    def _zero(self, ref: TypeRef) -> Any:
        if self._types.is_pointer(ref):
            return None
        return ZEROES.get(self._types.kind(ref))


def _items(schema: Document, use: _Use) -> Place | None:
    below = schema.get("items") or schema.get("additionalProperties")
    return Place(below, f"{use.name}[*]") if isinstance(below, dict) else None


def _scalar(name: str) -> Document:
    if name in ("int32", "int16", "int8", "uint8", "uint16", "byte", "rune"):
        return {"type": "integer", "format": "int32"}
    kind = "float" if name.startswith("float") else name
    return dict(_SCALARS.get(kind, _SCALARS["integer"]))
