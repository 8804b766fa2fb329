"""Assembles the touched fields of a change, with their paths, tags and rules, and the kinds that contain them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain

from harness.gotypes.model import Field, Struct
from harness.jsonpath import is_within, join, without_subscripts
from harness.rulecov.inventory import KnownRule
from harness.verify.change import (
    Event,
    FieldPath,
    KindName,
    Reason,
    RuleChange,
    RuleState,
    TouchedField,
    TouchedKind,
)  # fmt: skip
from harness.verify.collector import Member, TouchCollector
from harness.verify.declarations import Declared, members_of, package_or_none
from harness.verify.sides import Side, SideKind
from harness.verify.typepaths import TypePaths, step_of

_RANKS = {"alpha": 0, "beta": 1, "": 2}


class Assembler:
    """Assembles touched fields and kinds for one pair of base and head."""

    def __init__(self, base: Side, head: Side) -> None:
        self._sides = base, head
        self._type_paths = tuple(TypePaths(side.universe, _roots(side)) for side in (base, head))
        self._declared: dict[tuple[int, str], dict[tuple[str, str], Declared]] = {}

    def fields(self, collector: TouchCollector) -> tuple[TouchedField, ...]:
        """Return every touched field, sorted by type and position. Fields that no kind contains are omitted."""
        wanted = {type_name for type_name, _ in collector.fields}
        before, after = (finder.paths(wanted) for finder in self._type_paths)
        found = []
        for member, reasons in collector.fields.items():
            kinds = collector.kinds_of_field.get(member)
            touched = self._field(
                member, tuple(reasons), *(_in_kinds(places[member[0]], kinds) for places in (before, after))
            )
            if touched.paths:
                found.append(touched)
        return tuple(sorted(found, key=lambda one: (one.type_name, one.position or one.position_before, one.go_field)))

    def _field(
        self,
        member: Member,
        reasons: tuple[Reason, ...],
        before: tuple[FieldPath, ...],
        after: tuple[FieldPath, ...],
    ) -> TouchedField:
        type_name, go_field = member
        old, new = self._find(0, member), self._find(1, member)
        steps = [_step(side, member) for side in self._sides]
        places: dict[FieldPath, None] = {}
        for step, found, known in ((steps[1], after, new), (steps[0], before, old)):
            if known is not None and step is not None:
                places.update((FieldPath(one.kind, join(one.path, step)), None) for one in found)
        paths = tuple(sorted(places))
        return TouchedField(
            type_name=type_name,
            go_field=go_field,
            json_name=steps[1] if steps[1] is not None else steps[0] or "",
            paths=paths,
            reasons=tuple(sorted(reasons, key=lambda reason: (not reason.certain, reason))),
            tags_before=old.tags if old else (),
            tags_after=new.tags if new else (),
            rules_before=self._rules(0, paths),
            rules_after=self._rules(1, paths),
            position=self._sides[1].place(new.position) if new else None,
            position_before=self._sides[0].place(old.position) if old else None,
        )

    def _find(self, number: int, member: Member) -> Declared | None:
        path = member[0].rpartition(".")[0]
        key = number, path
        if key not in self._declared:
            package = package_or_none(self._sides[number].universe, path)
            self._declared[key] = members_of(package) if package else {}
        return self._declared[key].get((member[0].rpartition(".")[2], member[1]))

    def _rules(self, number: int, paths: Iterable[FieldPath]) -> tuple[RuleState, ...]:
        """Return the rules of a field in the first kind that declares any for it."""
        side = self._sides[number]
        for place in paths:
            kind = side.kinds.get(place.kind)
            found = {_state(rule, place.path) for rule in side.rules(kind) if _is_at(rule, place.path)} if kind else ()
            if found:
                return tuple(sorted(found, key=repr))
        return ()

    def kinds(self, collector: TouchCollector, fields: Iterable[TouchedField]) -> tuple[TouchedKind, ...]:
        """Return every kind that contains a touched field, or that is touched as a whole."""
        paths: dict[KindName, dict[str, None]] = {}
        reasons: dict[KindName, dict[Reason, None]] = {name: dict(found) for name, found in collector.kinds.items()}
        for one in fields:
            for place in one.paths:
                paths.setdefault(place.kind, {})[place.path] = None
        listed = []
        for name in sorted(paths.keys() | reasons.keys()):
            old, new = (side.kinds.get(name) for side in self._sides)
            known = new or old
            listed.append(
                TouchedKind(
                    name=name,
                    paths=tuple(sorted(paths.get(name, ()))),
                    rules=self._changes(old, new),
                    resources=known.resources if known else (),
                    whole=name in collector.kinds,
                    reasons=tuple(reasons.get(name, ())),
                    in_base=old is not None,
                    in_head=new is not None,
                )
            )
        return tuple(listed)

    def _changes(self, old: SideKind | None, new: SideKind | None) -> tuple[RuleChange, ...]:
        before = _by_error(self._sides[0].rules(old)) if old else {}
        after = _by_error(self._sides[1].rules(new)) if new else {}
        changes = []
        for key in sorted(before.keys() | after.keys()):
            one, other = before.get(key), after.get(key)
            if one != other:
                changes.append(RuleChange(key[0], _event(one, other), one, other))
        return tuple(changes)


def _in_kinds(places: tuple[FieldPath, ...], kinds: Collection[KindName] | None) -> tuple[FieldPath, ...]:
    """Return the paths that belong to some kinds; all paths when `kinds` is None."""
    return places if kinds is None else tuple(one for one in places if one.kind in kinds)


def _roots(side: Side) -> dict[KindName, str]:
    return {name: kind.type for name, kind in side.kinds.items()}


def _step(side: Side, member: Member) -> str | None:
    """Return the path from a type to its field; None when the field does not exist or is not encoded as JSON."""
    declared = side.universe.find(member[0])
    if not member[1]:
        return "" if declared is not None else None
    found: Field | None = None
    if isinstance(declared, Struct):
        found = next((one for one in declared.fields if one.name == member[1]), None)
    return None if found is None or found.json_ignored else step_of(found)


def _is_at(rule: KnownRule, path: str) -> bool:
    """Whether a rule applies to the value at a path, its items or its keys."""
    own = rule.rule.path
    return is_within(own, path) and without_subscripts(own) == without_subscripts(path)


def _state(rule: KnownRule, path: str) -> RuleState:
    one = rule.rule
    argument = ", ".join(f"{name} {value}" for name, value in sorted(rule.argument.items()))
    return RuleState(one.path.removeprefix(path), one.type, one.origin, one.level, one.tag, rule.limit, argument)


def _by_error(rules: Iterable[KnownRule]) -> dict[tuple[str, str, str], RuleState]:
    return {(rule.rule.path, rule.rule.type, rule.rule.origin): _state(rule, rule.rule.path) for rule in chain(rules)}


def _event(before: RuleState | None, after: RuleState | None) -> Event:
    if before is None:
        return "added"
    if after is None:
        return "removed"
    if before.level != after.level:
        return "level raised" if _RANKS[after.level] > _RANKS[before.level] else "level lowered"
    return "changed"
