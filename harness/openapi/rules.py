"""Puts the rules of tags into schemas: as a word of OpenAPI where there is one, else as a rule in CEL.

A rule about a value stands in the schema of the value, where the server lets an unchanged value pass by itself. A rule
about whether a member is there, or was, stands in the schema of the struct that has it, and says itself what an update
may leave as it is. Source: k8s.io/apiextensions-apiserver v0.37.1, pkg/apiserver/schema/cel (2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from harness.case import Operation
from harness.compiler.plan import TypePlan, rules_in
from harness.field import Path
from harness.openapi.losses import Losses
from harness.tags.families.each import no_nil_items
from harness.tags.families.lists import unique
from harness.tags.registry import SCHEMA_FORMS
from harness.tags.rules import (
    Check,
    EachKey,
    EachVal,
    Identity,
    Item,
    KeyOf,
    MembersSet,
    Mode,
    Option,
    Options,
    Rule,
    Same,
    Show,
    Subfield,
    ValueOf,
    is_subresource,
)
from harness.tags.translation import (
    ERRORS,
    REASONS,
    CelRule,
    Operand,
    SchemaForm,
    UnselectableNameError,
    cel_literal,
    cel_name,
    cel_selects,
)

Document: TypeAlias = dict[str, Any]
"""A schema that is being written."""

VALIDATIONS = "x-kubernetes-validations"
VALUE = Operand()
"""The value of a schema, in its own rules."""
_OLD = re.compile(r"\boldSelf\b")
_REVIEW = "keep the handwritten check, or write a rule by hand"


@dataclass(slots=True)
class Place:
    """A value that rules are about: its schema, and the struct in whose schema stands whether it is there.

    `at` is the value as the struct's rules name it and `path` its path from there; `holder` is None for a root, an item
    and a value of a map. `correlated`: the server finds the old value of an update. `name` is for messages, and `elem`
    is the place of the items.
    """

    schema: Document
    name: str
    holder: Document | None = None
    at: Operand = VALUE
    path: str = ""
    correlated: bool = True
    elem: Place | None = None


class RuleWriter:
    """Writes rules into the schemas of one API. `options` are the validation options that are on; others are off.

    `extensions`: the messages of errors are written too, in the extension that KEP-4153 proposes.
    """

    def __init__(self, options: Mapping[str, bool], losses: Losses, extensions: bool = False) -> None:
        self._options, self._losses, self._extensions = options, losses, extensions

    def active(self, rules: Iterable[Rule]) -> Iterator[Rule]:
        """Yield the rules of the gate setting that the schema is for, each without its conditions."""
        for rule in rules:
            while isinstance(rule.body, Option) and self._options.get(rule.body.name, False) is rule.body.wanted:
                rule = replace(rule, body=rule.body.rule.body)
            if not isinstance(rule.body, Option):
                yield rule

    def list_identity(self, rules: Iterable[Rule]) -> Identity | None:
        """Return what tells the items of a list apart, if a rule requires that they differ."""
        for rule in self.active(rules):
            if isinstance(rule.body, Check) and rule.body.function is unique:
                found: Identity = rule.body.args[0].identity
                return found
        return None

    def write(self, rules: Sequence[Rule], place: Place) -> None:
        """Write rules into the schemas of a place."""
        for rule in rules:
            self._tell_condition(rule, place)
        for rule in self.active(rules):
            if rule.hidden:
                continue
            try:
                self._write(rule, place)
            except UnselectableNameError as error:
                self._losses.lose(rule, place.name, f"CEL cannot select a member with the name {error}", _REVIEW)

    def write_keys(self, rules: Sequence[Rule], place: Place) -> None:
        """Write the rules of the keys of a map."""
        self.write([Rule(EachKey(rule), tag=rule.tag, position=rule.position) for rule in rules], place)

    def rejects_absence(self, rules: Sequence[Rule], zero: Any) -> CelRule | None:
        """Return the rule that says that a value must be there, if the checks reject what Go has in its place."""
        active = list(self.active(rules))
        if any(rule.hidden and isinstance(rule.body, Check) for rule in active):
            return None  # optional
        for rule in active:
            check = rule.body
            form = SCHEMA_FORMS.get(check.function) if isinstance(check, Check) else None
            if not isinstance(check, Check) or form is None or check.function is no_nil_items:
                continue
            if errors := check.function(Operation.CREATE, Path(), zero, None, *map(stand_in, check.args)):
                reason = REASONS.get(errors[0].type, "FieldValueInvalid")
                return CelRule("", errors[0].detail or "is required", reason)
        return None

    def require(self, place: Place, rule: CelRule) -> None:
        """Write that a member must be there."""
        if not place.correlated and place.holder is not None:
            name = place.path.removeprefix(".")
            place.holder["required"] = sorted({*place.holder.get("required", ()), name})
            return
        self._add(place, replace(rule, expression=place.at.is_set, ratchet=f"!{place.at.was_set}"), of_member=True)

    def lose_metadata(self, plan: TypePlan | None, place: Place) -> None:
        """Tell of the rules of the metadata's own fields."""
        why = "a schema says nothing of the metadata: the server validates that of custom resources itself"
        for member in plan.fields if plan is not None else ():
            for rule in rules_in(member.cohorts):
                if not rule.hidden and rule.tag:
                    self._losses.lose(
                        rule, f"{place.name}.{member.field.json_name}", why, "compare the server's own checks"
                    )

    def _tell_condition(self, rule: Rule, place: Place) -> None:
        if isinstance(rule.body, Option):
            state = self._options.get(rule.body.name, False)
            if is_subresource(rule.body.name):
                self._losses.differ(
                    rule, place.name, f"it depends on whether a request comes through {rule.body.name}, and a schema "
                    "judges the object of every request: this one is that of requests to the resource itself",
                    "keep the handwritten check of the subresource",
                )  # fmt: skip
                return
            self._losses.differ(
                rule, place.name, f"it depends on {rule.body.name}, and there is one schema for each gate setting: "
                f"this one has it {'on' if state else 'off'}",
                f"compile another one with --option {rule.body.name}={str(not state).lower()}",
            )  # fmt: skip
        if rule.level and not rule.hidden:
            self._losses.differ(
                rule, place.name, f"its level is {rule.level}, and a schema enforces every rule",
                f"leave it out until it is enforced; servers with the gate of {rule.level} off do not enforce it",
            )  # fmt: skip

    def _write(self, rule: Rule, place: Place) -> None:
        match rule.body:
            case Check():
                self._check(rule, rule.body, place)
            case EachVal():
                assert place.elem is not None
                inner = replace(rule.body.rule, tag=rule.tag, position=rule.position)
                self.write([inner], place.elem)
            case EachKey():
                for one in self._conditional(rule.body.rule, Operand("k", "k"), rule, place):
                    self._add(place, replace(one, expression=f"self.all(k, {one.expression})", ratchet=""))
            case Item():
                self._item(rule, rule.body, place)
            case Subfield():
                self._subfield(rule, rule.body, place)
            case Mode():
                self._mode(rule, rule.body, place)

    def _check(self, rule: Rule, check: Check, place: Place) -> None:
        if check.function is no_nil_items:
            return  # no schema of an item admits null
        form = SCHEMA_FORMS.get(check.function)
        if form is None:
            self._lose_check(rule, check, place)
            return
        if place.schema.get("items", {}).get("x-kubernetes-preserve-unknown-fields") and check.args:
            self._losses.lose(rule, place.name, "nothing is known of the items of the list", _REVIEW)
            return
        if form.differs:
            self._losses.differ(rule, place.name, form.differs, _REVIEW)
        if form.of_member and place.holder is not None:
            for one in form.rules(check, place.at):
                if one.expression == place.at.is_set:
                    self.require(place, one)
                else:
                    self._add(place, one, of_member=True, rule=rule)
            return
        if form.keywords is not None and self._fits(form, check, place):
            words = form.keywords(check)
            place.schema.update(words)
            if self._extensions:
                told = {word: one.message for word in words for one in form.rules(check, place.at)}
                place.schema[ERRORS] = {**place.schema.get(ERRORS, {}), **told}
            return
        if (longest := form.longest(check)) is not None:
            place.schema["maxLength"] = min(longest, place.schema.get("maxLength", longest))
        for one in form.rules(check, Operand()):
            self._add(place, one, rule=rule)

    def _fits(self, form: SchemaForm, check: Check, place: Place) -> bool:
        """Whether the words of OpenAPI can be used: nothing else is said with them, and they suit the items."""
        assert form.keywords is not None
        words = form.keywords(check)
        items = place.schema.get("items", {})
        if words.get("x-kubernetes-list-type") == "set" and items.get("type") in (None, "object", "array"):
            return False
        if keys := words.get("x-kubernetes-list-map-keys"):
            return has_keys(place.schema, keys)
        return all(place.schema.get(name, value) == value for name, value in words.items())

    def _lose_check(self, rule: Rule, check: Check, place: Place) -> None:
        if check.custom:
            why, fix = f"{check.custom} is written in Go", "write it in CEL by hand, as x-kubernetes-validations"
        else:
            why, fix = f"OpenAPI and CEL have no form of {check.function.__name__}", _REVIEW
        self._losses.lose(rule, place.name, why, fix)

    def _add(self, place: Place, one: CelRule, *, of_member: bool = False, rule: Rule | None = None) -> None:
        """Add a rule to the schema of the value, or of the struct that has it."""
        if one.differs and rule is not None:
            self._losses.differ(rule, place.name, one.differs, _REVIEW)
        if one.transition and not place.correlated:
            if rule is not None:
                why = "it reads the old value, and the server finds none below a list whose items have no keys"
                self._losses.lose(rule, place.name, why, "give the list the type map, with the keys of its items")
            return
        schema = place.holder if of_member and place.holder is not None else place.schema
        entry: Document = {"rule": one.expression, "message": one.message, "reason": one.reason}
        path = f"{place.path}{one.path}" if of_member else one.path
        if path:
            entry["fieldPath"] = path
        if one.ratchet and place.correlated:
            ratchet = _OLD.sub("oldSelf.value()", one.ratchet)
            entry["rule"] = f"({one.expression}) || (oldSelf.hasValue() && ({ratchet}))"
            entry["optionalOldSelf"] = True
        entries = schema.setdefault(VALIDATIONS, [])
        if entry not in entries:
            entries.append(entry)

    # Rules under a condition

    def _subfield(self, rule: Rule, body: Subfield, place: Place) -> None:
        name = body.member.json_name
        inner = replace(body.rule, tag=rule.tag, position=rule.position)
        where = f"{place.name}.{name}"
        member = place.schema.get("properties", {}).get(name)
        if member is not None and place.at.new != "self.metadata":
            at = Operand().child(name)
            below = Place(member, where, place.schema, at, f".{name}", place.correlated)
            self.write([inner], below)
        elif place.holder is not None and place.at.new == "self.metadata" and name in ("name", "generateName"):
            at = place.at.child(name)
            place.schema.setdefault("properties", {})[name] = {"type": "string"}
            below = Place(place.schema, where, place.holder, at, f".metadata.{name}", place.correlated)
            for one in self._conditional(inner, at, rule, place):
                guarded = replace(one, expression=f"!{at.is_set} || ({one.expression})", ratchet=at.unchanged)
                self._add(below, guarded, of_member=True)
        else:
            why = "a schema says nothing of the metadata but of name and generateName"
            self._losses.lose(rule, where, why, "keep the handwritten check")

    def _item(self, rule: Rule, body: Item, place: Place) -> None:
        matches = cel_selects(body.selector, "i")
        for one in self._conditional(body.rule, Operand("i", "i"), rule, place):
            self._losses.differ(rule, place.name, "the error is at the list, not at the item", _REVIEW)
            self._add(place, replace(one, expression=f"self.all(i, !({matches}) || ({one.expression}))", path=""))

    def _mode(self, rule: Rule, body: Mode, place: Place) -> None:
        """Write the rules of a member by the value of a discriminator, as rules of the struct that has both."""
        at, discriminator = Operand().child(body.member.json_name), Operand().child(body.discriminator.json_name)
        values = [value for value, _ in body.rules]
        zero = cel_literal("" if isinstance(values[0], str) else type(values[0])())
        now, before = (f"(has({text}) ? {text} : {zero})" for text in (discriminator.new, discriminator.old))
        ratchet = f"{now} == {before} && {at.unchanged}"
        branches = [(f"{now} == {cel_literal(value)}", rules) for value, rules in body.rules]
        branches.append((f"!({now} in {cel_literal(values)})", (replace(body.otherwise, tag=rule.tag),)))
        for condition, rules in branches:
            for inner in self.active(rules):
                if inner.hidden:
                    continue
                for one in self._conditional(inner, at, rule, place):
                    expression = f"!({condition}) || ({one.expression})"
                    path = f".{body.member.json_name}{one.path}"
                    self._add(place, replace(one, expression=expression, ratchet=ratchet, path=path))

    def _conditional(self, rule: Rule, at: Operand, outer: Rule, place: Place) -> Iterator[CelRule]:
        """Yield what a rule under a condition says of a value, in CEL."""
        body = rule.body
        if isinstance(body, Subfield):
            inner = at.child(body.member.json_name)
            yield from self._conditional(body.rule, inner, outer, place)
            return
        form = SCHEMA_FORMS.get(body.function) if isinstance(body, Check) else None
        if not isinstance(body, Check) or form is None:
            why = f"{type(body).__name__ if not isinstance(body, Check) else body.function.__name__} has no form in CEL"
            self._losses.lose(outer, place.name, f"{why} under a condition", _REVIEW)
            return
        for one in form.rules(body, at):
            if one.transition:
                self._losses.lose(outer, place.name, "a rule under a condition has no old value", _REVIEW)
            elif at.member and not form.of_member:
                yield replace(one, expression=f"!{at.is_set} || ({one.expression})")
            else:
                yield one


def let_key_be_zero(items: Document, key: str) -> None:
    """Give a key of a list map the zero value where it is absent, and let rules take that value for absent."""
    schema = items["properties"][key]
    name, zero = cel_name(key), {"string": "", "boolean": False}.get(schema["type"], 0)
    schema["default"] = zero
    if (values := schema.pop("enum", None)) is not None:  # which would reject the zero value, whatever its rules say
        message = "supported values: " + ", ".join(values)
        schema.setdefault(VALIDATIONS, []).append(
            {"rule": f"self in {cel_literal(values)}", "message": message, "reason": "FieldValueInvalid"}
        )
    absent = re.compile(rf"has\(((?:self|oldSelf|oldSelf\.value\(\))\.{name})\)")
    for entry in items.get(VALIDATIONS, ()):
        entry["rule"] = absent.sub(rf"(\1 != {cel_literal(zero)})", entry["rule"])
    for entry in schema.get(VALIDATIONS, ()):
        entry["rule"] = f"self == {cel_literal(zero)} || ({entry['rule']})"
    if key in items.get("required", ()):
        items["required"].remove(key)
        rule = {"rule": f"self.{name} != {cel_literal(zero)}", "message": "is required", "reason": "FieldValueRequired"}
        items.setdefault(VALIDATIONS, []).append({**rule, "fieldPath": f".{key}"})
    if not items.get("required", True):
        del items["required"]


def has_keys(schema: Document, keys: Sequence[str]) -> bool:
    """Whether every item of a list has each of the keys, or gets it by default."""
    items = schema.get("items", {})
    members, required = items.get("properties", {}), items.get("required", ())
    return all(key in required or "default" in members.get(key, {}) for key in keys)


def stand_in(argument: Any) -> Any:
    """Return what takes the place of an argument that the compiler fills in, for a call with an absent value."""
    match argument:
        case KeyOf():
            return lambda item: item
        case Show():
            return lambda value: ""
        case Same():
            return lambda new, old: new == old
        case MembersSet():
            return lambda value: (False,) * len(argument.members)
        case ValueOf():
            return lambda value: None
        case Options():
            return {}
    return argument
