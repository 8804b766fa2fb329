"""Tells what a schema that another generator made from Go types keeps of their tags: controller-gen, or kube-openapi.

A tag is kept if the schema has its words, changed if it has them with another meaning, and dropped if it has none. No
object is asked: what the words of a schema mean is known. Each type is read once, where it is met first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from harness.case import Operation
from harness.compiler.plan import Inner, Plan, TypePlan, rules_in
from harness.diagnostics import Position
from harness.field import Path
from harness.gotypes.model import Field, Struct, TypeRef
from harness.objectmodel import METADATA, is_object_meta
from harness.openapi.rules import VALIDATIONS, stand_in
from harness.openapi.structure import ZEROES
from harness.tags.families.each import no_nil_items
from harness.tags.registry import SCHEMA_FORMS
from harness.tags.rules import Check, EachVal, Option, Rule, Subfield
from harness.tags.translation import Operand, UnselectableNameError
from harness.tags.types import Declarations, Types

Fate: TypeAlias = Literal["kept", "changed", "dropped"]
FATES: tuple[Fate, ...] = ("kept", "changed", "dropped")
Schema: TypeAlias = Mapping[str, Any]
Resolve: TypeAlias = Callable[[Schema], Schema]
"""Returns the schema that a reference names, or the schema itself."""


def as_it_is(schema: Schema) -> Schema:
    """Return the schema itself, where there are no references."""
    return schema


_ATOMIC = "atomic"
_NOTHING = "the schema has nothing of it"
_SMALLEST = {"string": "minLength", "list": "minItems", "map": "minProperties", "struct": "minProperties"}
"""The word that rejects the empty value of a kind of type."""


@dataclass(frozen=True, slots=True)
class TagFate:
    """What became of one rule of a tag at one field or type, such as `JobSpec.completions`."""

    tag: str
    level: str
    place: str
    position: Position
    fate: Fate
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Site:
    """A value that rules are about: its schema, the struct's schema that has it, and its Go type. `member` is its name
    there, empty for the items of a list and for a type itself."""

    place: str
    schema: Schema
    type: TypeRef
    holder: Schema | None = None
    member: str = ""

    @property
    def is_required(self) -> bool:
        return self.holder is not None and self.member in self.holder.get("required", ())


class TagKeeping:
    """Compares the plan of a package with schemas that another generator made from the same types.

    `resolve` looks a reference of these schemas up. `seen` are the types that were read, of all packages.
    """

    def __init__(self, declarations: Declarations, plan: Plan, seen: set[str], resolve: Resolve = as_it_is) -> None:
        self._plan, self._types, self._resolve, self._seen = plan, Types(declarations), resolve, seen

    def read(self, root: str, schema: Schema) -> Iterator[TagFate]:
        """Yield the fate of each rule of a root type, and of the types below it that were not read before."""
        yield from self._value(TypeRef("named", root), Inner(root), _Site(_name(root), schema, TypeRef("named", root)))

    def _value(self, ref: TypeRef, inner: Inner, site: _Site) -> Iterator[TagFate]:
        """Read the types within a value, each with its own rules."""
        ref = self._types.declared(ref)
        while ref.kind == "pointer" and ref.elem is not None:
            ref = self._types.declared(ref.elem)
        if ref.kind == "named":
            yield from self._named(ref, inner.callee, site)
        elif ref.kind in ("list", "map") and ref.elem is not None and inner.elem:
            yield from self._value(ref.elem, Inner(inner.elem), self._elements(site, ref.elem))

    def _named(self, ref: TypeRef, callee: str, site: _Site) -> Iterator[TagFate]:
        plan = self._plan.types.get(callee)
        if plan is None or callee in self._seen:
            return
        self._seen.add(callee)
        here = replace(site, place=_name(callee), holder=None, member="", type=ref)
        own = list(rules_in(plan.cohorts))
        for rule in own:
            yield from self._rule(rule, here, False, own)
        if plan.struct is not None:
            yield from self._fields(plan, plan.struct, here)
        else:
            yield from self._value(self._types.native(ref), plan.inner, here)

    def _fields(self, plan: TypePlan, struct: Struct, site: _Site) -> Iterator[TagFate]:
        plans = {one.field.name: one for one in plan.fields}
        for member in struct.fields:
            found = plans.get(member.name)
            if found is None or (member.json_name == METADATA and is_object_meta(member.type.name)):
                continue
            is_inline = member.inline or not member.json_name
            below = replace(site, type=member.type) if is_inline else self._member(site, member)
            rules = list(rules_in(found.cohorts))
            optional = any(rule.hidden and isinstance(rule.body, Check) for rule in rules)
            for rule in rules:
                yield from self._rule(rule, below, optional, rules)
            yield from self._value(member.type, found.inner, below)

    # Values of a schema

    def _member(self, site: _Site, member: Field) -> _Site:
        name = member.json_name
        schema = self._resolve(site.schema.get("properties", {}).get(name, {}))
        return _Site(f"{site.place}.{name}", schema, member.type, site.schema, name)

    def _elements(self, site: _Site, ref: TypeRef) -> _Site:
        below = site.schema.get("items", site.schema.get("additionalProperties"))
        return _Site(f"{site.place}[*]", self._resolve(below) if isinstance(below, dict) else {}, ref)

    # Rules

    def _rule(self, rule: Rule, site: _Site, optional: bool, beside: Iterable[Rule]) -> Iterator[TagFate]:
        """Yield the fate of a rule; the hidden half of a tag that rejects is none of its own."""
        told = any(not one.hidden and (one.tag, one.position) == (rule.tag, rule.position) for one in beside)
        is_made = isinstance(rule.body, Check) and rule.body.function is no_nil_items
        if rule.tag and not is_made and not (rule.hidden and told):
            fate, why = self._fate(rule, site, optional)
            yield TagFate(rule.tag, rule.level, site.place, rule.position, fate, why)

    def _fate(self, rule: Rule, site: _Site, optional: bool) -> tuple[Fate, str]:
        match rule.body:
            case Option():
                fate, why = self._fate(replace(rule, body=rule.body.rule.body), site, optional)
                if fate == "dropped" or rule.hidden:
                    return fate, why
                return "changed", f"it is enforced whatever {rule.body.name} is"
            case EachVal():
                elem = self._types.value(site.type).elem or TypeRef("interface")
                return self._fate(rule.body.rule, self._elements(site, elem), optional=False)
            case Subfield():
                inner = replace(rule.body.rule, hidden=rule.hidden)
                return self._fate(inner, self._member(site, rule.body.member), optional=False)
            case Check() if rule.hidden:
                return ("changed", "the schema requires the member") if site.is_required else ("kept", "")
            case Check():
                return self._check(rule.body, site, optional)
        return "dropped", _NOTHING

    def _check(self, check: Check, site: _Site, optional: bool) -> tuple[Fate, str]:
        form = SCHEMA_FORMS.get(check.function)
        if form is None:
            return "dropped", f"{check.custom} is written in Go" if check.custom else _NOTHING
        if form.keywords is not None and any(
            site.schema.get(word, _ATOMIC) != _ATOMIC for word in form.keywords(check)
        ):
            return self._words(check, form.keywords(check), site, optional)
        try:
            at = Operand().child(site.member) if site.member else Operand()
            rules = list(form.rules(check, at if form.of_member else Operand()))
        except UnselectableNameError:
            return "dropped", _NOTHING
        if site.member and form.of_member and any(rule.expression == at.is_set for rule in rules):
            return self._presence(site)
        written = {one["rule"] for schema in (site.schema, site.holder or {}) for one in schema.get(VALIDATIONS, ())}
        if any(rule.expression in written for rule in rules):
            return "kept", ""
        if any(rule.transition for rule in rules) and "self == oldSelf" in written:
            return ("kept", "") if site.is_required else ("changed", "an update may set what was absent")
        return "dropped", _NOTHING

    def _words(self, check: Check, words: Schema, site: _Site, optional: bool) -> tuple[Fate, str]:
        """Compare words of OpenAPI, and what they say of the zero value that Go takes for an absent one."""
        for word, wanted in words.items():
            if _ordered(found := site.schema.get(word)) != _ordered(wanted):
                return "changed", f"{word} is {_short(found)}, and the tag says {_short(wanted)}"
        zero = ZEROES.get(self._types.kind(site.type))
        if self._types.is_pointer(site.type) or not site.member or zero is None:
            return "kept", ""
        if check.function(Operation.CREATE, Path(), zero, None, *map(stand_in, check.args)):
            if optional:
                return "changed", f"{zero!r} is rejected where it is written; Go takes it for absent"
            if not site.is_required:
                return "changed", "the member may be absent; the tag rejects the zero value that Go has then"
        return "kept", ""

    def _presence(self, site: _Site) -> tuple[Fate, str]:
        """Compare what a schema says of a member that must be there, and not have its zero value in Go."""
        if "default" in site.schema:
            return "kept", ""
        if not site.is_required:
            return "dropped", "the member may be absent"
        kind = self._types.kind(site.type)
        smallest = site.schema.get(_SMALLEST.get(kind, "minimum"), 0) or 0
        if self._types.is_pointer(site.type):
            return ("kept", "") if smallest < 1 else ("changed", "an empty value is rejected too")
        if kind == "struct":
            return ("kept", "") if smallest < 1 else ("changed", "a struct without members is rejected")
        values = site.schema.get("enum")
        if smallest >= 1 or (values is not None and ZEROES.get(kind) not in values):
            return "kept", ""
        return "changed", "the zero value is accepted where it is written"


def _name(qualified: str) -> str:
    return qualified.rpartition(".")[2]


def _ordered(value: Any) -> Any:
    """Return values and keys in an order, as theirs means nothing."""
    return sorted(value) if isinstance(value, list) else value


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
