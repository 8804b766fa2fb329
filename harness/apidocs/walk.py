"""One version of one section, row by row: the rules of a type and of everything below it that has no section itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import reduce

from harness.apidocs.document import Key
from harness.apidocs.places import first_sentence, rule_place
from harness.apidocs.words import RuleSentence, say
from harness.compiler.plan import Cohort, FieldPlan, Inner, Plan, rules_in
from harness.diagnostics import Position
from harness.gotypes.model import Comments, Field, TypeRef
from harness.jsonpath import ITEMS, join
from harness.tags.rules import Check, EachVal, Identity, MembersSet, Mode, Rule
from harness.tags.spec import listed
from harness.tags.types import Types


@dataclass(slots=True)
class VersionRow:
    """A row of one version. `steps` lead to it from the section's type; `said` are its rules with their places."""

    steps: tuple[str, ...]
    type: str
    about: str
    link: Key | None = None
    notes: dict[str, None] = field(default_factory=dict)
    said: list[tuple[RuleSentence, str]] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The path as errors write it."""
        return path_of(self.steps)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to say."""
        return not (self.said or self.notes or self.link)


class TypeWalk:
    """Walks one type of one plan. `lines` are what it met, by path and in order."""

    def __init__(self, types: Types, plan: Plan, linked: Callable[[str], Key | None]) -> None:
        self._types, self._plan, self._linked = types, plan, linked
        self.lines: dict[str, VersionRow] = {}

    def type(self, name: str, steps: tuple[str, ...] = ()) -> None:
        """Write down the rules of a type, then those of its fields in the order of their declaration."""
        plan = self._plan.types[name]
        declared = self._types.find(name)
        assert declared is not None
        package = name.rpartition(".")[0]
        self._line(steps, plan.type)
        members = self._rules(plan.cohorts, plan.type, steps, package, declared.comments, declared.position)
        self._inner(plan.inner, steps)
        plans = {one.field.name: one for one in plan.fields}
        for member in plan.struct.fields if plan.struct else ():
            at = (*steps, member.json_name) if member.json_name else steps
            owner = plan.struct.package if plan.struct else package
            if member.name in plans:
                self._field(plans[member.name], at, owner)
            if member.name in members:
                line = self._line(at, member.type, member.comments)
                line.notes |= dict.fromkeys(members[member.name])

    def _field(self, plan: FieldPlan, at: tuple[str, ...], package: str) -> None:
        member = plan.field
        line = self._line(at, member.type, member.comments)
        if member.json_ignored:
            line.notes[f"the field {member.name} is not part of the JSON; its rules are checked all the same"] = None
        self._rules(plan.cohorts, member.type, at, package, member.comments, member.position)
        self._inner(plan.inner, at)
        which = _identity(plan)
        if which is not None:
            line.notes[_told_apart(which)] = None

    def _inner(self, inner: Inner, at: tuple[str, ...]) -> None:
        if inner.callee:
            self._into(inner.callee, at)
        if inner.key:
            self._keys(inner.key, at)
        if inner.elem:
            self._into(inner.elem, (*at, ITEMS))

    def _into(self, name: str, at: tuple[str, ...]) -> None:
        key = self._linked(name)
        if key is None:
            self.type(name, at)
        else:
            self._line(at, TypeRef("named", name)).link = key

    def _keys(self, name: str, at: tuple[str, ...]) -> None:
        plan, declared = self._plan.types[name], self._types.find(name)
        assert declared is not None
        for rule in rules_in(plan.cohorts):
            for said in say(self._types, plan.type, rule):
                place = rule_place(said, name.rpartition(".")[0], declared.comments, declared.position)
                self._add(at, replace(said, words=f"each key: {said.words}"), place)

    def _rules(
        self,
        cohorts: Iterable[Cohort],
        ref: TypeRef,
        steps: tuple[str, ...],
        package: str,
        comments: Comments,
        position: Position,
    ) -> dict[str, list[str]]:
        """Write down rules, and return what they say of members of a struct, by Go name."""
        members: dict[str, list[str]] = {}
        for rule in rules_in(cohorts):
            fields = _members(rule)
            about = fields or _mode_member(rule)
            lines = (*(line for one in about for line in one.comments), *comments)
            for said in say(self._types, ref, rule):
                self._add(steps, said, rule_place(said, package, lines, position))
                for one in fields:
                    if said.steps != (one.json_name,):
                        words = f"`{path_of(said.steps)}` {said.words}" if said.steps else said.words
                        members.setdefault(one.name, []).append(words)
        return members

    def _add(self, steps: tuple[str, ...], said: RuleSentence, place: str) -> None:
        self._line((*steps, *said.steps), said.type).said.append((said, place))

    def _line(self, steps: tuple[str, ...], ref: TypeRef, comments: Comments = ()) -> VersionRow:
        line = self.lines.setdefault(path_of(steps), VersionRow(steps, short_type(ref), ""))
        line.about = line.about or first_sentence(comments)
        return line


def path_of(steps: Iterable[str]) -> str:
    """Write steps as a field path: `spec.ports[*].name`."""
    return reduce(join, steps, "")


def short_type(ref: TypeRef) -> str:
    """Write a type without the packages of its names: `[]Port`."""
    if ref.kind in ("pointer", "list", "array", "map") and ref.elem is not None:
        head = {"pointer": "*", "map": f"map[{short_type(ref.key)}]" if ref.key else "map"}.get(ref.kind, "[]")
        return head + short_type(ref.elem)
    return ref.name.rpartition(".")[2] if ref.kind == "named" else str(ref)


def exists(types: Types, ref: TypeRef, steps: Iterable[str]) -> bool:
    """Whether a type has a field at these steps."""
    for step in steps:
        if step.startswith("["):
            elem = types.value(ref).elem
            if elem is None:
                return False
            ref = elem
        else:
            member = _member(types, ref, step)
            if member is None:
                return False
            ref = member.type
    return True


def _member(types: Types, ref: TypeRef, name: str, depth: int = 0) -> Field | None:
    struct = types.struct(ref)
    for one in struct.fields if struct else ():
        if one.json_name == name:
            return one
        if one.inline and depth < 10 and (found := _member(types, one.type, name, depth + 1)) is not None:
            return found
    return None


def _members(rule: Rule) -> list[Field]:
    """Return the fields that a rule of a struct is about, when it is about some of them together."""
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
    """Return what tells the items of a list apart, when its items have rules."""
    if plan.inner.elem:
        return plan.inner.identity
    bodies = [rule.body for rule in rules_in(plan.cohorts)]
    return next((body.identity for body in bodies if isinstance(body, EachVal)), None)


def _told_apart(which: Identity) -> str:
    if which.keys:
        return f"items are told apart by {listed(which.keys)}: an update forgives those that did not change"
    if which.semantic == "set":
        return "items are told apart by value: an update forgives those that were there"
    return "when an update changes anything in the list, every item is checked again"
