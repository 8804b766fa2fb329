"""Finds the lines of types.go that give a rule its level, and the errors that each declares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.diagnostics import InputError, Position
from harness.gotypes.model import Comments
from harness.rulecov.declared import errors_of
from harness.rulecov.inventory import KnownRule
from harness.subject.api import SHARED, Api, ApiPackage
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.grammar import tag_lines

_TAG = re.compile(r"\+(k8s:\w+)")
_MARKER = re.compile(r"\+k8s:(alpha|beta)(?:\([^)]*\))?=")

RuleName = tuple[str, str, str, str]
"""Go type, path, type and origin of a declared error."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A line with a level: its package, position and tag, and the errors of root types that it declares.

    `element` is the type or field with the line, as `Type` or `Type.Field`.
    """

    group: str
    package: str
    position: Position
    level: str
    tag: str
    rules: tuple[RuleName, ...]
    element: str

    @property
    def place(self) -> tuple[str, str]:
        """The package and the element, which other lines may share."""
        return self.package, self.element

    def name_of(self, tag: str) -> str:
        """Return the tag of one of its rules as the line has it: `+k8s:unique` is a rule of `+k8s:listType`."""
        names: list[str] = _TAG.findall(self.tag)
        return tag if tag in names or not names else names[-1]

    @property
    def line(self) -> str:
        """The line, as import path, file and number."""
        return f"{self.package}/{Path(self.position.file).name}:{self.position.line}"


def markers_of(api: Api) -> tuple[Marker, ...]:
    """Return every marker of the types of an API, by package; those for which nothing is generated declare no error."""
    generated = {package.path: package for package in api.packages}
    others = (
        ApiPackage(path, path.rpartition("/")[0].rpartition("/")[2], path.rpartition("/")[2])
        for path in api.universe.paths
        if path not in generated and path not in SHARED
    )
    every = sorted((*generated.values(), *others), key=lambda package: package.path)
    found = {(one.position.file, one.position.line): one for package in every for one in _of_package(api, package)}
    return tuple(found.values())


def rule_name(known: KnownRule) -> RuleName:
    """Return the name by which markers have a rule."""
    return known.type, known.rule.path, known.rule.type, known.rule.origin


def markers_of_rules(markers: Iterable[Marker]) -> dict[RuleName, tuple[Marker, ...]]:
    """Return the markers that declare each rule."""
    found: dict[RuleName, tuple[Marker, ...]] = {}
    for marker in markers:
        for rule in marker.rules:
            found[rule] = (*found.get(rule, ()), marker)
    return found


def tag_on_line(known: KnownRule, markers: Mapping[RuleName, tuple[Marker, ...]]) -> str:
    """Return the tag of a rule as the first line that declares it has it."""
    own = markers.get(rule_name(known), ())
    return own[0].name_of(known.rule.tag) if own else known.rule.tag


def _of_package(api: Api, package: ApiPackage) -> Iterator[Marker]:
    lines = dict.fromkeys(_lines(api, package))
    rules: Mapping[tuple[str, int], list[RuleName]] = _rules_by_line(api, package) if lines else {}
    for position, level, tag, element in lines:
        names = tuple(dict.fromkeys(rules.get((position.file, position.line), ())))
        yield Marker(package.group, package.path, position, level, tag, names, element)


def _lines(api: Api, package: ApiPackage) -> Iterator[tuple[Position, str, str, str]]:
    declarations = api.universe.package(package.path)
    for struct in declarations.structs.values():
        yield from _in_comments((*struct.comments, *struct.second_comments), struct.name)
        for member in struct.fields:
            yield from _in_comments((*member.comments, *member.second_comments), f"{struct.name}.{member.name}")
    for typedef in declarations.typedefs.values():
        yield from _in_comments((*typedef.comments, *typedef.second_comments), typedef.name)


def _in_comments(comments: Comments, element: str) -> Iterator[tuple[Position, str, str, str]]:
    for line in tag_lines(comments):
        found = _MARKER.search(line.text)
        if found is not None:
            yield line.position, found[1], without_level(line.text).strip(), element


def without_level(line: str) -> str:
    """Return a line with a tag as it is written at level standard."""
    return _MARKER.sub("", line)


def _rules_by_line(api: Api, package: ApiPackage) -> dict[tuple[str, int], list[RuleName]]:
    try:
        compiled = api.compile(package, CustomFunctions())
    except InputError:
        return {}
    by_line: dict[tuple[str, int], list[RuleName]] = {}
    for name, error in errors_of(compiled):
        rule = f"{package.path}.{name}", error.path, error.type, error.origin
        positions: Iterable[Position] = (error.position, *error.parts.values())
        for position in positions:
            by_line.setdefault((position.file, position.line), []).append(rule)
    return by_line
