"""Finds the source of a finding: the Go type that declares its field, without its version, and the lines of its files.

A type that many kinds share is at another path in each, and a reader regards the versions of a type as one. Both have
the same source, so that the report can group findings with one cause. The lines are those of the field, and of the tag
whose rule reports the error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import pairwise, zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from harness.case import Case, Failure, Vocabulary
from harness.compare.causes import CAUSES
from harness.compare.causes.unreachable import UNREACHABLE
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compiler.rulelines import RuleLine, RuleLines
from harness.diagnostics import Position
from harness.engine.pathhint import hint_at, versions_with
from harness.field import FieldError
from harness.fuzzers.donors import unversioned
from harness.fuzzers.othervalues import find_path
from harness.fuzzers.shape import ANY, Shape
from harness.fuzzers.shapepaths import resolve_path, write_path
from harness.jsonpath import canonical_path, join, look, path_of, pattern_of
from harness.subject.callsites import places_of
from harness.subject.deciding import UNREAD, Decision, HandwrittenCode, Made, Stop

NO_OTHERS: Mapping[str, Shape] = MappingProxyType({})
_MODULE = re.compile(r"@v\d")
_OF_BOTH_SIDES = frozenset(cause.code for cause in CAUSES if cause.is_of_both_sides)
"""Causes where the check reports an error of its own at the path, in another form."""
_OF_RULES = frozenset({"ratcheting", "masked", "conditional", "boundary"})
"""Causes that are told only where a rule was seen to report the error, on another object."""
_OF_CHECK = re.compile(r"handwritten|WithOrigin|MarkCovered|\bcheck\b")
"""In a fix: it is to be made in handwritten code."""


_NAMES_A_LINE = re.compile(r"\(\S+:\d+\)$")
"""A fix that names the line of another field, where it is to be made."""


_OF_LIBRARY = re.compile(r"[\w-]+(\.[\w-]+)+/")
"""A line of code that is named by its import path."""


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
            known = (*shape.by_name, *_members_below(shape))
            return FieldSource(unversioned(shape.type), reduce(join, rest, ""), "", known)
        found, shape, last = FieldSource(unversioned(field.owner), step), field.shape, field
    return found if last is None else found._replace(source=line_of(last.position, last.owner.rpartition(".")[0]))


def _members_below(shape: Shape) -> Iterator[str]:
    """Yield the members of a struct's members that are structs, as in `metadata.labels`."""
    for member in shape.by_name.values():
        if member.shape.kind == "struct":
            yield from (f"{member.name}.{name}" for name in member.shape.by_name)


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
    finding: Finding, path: str, root: str, rules: RuleLines, options: Mapping[str, bool]
) -> RuleLine | None:
    """Return the line of the tag that declares the rule of a finding; None if no rule reports such an error."""
    reported = next(filter(None, (_error_of(finding, errors) for errors in _lists(finding))), None)
    error = reported or FieldError(finding.type, finding.path, origin=finding.origin)
    found = rules.find(root, path, error, {**options, **finding.case.options})
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
) -> Finding:
    """Add the source of a finding and the gates of its field; add to its fix the line of the field, or a hint for a
    wrong path.

    `rules` are those of the types, None for a kind without declarative validation; `options` are the validation options
    that the strategy of the kind sets; `others` are the shapes of the other served versions. `path` is that of the
    finding as the types have it, if that is another one, and `beside` the member that decides whether it is checked.
    """
    path = path or finding.path
    field_source = find_field_source(path, shape)
    fix = finding.fix
    place = (finding.change.source if finding.change is not None else "") or field_source.source
    if place and not _NAMES_A_LINE.search(fix) and not fix.startswith(_NOTHING):
        fix = f"{fix} ({place})"
    elif finding.cause == "wrong-path" and field_source.known:
        fix = _fix_path(finding, field_source, others)
    found, gates = None, ""
    if rules and shape.kind == "struct":
        found = _rule_line(finding, path, shape.type, rules, options)
        gates = _tell_gates(rules, shape.type, [path, *_members_of(finding, path), beside], found)
    return msgspec.structs.replace(
        finding, owner=field_source.owner, member=field_source.member, source=field_source.source, fix=fix,
        rule_source="" if found is None else line_of(found.position, found.package),
        detail=f"{finding.detail}; {gates}" if gates else finding.detail,
    )  # fmt: skip


def _members_of(finding: Finding, path: str) -> Iterator[str]:
    """Yield the paths of the members that the value of a finding has, for one of them may be what is wrong."""
    value = look(finding.case.object, path_of(_path_of(finding)))
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


def _fix_path(finding: Finding, found: FieldSource, others: Mapping[str, Shape]) -> str:
    """Add a hint to the fix of a wrong path; replace it where the path is right in another served version."""
    right = versions_with(finding.path, others)
    if right:
        return (
            f"the path is right in {', '.join(right)}: for {finding.version}, add a normalization rule if the field "
            "has another name there, let the path depend on the version, or write an exception"
        )
    unknown = pattern_of(found.member)
    steps = path_of(_path_of(finding))
    around = look(finding.case.object, steps[: len(steps) - len(unknown)])
    present = around if isinstance(around, dict) else ()
    hint = hint_at(finding.path, unknown[0], found.known, others, present)
    return f"{finding.fix}; {hint}" if hint else finding.fix


class TracedErrors(NamedTuple):
    """Errors with their sources: of the finding's case, and of another one for which the silent side reports it too.

    `masking` is the error of the case because of which the handwritten validator returned early, and `beside` the
    member that decides whether it checks. `path` is that of the finding as the handwritten code reports it, which may
    be that of the internal type. `partner` is the error of the other side that is the same error in another form.
    """

    own: Sequence[FieldError] = ()
    elsewhere: Sequence[FieldError] = ()
    masking: FieldError | None = None
    path: str = ""
    beside: str = ""
    partner: FieldError | None = None


NOT_TRACED = TracedErrors()


def add_handwritten_source(finding: Finding, traced: TracedErrors, code: HandwrittenCode = UNREAD) -> Finding:
    """Add where the handwritten code makes the error of a finding; name it in a fix that is to be made there.

    Where the code is silent on the case, it is where the error is made in the experiment that showed the cause, and the
    fix names the branch that keeps it from running here. Of a crash it is where the code crashed.
    """
    failure = finding.answer.failure
    if failure is not None:
        return msgspec.structs.replace(finding, handwritten_source=failure.at) if _is_of_check(failure) else finding
    own = _sources_of(finding, traced.own)
    if not own and finding.side == "declarative" and traced.partner is not None:
        own = [one for one in _alike(traced.partner, traced.own) if one.source]
    silent = [] if own else _sources_of(finding, traced.elsewhere)
    if not own and not silent and traced.path not in ("", finding.path):
        silent = _sources_of(msgspec.structs.replace(finding, path=traced.path), traced.elsewhere)
    source = _own_source([*own, *silent])
    if not source:
        return finding
    is_shared = False
    if silent:
        told, is_shared = _tell_silent(finding, traced, code, next(one for one in silent if one.source == source))
        finding = msgspec.structs.replace(finding, fix="write an exception") if is_shared else finding
    else:
        told = _tell_made(finding, own, source, code, traced.partner) + _tell_rule(finding, traced)
    is_there = _OF_CHECK.search(finding.fix) or finding.cause in _MADE_THERE or is_shared or finding.between
    return msgspec.structs.replace(
        finding, handwritten_source=source, fix=f"{finding.fix}; {told}" if is_there else finding.fix
    )


_MADE_THERE = frozenset({"wording", "wrong-path", "other-value", "duplicate", "path", "boundary"})
"""Causes whose fix is made where the error is, though it names no check."""
_SHARED_WORDS = frozenset({"wording", "other-value"})
_SHARED_ERRORS = (_MADE_THERE | {"ratcheting", "type"}) - {"wrong-path"}
"""Causes whose fix changes an error for all who call what makes it; a wrong name is wrong for all of them."""
_MOST_NAMED = 3
"""Callers that are named where a mark, an origin or words do not change: of more, their number is enough."""
_DEPENDS = "which depends on the old object"
_GIVEN = "is given at"
"""In a fix: what follows decides, and not the line of the error."""


def _tell_made(
    finding: Finding, own: Sequence[FieldError], source: str, code: HandwrittenCode, partner: FieldError | None
) -> str:
    """Say where the handwritten error is made, everywhere; code that kinds share may make it again."""
    others = _each([one.source for one in own if one.source != source])
    shared = [one for one in others if _OF_LIBRARY.match(one)]
    check = next(Made(one.field, source, finding.kind) for one in own if one.source == source)
    place = _describe_place(check, code)
    told = f"the handwritten check is {place}"
    if (name := _misleading_name(finding, check.path, partner)) and (given := code.find_member(check, name)):
        is_key = partner is not None and canonical_path(partner.field) == finding.path
        what = f"the {'key below' if is_key else 'name'} {name}"
        return f"{what} {_GIVEN} {' and at '.join(one.text for one in given)}; {told}"
    if not others:
        if finding.cause != "ratcheting":
            return told
        updates = code.find_update(check, check.path)
        return f"{told}, {_DEPENDS} already, {_under(updates)}" if updates else told
    kinds = [source, *(one for one in others if one not in shared)]
    # What calls the function of a place is told behind it, so other places of the function stand before it.
    beside = [one.partition(" in ")[0] for one in kinds[1:] if _function_of(one) == _function_of(source)]
    apart = [_describe_apart(one, code) for one in kinds[1:] if _function_of(one) != _function_of(source)]
    if beside and code.forwards(source):
        beside, apart = [], [_describe_apart(one, code) for one in kinds[1:]]
    by_kind = " and ".join([*beside, place, *apart])
    if not shared:
        return f"the handwritten check reports {len(own)} errors here, made at {by_kind}"
    return (
        f"the handwritten error is made {len(own)} times: by code that kinds share at {' and '.join(shared)}, "
        f"and by {by_kind}; a change of the latter leaves the error of the former, and a change "
        "of the former is one for every kind"
    )


def _tell_rule(finding: Finding, traced: TracedErrors) -> str:
    """Name the rule of the silent one of two targets, which reports the error in the experiment."""
    alike = [one for one in traced.elsewhere if (one.type, canonical_path(one.field)) == (finding.type, finding.path)]
    rule = next((one.origin for one in alike if one.origin), "")
    return f"; the rule of {finding.between[1]}, which is silent here, is {rule}" if rule and finding.between else ""


def _misleading_name(finding: Finding, path: str, partner: FieldError | None) -> str:
    """Return the name in the path of a handwritten error that the other side does not have, or writes otherwise."""
    if finding.cause == "wrong-path":
        names = [one for one in pattern_of(finding.member) if one != "[*]"]  # the first is a field, if it has a line
        return next(iter(names[1 if finding.source else 0 :]), "")
    if finding.cause != "path" or partner is None:
        return ""
    ours, theirs = pattern_of(path), pattern_of(finding.path if finding.side == "declarative" else partner.field)
    if ours == theirs:  # a key of a map, in full or shortened
        return next((name for name, key in reversed(list(pairwise(ours))) if key == "[*]"), "")
    return next((name for name, other in zip_longest(ours, theirs) if name and name != other and name != "[*]"), "")


def _under(branches: Sequence[Decision]) -> str:
    return f"under {' and '.join(one.sentence for one in branches)}"


def _each(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _describe_place(check: Made, code: HandwrittenCode) -> str:
    """Name the place of a check, what it calls where that makes the error, and who calls a helper for this path."""
    called, way = code.forwards(check.source), code.find_way(check)
    place = f"the call of {called} at {check.source}" if called else check.source
    return place + "".join(
        f", {'called for this path' if one == way[0] else 'which is called'} at {one.text}" for one in way
    )


def _describe_apart(source: str, code: HandwrittenCode) -> str:
    """Name a further place, with what it calls where that makes the error, and how many callers its function has."""
    called, number = code.forwards(source), code.count_callers(source)
    place = f"that of {called} at {source}" if called else source
    return place + (f" (in a function of {number} callers)" if number > 1 else "")


def _function_of(source: str) -> str:
    return source.partition(",")[0].rpartition(" in ")[2]


def _tell_silent(finding: Finding, traced: TracedErrors, code: HandwrittenCode, made: FieldError) -> tuple[str, bool]:
    """Say where the silent check is and which branch keeps it from running, and whether all kinds share that branch."""
    check, path = Made(made.field, made.source, finding.kind), _path_of(finding)
    told = f"the handwritten check, which is silent here, is {_describe_place(check, code)}"
    errors = [Made(one.field, one.source) for one in traced.own if one.source]
    if traced.beside:
        decides = code.find_condition(check, path, traced.beside, errors)
        if decides is not None:
            return f"the branch that decides is {decides.sentence}; {told}", False
    elif traced.masking is not None:
        source = _own_source(_alike(traced.masking, traced.own))
        if source:
            masking = Made(traced.masking.field, source, finding.kind)
            stop = code.find_stop(masking, check, path)
            if stop is None:
                stop = Stop(f"that error is made at {_describe_place(masking, code)}")
            return f"{stop.text}; {told}", stop.is_shared
    elif finding.cause == "ratcheting":
        if updates := code.find_update(check, path):
            return f"{told}, {_DEPENDS} {_under(updates)}", False
        if unreached := code.find_unreached(check, path, finding.subresource):
            return f"{told}, which {unreached} does not call", False
    return told, False


def _path_of(finding: Finding) -> str:
    """Return the path of a finding as an error of its answer has it, with indices."""
    errors = (*finding.answer.declarative, *finding.answer.handwritten)
    return next((one.field for one in errors if canonical_path(one.field) == finding.path), finding.path)


def add_callers(finding: Finding, words: Vocabulary, code: HandwrittenCode) -> Finding:
    """Warn in a fix that changes an error, its mark or its origin in a helper: it changes for all who call it."""
    told = finding.fix.partition("; the handwritten check")[0]
    origin = words.origin.partition("<origin>")[0]
    is_of_call = words.mark in told or origin in told or finding.cause in _SHARED_WORDS
    is_made_there = finding.cause in _SHARED_ERRORS and not any(one in finding.fix for one in (_DEPENDS, _GIVEN))
    is_told = finding.handwritten_source and finding.handwritten_source in finding.fix
    if not is_told or not (is_of_call or is_made_there):
        return finding
    calls = code.callers(finding.handwritten_source)
    if not calls:
        return finding
    if not is_of_call:
        number = code.count_callers(finding.handwritten_source)
        if number < 2 or not code.count_callers(finding.handwritten_source, finding.kind):
            return finding
        if number > _MOST_NAMED:
            calls = [f"{places_of(finding.handwritten_source)[0].function} is called by {number} functions"]
    how = "by an option of the call where not all of them are meant"
    if code.is_of_operations(finding.handwritten_source, finding.kind):
        how = "for creates and updates alike, or make the operation its condition"
    warning = f"{', '.join(calls)}: change it {how}"
    return msgspec.structs.replace(finding, fix=f"{finding.fix}; {warning}")


def tell_if_unreachable(finding: Finding, is_served: bool) -> Finding:
    """Begin the fix of a difference that no request shows with that, where its cause has not said so."""
    if finding.severity != "unreachable" or finding.cause == UNREACHABLE.code or finding.fix.startswith(_NOTHING):
        return finding
    why = "none of which shows it" if is_served else f"none of which names {finding.version}"
    fix = f"{_NOTHING}, {why}" + (f"; to mend it all the same, {finding.fix}" if finding.fix else "")
    return msgspec.structs.replace(finding, fix=fix)


_NOTHING = "nothing to do for requests"


def _is_of_check(failure: Failure) -> bool:
    return failure.stage == "handwritten"


def _sources_of(finding: Finding, traced: Sequence[FieldError]) -> list[FieldError]:
    """Return the errors of a finding whose source is known."""
    wanted = FieldError(finding.type, finding.path, origin=finding.origin)
    reported = _alike(wanted, traced)
    if not reported and finding.side != "handwritten" and finding.cause in _OF_BOTH_SIDES:
        reported = [one for one in traced if canonical_path(one.field) == finding.path][:1]
    return [one for one in reported if one.source]


def _alike(wanted: FieldError, errors: Sequence[FieldError]) -> list[FieldError]:
    """Return the errors of one type, origin and path."""
    key = wanted.type, wanted.origin, canonical_path(wanted.field)
    return [one for one in errors if (one.type, one.origin, canonical_path(one.field)) == key]


def _own_source(errors: Sequence[FieldError]) -> str:
    """Return the source of the first error that is made in the target's own code, else of the first one.

    One error may be made several times: by a library that every kind is given to, and by the validation of the kind.
    """
    sources = [one.source for one in errors if one.source]
    return next((one for one in sources if not _OF_LIBRARY.match(one)), next(iter(sources), ""))
