"""Writes the Python source of a plan: functions without indirection, readable in tracebacks."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from harness.compiler.calls import Calls, path_of
from harness.compiler.equality import Equality
from harness.compiler.guards import Guards, Value, is_optional, is_presence
from harness.compiler.naming import summary_of
from harness.compiler.plan import Cohort, FieldPlan, Inner, Plan, TypePlan, rules_in
from harness.compiler.source import Source, add_brackets, escape_comment, escape_quoted, identifier_of, indent, literal
from harness.compiler.values import Values
from harness.gotypes.model import TypeRef
from harness.tags.families.requiredness import optional_value
from harness.tags.release import Release
from harness.tags.rules import Check, CheckFunction, Rule
from harness.tags.types import Types

HEADER = '''"""Declarative validators of {package}. Generated from its types and tags: do not edit."""

from __future__ import annotations

from harness.case import Operation
{imports}

UPDATE = Operation.UPDATE
'''


_STOP = "\0"
"""Placeholder for the statement that ends a field, until it is known; literals contain it in escaped form only."""


class Operands(NamedTuple):
    """Expressions for the path, the new value and the old value of an element."""

    path: str
    value: Value
    old: str


class Emitter:
    """Writes the source of one plan: a function per type, with a paragraph per field."""

    def __init__(self, plan: Plan, types: Types, release: Release | None = None) -> None:
        self._plan = plan
        self._types = types
        self._release = release or Release()
        self._source = Source()
        self._values = Values(types, self._source)
        self._equality = Equality(self._values, self._source)
        self._guards = Guards(self._values, self._source)
        self._calls = Calls(self._values, self._equality, self._source, self._release, plan.package)

    @property
    def custom(self) -> dict[str, CheckFunction]:
        """The handwritten functions that the source calls, by name."""
        return self._calls.custom

    def emit(self) -> str:
        """Return the whole module."""
        roots = {root.type for root in self._plan.roots.values()}
        for type_plan in sorted(self._plan.types.values(), key=lambda plan: plan.name not in roots):
            self._source.add("types", self._type(type_plan))
        for root in self._plan.roots.values():
            if root.type in self._plan.types:
                self.entry(root.type)
        self._source.use("harness.field", "Path")
        return self._source.text(HEADER, self._plan.package)

    def validator(self, qualified: str) -> str:
        """Return the name of a type's function."""
        return self._source.unique_name(
            ("validate", qualified), f"validate_{identifier_of(qualified.rpartition('.')[2])}"
        )

    def entry(self, qualified: str) -> str:
        """Return the name of the function to call with an object, which converts values that are not structs first."""
        plan = self._plan.types[qualified]
        if plan.struct is not None:
            return self.validator(qualified)
        new, old = self._values.in_form("new", plan.type), self._values.in_form("old", plan.type)
        return self._source.add_once(
            "types", ("entry", qualified), f"validate_root_{identifier_of(qualified.rpartition('.')[2])}",
            lambda name: f"def {name}(op, path, new, old, options):\n"
            f"    new, old = {new}, None if old is None else {old}\n"
            f"    return {self.validator(qualified)}(op, path, new, old, options)",
        )  # fmt: skip

    def _type(self, plan: TypePlan) -> str:
        name = self.validator(plan.name)
        lines = [f"def {name}(op, path, new, old, options):", f'    """{escape_quoted(plan.name)}"""', "    errs = []"]
        if self._release.ratchets_types and plan.cohorts:
            known = "" if self._values.is_nilable(plan.type) else "old is not None and "
            same = self._equality.expression(plan.type, "new", "old")
            lines += [f"    if op is UPDATE and {known}{same}:", "        return errs"]
        fields = [paragraph for paragraph in map(self._field, plan.fields) if paragraph]
        more = bool(plan.inner or plan.fields)
        here = Operands("path", Value("new"), "old")
        group = self._group(plan.cohorts, here, "return errs", more)
        lines += indent(_comment("", plan.cohorts) if group else [])
        lines += indent(group)
        lines += indent(self._inner_calls(plan.inner, self._types.native(plan.type), here))
        if plan.fields:
            nil = self._source.runtime("NilDereferenceError")
            lines += ["    if new is None:", f"        raise {nil}({literal(plan.name)})"]
        if fields:
            lines.append("    changed = op is UPDATE and old is not None")
        for field in fields:
            lines += ["", *indent(field)]
        return "\n".join([*lines, "", "    return errs"] if fields else [*lines, "    return errs"])

    def _field(self, plan: FieldPlan) -> list[str]:
        """Return the paragraph of a field; empty if it cannot report an error, as for a field that is only optional."""
        member = plan.field
        where = path_of(member, self._plan.package)
        value = Value("v", self._values.is_nilable(member.type))
        # A path that only errors use is written in their call.
        late = self._is_guarded(plan, value)
        alone = late and self._ignores_old(plan, value)
        here = Operands(where if late else "p", value, "None" if alone else "o")
        body = [
            *self._group(plan.cohorts, here, _STOP, bool(plan.inner)),
            *self._inner_calls(plan.inner, self._types.declared(member.type), here),
        ]
        if not body:
            return []
        stops = any(_STOP in line for line in body)
        read = self._values.read(member, "old")
        same = "v == o" if self._ratchets_by_member(plan) else self._equality.expression(member.type, "v", "o")
        values = [*_comment(member.name, plan.cohorts), *self._values.assign("v", member, "new")]
        if alone and same == "v == o" and self._calls.ratchet_condition(member.type) == "changed":
            same = f"v == {add_brackets(read)}"
        else:
            values += self._values.assign("o", member, "old", unless="old is None")
        path = [] if late else [f"p = {where}"]
        if plan.inner.callee and not plan.cohorts and not self._release.ratchets_before_types:
            return [*values, *path, *body]
        # Without an old struct, nothing is ratcheted (semantics.md#4.1).
        return [
            *values,
            f"{'while' if stops else 'if'} {self._is_validated(member.type, same)}:",
            *indent(path),
            *indent(line.replace(_STOP, "break") for line in body),
            *(["    break"] if stops else []),
        ]

    def _is_validated(self, ref: TypeRef, same: str) -> str:
        """Return the condition under which the rules of a field run; `same` tells whether it is as it was."""
        return f"not ({self._calls.ratchet_condition(ref)} and {same})" if self._release.ratchets else "True"

    def _ratchets_by_member(self, plan: FieldPlan) -> bool:
        """Whether the checks of a field ratchet every member by themselves.

        Then the comparison of the whole field only saves time, and a plain one (==) is enough.
        """
        release, inner = self._release, plan.inner
        if release.ratchets_types or not (release.ratchets_only_correlated and release.ratchets_before_types):
            return False
        type_plan = self._plan.types.get(inner.callee)
        if type_plan is None or type_plan.struct is None or type_plan.cohorts or type_plan.inner:
            return False
        return not (inner.elem or inner.key) and all(map(is_optional, rules_in(plan.cohorts)))

    def _is_guarded(self, plan: FieldPlan, value: Value) -> bool:
        """Whether most objects have a value for which no call is made."""
        inner = plan.inner
        plain = not inner or (not (inner.elem or inner.key) and bool(self._guard_of_type(inner.callee, value)))
        return plain and all(self._guards.has_guard(rule, value) for rule in rules_in(plan.cohorts))

    def _ignores_old(self, plan: FieldPlan, value: Value) -> bool:
        """Whether no rule of the type or below it reads the old value."""
        if plan.inner and self._release.ratchets_types:
            return False  # the function of the type compares both values
        return all(self._guards.ignores_old(rule, value) for rule in rules_in(plan.cohorts))

    def _guard_of_type(self, name: str, value: Value) -> str:
        return self._guards.guard_of_type(self._plan.types[name], value)

    def _inner_calls(self, inner: Inner, native: TypeRef, at: Operands) -> list[str]:
        lines = []
        path, new, old = at.path, at.value.name, at.old
        if inner.callee:
            call = f"errs += {self.validator(inner.callee)}(op, {path}, {new}, {old}, options)"
            guard = self._guard_of_type(inner.callee, at.value)
            lines += [f"if {guard}:", f"    {call}"] if guard else [call]
        if inner.key:
            lines.append(f"errs += {self._calls.each_key(self.validator(inner.key), path, new, old)}")
        if inner.elem and self._calls.correlates(native, inner.identity):
            call = self._calls.each(self.validator(inner.elem), native, inner.identity, path, new, old)
            lines.append(f"errs += {call}")
        elif inner.elem:
            lines += self._items(inner.elem, native, at)
        return lines

    def _items(self, elem: str, native: TypeRef, at: Operands) -> list[str]:
        """Return the loop over items without old items."""
        assert native.elem is not None
        call = f"errs += {self.validator(elem)}(op, Path({at.path}, i), item, None, options)"
        # Null items that are not nil pointers have been replaced by zero values.
        nil = self._values.zero(native.elem) == "None"
        body = ["if item is not None:", f"    {call}"] if nil else [call]
        return [f"for i, item in enumerate({at.value.name} or ()):", *indent(body)]

    def _group(self, cohorts: Sequence[Cohort], at: Operands, stop: str, more: bool) -> list[str]:
        """Return the calls of an element's rules. `stop` is the statement that skips the rest; `more`: code follows."""
        lines: list[str] = []
        for cohort in cohorts:
            if not cohort.name:
                lines += self._cohort(cohort, at, stop, more or len(cohorts) > 1)
                continue
            body = self._cohort(cohort, at, "break", False)
            if any(line.strip() == "break" for line in body):
                body = [f"while True:  # {escape_comment(cohort.name)}", *indent(body), "    break"]
            lines += body
        return lines

    def _cohort(self, cohort: Cohort, at: Operands, stop: str, more: bool) -> list[str]:
        """Return the calls of a cohort. Without later rules to skip, no jump is written."""
        lines: list[str] = []
        one_by_one = len(cohort.stopping) == 1 or not self._release.runs_all_short_circuits
        if not (more or cohort.rest) and (len(cohort.stopping) < 2 or not one_by_one):
            lines += [line for rule in cohort.stopping for line in self._plain_call(rule, at)]
        elif one_by_one:
            for rule in cohort.stopping:
                lines += self._short_circuit_call(rule, at, stop)
        elif cohort.stopping:
            lines.append("stop = False")
            for rule in cohort.stopping:
                lines += self._short_circuit_call(rule, at, "stop = True")
            lines += ["if stop:", f"    {stop}"]
        if any(is_presence(rule) for rule in cohort.stopping):
            at = at._replace(value=Value(at.value.name, nilable=False))
        for rule in cohort.rest:
            if not rule.hidden:
                call = self._calls.call_at_level(rule, at.path, at.value.name, at.old)
                lines += self._guards.guarded(rule, at.value, [f"errs += {call}"])
        return lines

    def _plain_call(self, rule: Rule, at: Operands) -> list[str]:
        """Return the call of a rule without later rules to skip. Hidden rules are called too: they may panic on nil."""
        call = self._calls.call(rule, at.path, at.value.name, at.old)
        if not rule.hidden:
            return self._guards.guarded(rule, at.value, [f"errs += {self._calls.mark_errors(rule, call)}"])
        return [] if isinstance(rule.body, Check) else [call]

    def _short_circuit_call(self, rule: Rule, at: Operands, stop: str) -> list[str]:
        """All short-circuit rules run, even after one failed (semantics.md#S3); an optional one is a plain test."""
        if is_optional(rule):
            assert isinstance(rule.body, Check)
            test = f"not {at.value.name}" if rule.body.function is optional_value else f"{at.value.name} is None"
            return [f"if {test}:  # optional", f"    {stop}"]
        call = self._calls.call(rule, at.path, at.value.name, at.old)
        if rule.hidden:
            return [f"if {call}:", f"    {stop}"]
        if guard := self._guards.guard_of(rule, at.value):
            return [f"if {guard}:", *indent([f"errs += {self._calls.mark_errors(rule, call)}", stop])]
        return [f"if e := {call}:", f"    errs += {self._calls.mark_errors(rule, 'e')}", f"    {stop}"]


def _comment(name: str, cohorts: Iterable[Cohort]) -> list[str]:
    """Return a comment with the name of an element and its checks."""
    words = summary_of(rules_in(cohorts))
    text = ": ".join(part for part in (name, words) if part)
    return [f"# {line}" for line in textwrap.wrap(escape_comment(text), 110, break_long_words=False)] if text else []
