"""From a plan to Python source: straight-line functions that a person can read and a traceback can show.

Every value is read once and in the form its Go type has: strings, numbers and booleans with absent and null as zero;
lists and maps with empty as None; pointers as None or the value; structs as dicts, EMPTY when absent.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable, Iterable

from harness.compiler.plan import Cohort, FieldPlan, Inner, Plan, TypePlan
from harness.gotypes.model import Field, Struct, TypeRef
from harness.tags.families.requiredness import optional_pointer, optional_value
from harness.tags.release import Release
from harness.tags.rules import (
    Check,
    CheckFunction,
    EachKey,
    EachVal,
    Identity,
    Item,
    KeyOf,
    Member,
    MembersSet,
    Mode,
    Option,
    Options,
    Rule,
    Same,
    Selector,
    Show,
    Subfield,
    ValueOf,
)  # fmt: skip
from harness.tags.types import SPECIAL, Types

HEADER = '''"""Declarative validators of {package}. Generated from its types and tags: do not edit."""

from __future__ import annotations

from harness.case import Operation
{imports}

UPDATE = Operation.UPDATE
'''

_SHOW_SPECIAL = {
    "time": "show_time",
    "micro-time": "show_micro_time",
    "quantity": "show_quantity",
    "duration": "show_duration",
    "int-or-string": "show_number_or_text",
}
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


class Emitter:
    """Writes the source of one plan. Helper functions are written once, when first needed."""

    def __init__(self, plan: Plan, types: Types, release: Release | None = None) -> None:
        self._plan = plan
        self._types = types
        self._release = release or Release()
        self._names: dict[object, str] = {}
        self._taken: set[str] = set()
        self._functions: list[str] = []
        self._imports: dict[str, set[str]] = {}
        self._rules = 0
        self.custom: dict[str, CheckFunction] = {}

    def emit(self) -> str:
        """Return the whole module."""
        for type_plan in self._plan.types.values():
            self._functions.append(self._type(type_plan))
        for root in self._plan.roots.values():
            if root.type in self._plan.types:
                self.entry(root.type)
        self._use("harness.field", "Path")
        lines = [f"from {m} import {', '.join(sorted(self._imports[m]))}" for m in sorted(self._imports)]
        header = HEADER.format(package=self._plan.package, imports="\n".join(lines))
        return "\n\n".join([header.rstrip(), *self._functions]) + "\n"

    def validator(self, qualified: str) -> str:
        """Return the name of a type's function."""
        return self._named(("validate", qualified), f"validate_{qualified.rpartition('.')[2]}")

    def entry(self, qualified: str) -> str:
        """Return the name of the function to call with an object; one that is no struct is brought into form first."""
        plan = self._plan.types[qualified]
        if plan.struct is not None:
            return self.validator(qualified)
        new, old = self._in_form("new", plan.type), self._in_form("old", plan.type)
        return self._once(
            ("entry", qualified), f"validate_root_{qualified.rpartition('.')[2]}",
            lambda name: f"def {name}(op, path, new, old, options):\n"
            f"    new, old = {new}, None if old is None else {old}\n"
            f"    return {self.validator(qualified)}(op, path, new, old, options)",
        )  # fmt: skip

    # Names

    def _named(self, key: object, wanted: str) -> str:
        if key not in self._names:
            name, count = wanted, 1
            while name in self._taken:
                count += 1
                name = f"{wanted}_{count}"
            self._taken.add(name)
            self._names[key] = name
        return self._names[key]

    def _once(self, key: object, wanted: str, body: Callable[[str], str]) -> str:
        """Return the name of a helper, which is written when it is first asked for."""
        known = key in self._names
        name = self._named(key, wanted)
        if not known:
            self._functions.append(body(name))
        return name

    def _use(self, module: str, name: str) -> str:
        self._imports.setdefault(module, set()).add(name)
        self._taken.add(name)
        return name

    def _runtime(self, name: str) -> str:
        return self._use("harness.tags.runtime", name)

    # Types

    def _type(self, plan: TypePlan) -> str:
        name = self.validator(plan.name)
        lines = [f"def {name}(op, path, new, old, options):", f'    """{plan.name}"""', "    errs = []"]
        if self._release.forgives_types and plan.cohorts:
            known = "" if self._is_nilable(plan.type) else "old is not None and "
            same = self._same_expression(plan.type, "new", "old")
            lines += [f"    if op is UPDATE and {known}{same}:", "        return errs"]
        lines += _indent(self._group(plan.cohorts, "path", "new", "old", "return errs"))
        lines += _indent(self._inner(plan.inner, self._types.native(plan.type), "path", "new", "old"))
        if plan.fields:
            lines += ["    if new is None:", f'        raise {self._runtime("NilDereferenceError")}("{plan.name}")']
            lines.append("    changed = op is UPDATE and old is not None")
        for field_plan in plan.fields:
            lines += ["", *_indent(self._field(field_plan))]
        lines += ["    return errs"]
        return "\n".join(lines)

    def _field(self, plan: FieldPlan) -> list[str]:
        member = plan.field
        same = self._same_expression(member.type, "v", "o")
        read_old = self._read(member, "old")
        # Nothing is forgiven where there was no struct to hold an old value (DV 4.1).
        lines = [
            f"# {member.name}",
            f"v = {self._read(member, 'new')}",
            f"o = None if old is None else {read_old}",
            f"while not ({self._forgiven(member.type)} and {same}):",
            f"    p = {self._path(member)}",
        ]
        lines += _indent(self._group(plan.cohorts, "p", "v", "o", "break"))
        lines += _indent(self._inner(plan.inner, self._types.declared(member.type), "p", "v", "o"))
        return [*lines, "    break"]

    def _forgiven(self, ref: TypeRef) -> str:
        """Return the condition under which equal values are forgiven."""
        if self._release.forgives_only_correlated or not self._is_nilable(ref):
            return "changed"
        return "op is UPDATE"

    def _is_nilable(self, ref: TypeRef) -> bool:
        return self._types.native(ref).kind in ("pointer", "list", "map", "interface")

    def _path(self, member: Field) -> str:
        if not _at_parent(member):
            return f"Path(path, {_literal('.' + member.json_name)})"
        # DV S22: upstream invents a first path element where a root's member has none.
        return f"Path(path, {_literal(self._type_word(member.type))}) if path.is_root else path"

    def _type_word(self, ref: TypeRef) -> str:
        """Return the name of a type as it stands in generated code: behind the alias of its package elsewhere."""
        if ref.kind == "pointer" and ref.elem is not None:
            return self._type_word(ref.elem)
        if ref.kind == "list" and ref.elem is not None:
            return f"[]{self._type_word(ref.elem)}"
        if ref.kind == "map" and ref.elem is not None and ref.key is not None:
            return f"map[{self._type_word(ref.key)}]{self._type_word(ref.elem)}"
        package, _, name = ref.name.rpartition(".")
        if ref.kind != "named" or package == self._plan.package:
            return name or str(ref)
        return f"{_import_alias(package, self._plan.package)}.{name}"

    def _inner(self, inner: Inner, native: TypeRef, path: str, new: str, old: str) -> list[str]:
        lines = []
        if inner.callee:
            lines.append(f"errs += {self.validator(inner.callee)}(op, {path}, {new}, {old}, options)")
        if inner.key:
            lines.append(f"errs += {self._each_key(self.validator(inner.key), path, new, old)}")
        if inner.elem:
            call = self._each(self.validator(inner.elem), native, inner.identity, path, new, old)
            lines.append(f"errs += {call}")
        return lines

    # Rules of one element

    def _group(self, cohorts: Iterable[Cohort], path: str, new: str, old: str, stop: str) -> list[str]:
        lines: list[str] = []
        for cohort in cohorts:
            if not cohort.name:
                lines += self._cohort(cohort, path, new, old, stop)
            elif not cohort.stopping:
                lines += self._cohort(cohort, path, new, old, "break")
            else:
                body = self._cohort(cohort, path, new, old, "break")
                end = [] if body[-1].strip() == "break" and not body[-1].startswith(" ") else ["    break"]
                lines += [f"while True:  # {cohort.name}", *_indent(body), *end]
        return lines

    def _cohort(self, cohort: Cohort, path: str, new: str, old: str, stop: str) -> list[str]:
        lines: list[str] = []
        if len(cohort.stopping) == 1 or not self._release.all_stops_run:
            for rule in cohort.stopping:
                lines += self._stopping(rule, path, new, old, stop)
        elif cohort.stopping:
            lines.append("stop = False")
            for rule in cohort.stopping:
                lines += self._stopping(rule, path, new, old, "stop = True")
            lines += ["if stop:", f"    {stop}"]
        for rule in cohort.rest:
            if not rule.ne:
                lines.append(f"errs += {self._leveled(rule, path, new, old)}")
        return lines

    def _stopping(self, rule: Rule, path: str, new: str, old: str, stop: str) -> list[str]:
        """All short-circuit rules run, even after one failed (DV S3); an optional one is a plain test."""
        if isinstance(rule.body, Check) and rule.body.function in (optional_value, optional_pointer):
            test = f"not {new}" if rule.body.function is optional_value else f"{new} is None"
            return [f"if {test}:  # optional", f"    {stop}"]
        call = self._call(rule, path, new, old)
        if rule.ne:
            return [f"if {call}:", f"    {stop}"]
        return [f"if e := {call}:", f"    errs += {self._marked(rule)}", f"    {stop}"]

    def _marked(self, rule: Rule) -> str:
        level = f", {rule.level!r}" if rule.level else ""
        if self._release.marks_short_circuits:
            return f"{self._runtime('stopping')}(e{level})"
        return f"{self._runtime('at_level')}(e{level})" if level else "e"

    def _leveled(self, rule: Rule, path: str, new: str, old: str) -> str:
        call = self._call(rule, path, new, old)
        return f"{self._runtime('at_level')}({call}, {rule.level!r})" if rule.level else call

    # Calls

    def _call(self, rule: Rule, path: str, new: str, old: str) -> str:
        body = rule.body
        if isinstance(body, Check):
            function = body.function
            if body.custom:
                self.custom[body.custom] = function
                return f"{body.custom}(op, {path}, {new}, {old})"
            name = self._use(function.__module__, function.__name__)
            args = "".join(f", {self._argument(arg)}" for arg in body.args)
            return f"{name}(op, {path}, {new}, {old}{args})"
        if isinstance(body, EachVal):
            return self._each(self._function(body.rule), body.list_type, body.identity, path, new, old)
        if isinstance(body, EachKey):
            return self._each_key(self._function(body.rule), path, new, old)
        if isinstance(body, Item):
            self._use("harness.tags.families.item", "one_item")
            elem = body.selector.elem
            args = f"{self._function(body.rule)}, {self._matches(body.selector)}, {self._same(elem)}"
            return f"one_item(op, {path}, {new}, {old}, options, {args})"
        return f"{self._function(rule)}(op, {path}, {new}, {old}, options)"

    def _function(self, rule: Rule) -> str:
        """Return the name of a function (op, path, new, old, options) that runs a rule."""
        self._rules += 1
        name = self._named(("rule", self._rules), f"rule_{self._rules}")
        lines = [f"def {name}(op, path, new, old, options):"]
        body = rule.body
        if isinstance(body, Option):
            lines += self._option(body)
        elif isinstance(body, Subfield):
            lines += self._subfield(body)
        elif isinstance(body, Mode):
            lines += self._mode(body)
        else:
            lines.append(f"    return {self._leveled(rule, 'path', 'new', 'old')}")
            self._functions.append("\n".join(lines))
            return name
        self._functions.append("\n".join(lines))
        if not rule.level:
            return name
        marked = f"{name}_{rule.level}"
        at_level = self._runtime("at_level")
        self._functions.append(
            f"def {marked}(op, path, new, old, options):\n"
            f"    return {at_level}({name}(op, path, new, old, options), {rule.level!r})"
        )
        return marked

    def _option(self, body: Option) -> list[str]:
        call = self._leveled(body.rule, "path", "new", "old")
        if self._release.undefined_options_are_off:
            state = f"options.get({_literal(body.name)}, False)"
            return [f"    return {call} if {state} is {body.wanted} else []"]
        undefined = self._use("harness.tags.families.options", "undefined_option")
        return [
            f"    state = options.get({_literal(body.name)})",
            "    if state is None:",
            f"        return {undefined}(path, {_literal(body.name)})",
            f"    return {call} if state is {body.wanted} else []",
        ]

    def _subfield(self, body: Subfield) -> list[str]:
        member = body.member
        known = "" if self._forgiven(member.type) == "op is UPDATE" else "old is not None and "
        return [
            *self._no_nil(),
            f"    v = {self._read(member, 'new')}",
            f"    o = None if old is None else {self._read(member, 'old')}",
            f"    if op is UPDATE and {known}{self._same_expression(member.type, 'v', 'o')}:",
            "        return []",
            f"    p = {self._path(member)}",
            f"    return {self._leveled(body.rule, 'p', 'v', 'o')}",
        ]

    def _no_nil(self) -> list[str]:
        return ["    if new is None:", f"        raise {self._runtime('NilDereferenceError')}"]

    def _mode(self, body: Mode) -> list[str]:
        member, by = body.member, body.discriminator
        lines = [
            *self._no_nil(),
            f"    v = {self._read(member, 'new')}",
            f"    o = None if old is None else {self._read(member, 'old')}",
            f"    mode = {self._read(by, 'new')}",
            f"    if op is UPDATE and old is not None and mode == ({self._read(by, 'old')}) "
            f"and {self._same_expression(member.type, 'v', 'o')}:",
            "        return []",
            f"    p = {self._path(member)}",
            "    errs = []",
        ]
        for value, rules in body.rules:
            lines += [f"    if mode == {value!r}:", *_indent(self._mode_rules(rules), 2), "        return errs"]
        return [*lines, f"    return {self._leveled(body.otherwise, 'p', 'v', 'o')}"]

    def _mode_rules(self, rules: tuple[Rule, ...]) -> list[str]:
        """Rules keep their order; after the last short-circuit one, stop if any of them failed (DV S10)."""
        stopping = [index for index, rule in enumerate(rules) if rule.sc]
        lines = ["stop = False"] if stopping else []
        for index, rule in enumerate(rules):
            if not rule.sc:
                lines.append(f"errs += {self._leveled(rule, 'p', 'v', 'o')}")
                continue
            keep = [] if rule.ne else ["    errs += e"]
            lines += [f"if e := {self._leveled(rule, 'p', 'v', 'o')}:", *keep, "    stop = True"]
            if index == stopping[-1]:
                lines += ["if stop:", "    return errs"]
        return lines

    def _each(self, function: str, native: TypeRef, which: Identity | None, path: str, new: str, old: str) -> str:
        assert native.elem is not None
        zero = self._zero(native.elem)
        if native.kind == "map":
            self._use("harness.tags.families.each", "each_value")
            return f"each_value(op, {path}, {new}, {old}, options, {function}, {self._same(native.elem)}, {zero})"
        self._use("harness.tags.families.each", "each_item")
        key, same = "None", "None"
        if which is not None and which.semantic != "atomic" and not (which.semantic == "map" and not which.keys):
            key = self._key(which)
            same = self._same(native.elem) if which.semantic == "map" else "None"
        return f"each_item(op, {path}, {new}, {old}, options, {function}, {key}, {same}, {zero})"

    def _each_key(self, function: str, path: str, new: str, old: str) -> str:
        self._use("harness.tags.families.each", "each_key")
        return f"each_key(op, {path}, {new}, {old}, options, {function})"

    # Arguments

    def _argument(self, arg: object) -> str:
        if isinstance(arg, KeyOf):
            return self._key(arg.identity)
        if isinstance(arg, Show):
            return self._show(arg.type) if arg.quoted else self._render(self._types.declared(arg.type))
        if isinstance(arg, Same):
            return self._same(arg.type)
        if isinstance(arg, Options):
            return f"{self._runtime('Lenient')}(options)" if self._release.undefined_options_are_off else "options"
        if isinstance(arg, MembersSet):
            return self._members_set(arg.members)
        if isinstance(arg, ValueOf):
            return self._once(
                ("value", arg), f"value_of_{_word(arg.field.json_name)}",
                lambda name: f"def {name}(v):\n    return None if v is None else {self._read(arg.field, 'v')}",
            )  # fmt: skip
        return _literal(arg)

    def _members_set(self, members: tuple[Member, ...]) -> str:
        def body(name: str) -> str:
            tests = [self._is_set(member) for member in members]
            unset = ", ".join("False" for _ in members)
            return f"def {name}(v):\n    if v is None:\n        return ({unset},)\n    return ({', '.join(tests)},)"

        return self._once(("set", members), f"set_of_{_word(members[0].label)}", body)

    def _is_set(self, member: Member) -> str:
        if member.selector is not None:
            return f"any({self._matches(member.selector)}(i) for i in v)"
        assert member.field is not None
        read = self._read(member.field, "v")
        if self._release.older_unions and self._types.native(member.field.type).kind in ("list", "map"):
            return f"v.get({_literal(member.field.json_name)}) is not None"
        return f"({read}) is not None" if self._types.is_pointer(member.field.type) else f"bool({read})"

    def _matches(self, selector: Selector) -> str:
        def body(name: str) -> str:
            struct = self._types.struct(selector.elem)
            assert struct is not None
            tests = []
            for key, value in selector.keys:
                member = self._types.member(struct, key)
                assert member is not None
                tests.append(f"({self._read(member, 'v')}) == {_literal(value)}")
            return f"def {name}(v):\n    return v is not None and {' and '.join(tests)}"

        return self._once(("matches", selector), "is_" + _word("_".join(str(v) for _, v in selector.keys)), body)

    def _key(self, which: Identity) -> str:
        if which.semantic == "set":
            if self._types.kind(which.elem) in ("string", "bool", "integer", "float"):
                return self._runtime("itself")
            return self._form(which.elem)
        struct = self._types.struct(which.elem)
        assert struct is not None

        def body(name: str) -> str:
            members = [self._types.member(struct, key) for key in which.keys]
            reads = [self._read(member, "v") for member in members if member is not None]
            return f"def {name}(v):\n    return ({', '.join(reads)},)"

        wanted = f"key_of_{struct.name}_by_{_word('_'.join(which.keys))}"
        return self._once(("key", str(which.elem), which.keys), wanted, body)

    # Values

    def _read(self, member: Field, holder: str) -> str:
        """Return the expression that reads a member from the dict of its struct."""
        if member.json_ignored:
            return self._zero(member.type)
        if member.embedded and member.inline:
            if not self._types.is_pointer(member.type):
                return holder
            keys = self._data_names(member.type)
            return f"(None if {_literal(frozenset(keys))}.isdisjoint({holder}) else {holder})"
        name = member.json_name or member.name
        return self._in_form(f"{holder}.get({_literal(name)})", member.type)

    def _data_names(self, ref: TypeRef, depth: int = 0) -> set[str]:
        struct = self._types.struct(ref)
        names: set[str] = set()
        for member in struct.fields if struct and depth < 8 else ():
            if member.embedded and member.inline:
                names |= self._data_names(member.type, depth + 1)
            else:
                names.add(member.json_name or member.name)
        return names

    def _in_form(self, raw: str, ref: TypeRef) -> str:
        native = self._types.native(ref)
        if native.kind == "builtin":
            return f"{raw} or {self._zero(ref)}"
        if native.kind == "list" and self._is_bytes(native):
            return f"{self._runtime('read_bytes')}({raw})"
        if native.kind in ("list", "map") and native.elem is not None and self._zero(native.elem) != "None":
            return f"{self._runtime(f'read_{native.kind}')}({raw}, {self._zero(native.elem)})"
        if native.kind == "named" and native.name not in SPECIAL:
            return f"{raw} or {self._runtime('EMPTY')}"
        return raw

    def _is_bytes(self, native: TypeRef) -> bool:
        return native.elem is not None and self._types.native(native.elem).name == "uint8"

    def _zero(self, ref: TypeRef) -> str:
        native = self._types.native(ref)
        if native.kind == "builtin":
            return {"string": '""', "bool": "False"}.get(native.name, "0")
        if native.kind == "named" and native.name not in SPECIAL:
            return self._runtime("EMPTY")
        return "None"

    # Equality

    def _same_expression(self, ref: TypeRef, a: str, b: str) -> str:
        inner = self._types.value(ref)
        if inner.kind == "builtin":
            return f"{a} == {b}"
        return f"({a} is {b} or {self._same(ref)}({a}, {b}))"

    def _same(self, ref: TypeRef) -> str:
        """Return the name of the function that compares two values of a type as Go would (DV 4.2)."""
        inner = self._types.value(ref)
        if inner.kind == "builtin":
            return self._runtime("same_plain")
        if inner.kind == "named" and inner.name in SPECIAL:
            return self._runtime(_SAME_SPECIAL[SPECIAL[inner.name]])
        if inner.kind == "list" and self._is_bytes(inner):
            return self._runtime("same_bytes")
        if inner.kind in ("list", "map") and inner.elem is not None:
            word = _word(str(inner.elem).rpartition(".")[2])
            return self._once(("same", str(inner)), f"same_{inner.kind}_of_{word}", lambda n: self._same_many(n, inner))
        struct = self._types.struct(inner)
        if struct is None:
            return self._runtime("same_json")
        return self._once(("same", struct.qualified), f"same_{struct.name}", lambda n: self._same_struct(n, inner))

    def _same_many(self, name: str, inner: TypeRef) -> str:
        assert inner.elem is not None
        helper = self._runtime("same_items" if inner.kind == "list" else "same_values")
        same, zero = self._same(inner.elem), self._zero(inner.elem)
        return f"def {name}(a, b):\n    return a == b or {helper}(a, b, {same}, {zero})"

    def _same_struct(self, name: str, inner: TypeRef) -> str:
        struct = self._types.struct(inner)
        assert struct is not None
        tests = []
        for member in struct.fields:
            if member.exported and not member.json_ignored:
                a, b = f"({self._read(member, 'a')})", f"({self._read(member, 'b')})"
                plain = self._types.native(member.type).kind == "builtin"
                tests.append(f"{a} == {b}" if plain else f"{self._same(member.type)}({a}, {b})")
        joined = "\n        and ".join(tests) or "True"
        return (
            f"def {name}(a, b):\n    if a == b:\n        return True\n"
            f"    if a is None or b is None:\n        return False\n    return (\n        {joined}\n    )"
        )

    def _form(self, ref: TypeRef) -> str:
        """Return the name of the function that gives equal values one hashable form, and others another."""
        inner = self._types.value(ref)
        struct = self._types.struct(inner)
        if inner.kind == "list" and self._is_bytes(inner):
            return self._runtime("form_of_bytes")
        if inner.kind in ("list", "map") and inner.elem is not None:
            helper = self._runtime(f"form_of_{inner.kind}")
            elem, zero = self._form(inner.elem), self._zero(inner.elem)
            return self._once(
                ("form", str(inner)), f"form_of_{inner.kind}_of_{_word(str(inner.elem).rpartition('.')[2])}",
                lambda name: f"def {name}(v):\n    return {helper}(v, {elem}, {zero})",
            )  # fmt: skip
        if struct is not None:
            key = ("form", struct.qualified)
            return self._once(key, f"form_of_{struct.name}", lambda name: self._form_body(name, struct))
        if inner.kind == "builtin":
            return self._runtime("itself")
        return self._runtime(_FORM_SPECIAL.get(SPECIAL.get(inner.name, "any"), "form_of_json"))

    def _form_body(self, name: str, struct: Struct) -> str:
        parts = [
            f"{self._form(member.type)}({self._read(member, 'v')})"
            for member in struct.fields
            if member.exported and not member.json_ignored
        ]
        return f"def {name}(v):\n    return None if v is None else ({''.join(f'{part}, ' for part in parts)})"

    # Rendering

    def _show(self, ref: TypeRef) -> str:
        """Return the name of the function that renders a value in an error's text (DV 6.4)."""
        declared = self._types.declared(ref)
        while declared.kind == "pointer" and declared.elem is not None:
            declared = self._types.declared(declared.elem)
        if declared.kind == "builtin" and declared.name == "string":
            return self._use("harness.field", "quote")
        return self._render(declared)

    def _render(self, ref: TypeRef) -> str:
        inner = self._types.value(ref)
        struct = self._types.struct(inner)
        if struct is None and inner.kind not in ("list", "map"):
            return self._runtime(_SHOW_SPECIAL.get(SPECIAL.get(inner.name, ""), "show_json"))
        if struct is None and self._is_bytes(inner):
            return self._runtime("show_bytes")
        word = struct.name if struct else f"{inner.kind}_{_word(str(inner.elem).rpartition('.')[2])}"
        key = ("show", struct.qualified if struct else str(inner))
        return self._once(key, f"show_{word}", lambda name: self._render_body(name, inner))

    def _render_body(self, name: str, inner: TypeRef) -> str:
        if inner.kind in ("list", "map") and inner.elem is not None:
            helper = self._runtime(f"show_{inner.kind}")
            return f"def {name}(v):\n    return {helper}(v, {self._render(inner.elem)})"
        lines = [
            f"def {name}(v):",
            "    out = []",
            *_indent(self._render_members(inner)),
            '    return "{" + ",".join(out) + "}"',
        ]
        return "\n".join(lines)

    def _render_members(self, inner: TypeRef) -> list[str]:
        """Write members as encoding/json does: in order, `omitempty` leaving out all but structs."""
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
            raw = f"v.get({_literal(name)})"
            read = raw if native.kind == "pointer" else self._read(member, "v")
            text = f"out.append({_literal(json.dumps(name) + ':')} + {self._rendered(member.type, 'x')})"
            if member.omitempty and native.kind != "named":
                test = "x is not None" if native.kind in ("pointer", "interface") else "x"
                lines += [f"x = {read}", f"if {test}:", f"    {text}"]
            else:
                lines += [f"x = {read}", text]
        return lines

    def _rendered(self, ref: TypeRef, value: str) -> str:
        native = self._types.native(ref)
        render = self._render(ref)
        if native.kind == "pointer":
            return f"{self._runtime('show_pointer')}({value}, {render})"
        return f"{render}({value})"


_IMPORTED = ("context", "equality", "field", "fmt", "operation", "safe", "sets", "validate")
"""What every generated file may import: names that no other package gets."""


def _import_alias(package: str, within: str) -> str:
    """Return the name under which generated Go imports a package: its last parts, as many as make it unlike others."""
    parts, name = package.split("/"), ""
    for count in range(1, len(parts) + 1):
        name = re.sub("[_.-]", "", "".join(parts[-count:]))
        if name != within.rpartition("/")[2] and name not in _IMPORTED:
            break
    return name


def _at_parent(member: Field) -> bool:
    return (member.inline and not _has_own_name(member)) or member.json_ignored


def _has_own_name(member: Field) -> bool:
    # `json:"x,inline"` is still at .x (DV 2.3)
    return bool(member.json_name) and not member.embedded


def _literal(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, frozenset):
        return "{" + ", ".join(json.dumps(v) for v in sorted(value)) + "}"
    if isinstance(value, tuple):
        return "(" + "".join(f"{_literal(v)}, " for v in value).strip() + ")"
    return repr(value)


def _word(text: str) -> str:
    word = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_") or "it"
    return f"{word}_" if keyword.iskeyword(word) else word


def _indent(lines: Iterable[str], depth: int = 1) -> list[str]:
    return ["    " * depth + line if line else line for line in lines]
