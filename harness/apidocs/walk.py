"""Collects the rules of one version of a section: those of its type and of every type below it without a section."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import reduce

from harness.apidocs.descriptions import RuleDescription, describe_rule
from harness.apidocs.document import Key
from harness.apidocs.positions import first_sentence, rule_position
from harness.compiler.plan import Cohort, FieldPlan, Inner, Plan, rules_in
from harness.diagnostics import Position
from harness.gotypes.model import Comments, Field, TypeRef
from harness.jsonpath import ITEMS, join
from harness.tags.rules import Check, EachVal, Identity, MembersSet, Mode, Rule
from harness.tags.spec import quoted_list
from harness.tags.types import Types

_MAX_EMBEDDED = 10
"""At most this many levels of embedded structs, so that a struct that embeds itself ends the search."""


@dataclass(slots=True)
class VersionRow:
    """A row of one version. `steps` are its path from the section's type; `rules` its rules with their positions."""

    steps: tuple[str, ...]
    type: str
    summary: str
    link: Key | None = None
    notes: dict[str, None] = field(default_factory=dict)
    rules: list[tuple[RuleDescription, str]] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The path as errors write it."""
        return path_of(self.steps)

    @property
    def is_empty(self) -> bool:
        """Whether the row has no rule, note or link."""
        return not (self.rules or self.notes or self.link)


class TypeWalk:
    """Walks one type of one plan and fills `rows`, by path, in the order of the fields."""

    def __init__(self, types: Types, plan: Plan, link_of: Callable[[str], Key | None]) -> None:
        self._types, self._plan, self._link_of = types, plan, link_of
        self.rows: dict[str, VersionRow] = {}

    def walk(self, name: str, steps: tuple[str, ...] = ()) -> None:
        """Record the rules of a type, then those of its fields in the order of their declaration."""
        plan = self._plan.types[name]
        declared = self._types.find(name)
        assert declared is not None
        package = name.rpartition(".")[0]
        self._row(steps, plan.type)
        notes = self._add_rules(plan.cohorts, plan.type, steps, package, declared.comments, declared.position)
        self._walk_inner(plan.inner, steps)
        plans = {one.field.name: one for one in plan.fields}
        for member in plan.struct.fields if plan.struct else ():
            member_steps = (*steps, member.json_name) if member.json_name else steps
            owner = plan.struct.package if plan.struct else package
            if member.name in plans:
                self._walk_field(plans[member.name], member_steps, owner)
            if member.name in notes:
                row = self._row(member_steps, member.type, member.comments)
                row.notes |= dict.fromkeys(notes[member.name])

    def _walk_field(self, plan: FieldPlan, steps: tuple[str, ...], package: str) -> None:
        member = plan.field
        row = self._row(steps, member.type, member.comments)
        if member.json_ignored:
            row.notes[f"the field {member.name} is not part of the JSON; its rules are checked all the same"] = None
        self._add_rules(plan.cohorts, member.type, steps, package, member.comments, member.position)
        self._walk_inner(plan.inner, steps)
        identity = _identity(plan)
        if identity is not None:
            row.notes[_ratcheting_note(identity)] = None

    def _walk_inner(self, inner: Inner, steps: tuple[str, ...]) -> None:
        if inner.callee:
            self._walk_or_link(inner.callee, steps)
        if inner.key:
            self._add_key_rules(inner.key, steps)
        if inner.elem:
            self._walk_or_link(inner.elem, (*steps, ITEMS))

    def _walk_or_link(self, name: str, steps: tuple[str, ...]) -> None:
        link = self._link_of(name)
        if link is None:
            self.walk(name, steps)
        else:
            self._row(steps, TypeRef("named", name)).link = link

    def _add_key_rules(self, name: str, steps: tuple[str, ...]) -> None:
        plan, declared = self._plan.types[name], self._types.find(name)
        assert declared is not None
        for rule in rules_in(plan.cohorts):
            for described in describe_rule(self._types, plan.type, rule):
                position = rule_position(described, name.rpartition(".")[0], declared.comments, declared.position)
                self._add_rule(steps, replace(described, text=f"each key: {described.text}"), position)

    def _add_rules(
        self,
        cohorts: Iterable[Cohort],
        element: TypeRef,
        steps: tuple[str, ...],
        package: str,
        comments: Comments,
        declared_at: Position,
    ) -> dict[str, list[str]]:
        """Record the rules of an element, and return notes for the members of a struct that they bind, by Go name."""
        notes: dict[str, list[str]] = {}
        for rule in rules_in(cohorts):
            bound_members = _bound_members(rule)
            members = bound_members or _mode_member(rule)
            lines = (*(line for member in members for line in member.comments), *comments)
            for described in describe_rule(self._types, element, rule):
                self._add_rule(steps, described, rule_position(described, package, lines, declared_at))
                for member in bound_members:
                    if described.steps != (member.json_name,):
                        path = path_of(described.steps)
                        note = f"`{path}` {described.text}" if path else described.text
                        notes.setdefault(member.name, []).append(note)
        return notes

    def _add_rule(self, steps: tuple[str, ...], rule: RuleDescription, position: str) -> None:
        self._row((*steps, *rule.steps), rule.type).rules.append((rule, position))

    def _row(self, steps: tuple[str, ...], ref: TypeRef, comments: Comments = ()) -> VersionRow:
        row = self.rows.setdefault(path_of(steps), VersionRow(steps, short_type(ref), ""))
        row.summary = row.summary or first_sentence(comments)
        return row


def path_of(steps: Iterable[str]) -> str:
    """Write steps as a field path: `spec.ports[*].name`."""
    return reduce(join, steps, "")


def short_type(ref: TypeRef) -> str:
    """Write a type without the packages of its names: `[]Port`."""
    if ref.kind in ("pointer", "list", "array", "map") and ref.elem is not None:
        head = {"pointer": "*", "map": f"map[{short_type(ref.key)}]" if ref.key else "map"}.get(ref.kind, "[]")
        return head + short_type(ref.elem)
    return ref.name.rpartition(".")[2] if ref.kind == "named" else str(ref)


def has_field(types: Types, ref: TypeRef, steps: Iterable[str]) -> bool:
    """Whether a type has a field at these steps."""
    for step in steps:
        if step.startswith("["):
            elem = types.value(ref).elem
            if elem is None:
                return False
            ref = elem
        else:
            member = _find_member(types, ref, step)
            if member is None:
                return False
            ref = member.type
    return True


def _find_member(types: Types, ref: TypeRef, name: str, depth: int = 0) -> Field | None:
    struct = types.struct(ref)
    for one in struct.fields if struct else ():
        if one.json_name == name:
            return one
        if one.inline and depth < _MAX_EMBEDDED:
            found = _find_member(types, one.type, name, depth + 1)
            if found is not None:
                return found
    return None


def _bound_members(rule: Rule) -> list[Field]:
    """Return the members that a rule of a struct binds together, such as those of a union."""
    body = rule.body
    while not isinstance(body, Check):
        if isinstance(body, Mode):
            return []
        body = body.rule.body
    sets = [arg for arg in body.args if isinstance(arg, MembersSet)]
    return [member.field for one in sets for member in one.members if member.field is not None]


def _mode_member(rule: Rule) -> list[Field]:
    body = rule.body
    while not isinstance(body, Mode | Check):
        body = body.rule.body
    return [body.member] if isinstance(body, Mode) else []


def _identity(plan: FieldPlan) -> Identity | None:
    """Return how the items of a list are identified; None if its items have no rules."""
    if plan.inner.elem:
        return plan.inner.identity
    bodies = [rule.body for rule in rules_in(plan.cohorts)]
    return next((body.identity for body in bodies if isinstance(body, EachVal)), None)


def _ratcheting_note(identity: Identity) -> str:
    if identity.keys:
        return f"items are told apart by {quoted_list(identity.keys)}: an update ratchets those that did not change"
    if identity.semantic == "set":
        return "items are told apart by value: an update ratchets those that were there"
    return "when an update changes anything in the list, every item is checked again"
