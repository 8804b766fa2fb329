"""Tries the fix of a finding where it is a change of tags: changes the types in memory, asks again, and says what came.

1. Find where the tags would stand, and refuse a change that is there already.
2. Ask the case of the finding once more, and cases that the change could break: a create of its object, sizes around
   the limit, and other places of objects that have the same type.
3. Compile each way to make the change, and compare what the changed rules say of the same objects. The first way in
   which the difference is gone, and no other came, is proposed. If there is none, the fix is not told.

What needs a change of handwritten code is not tried: nothing here can change it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case, Json, KindInfo, Operation
from harness.compare.causes.version import VERSION
from harness.compare.change import TagChange
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compare.mismatch import Mismatch
from harness.diagnostics import InputError
from harness.engine.fieldsource import find_field_source, line_of
from harness.fuzzers.shape import ANY, Shape
from harness.jsonpath import ABSENT, canonical_path, first_items, join, look, path_of, put
from harness.objectmodel import METADATA, header_of
from harness.subject.compiledtypes import CompiledTypes
from harness.subject.subject import Subject
from harness.subject.tagtrial import TagEdit, TagRefusal
from harness.targets.endpoint import DecodeError

Trial: TypeAlias = Generator[list[Case], list[Answer], Finding]
Place: TypeAlias = tuple[KindInfo, tuple[str, ...]]

GONE = "gone"
DIFFERS = "differs: "
_MOST_WAYS = 8  # ways to make one change
_MOST_COMPILED = 200  # changes that one process compiles
_MOST_PLACES = 6  # other places of a type
_DEEPEST = 12  # members on the way to a place
_MOST_TYPES = 4_000  # structs that are looked at in one kind


class FixTrials:
    """The trials of one unit's findings. `comparator_of` returns the comparator of any kind of the subject."""

    def __init__(self, subject: Subject, comparator_of: Callable[[KindInfo], Comparator]) -> None:
        self._subject, self._comparator_of = subject, comparator_of
        self._compiled = 0

    def run(self, finding: Finding, comparator: Comparator) -> Trial:
        """Return the finding with the change that a program can make, after trying it where that is possible."""
        change, tags = finding.change, self._subject.tags
        if change is None:
            return finding
        if tags is None:
            return _told(finding, change.alternatives()[0].text)
        info = self._kind_of(comparator.info, change.version)
        path = self._path_in(info, change.path, comparator)
        has_levels = info.composition in ("levels", "explicit")
        edits: list[tuple[TagChange, TagEdit]] = []
        refusals: list[TagRefusal] = []
        for one in msgspec.structs.replace(change, path=path).alternatives():
            found = tags.edits(one, self._subject.shape(info), has_levels)
            if isinstance(found, TagRefusal):
                refusals.append(found)
            else:
                edits += [(one, edit) for edit in found]
        if not edits:
            return _refused(finding, change, refusals, info)
        if not tags.compiles or "validated" not in self._subject.target.info.abilities:
            return self._proposed(finding, *edits[0], "")
        return (yield from self._try(finding, comparator, edits))

    def _try(self, finding: Finding, comparator: Comparator, edits: Sequence[tuple[TagChange, TagEdit]]) -> Trial:
        tags = self._subject.tags
        assert tags is not None
        cases = [_with_objects(case, info) for case, info in self._cases(finding, comparator, edits[0][1])]
        answers = yield cases
        if answers[0].failure is not None or not answers[0].validated:
            return self._proposed(finding, *edits[0], "")
        asked = [(case, answer) for case, answer in zip(cases, answers, strict=True) if answer.failure is None]
        reasons = []
        for change, edit in edits[:_MOST_WAYS]:
            if tags.is_new(edit):
                if self._compiled >= _MOST_COMPILED:
                    return self._proposed(finding, *edits[0], "")
                self._compiled += 1
            reason = self._difference(finding, asked, tags.rules_with(edit))
            if not reason:
                return self._proposed(finding, change, edit, GONE)
            reasons.append(f"{edit.text}: {reason}")
        return _dropped(finding, reasons[0])

    def _difference(self, finding: Finding, asked: Sequence[tuple[Case, Answer]], rules: CompiledTypes) -> str:
        """Return what still differs under changed rules, or differs only since then; empty if nothing does."""
        adds = finding.change is not None and finding.change.operation == "add"
        for number, (case, answer) in enumerate(asked):
            comparator = self._comparator_of(self._info_of(case))
            try:
                changed = _with_rules(case, answer, rules)
            except InputError as error:
                return f"the types do not compile, {error.diagnostics[0].message}"
            except DecodeError as error:
                return f"the object does not fit the types, {error}"
            before = {one.signature for one in comparator.compare(case, msgspec.structs.replace(answer, served=()))}
            after = comparator.compare(case, changed)
            if case.operation is finding.case.operation and _key_of(case) == _key_of(finding.case):
                still = next((one for one in after if _is_of(finding, one) and not (adds and _is_of_words(one))), None)
                if still is not None:
                    return still.detail if number == 0 else f"with another value, {still.detail}"
            came = next(
                (one for one in after if one.signature not in before and not (adds and _is_of_words(one))), None
            )
            if came is not None:
                other = "" if number == 0 else f"{self._info_of(case).name} {case.operation}, "
                return f"{other}{came.detail}"
        return ""

    def _proposed(self, finding: Finding, change: TagChange, edit: TagEdit, tried: str) -> Finding:
        on_type = not edit.member
        told = _told(finding, f"{edit.text} on its type" if on_type else edit.text, change.path)
        shape = self._subject.shape(self._kind_of(self._info_of(finding.case), change.version))
        source = find_field_source(canonical_path(change.path), shape).source
        tags = self._subject.tags
        if tags is not None and (removed := tags.position_of(edit)) is not None:
            source = line_of(removed, edit.type.rpartition(".")[0])
        made = msgspec.structs.replace(
            change, tags=edit.added or edit.removed, place="type" if on_type else change.place, others=(), otherwise="",
            source=source,
        )  # fmt: skip
        return msgspec.structs.replace(told, change=made, fix_tried=tried)

    # Cases

    def _cases(self, finding: Finding, comparator: Comparator, edit: TagEdit) -> Iterator[tuple[Case, KindInfo]]:
        """Yield the case of the finding, then cases of the same rule that the change could break."""
        case, info = finding.case, comparator.info
        yield case, info
        creates = Operation.CREATE in info.operations
        if case.operation is Operation.UPDATE and creates:
            yield msgspec.structs.replace(case, operation=Operation.CREATE, old=None), info
        path = self._value_path(finding)
        for value in _sizes_around(look(case.object, path)):
            yield msgspec.structs.replace(case, object=put(case.object, path, value)), info
        for other, new, old in self._elsewhere(finding, edit):
            yield other.case(case.operation, new, old, mode=case.mode), other

    def _value_path(self, finding: Finding) -> tuple[str, ...]:
        """Return where the value stands: what the error names, in the object as it was sent."""
        errors = (*finding.answer.handwritten, *finding.answer.declarative)
        found = (one.field for one in errors if canonical_path(one.field) == finding.path and one.type == finding.type)
        return path_of(next(found, finding.path))

    def _elsewhere(self, finding: Finding, edit: TagEdit) -> Iterator[tuple[KindInfo, Json, Json]]:
        """Yield objects with the struct of the finding at other places that have its type, in any kind."""
        case = finding.case
        path = self._value_path(finding)
        while path and path[-1].startswith("["):
            path = path[:-1]
        holder = path[:-1]
        new, old = look(case.object, holder), ABSENT if case.old is None else look(case.old, holder)
        if not edit.member or not isinstance(new, dict) or not holder:
            return
        own = tuple("[*]" if step.startswith("[") else step for step in holder)
        places = [place for place in self._places.get(edit.type, ()) if place[1] != own or place[0].kind != case.kind]
        for info, steps in islice(places, _MOST_PLACES):
            if case.operation not in info.operations or case.mode != "served":
                continue
            is_same = info.kind == case.kind and info.version == case.version
            base = case.object if is_same else _bare_object(info, case)
            before = case.old if is_same else base
            after = None if case.old is None else _planted(before, steps, old)
            yield info, _planted(base, steps, new), after

    @cached_property
    def _places(self) -> dict[str, list[Place]]:
        """The places of every struct in the kinds of the subject, by its type."""
        found: dict[str, list[Place]] = {}
        for info in self._subject.target.info.kinds:
            for type_name, steps in _structs_in(self._subject.shape(info)):
                found.setdefault(type_name, []).append((info, steps))
        return found

    # Kinds and paths

    def _kind_of(self, info: KindInfo, version: str) -> KindInfo:
        """Return the same resource in another version."""
        if version in ("", info.version):
            return info
        others = self._subject.target.info.kinds
        key = info.group, version, info.resource, info.subresource
        return next((one for one in others if one.key == key), info)

    def _info_of(self, case: Case) -> KindInfo:
        return next(one for one in self._subject.target.info.kinds if one.key == _key_of(case))

    def _path_in(self, info: KindInfo, path: str, comparator: Comparator) -> str:
        """Return a path in the types of a version: that of the internal version may be another one."""
        normalize = comparator.matcher.normalize
        wanted = first_items(canonical_path(path))
        for steps in _fields_in(self._subject.shape(info)) if comparator.info.normalization else ():
            one = ""
            for step in steps:
                one = join(one, step)
            if first_items(one) != wanted and normalize(first_items(one)) == wanted:
                return one
        return path


def _key_of(case: Case) -> tuple[str, str, str, str]:
    return case.group, case.version, case.resource, case.subresource


def _with_rules(case: Case, answer: Answer, rules: CompiledTypes) -> Answer:
    lists = {version: tuple(rules.validate(case.operation, given)) for version, given in answer.validated.items()}
    declarative = lists.pop(case.version, ())
    return msgspec.structs.replace(
        answer, declarative=declarative, versions=lists if answer.versions else {}, served=()
    )


def _is_of_words(mismatch: Mismatch) -> bool:
    """Whether both sides report one error in other words: a new rule is right all the same."""
    return mismatch.kind == "served" and mismatch.side == "both"


def _is_of(finding: Finding, mismatch: Mismatch) -> bool:
    """Whether a mismatch is that of a finding, of either side: the rule or the check reports the same error alone."""
    return (finding.path, finding.type, finding.origin) == (
        canonical_path(mismatch.path), mismatch.type, mismatch.origin
    )  # fmt: skip


def _with_objects(case: Case, info: KindInfo) -> Case:
    """Return a case that is answered with what the rules are given, in every version."""
    return msgspec.structs.replace(
        case, id=0, validated=True, brief=False, served=False, repeat=False, versions=bool(info.versions)
    )


def _sizes_around(value: Json) -> Iterator[Json]:
    """Yield values that are one smaller and one larger."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield from (value - 1, value + 1)
    elif isinstance(value, str) and value:
        yield from (value[:-1], value + value[-1])
    elif isinstance(value, list) and value:
        yield from (value[:-1], [*value, value[-1]])


def _bare_object(info: KindInfo, case: Case) -> Json:
    metadata = case.object.get(METADATA, {}) if isinstance(case.object, dict) else {}
    return {**header_of(info.api_version, info.kind), METADATA: metadata}


def _planted(base: Json, steps: Sequence[str], value: Json) -> Json:
    """Return an object with a value at a place; a list on the way gets one item, a map one key."""
    if not steps:
        return {} if value is ABSENT else value
    step, *rest = steps
    if step == "[*]":
        return [_planted({}, rest, value)]
    below = base.get(step) if isinstance(base, dict) else None
    return {**(base if isinstance(base, dict) else {}), step: _planted(below, rest, value)}


def _structs_in(shape: Shape) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield every struct of a type with its place, but nothing below a map or a struct inside itself."""
    for type_name, _, steps in islice(_walk(shape, (), frozenset()), _MOST_TYPES):
        if type_name:
            yield type_name, steps


def _fields_in(shape: Shape) -> Iterator[tuple[str, ...]]:
    for _, _, steps in islice(_walk(shape, (), frozenset()), _MOST_TYPES):
        yield steps


def _walk(shape: Shape, steps: tuple[str, ...], inside: frozenset[str]) -> Iterator[tuple[str, Shape, tuple[str, ...]]]:
    is_new = shape.kind == "struct" and shape.type not in inside
    yield shape.type if is_new else "", shape, steps
    if len(steps) > _DEEPEST:
        return
    if is_new:
        for field in shape.fields:
            yield from _walk(field.shape, (*steps, field.name), inside | {shape.type})
    elif shape.kind == "list" and shape.elem is not ANY:
        yield from _walk(shape.elem, (*steps, "[*]"), inside)


# What is told


def _told(finding: Finding, text: str, path: str = "") -> Finding:
    """Name one of several ways in the sentence of a fix, and the path where the tags stand, if it is another one."""
    change = finding.change
    assert change is not None
    ways = " or ".join(one.text for one in change.alternatives())
    fix = finding.fix.replace(ways, text)
    if path and path != change.path:
        fix = fix.replace(f"{text} on {canonical_path(change.path)}", f"{text} on {canonical_path(path)}")
    return msgspec.structs.replace(finding, fix=fix)


def _dropped(finding: Finding, reason: str) -> Finding:
    """Tell another fix than the one that was tried in vain."""
    assert finding.change is not None
    fix = finding.change.otherwise or finding.fix
    return msgspec.structs.replace(finding, fix=fix, change=None, fix_tried=f"{DIFFERS}{reason}")


def _refused(finding: Finding, change: TagChange, refusals: Sequence[TagRefusal], info: KindInfo) -> Finding:
    """Tell another fix than one that the types refuse; a tag that is there is told as the rule that it is.

    `info` is the version that would get the tag.
    """
    there = next((one.reason for one in refusals if one.is_there), "")
    reason = next((one.reason for one in refusals if one.reason), "")
    where = canonical_path(change.path)
    if there and not info.rules:
        fix = f"generate the declarative validation of {info.version}: {there} on {where} is there already"
    elif there and finding.cause == VERSION.code:
        fix = f"look why {there} on {where}, which is there already, does not report this in {info.version}"
    elif there:
        fix = f"let {there}, which is there already, and the handwritten check of {where} reject the same"
        fix += f", or {change.otherwise}" if change.otherwise else ""
    else:
        fix = (change.otherwise if change.tags else "") or finding.fix
        fix += f"; {reason}" if reason else ""
    if there and not info.served:
        fix += f"; no request names {info.version} {info.plural}, which are registered and not served"
    return msgspec.structs.replace(finding, fix=fix, change=None)
