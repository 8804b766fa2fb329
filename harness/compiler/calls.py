"""Writes the expression that calls a rule, with the functions, paths and arguments that it needs.

Source: semantics.md#2.3, #2.4, #3.3, #3.4.
"""

from __future__ import annotations

import re
from dataclasses import replace

from harness.compiler.equality import Equality
from harness.compiler.naming import name_of
from harness.compiler.rendering import Rendering
from harness.compiler.source import Source, add_brackets, identifier_of, indent, literal
from harness.compiler.values import Values
from harness.gotypes.model import Field, TypeRef
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
    is_subresource,
)  # fmt: skip


class Calls:
    """Writes calls of rules. `custom` collects the handwritten functions that are called."""

    def __init__(self, values: Values, equality: Equality, source: Source, release: Release, package: str) -> None:
        self._values = values
        self._types = values.types
        self._equality = equality
        self._rendering = Rendering(values, source)
        self._source = source
        self._release = release
        self._package = package
        self.custom: dict[str, CheckFunction] = {}

    def mark_errors(self, rule: Rule, errors: str) -> str:
        """Return the expression that marks errors as those of a short-circuit rule, and with the level of the rule."""
        level = f", {rule.level!r}" if rule.level else ""
        if self._release.marks_short_circuits:
            return f"{self._source.runtime('stopping')}({errors}{level})"
        return f"{self._source.runtime('at_level')}({errors}{level})" if level else errors

    def call_at_level(self, rule: Rule, path: str, new: str, old: str) -> str:
        """Return the call of a rule, with its errors marked with its level."""
        call = self.call(rule, path, new, old)
        return f"{self._source.runtime('at_level')}({call}, {rule.level!r})" if rule.level else call

    def call(self, rule: Rule, path: str, new: str, old: str) -> str:
        """Return the call of a rule."""
        body = rule.body
        if isinstance(body, Check):
            name, function = body.custom, body.function
            if name:
                self.custom[name] = function
            else:
                name = self._source.use(function.__module__, function.__name__)
            args = "".join(f", {self._argument(arg)}" for arg in body.args)
            return f"{name}(op, {path}, {new}, {old}{args})"
        if isinstance(body, EachVal):
            return self.each(self._function(body.rule), body.list_type, body.identity, path, new, old)
        if isinstance(body, EachKey):
            return self.each_key(self._function(body.rule), path, new, old)
        if isinstance(body, Item):
            self._source.use("harness.tags.families.item", "one_item")
            elem = body.selector.elem
            args = f"{self._function(body.rule)}, {self._matches(body.selector)}, {self._equality.same(elem)}"
            return f"one_item(op, {path}, {new}, {old}, options, {args})"
        return f"{self._function(replace(rule, level=''))}(op, {path}, {new}, {old}, options)"

    def _function(self, rule: Rule) -> str:
        """Return the name of a function (op, path, new, old, options) that runs a rule."""
        rule = Rule(rule.body, level=rule.level)
        return self._source.add_once(
            "rules", ("rule", rule), identifier_of(name_of(rule)), lambda name: self._body(name, rule)
        )

    def _body(self, name: str, rule: Rule) -> str:
        lines = [f"def {name}(op, path, new, old, options):"]
        body = rule.body
        if rule.level or not isinstance(body, Option | Subfield | Mode):
            lines.append(f"    return {self.call_at_level(rule, 'path', 'new', 'old')}")
        elif isinstance(body, Option):
            lines += self._option(body)
        elif isinstance(body, Subfield):
            lines += self._subfield(body)
        else:
            lines += self._mode(body)
        return "\n".join(lines)

    def _option(self, body: Option) -> list[str]:
        call = self.call_at_level(body.rule, "path", "new", "old")
        if self._release.undefined_options_are_off or is_subresource(body.name):
            state = f"options.get({literal(body.name)}, False)"
            return [f"    return {call} if {state} is {body.wanted} else []"]
        undefined = self._source.use("harness.tags.families.options", "undefined_option")
        return [
            f"    state = options.get({literal(body.name)})",
            "    if state is None:",
            f"        return {undefined}(path, {literal(body.name)})",
            f"    return {call} if state is {body.wanted} else []",
        ]

    def _subfield(self, body: Subfield) -> list[str]:
        member = body.member
        known = "" if self.ratchet_condition(member.type) == "op is UPDATE" else "old is not None and "
        return [
            *self._no_nil(),
            f"    v = {self._values.read(member, 'new')}",
            f"    o = None if old is None else {self._values.read(member, 'old')}",
            f"    if op is UPDATE and {known}{self._equality.expression(member.type, 'v', 'o')}:",
            "        return []",
            f"    p = {path_of(member, self._package)}",
            f"    return {self.call_at_level(body.rule, 'p', 'v', 'o')}",
        ]

    def _no_nil(self) -> list[str]:
        return ["    if new is None:", f"        raise {self._source.runtime('NilDereferenceError')}"]

    def _mode(self, body: Mode) -> list[str]:
        member, by = body.member, body.discriminator
        lines = [
            *self._no_nil(),
            f"    v = {self._values.read(member, 'new')}",
            f"    o = None if old is None else {self._values.read(member, 'old')}",
            f"    mode = {self._values.read(by, 'new')}",
            f"    if op is UPDATE and old is not None and mode == {add_brackets(self._values.read(by, 'old'))} "
            f"and {self._equality.expression(member.type, 'v', 'o')}:",
            "        return []",
            f"    p = {path_of(member, self._package)}",
            "    errs = []",
        ]
        for value, rules in body.rules:
            lines += [f"    if mode == {literal(value)}:", *indent(self._mode_rules(rules), 2), "        return errs"]
        return [*lines, f"    return {self.call_at_level(body.otherwise, 'p', 'v', 'o')}"]

    def _mode_rules(self, rules: tuple[Rule, ...]) -> list[str]:
        """Return the lines that run rules in order, until all short-circuits ran and one failed (semantics.md#S10)."""
        stopping = [index for index, rule in enumerate(rules) if rule.short_circuits]
        lines = ["stop = False"] if stopping else []
        for index, rule in enumerate(rules):
            if not rule.short_circuits:
                lines.append(f"errs += {self.call_at_level(rule, 'p', 'v', 'o')}")
                continue
            keep = [] if rule.hidden else ["    errs += e"]
            lines += [f"if e := {self.call_at_level(rule, 'p', 'v', 'o')}:", *keep, "    stop = True"]
            if index == stopping[-1]:
                lines += ["if stop:", "    return errs"]
        return lines

    def correlates(self, native: TypeRef, which: Identity | None) -> bool:
        """Whether each new item of a list or value of a map is compared with an old one."""
        if native.kind == "map":
            return True
        return which is not None and (which.semantic == "set" or bool(which.semantic == "map" and which.keys))

    def each(self, function: str, native: TypeRef, which: Identity | None, path: str, new: str, old: str) -> str:
        """Return the call that runs a function for every item of a list or value of a map."""
        assert native.elem is not None
        zero = self._values.zero(native.elem)
        if native.kind == "map":
            self._source.use("harness.tags.families.each", "each_value")
            return (
                f"each_value(op, {path}, {new}, {old}, options, {function}, {self._equality.same(native.elem)}, {zero})"
            )
        self._source.use("harness.tags.families.each", "each_item")
        key, same = "None", "None"
        if which is not None and self.correlates(native, which):
            key = self._equality.key(which)
            same = self._equality.same(native.elem) if which.semantic == "map" else "None"
        return f"each_item(op, {path}, {new}, {old}, options, {function}, {key}, {same}, {zero})"

    def each_key(self, function: str, path: str, new: str, old: str) -> str:
        """Return the call that runs a function for every key of a map."""
        self._source.use("harness.tags.families.each", "each_key")
        return f"each_key(op, {path}, {new}, {old}, options, {function})"

    def _argument(self, arg: object) -> str:
        if isinstance(arg, KeyOf):
            return self._equality.key(arg.identity)
        if isinstance(arg, Show):
            return (
                self._rendering.show(arg.type) if arg.quoted else self._rendering.render(self._types.declared(arg.type))
            )
        if isinstance(arg, Same):
            return self._equality.same(arg.type)
        if isinstance(arg, Options):
            return (
                f"{self._source.runtime('Lenient')}(options)" if self._release.undefined_options_are_off else "options"
            )
        if isinstance(arg, MembersSet):
            return self._members_set(arg.members)
        if isinstance(arg, ValueOf):
            return self._source.add_once(
                "parts", ("value", arg), f"value_of_{identifier_of(arg.field.json_name)}",
                lambda name: f"def {name}(v):\n    return None if v is None else {self._values.read(arg.field, 'v')}",
            )  # fmt: skip
        return literal(arg)

    def _members_set(self, members: tuple[Member, ...]) -> str:
        def body(name: str) -> str:
            tests = [self._is_set(member) for member in members]
            unset = ", ".join("False" for _ in members)
            return f"def {name}(v):\n    if v is None:\n        return ({unset},)\n    return ({', '.join(tests)},)"

        return self._source.add_once("parts", ("set", members), f"set_of_{identifier_of(members[0].label)}", body)

    def _is_set(self, member: Member) -> str:
        if member.selector is not None:
            return f"any({self._matches(member.selector)}(i) for i in v)"
        assert member.field is not None
        read = self._values.read(member.field, "v")
        if self._release.has_older_unions and self._types.native(member.field.type).kind in ("list", "map"):
            return f"v.get({literal(member.field.json_name)}) is not None"
        return f"{add_brackets(read)} is not None" if self._types.is_pointer(member.field.type) else f"bool({read})"

    def _matches(self, selector: Selector) -> str:
        def body(name: str) -> str:
            struct = self._types.struct(selector.elem)
            assert struct is not None
            tests = []
            for key, value in selector.keys:
                member = self._types.member(struct, key)
                assert member is not None
                tests.append(f"{add_brackets(self._values.read(member, 'v'))} == {literal(value)}")
            return f"def {name}(v):\n    return v is not None and {' and '.join(tests)}"

        return self._source.add_once(
            "parts", ("matches", selector), "is_" + identifier_of("_".join(str(v) for _, v in selector.keys)), body
        )

    def ratchet_condition(self, ref: TypeRef) -> str:
        """Return the condition, besides equality, under which the rules of a value are skipped in an update."""
        if self._release.ratchets_only_correlated or not self._values.is_nilable(ref):
            return "changed"
        return "op is UPDATE"


def path_of(member: Field, package: str) -> str:
    """Return the expression for a member's path from the `path` of its struct. `package` is the compiled one."""
    if not _shares_parent_path(member):
        return f"Path(path, {literal('.' + member.json_name)})"
    # semantics.md#S22: if a member of a root has no path element, upstream uses the name of its type.
    return f"Path(path, {literal(_type_name(member.type, package))}) if path.is_root else path"


def _shares_parent_path(member: Field) -> bool:
    return (member.inline and not _has_own_name(member)) or member.json_ignored


def _has_own_name(member: Field) -> bool:
    # `json:"x,inline"` is still at .x (semantics.md#2.3)
    return bool(member.json_name) and not member.embedded


def _type_name(ref: TypeRef, package: str) -> str:
    """Return the name of a type in generated Go code, with the import alias of another package."""
    if ref.kind == "pointer" and ref.elem is not None:
        return _type_name(ref.elem, package)
    if ref.kind == "list" and ref.elem is not None:
        return f"[]{_type_name(ref.elem, package)}"
    if ref.kind == "map" and ref.elem is not None and ref.key is not None:
        return f"map[{_type_name(ref.key, package)}]{_type_name(ref.elem, package)}"
    home, _, name = ref.name.rpartition(".")
    if ref.kind != "named" or home == package:
        return name or str(ref)
    return f"{_import_alias(home, package)}.{name}"


_IMPORTED = ("context", "equality", "field", "fmt", "operation", "safe", "sets", "validate")
"""Aliases of the packages that every generated file may import; other packages get another alias."""


def _import_alias(package: str, within: str) -> str:
    """Return the import alias of a package in generated Go: its last part, with the parts before it until unique."""
    parts, name = package.split("/"), ""
    for count in range(1, len(parts) + 1):
        name = re.sub("[_.-]", "", "".join(parts[-count:]))
        if name != within.rpartition("/")[2] and name not in _IMPORTED:
            break
    return name
