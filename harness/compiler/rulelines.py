"""Finds the tag whose rule reports an error, by the path, the type and the origin of the error.

Types are read when an error leads to them, so that a few findings do not compile a whole API, and a package with a
mistake in another type still tells where its rules are. What a tag means is asked of the tag: a rule is found as the
compiler makes it, wherever it is declared: on the field, on the type of the field, or on a field further out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from harness.compiler.build import Builder, OwnRules
from harness.compiler.emissions import DeclaredError, ErrorPlace, errors_of_rule
from harness.compiler.fieldroles import FieldRoles
from harness.diagnostics import Position
from harness.field import FieldError
from harness.gotypes.model import Field, Struct, TypeRef
from harness.jsonpath import ITEMS, join, pattern_of
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.families.custom import CUSTOM_VALIDATION
from harness.tags.registry import ALL_SPECS
from harness.tags.release import Release
from harness.tags.rules import Check, Rule
from harness.tags.types import Declarations, Types

_TAG = re.compile(r"\+([\w:]+)")


class RuleLine(NamedTuple):
    """Where a tag is: its position, the import path of its package, its name, and the text of its line.

    `option` is the option under which the tag is declared, and whether the option has to be on.
    """

    position: Position
    package: str
    tag: str
    option: tuple[str, bool] | None = None
    text: str = ""


class _TypeErrors(NamedTuple):
    """The errors of the rules of one type and of its fields, by path from there on and type; see `OwnRules`.

    `custom` are the tags for handwritten functions, by path.
    """

    errors: dict[tuple[str, str], list[DeclaredError]]
    custom: dict[str, Position]
    closed: frozenset[str]


class RuleLines:
    """The tags of an API, for one release. `roles` says what its fields are to the rules around them."""

    def __init__(self, declarations: Declarations, release: Release) -> None:
        self._declarations, self._release = declarations, release
        self._types = Types(declarations)
        self.roles = FieldRoles(declarations, release)
        self._errors_of = lru_cache(maxsize=None)(self._read)

    def find(
        self,
        root: str,
        path: str,
        error: FieldError,
        options: Mapping[str, bool] = MappingProxyType({}),
        meant: Sequence[str] = (),
    ) -> RuleLine | None:
        """Return the tag whose rule reports an error at a path of a type; `options` are the validation options.

        Of several rules it is the one whose option, level and limit the error has, and of those the one nearest to the
        value. An error without an origin is taken for one of a rule that is known by the type alone. Where several tags
        are one rule, the detail of the error or its path tells which of them it is about, or else the members that are
        `meant`.
        """
        steps = pattern_of(path)
        known = [
            (found, name)
            for index, name in reversed(list(self._types_along(TypeRef("named", root), steps, 0, frozenset())))
            for found in self._errors_of(name).errors.get((reduce(join, steps[index:], ""), error.type), ())
        ]
        of_origin = [one for one in known if one[0].origin == error.origin]
        if not of_origin and not error.origin:
            of_origin = [one for one in known if ALL_SPECS[one[0].tag].matches_without_origin and one[0].declared]
        if not of_origin:
            return None
        found, name = max(of_origin, key=lambda one: _likeness(one[0], error, options))
        of_member = next((found.parts[one] for one in meant if one in found.parts), found.position)
        position = found.parts.get(error.detail) or _part_at(found, steps) or of_member
        if not position.line:
            return None
        text = self._text_on(name, position)
        return RuleLine(position, name.rpartition(".")[0], _tag_in(text, found), found.option, text)

    def _text_on(self, name: str, position: Position) -> str:
        """Return the line of a comment of a type or its fields."""
        declared = self._types.find(name)
        members = declared.fields if isinstance(declared, Struct) else ()
        lines = chain(
            declared.comments if declared is not None else (),
            *((*member.comments, *member.second_comments) for member in members),
        )
        return next((line.text.strip() for line in lines if line.position.line == position.line), "")

    def find_custom(self, root: str, path: str) -> RuleLine | None:
        """Return the tag that has a handwritten function check the value at a path; it may report any error."""
        steps = pattern_of(path)
        for index, name in reversed(list(self._types_along(TypeRef("named", root), steps, 0, frozenset()))):
            position = self._errors_of(name).custom.get(reduce(join, steps[index:], ""))
            if position is not None:
                return RuleLine(position, name.rpartition(".")[0], CUSTOM_VALIDATION.name)
        return None

    def _types_along(
        self, ref: TypeRef, steps: Sequence[str], index: int, seen: frozenset[tuple[str, int]]
    ) -> Iterator[tuple[int, str]]:
        """Yield the named types on the way of a path, each with the number of the first step inside it."""
        ref = self._types.declared(ref)
        while ref.kind == "pointer" and ref.elem is not None:
            ref = self._types.declared(ref.elem)
        if (ref.name, index) in seen:
            return
        if ref.kind == "named":
            yield index, ref.name
        struct, native = self._types.struct(ref), self._types.native(ref)
        if struct is not None:
            closed = self._errors_of(ref.name).closed if ref.kind == "named" else frozenset()
            for member in struct.fields:
                if member.exported and member.name not in closed and (below := _entered(member, steps, index)) >= 0:
                    yield from self._types_along(member.type, steps, below, seen | {(ref.name, index)})
        elif native.elem is not None:
            if native.key is not None and native.key.kind == "named":
                yield index, native.key.name
            if steps[index : index + 1] == (ITEMS,):
                yield from self._types_along(native.elem, steps, index + 1, seen)

    def _read(self, name: str) -> _TypeErrors:
        own = Builder(self._declarations, name.rpartition(".")[0], self._release, CustomFunctions()).own_rules(name)
        errors: dict[tuple[str, str], list[DeclaredError]] = {}
        custom: dict[str, Position] = {}
        for rule, at in _placed_rules(own):
            if isinstance(rule.body, Check) and rule.body.custom:
                custom.setdefault(at.place, rule.position)
            for one in () if rule.hidden else errors_of_rule(rule, at):
                for place in one.places:
                    errors.setdefault((place, one.type), []).append(one)
        return _TypeErrors(errors, custom, own.closed)


def _tag_in(text: str, found: DeclaredError) -> str:
    """Return the name of the tag that stands on a line: several tags may make the one check of a list."""
    names = [one for one in _TAG.findall(text) if one in ALL_SPECS]
    alike = (one for one in names if any(error.type == found.type for error in ALL_SPECS[one].emits))
    return found.tag if found.tag in names else next(alike, found.tag)


def _placed_rules(own: OwnRules) -> Iterator[tuple[Rule, ErrorPlace]]:
    for rule in own.rules:
        yield rule, ErrorPlace()
    for member, rules in own.fields:
        at = ErrorPlace() if _is_inlined(member) else ErrorPlace().member(member.json_name)
        for rule in rules:
            yield rule, at


def _is_inlined(member: Field) -> bool:
    return (member.inline and member.embedded) or member.json_ignored


def _entered(member: Field, steps: Sequence[str], index: int) -> int:
    """Return the number of the first step behind a member, -1 if the path does not lead there."""
    if _is_inlined(member):
        return index
    return index + 1 if index < len(steps) and member.json_name == steps[index] else -1


def _likeness(found: DeclaredError, error: FieldError, options: Mapping[str, bool]) -> tuple[bool, bool, bool]:
    """Return whether the option of a rule is as it must be, and whether its level and its limit are the error's."""
    boundary, limit = ALL_SPECS[found.tag].boundary, ""
    if boundary is not None and isinstance(found.body, Check):
        limit = str(found.body.args[boundary.argument])
    runs = found.option is None or options.get(*found.option) == found.option[1]
    return runs, found.level == error.level, bool(limit) and limit in error.detail.split()


def _part_at(found: DeclaredError, steps: Sequence[str]) -> Position | None:
    """Return the position of the tag of the member at which a rule of several members reports the error."""
    return found.parts.get(steps[-1]) if len(found.places) > 1 and steps else None
