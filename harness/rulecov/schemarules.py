"""Lists the rules of CRDs: each constraint of a schema and each CEL rule, with the error of a server for it.

The types of values are no rules here: every field has one. Nor is what anyOf, oneOf and not hold inside, whose error is
that of the keyword around.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from harness.field import ErrorType
from harness.field.facts import Measure
from harness.fuzzers.aimedpairs import BESIDE, RULE
from harness.fuzzers.celtext import without_texts
from harness.jsonpath import ITEMS, canonical_path, join
from harness.objectmodel import TYPE_META
from harness.rulecov.declared import DeclaredRule
from harness.rulecov.inventory import Inventory, KnownRule
from harness.tags.spec import Criterion

Schema: TypeAlias = Mapping[str, Any]

_CEL: Final = "x-kubernetes-validations"
_OLD = re.compile(r"\boldSelf\b")
_REASONS: Mapping[str, str] = {
    "FieldValueInvalid": ErrorType.INVALID, "FieldValueForbidden": ErrorType.FORBIDDEN,
    "FieldValueRequired": ErrorType.REQUIRED, "FieldValueDuplicate": ErrorType.DUPLICATE,
}  # fmt: skip
_LONGEST = 120
"""A longer CEL rule is cut where it names itself. Units: characters."""


class _Limit(NamedTuple):
    """The error of a keyword with a limit, and what the limit counts."""

    type: str
    origin: str
    measure: Measure
    beyond: int


_LIMITS: Mapping[str, _Limit] = {
    "maxLength": _Limit(ErrorType.TOO_LONG, "", "characters", 1),
    "minLength": _Limit(ErrorType.INVALID, "minLength", "characters", -1),
    "maximum": _Limit(ErrorType.INVALID, "maximum", "value", 1),
    "minimum": _Limit(ErrorType.INVALID, "minimum", "value", -1),
    "maxItems": _Limit(ErrorType.TOO_MANY, "", "items", 1),
    "minItems": _Limit(ErrorType.INVALID, "minItems", "items", -1),
    "maxProperties": _Limit(ErrorType.TOO_MANY, "", "items", 1),
    "minProperties": _Limit(ErrorType.INVALID, "minProperties", "items", -1),
}
"""Source: kubeOpenAPIResultToFieldErrors, k8s.io/apiextensions-apiserver v0.37.1; origins are the worker's, 2026-11."""
_OTHERS: Mapping[str, tuple[str, str]] = {
    "pattern": (ErrorType.INVALID, "pattern"), "enum": (ErrorType.NOT_SUPPORTED, ""),
    "multipleOf": (ErrorType.INVALID, "multipleOf"), "anyOf": (ErrorType.INVALID, "anyOf"),
    "oneOf": (ErrorType.INVALID, "oneOf"), "not": (ErrorType.INVALID, "not"),
}  # fmt: skip
FORMATS: Final = frozenset({
    "bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4", "uuid5",
    "isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "date", "duration", "date-time",
    "k8s-short-name", "k8s-long-name",
})  # fmt: skip
"""The formats of texts that a server checks; others mean nothing to it."""


class VersionName(NamedTuple):
    """The version of a kind that a schema is of."""

    group: str
    version: str
    kind: str


def cut_rule(text: str) -> str:
    """Return a CEL rule as it names itself."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def schema_inventory(schemas: Iterable[tuple[VersionName, Schema]]) -> Inventory:
    """Return the rules of schemas, each that of a version of a kind."""
    rules: list[KnownRule] = []
    for name, schema in schemas:
        walk = _Walk(name)
        found: dict[tuple[str, str, str], KnownRule] = {}
        for known in walk.of(schema, "", (), "", {}):
            rule = known.rule
            other = found.setdefault((rule.path, rule.type, rule.origin), known)
            if other is not known and _is_stricter(known, other):
                found[rule.path, rule.type, rule.origin] = known
        rules += found.values()
    return Inventory(tuple(sorted(rules, key=lambda known: known.rule)))


def _is_stricter(one: KnownRule, other: KnownRule) -> bool:
    if one.limit is None or other.limit is None:
        return False
    return one.limit * one.beyond < other.limit * other.beyond


def _members(schema: Schema) -> list[tuple[str, Schema]]:
    """Return the members of a schema by name. What is no schema is left out: a server says why it refuses it."""
    members = schema.get("properties")
    if not isinstance(members, Mapping):
        return []
    return sorted((str(name), below) for name, below in members.items() if isinstance(below, Mapping))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _union(schema: Schema, path: str, member: str) -> Iterator[tuple[str, str | None]]:
    """Yield what a union wants for a member: the constant of another that is called like it, and no other member."""
    members = dict(_members(schema))
    for name, one in members.items():
        choices = [choice for choice in _list(one.get("enum")) if isinstance(choice, str)]
        named = {choice.lower(): choice for choice in choices}
        if member.lower() in named:
            yield join(path, name), named[member.lower()]
            others = (other for other in members if other != member and other.lower() in named)
            yield from ((join(path, other), None) for other in others)


class _Walk:
    """Walks one schema. A path is canonical; a place is where the worker says that a CEL rule stands."""

    def __init__(self, name: VersionName) -> None:
        self._name = name

    def of(
        self, schema: Schema, path: str, steps: tuple[str, ...], place: str, beside: Mapping[str, str | None]
    ) -> Iterator[KnownRule]:
        """Yield the rules for a value and all below it. `beside` is what unions want elsewhere for it to be there."""
        for known in self._own(schema, path, steps, place):
            yield msgspec.structs.replace(known, argument={**known.argument, BESIDE: beside}) if beside else known
        for member, below in _members(schema):
            if not (path == "" and member in TYPE_META):
                inner = canonical_path(join(path, member))
                wanted = {**beside, **dict(_union(schema, path, member))}
                yield from self.of(below, inner, (*steps, member), f"{place}.{member}" if place else member, wanted)
        for key in ("items", "additionalProperties"):
            if isinstance(inside := schema.get(key), Mapping):
                yield from self.of(inside, path + ITEMS, (*steps, ITEMS), place + ITEMS, beside)

    def _own(self, schema: Schema, path: str, steps: tuple[str, ...], place: str) -> Iterator[KnownRule]:
        parts = [schema, *(part for part in _list(schema.get("allOf")) if isinstance(part, Mapping))]
        for part in parts:
            yield from self._constraints(part, schema, path, steps)
        yield from self._list_type(schema, path, steps)
        for number, rule in enumerate(_list(schema.get(_CEL))):
            if isinstance(rule, Mapping):
                yield self._cel(rule, f"{join(place, _CEL)}[{number}]", path, steps)

    def _constraints(self, part: Schema, whole: Schema, path: str, steps: tuple[str, ...]) -> Iterator[KnownRule]:
        for keyword, limit in _LIMITS.items():
            value = part.get(keyword)
            if (
                isinstance(value, int | float)
                and not isinstance(value, bool)
                and not (limit.measure != "value" and limit.beyond < 0 and value == 0)
            ):
                if keyword == "maximum" and part.get("exclusiveMaximum"):
                    value -= 1
                elif keyword == "minimum" and part.get("exclusiveMinimum"):
                    value += 1
                counted = whole.get("type") != "number" and int(value) == value
                yield self._rule(
                    keyword, path, limit.type, limit.origin, steps, judge="limit" if counted else "there",
                    measure=limit.measure, limit=int(value) if counted else None, beyond=limit.beyond,
                )  # fmt: skip
        for keyword, (error, origin) in _OTHERS.items():
            if keyword in part and not (keyword == "anyOf" and whole.get("x-kubernetes-int-or-string")):
                argument = {"pattern": part[keyword]} if keyword == "pattern" else {}
                yield self._rule(keyword, path, error, origin, steps, argument=argument)
        if str(part.get("format")) in FORMATS and whole.get("type") == "string":
            yield self._rule("format", path, ErrorType.TYPE_INVALID, "type", steps)
        for name in _list(part.get("required")):
            if isinstance(name, str) and not (path == "" and name in TYPE_META):
                yield self._rule("required", canonical_path(join(path, name)), ErrorType.REQUIRED, "", (*steps, name))

    def _list_type(self, schema: Schema, path: str, steps: tuple[str, ...]) -> Iterator[KnownRule]:
        kind = schema.get("x-kubernetes-list-type")
        if kind in ("set", "map"):
            name = f"x-kubernetes-list-type: {kind}"
            yield self._rule(name, path + ITEMS, ErrorType.DUPLICATE, "", steps, judge="two")

    def _cel(self, rule: Mapping[str, Any], origin: str, path: str, steps: tuple[str, ...]) -> KnownRule:
        text = " ".join(str(rule.get("rule", "")).split())
        field = str(rule.get("fieldPath") or "").removeprefix(".")
        at = canonical_path(f"{path}{'' if not path or field.startswith('[') else '.'}{field}") if field else path
        changes = _OLD.search(without_texts(text)) is not None
        is_transition = changes and not rule.get("optionalOldSelf")
        return self._rule(
            cut_rule(text), at,
            _REASONS.get(str(rule.get("reason") or ""), ErrorType.INVALID), origin, steps,
            judge="both" if is_transition else "there", update=is_transition,
            argument={RULE: text, "at": list(steps), "changes": changes},
        )  # fmt: skip

    def _rule(
        self, tag: str, path: str, error: str, origin: str, steps: tuple[str, ...], *, judge: Criterion = "there",
        measure: Any = "", limit: int | None = None, beyond: int = 0, update: bool = False,
        argument: dict[str, Any] | None = None,
    ) -> KnownRule:  # fmt: skip
        group, version, kind = self._name
        return KnownRule(
            DeclaredRule(group, version, kind, path, str(error), origin, "", tag), f"{group}/{version}.{kind}", (path,),
            steps, judge, measure=measure, limit=limit, beyond=beyond, update=update, argument=argument or {},
        )  # fmt: skip
