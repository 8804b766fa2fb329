"""Finds where the handwritten check of a finding is, and says in its fix what has to be changed there.

The target says which calls made an error, if it is asked to. Of a check that is silent on the case they are those of
the experiment that showed the cause. The line that makes an error is told with what decides there: the call that is
given the path, the branch that is not taken, the condition that lets the value through.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import groupby, pairwise, zip_longest
from typing import NamedTuple

import msgspec

from harness.case import Failure, Json
from harness.compare.causes import CAUSES
from harness.compare.finding import Finding
from harness.engine.fieldsource import path_in_answer
from harness.engine.pathhint import MEANT
from harness.field import FieldError
from harness.jsonpath import canonical_path, look, path_of, pattern_of, walk
from harness.subject.callsites import places_of
from harness.subject.deciding import UNREAD, Decision, HandwrittenCode, Stop
from harness.subject.errorstack import Made
from harness.subject.gocallsites import MODULES

_OF_BOTH_SIDES = frozenset(cause.code for cause in CAUSES if cause.is_of_both_sides)
"""Causes where the check reports an error of its own at the path, in another form."""
_OF_CHECK = re.compile(r"handwritten|WithOrigin|MarkCovered|\bcheck\b")
"""In a fix: it is to be made in handwritten code."""
_OF_LIBRARY = re.compile(r"[\w-]+(\.[\w-]+)+/")
"""A line of code that is named by its import path."""


class TracedErrors(NamedTuple):
    """Errors with their sources: of the finding's case, and of another one for which the silent side reports it too.

    `masking` is the error of the case because of which the handwritten validator returned early, and `beside` the
    member that decides whether it checks. `path` is that of the finding as the handwritten code reports it, which may
    be that of the internal type, and `wrong` are the names in it that no version has. `partner` is the error of the
    other side that is the same error in another form. `marked` are errors of another case that the fix wants to be
    marked, and `rule` those of the rules for a value that both sides reject. `empty` are the members of the value that
    are there and empty, as the code names them.
    """

    own: Sequence[FieldError] = ()
    elsewhere: Sequence[FieldError] = ()
    masking: FieldError | None = None
    path: str = ""
    beside: str = ""
    partner: FieldError | None = None
    marked: Sequence[FieldError] = ()
    empty: Sequence[str] = ()
    wrong: Sequence[str] = ()
    rule: Sequence[FieldError] = ()


NOT_TRACED = TracedErrors()


def add_handwritten_source(finding: Finding, traced: TracedErrors, code: HandwrittenCode = UNREAD) -> Finding:
    """Add where the handwritten code makes the error of a finding; name it in a fix that is to be made there.

    Where the code is silent on the case, it is where the error is made in the experiment that showed the cause, and the
    fix names the branch that keeps it from running here. Of a crash it is where the code crashed.
    """
    failure = finding.answer.failure
    if failure is not None:
        return _add_crash(finding, failure, code) if _is_of_check(failure) else finding
    own = _sources_of(finding, traced.own)
    if not own and finding.side == "declarative" and traced.partner is not None:
        own = [one for one in _alike(traced.partner, traced.own) if one.source]
    silent = [] if own else _sources_of(finding, traced.elsewhere)
    if not own and not silent and traced.path not in ("", finding.path):
        silent = _sources_of(msgspec.structs.replace(finding, path=traced.path), traced.elsewhere)
    source = _own_source([*own, *silent])
    if not source:
        return _add_rule_code(finding, traced)
    is_shared = False
    if silent:
        told, is_shared = _tell_silent(finding, traced, code, next(one for one in silent if one.source == source))
        if is_shared or (fix := _lower_less(finding, told, traced, code)):
            finding = msgspec.structs.replace(finding, fix="write an exception" if is_shared else fix)
        else:
            told += _tell_library(finding, traced)
    else:
        updates = _find_updates(finding, own, source, code)
        if updates and finding.side == "handwritten":
            finding = msgspec.structs.replace(finding, fix=_WANTED)
        if fix := _find_pattern(finding, traced, code):
            return msgspec.structs.replace(finding, handwritten_source=source, fix=fix)
        told = _tellmade_of(finding, own, source, code, traced, updates) + _tell_rule(finding, traced)
    is_there = _OF_CHECK.search(finding.fix) or finding.cause in MADE_THERE or is_shared or finding.between
    fix = f"{finding.fix}; {told}" if is_there else f"{finding.fix}{_tell_marked(finding, traced, code)}"
    return msgspec.structs.replace(finding, handwritten_source=source, fix=fix)


def _add_crash(finding: Finding, failure: Failure, code: HandwrittenCode) -> Finding:
    """Add the line of a crash, and which member it reads that the object does not have."""
    names = {str(name) for value in (finding.case.object, finding.case.old) for path, _ in walk(value) for name in path}
    known = {name.lower() for name in names}
    told = code.find_nil(failure.at, lambda name: name.lower() in known) if _IS_NIL in failure.message else ""
    if missing := _OUT_OF_RANGE.search(failure.message):
        index = int(missing[1])
        told = code.find_missing_item(failure.at, index, lambda name: _has_item(finding.case.object, name, index))
    fix = f"{finding.fix}, where {told}" if told else finding.fix
    return msgspec.structs.replace(finding, handwritten_source=failure.at, fix=fix)


def _has_item(obj: Json, name: str, index: int) -> bool:
    """Whether any list that a member with a name has, however it is capitalized, has an item with an index."""
    lists = (value for path, value in walk(obj) if str(path[-1]).lower() == name.lower())
    return any(isinstance(value, list) and len(value) > index for value in lists)


_IS_NIL = "nil pointer"
_OUT_OF_RANGE = re.compile(r"index out of range \[(\d+)\]")
_WANTED = "write an exception: the check skips what did not change already, and ratcheting is wanted"


def add_generation(finding: Finding, versions: Sequence[str], code: HandwrittenCode) -> Finding:
    """Name the lines that say whether validation is generated for versions, in a fix that wants it to be."""
    told = [one for version in versions if (one := code.find_generation(finding.group, version))]
    return msgspec.structs.replace(finding, fix=f"{finding.fix}; {' and '.join(told)}") if told else finding


def find_read(finding: Finding, traced: TracedErrors, code: HandwrittenCode) -> Collection[str]:
    """Return the members, in small letters, that the check of a finding reads; none where no line of it is known."""
    own = _sources_of(finding, traced.own)
    source = _own_source(own)
    check = next((made_of(one, finding.kind) for one in own if one.source == source), None)
    return () if check is None else code.find_read(check)


def is_of_library(finding: Finding, traced: TracedErrors) -> bool:
    """Whether the fix is to be made in the code behind a rule."""
    return bool(_made_by_rule(finding, traced))


def _made_by_rule(finding: Finding, traced: TracedErrors) -> list[str]:
    if finding.cause != "duplicate" or finding.side != "declarative":
        return []
    return [places[0].text for one in traced.own if _is_about(finding, one) and (places := places_of(one.stack))]


def _add_rule_code(finding: Finding, traced: TracedErrors) -> Finding:
    """Name the code behind a rule that reports one error several times: no tag changes that."""
    made = _made_by_rule(finding, traced)
    if not made:
        return finding
    told = (
        f"the errors are made at {' and '.join(_each(made))}, for all fields whose rule calls it, and no tag changes it"
    )
    return msgspec.structs.replace(finding, fix=f"{finding.fix}; {told}")


def _tell_library(finding: Finding, traced: TracedErrors) -> str:
    """Name the lines of a library behind the rule of a format that reads a value otherwise than its check."""
    if finding.cause != "other-value" or finding.side != "declarative" or not finding.origin.startswith(_FORMAT):
        return ""
    for one in traced.own:
        places = places_of(one.stack)
        if places and _is_about(finding, one) and _OF_LIBRARY.match(places[0].file):
            _, own = next(groupby(places, lambda place: place.file))  # another file is of what calls all rules
            made = ", called at ".join(place.text for place in own)
            return f"; the rule's error is made at {made}, for all fields whose rule calls it, and no tag changes it"
    return ""


_FORMAT = "format="


def _is_about(finding: Finding, error: FieldError) -> bool:
    return (error.type, error.origin, canonical_path(error.field)) == (finding.type, finding.origin, finding.path)


def _tell_marked(finding: Finding, traced: TracedErrors, code: HandwrittenCode) -> str:
    """Say where the errors are made that a fix wants to be marked."""
    made = [_describe_place(made_of(one, finding.kind), code) for one in traced.marked if one.source]
    return f"; they are made at {' and '.join(_each(made))}" if made else ""


def made_of(error: FieldError, kind: str = "") -> Made:
    """Return an error of handwritten code with the calls that made it."""
    return Made(error.field, error.source, kind, error.stack)


def _find_updates(
    finding: Finding, own: Sequence[FieldError], source: str, code: HandwrittenCode
) -> Sequence[Decision]:
    """Return the branches by which the check of a side that does not ratchet looks at the old object all the same."""
    others = any(one.source != source for one in own)
    if finding.cause != "ratcheting" or others:
        return []
    check = next(made_of(one, finding.kind) for one in own if one.source == source)
    return code.find_update(check, check.path)


MADE_THERE = frozenset({"wording", "wrong-path", "other-value", "duplicate", "path", "boundary"})
"""Causes whose fix is made where the error is, though it names no check."""
DEPENDS = "which depends on the old object"
"""In a fix: the check does so already."""
_IS_MISSPELT = re.compile(rf"; {MEANT} [^;]+\?")
GIVEN = "given at"
"""In a fix: what follows decides, and not the line of the error."""


def _tellmade_of(
    finding: Finding,
    own: Sequence[FieldError],
    source: str,
    code: HandwrittenCode,
    traced: TracedErrors,
    updates: Sequence[Decision],
) -> str:
    """Say where the handwritten error is made, everywhere; code that kinds share may make it again."""
    others, partner = _each([one.source for one in own if one.source != source]), traced.partner
    libraries = [made_of(one) for one in own if one.source != source and _OF_LIBRARY.match(one.source)]
    shared = [one.source for one in libraries]
    check = next(made_of(one, finding.kind) for one in own if one.source == source)
    place = _describe_place(check, code)
    told = f"the handwritten check is {place}"
    partner = traced.partner
    is_key = partner is not None and canonical_path(partner.field) == finding.path
    named: dict[str, list[str]] = {}
    if (below := _below_items(finding)) is not None and (items := code.find_items(check, below)):
        return f"the path before the index or key is {GIVEN} {items}; {told}"
    for name in _misleading_names(finding, check.path, traced):
        if (given := code.find_name(check, name, is_key)) is not None:
            if _IS_MISSPELT.search(finding.fix):  # it is wrong for whatever else it serves
                given = given._replace(around=None)
            named.setdefault(given.text, []).append(name)
    if named:
        what = "key below" if is_key else "name"
        texts = [
            f"the {what}s {' and '.join(names)} are {GIVEN} {lines}"
            if len(names) > 1
            else f"the {what} {names[0]} is {GIVEN} {lines}"
            for lines, names in named.items()
        ]
        return "; ".join([*texts, told])
    if not others:
        if _OF_LIBRARY.match(source):
            told = f"{told}, in code that kinds share: a change of it is one for {_tell_reached([check])}"
        if finding.cause == "other-value" and (guard := code.find_guard(check, traced.empty)):
            told = f"{told}, {guard}"
        if finding.cause == "wording" and (likes := code.find_likes(check)):
            told = f"{told}, whose function has words of its own at {', '.join(map(str, likes))} too"
        return f"{told}, {DEPENDS} already, {_under(updates)}" if updates else told
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
        f"the handwritten error is made {len(own)} times: by code that kinds share at "
        f"{' and '.join(_each([code.find_line_of_path(one) for one in libraries]))}, "
        f"and by {by_kind}; a change of the latter leaves the error of the former, and a change "
        f"of the former is one for {_tell_reached(libraries)}"
    )


def _tell_reached(checks: Sequence[Made]) -> str:
    """Say for whom code of libraries is changed: all kinds come through that of the registry alone."""
    stacks = [places_of(one.stack) for one in checks]
    is_of_all = all(
        any(place.file.startswith(_REGISTRY) for place in stack)
        and all(place.file.startswith(tuple(f"{module}/" for module in MODULES)) for place in stack)
        for stack in stacks
    )
    return "every kind" if is_of_all else "all that call it"


_REGISTRY = "k8s.io/apiserver/pkg/registry/rest/"
"""The code by which a server prepares the creates and updates of all kinds."""


def _tell_rule(finding: Finding, traced: TracedErrors) -> str:
    """Name the rule of the silent one of two targets, which reports the error in the experiment."""
    alike = [one for one in traced.elsewhere if (one.type, canonical_path(one.field)) == (finding.type, finding.path)]
    rule = next((one.origin for one in alike if one.origin), "")
    return f"; the rule of {finding.between[1]}, which is silent here, is {rule}" if rule and finding.between else ""


def _below_items(finding: Finding) -> Sequence[str] | None:
    """Return the names behind items in a wrong path, if these are where the type has no list or map; None if not."""
    unknown = pattern_of(finding.member)
    is_wrong = finding.cause == "wrong-path" and not finding.source and unknown[:1] == ("[*]",)
    return [one for one in unknown if one != "[*]"] if is_wrong else None


def _misleading_names(finding: Finding, path: str, traced: TracedErrors) -> Sequence[str]:
    """Return the names in the path of a handwritten error that the other side does not have, or writes otherwise."""
    if finding.cause == "wrong-path":
        unknown = pattern_of(finding.member)  # the first is a field, if it has a line
        return traced.wrong or [one for one in unknown if one != "[*]"][1 if finding.source else 0 :][:1]
    name = _other_name(finding, path, traced.partner) if finding.cause == "path" else ""
    return [name] if name else []


def _other_name(finding: Finding, path: str, partner: FieldError | None) -> str:
    """Return the name or the key in a path that the other side writes otherwise."""
    if partner is None:
        return ""
    ours, theirs = pattern_of(path), pattern_of(finding.path if finding.side == "declarative" else partner.field)
    if ours == theirs:  # a key of a map, in full or shortened
        return next((name for name, key in reversed(list(pairwise(ours))) if key == "[*]"), "")
    return next((name for name, other in zip_longest(ours, theirs) if name and name != other and name != "[*]"), "")


def _find_pattern(finding: Finding, traced: TracedErrors, code: HandwrittenCode) -> str:
    """Propose to change the pattern of a library that takes a letter for one of ASCII; empty without one."""
    value = look(finding.case.object, path_of(path_in_answer(finding)))
    folded = [one for one in value if not one.isascii() and _fold(one)] if isinstance(value, str) else []
    if finding.cause != "other-value" or not folded:
        return ""
    wanted = FieldError(finding.type, finding.path, origin=finding.origin)
    for one in _alike(wanted, traced.rule):
        if place := code.find_caseless(one.stack or one.source):
            letter, rule = folded[0], f"+k8s:{finding.origin}" if "=" in finding.origin else "the rule"
            check = next((made_of(one, finding.kind) for one in _sources_of(finding, traced.own)), None)
            guard = code.find_guard(check, traced.empty) if check is not None else ""
            twin = f"; the check is to lower letters of ASCII alone then, {guard}: {_KELVIN}" if _LOWER in guard else ""
            return (
                f'let {rule} reject "{letter}" as the check does: its pattern ignores case, and takes it for '
                f'"{_fold(letter)}" ({place}, in a library, for all fields with that rule){twin}'
            )
    return ""


_LOWER = "strings.ToLower("
_KELVIN = 'else one of them alone takes the Kelvin sign (U+212A) for "k"'
_LOWERED = {"İ": "i", "\u212a": "k"}
"""Letters that Go's `strings.ToLower` takes for letters of ASCII (unicode.ToLower of U+0130 and U+212A)."""


def _lower_less(finding: Finding, told: str, traced: TracedErrors, code: HandwrittenCode) -> str:
    """Propose to lower letters of ASCII alone in a silent check that takes another one for one of them; empty if it is
    told without `strings.ToLower`.
    """
    value = look(finding.case.object, path_of(path_in_answer(finding)))
    letter = next((one for one in value if one in _LOWERED), "") if isinstance(value, str) else ""
    if finding.cause != "other-value" or not letter or _LOWER not in told:
        return ""
    rules = (one for one in traced.own if _is_about(finding, one))
    pattern = next(filter(None, (code.find_caseless(one.stack or one.source) for one in rules)), "")
    twin = (
        f", and the pattern of the rule, which ignores case, take no others ({pattern}): {_KELVIN}" if pattern else ""
    )
    return (
        f'let the check reject "{letter}" as the rule does: `strings.ToLower` takes it for "{_LOWERED[letter]}", '
        f"so let it lower letters of ASCII alone{twin}"
    )


def _fold(letter: str) -> str:
    """Return the letter of ASCII that differs from a letter by case alone, empty if there is none."""
    return next((one for one in (letter.casefold(), letter.lower()) if one.isascii()), "")


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
    check, path = made_of(made, finding.kind), path_in_answer(finding)
    told = f"the handwritten check, which is silent here, is {_describe_place(check, code)}"
    errors = [made_of(one) for one in traced.own if one.source]
    if traced.beside:
        decides = code.find_condition(check, path, traced.beside, errors)
        if decides is not None:
            return f"the branch that decides is {decides.sentence}; {told}", False
    elif traced.masking is not None:
        source = _own_source(_alike(traced.masking, traced.own))
        if source:
            own = next(one for one in _alike(traced.masking, traced.own) if one.source == source)
            masking = made_of(own, finding.kind)
            stop = code.find_stop(masking, check, path)
            if stop is None:
                stop = Stop(f"that error is made at {_describe_place(masking, code)}")
            return f"{stop.text}; {told}", stop.is_shared
    elif finding.cause == "ratcheting":
        if updates := code.find_update(check, path):
            return f"{told}, {DEPENDS} {_under(updates)}", False
        if unreached := code.find_unreached(check, path, finding.subresource):
            return f"{told}, which {unreached} does not call", False
    elif finding.cause == "other-value":
        there = [one for one in errors if canonical_path(one.path) == canonical_path(path)]
        if decides := code.find_condition(check, path, "", there):
            return f"the branch that decides is {decides.sentence}; {told}", False
        if guard := code.find_guard(check, traced.empty):
            return f"{told}, {guard}", False
    return told, False


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
