"""Finds the source of a finding: the Go type that declares its field, without its version, and the lines of its files.

A type that many kinds share is at another path in each, and a reader regards the versions of a type as one. Both have
the same source, so that the report can group findings with one cause. The lines are those of the field, and of the tag
whose rule reports the error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from harness.case import Case, KindInfo
from harness.compare.causes.unreachable import UNREACHABLE
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compiler.rulelines import RuleLine, RuleLines
from harness.diagnostics import Position
from harness.engine.pathhint import MEANT, PERHAPS, has_path, hint_at, members_below, mend_path, versions_with
from harness.field import FieldError
from harness.fuzzers.donors import unversioned
from harness.fuzzers.othervalues import find_path
from harness.fuzzers.shape import ANY, Shape
from harness.fuzzers.shapepaths import resolve_path, write_path
from harness.jsonpath import canonical_path, join, look, path_of, pattern_of
from harness.subject.deciding import UNREAD, HandwrittenCode

NO_OTHERS: Mapping[str, Shape] = MappingProxyType({})
_MODULE = re.compile(r"@v\d")
_OF_RULES = frozenset({"ratcheting", "masked", "conditional", "boundary"})
"""Causes that are told only where a rule was seen to report the error, on another object."""
_NAMES_A_LINE = re.compile(r"\(\S+:\d+\)$")
"""A fix that names the line of another field, where it is to be made."""


class FieldSource(NamedTuple):
    """The source of a path: see `Finding`.

    `known` are the fields of the type and of the structs in it if the path names none of them.
    """

    owner: str = ""
    member: str = ""
    source: str = ""
    known: tuple[str, ...] = ()


def own_path(comparator: Comparator, case: Case, path: str, shape: Shape) -> str:
    """Return the path that the types have for a path, which may be that of the internal type."""
    if not comparator.info.normalization or shape.kind != "struct":
        return path
    found = find_path(case.object, path, shape, comparator.matcher.normalize)
    return path if found == resolve_path(path, shape)[0] else write_path(found, shape)


def find_field_source(path: str, shape: Shape) -> FieldSource:
    """Return the source of the field that a path leads to, following the path as far as the type has it."""
    if shape.kind != "struct":
        return FieldSource()
    steps = pattern_of(path)
    found, last = FieldSource(unversioned(shape.type)), None
    for index, step in enumerate(steps):
        if shape.kind != "struct":
            found = found._replace(member=join(found.member, step))
            shape = shape.elem if shape.kind in ("list", "map") else ANY
            continue
        field = shape.by_name.get(step)
        if field is None:
            rest = steps[index:]
            known = (*shape.by_name, *members_below(shape))
            return FieldSource(unversioned(shape.type), reduce(join, rest, ""), "", known)
        found, shape, last = FieldSource(unversioned(field.owner), step), field.shape, field
    return found if last is None else found._replace(source=line_of(last.position, last.owner.rpartition(".")[0]))


def line_of(position: Position, package: str) -> str:
    """Return a line of the sources: see `_written`."""
    return _written(position.file, position.line, package, os.getcwd())


@lru_cache(maxsize=8192)
def _written(file: str, line: int, package: str, folder: str) -> str:
    """Return a line of the sources, such as `api/v1/types.go:41`.

    The file is relative to the current folder, usually a checkout. Outside it, and in a downloaded module, the import
    path of the package is used instead, because an absolute path means nothing on another machine.
    """
    name = re.split(r"[/\\]", file)[-1]
    if not name or not line:
        return ""
    if Path(file).is_absolute() and Path(file).is_relative_to(folder) and not _MODULE.search(file):
        return f"{Path(file).relative_to(folder).as_posix()}:{line}"
    return f"{package}/{name}:{line}"


def _rule_line(
    finding: Finding, path: str, root: str, rules: RuleLines, options: Mapping[str, bool], empty: Sequence[str]
) -> RuleLine | None:
    """Return the line of the tag that declares the rule of a finding; None if no rule reports such an error."""
    reported = next(filter(None, (_error_of(finding, errors) for errors in _lists(finding))), None)
    error = reported or FieldError(finding.type, finding.path, origin=finding.origin)
    found = rules.find(root, path, error, {**options, **finding.case.options}, empty)
    if found is None and (finding.side != "handwritten" or finding.cause in _OF_RULES):
        found = rules.find_custom(root, path)
    return found


def _lists(finding: Finding) -> Iterator[Sequence[FieldError]]:
    yield from (finding.answer.declarative, *finding.answer.versions.values(), finding.answer.handwritten)


def _error_of(finding: Finding, errors: Sequence[FieldError]) -> FieldError | None:
    """Return the error of a list that a finding is about."""
    wanted = finding.type, finding.origin, finding.path
    return next((one for one in errors if (one.type, one.origin, canonical_path(one.field)) == wanted), None)


def add_field_source(
    finding: Finding,
    shape: Shape,
    rules: RuleLines | None = None,
    options: Mapping[str, bool] = MappingProxyType({}),
    others: Mapping[str, Shape] = NO_OTHERS,
    path: str = "",
    beside: str = "",
    is_elsewhere: bool = False,
    empty: Sequence[str] = (),
) -> Finding:
    """Add the source of a finding and the gates of its field; add to its fix the line of the field, or a hint for a
    wrong path.

    `rules` are those of the types, None for a kind without declarative validation; `options` are the validation options
    that the strategy of the kind sets; `others` are the shapes of the other served versions. `path` is that of the
    finding as the types have it, if that is another one, and `beside` the member that decides whether it is checked.
    `is_elsewhere`: the fix is made at neither the field nor its rule. `empty` are the members of the value that are
    there and empty: of the tags of a union, theirs is meant.
    """
    path = path or finding.path
    field_source = find_field_source(path, shape)
    fix = finding.fix
    found, gates = None, ""
    if rules and shape.kind == "struct":
        found = _rule_line(finding, path, shape.type, rules, options, empty)
        gates = _tell_gates(rules, shape.type, [path, *_members_of(finding, path), beside], found)
    rule = "" if found is None else line_of(found.position, found.package)
    place = (finding.change.source if finding.change is not None else rule) or field_source.source
    if finding.cause == "wrong-path":
        fix = _fix_path(finding, path, field_source, others, shape)
    elif place and not _NAMES_A_LINE.search(fix) and not fix.startswith(_NOTHING) and not is_elsewhere:
        fix = f"{fix} ({place})"
    return msgspec.structs.replace(
        finding, owner=field_source.owner, member=field_source.member, source=field_source.source, fix=fix,
        rule_source=rule,
        detail=f"{finding.detail}; {gates}" if gates else finding.detail,
    )  # fmt: skip


def _members_of(finding: Finding, path: str) -> Iterator[str]:
    """Yield the paths of the members that the value of a finding has, for one of them may be what is wrong."""
    value = look(finding.case.object, path_of(path_in_answer(finding)))
    yield from (join(path, name) for name in (value if isinstance(value, dict) else ()))


def _tell_gates(rules: RuleLines, root: str, fields: Sequence[str], found: RuleLine | None) -> str:
    """Name the feature gates that fields, and those that contain them, are behind, and the option of the rule."""
    by_path: dict[str, list[str]] = {}
    for gate, at in dict.fromkeys(one for path in fields for one in rules.roles.feature_gates(root, path)):
        by_path.setdefault(at, []).append(gate)
    told = [f"{at} has +featureGate={','.join(gates)}" for at, gates in by_path.items()]
    if found is not None and found.option is not None:
        name, wanted = found.option
        told.append(f"the rule runs with {name} {'on' if wanted else 'off'}")
    return "; ".join(told)


def _fix_path(finding: Finding, path: str, found: FieldSource, others: Mapping[str, Shape], shape: Shape) -> str:
    """Add to the fix of a wrong path a hint, or the field that the path leads through; replace it where the path is
    right in another served version.
    """
    elsewhere = versions_with(finding.path, others)
    right = [one for one in elsewhere if "/" not in one]
    if found.source:
        below = len(pattern_of(found.member)) - 1
        field = reduce(join, pattern_of(path)[:-below] if below else pattern_of(path), "")
        items = reduce(join, ["[*]", *pattern_of(path)[-below:]], field) if below else field
        lacking = f", and the items of the list have it: {items}" if below and has_path(items, shape) else ""
        if right:
            return f"{_RIGHT}{', '.join(right)}: {_apart(finding.version)}; the field is {field} there ({found.source})"
        return f"{finding.fix}, where the field is {field} ({found.source}){lacking}"
    if not found.known:
        return finding.fix
    unknown = pattern_of(found.member)
    steps = path_of(path_in_answer(finding))
    around = look(finding.case.object, steps[: len(steps) - len(unknown)])
    present = around if isinstance(around, dict) else ()
    struct = reduce(join, pattern_of(path)[: -len(unknown)], "")
    hint = hint_at(finding.path, unknown[0], found.known, others, present, struct)
    mended = mend_path(path, shape)
    if mended is not None and (len(mended.wrong) > 1 or not hint.startswith(MEANT)):
        lacking = hint.partition("?; ")[2] if hint.startswith(MEANT) else hint
        hint = "; ".join(filter(None, (f"{PERHAPS} {mended.path}", lacking)))
    # A check that serves one group alone may have taken the name from the other one: a name that is near is meant then.
    right = right or ([] if hint.startswith(MEANT) else elsewhere)
    if right:
        own = f"{finding.group}/{finding.version}" if any("/" in one for one in right) else finding.version
        named = ", add a normalization rule if the field has another name there"
        return f"{_RIGHT}{', '.join(right)}: {_apart(own, named)}"
    return f"{finding.fix}; {hint}" if hint else finding.fix


def _apart(version: str, named: str = "") -> str:
    """Say what to do of a path that is right in other versions than this one."""
    return f"for {version}{named}, let the path depend on the version, or write an exception"


def wrong_names(
    finding: Finding, path: str, shape: Shape, others: Mapping[str, Shape], code: HandwrittenCode = UNREAD
) -> Sequence[str]:
    """Return the names of a wrong path that are wrong in every version, if there is a path that may be meant.

    Where a version has names of its own for those of a path that is right in another one, it is each name of that path.
    """
    if finding.cause != "wrong-path":
        return ()
    if finding.fix.startswith(_RIGHT):
        converted = find_converted_path(finding, shape, code)
        if converted is not None:
            return [pattern_of(wrong)[0] for wrong, _, _ in converted.names]
        return list(pattern_of(finding.path)[-1:]) if finding.source else []
    mended = mend_path(path, shape)
    if mended is None:
        return ()
    everywhere = [name for name, whole in mended.wrong.items() if not versions_with(whole, others)]
    return everywhere or tuple(mended.wrong)


class ConvertedPath(NamedTuple):
    """The path of a version that is converted into a wrong one: each name of that one with its own, and the line."""

    path: str
    names: Sequence[tuple[str, str, str]]


def find_converted_path(finding: Finding, shape: Shape, code: HandwrittenCode) -> ConvertedPath | None:
    """Return the path that a version has for the path of another one, by its conversions; None if they do not say."""
    steps, found, names = list(pattern_of(finding.path)), "", list[tuple[str, str, str]]()
    while steps:
        if shape.kind in ("list", "map") and steps[0] == "[*]":
            found, shape = join(found, steps.pop(0)), shape.elem
            continue
        if shape.kind != "struct":
            return None
        if steps[0] not in shape.by_name:
            converted = _convert(finding, steps, shape, code)
            if converted is None:
                return None
            names.append(converted)
            steps[: len(pattern_of(converted[0]))] = pattern_of(converted[1])
        found, shape = join(found, steps[0]), shape.by_name[steps.pop(0)].shape
    return ConvertedPath(found, names) if names else None


def _convert(
    finding: Finding, steps: Sequence[str], shape: Shape, code: HandwrittenCode
) -> tuple[str, str, str] | None:
    """Return the longest beginning of wrong steps that a type's own member is converted into, that, and the line."""
    type = shape.type.rpartition(".")[2]
    for size in range(len(steps), 0, -1):
        wrong = reduce(join, steps[:size], "")
        for member, line in code.find_conversions(finding.group, finding.version, type, wrong):
            parts = [f"{part[0].lower()}{part[1:]}" for part in member.split(".")]
            # What follows may be the part of a value, such as the text of a port.
            for own in (".".join(parts), parts[0]) if size == len(steps) else (".".join(parts),):
                if has_path(own, shape):
                    return wrong, own, line
    return None


def add_converted_name(finding: Finding, shape: Shape, code: HandwrittenCode) -> Finding:
    """Name the field that a version converts into that of a wrong path, in a fix that says where the path is right."""
    if finding.cause != "wrong-path" or finding.source or not finding.fix.startswith(_RIGHT):
        return finding
    converted = find_converted_path(finding, shape, code)
    if converted is None:
        return finding
    right, own = finding.fix.partition(":")[0], f"{finding.group}/{finding.version}"
    told = " and ".join(f"{name} for {wrong} ({line})" for wrong, name, line in converted.names)
    fix = f"{right}, and {own} has {told}: report {converted.path} there, or write an exception"
    return msgspec.structs.replace(finding, fix=fix)


def add_read_member(finding: Finding, path: str, shape: Shape, read: Container[str]) -> Finding:
    """Name the list or map that an index or key of a wrong path is of, by what the check reads."""
    if finding.cause != "wrong-path" or finding.source or PERHAPS in finding.fix or finding.fix.startswith(_RIGHT):
        return finding
    mended = mend_path(path, shape, read)
    if mended is None or "[*]" not in mended.wrong:
        return finding
    return msgspec.structs.replace(finding, fix=f"{finding.fix}; {PERHAPS} {mended.path}")


def tell_if_unreachable(finding: Finding, info: KindInfo) -> Finding:
    """Begin the fix of a difference that no request shows with that, where its cause has not said so."""
    if finding.severity != "unreachable" or finding.cause == UNREACHABLE.code or finding.fix.startswith(_NOTHING):
        return finding
    why = "none of which shows it" if info.served else f"none of which names {info.version} {info.plural}"
    fix = f"{_NOTHING}, {why}" + (f"; to mend it all the same, {finding.fix}" if finding.fix else "")
    return msgspec.structs.replace(finding, fix=fix)


_NOTHING = "nothing to do for requests"
_RIGHT = "the path is right in "


def path_in_answer(finding: Finding) -> str:
    """Return the path of a finding as an error of its answer has it, with indices."""
    errors = (*finding.answer.declarative, *finding.answer.handwritten)
    return next((one.field for one in errors if canonical_path(one.field) == finding.path), finding.path)
