"""The cause `ratcheting`: the same new object without what was there before, as a create or with another old object.

That proves that the update makes the difference. What of it does is asked then (`harness.compare.updates`): the value
that was left as it was, something else in the old object, or any update.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case, Json, Operation
from harness.compare.cause import Cause, Experiment, Explanation, Finder, ListWithoutKeys, Question, Trial
from harness.compare.causes.item_key import ITEM_KEY
from harness.compare.causes.masked import MASKED
from harness.compare.itemkeys import find_item_key
from harness.compare.othervalues import describe_value, path_in_object
from harness.compare.updates import Silence, changed_trigger, describe_left, describe_touched, find_reason
from harness.field import ErrorType, FieldError
from harness.jsonpath import (
    ABSENT,
    ITEMS,
    JsonPath,
    canonical_path,
    differences,
    is_within,
    look,
    path_of,
    pattern_of,
    remove,
    write,
)
from harness.objectmodel import is_in_metadata

_MAX_NAMED = 2  # changed fields in a sentence

Describe: TypeAlias = Callable[[Question, str, str, Silence], Explanation]
"""Says what it means: of the question, of the side that is silent on the update, how it was made to speak, and why."""


def trials(question: Question) -> Iterator[Trial]:
    if not question.is_about_an_error or question.case.operation is not Operation.UPDATE:
        return
    for asked in _without_old(question):
        yield Trial(asked, partial(_proves, question, asked))


def _proves(question: Question, asked: Case, said: Answer) -> Explanation | None:
    if not question.comparator.agrees(question.mismatch, asked, said):
        return None
    return Explanation("", "")  # `refine` says what it means


def refine(question: Question, found: Explanation, describe: Describe) -> Experiment[Explanation]:
    """Find out what of the update makes a side silent, unless the first batch has shown it.

    Without the old object, or with another one, the silent side may report less of something else too. Then that may be
    what it returned early for. A side that took an item of a list for another one does not ratchet either.
    """
    silent, first = _silent_side(question), question.proofs[0]
    better = yield from _find_better(question)
    if better is not None:
        return better
    if question.mismatch.side != "both" and not _is_shown(question, silent):
        why = yield from find_reason(question)
        experiment = "as a create, the value changed within the update, the old object repaired"
        if why.reason in ("changed", "change"):
            experiment = "as a create" if why.reason == "change" else "as a create, the old object replaced"
    else:
        why = Silence("unchanged" if question.mismatch.ratcheting or question.mismatch.side == "both" else "changed")
        experiment = "as a create, and against an old object without the value"
    how = _describe_change(question, first)
    found = describe(question, silent, how, why)._replace(experiment=experiment, spoken=first)
    whole = _changed_list(question) if silent == "handwritten" and why.reason == "unchanged" else None
    if whole is not None:
        key, twice = yield from find_item_key(question, whole.path)
        marked = None if twice is None else (twice, ErrorType.DUPLICATE)
        found = found._replace(fix=_declare_key(question, whole, key, marked is not None), marked=marked)
    return found


def _find_better(question: Question) -> Experiment[Explanation | None]:
    """Return what explains the silence of a side by another error, or by the item that it looked up, if that does.

    What repairs an error about the change changes the old object as well, so that it proves nothing of an early return.
    """
    for cause in (*([MASKED] if question.has_fewer_others else []), ITEM_KEY):
        found = yield from dict(question.finders)[cause.code].search(question)
        error = None if found is None else found.masking
        if found is not None and not (error is not None and question.facts.is_of_change(error)):
            return found._replace(cause=cause.code, experiment=cause.experiment)
    return None


def _declare_key(question: Question, whole: ListWithoutKeys, key: str, is_marked: bool) -> str:
    """Write the tags that let rules find the items of a list in the old one, and what they need beside them."""
    tags = whole.tags
    if whole.key_tag:
        tags = f"{tags} and {whole.key_tag}={key}" if key else f"{tags} and {whole.key_tag} for the key of its items"
    place = f" ({whole.source})" if whole.source else ""
    marks = (
        "; mark Duplicate errors of its items as covered then, and report them where the update changes anything of "
        f"{whole.path}, not otherwise"
        if is_marked or not key
        else ""
    )
    below = (
        f"; the other rules below {whole.path} ratchet each item then, too, so let the covered checks there skip what "
        "an item has left as it was, or write an exception"
        if pattern_of(question.mismatch.path)[-1:] != (ITEMS,)  # it is of a member, so that others may have rules too
        else ""
    )
    return (
        f"declare {tags} on {whole.path}{question.every_version}, so that {question.tag_or_rule} ratchets what an item "
        f"has left as it was{marks}{below}{place}"
    )


def _describe_change(question: Question, proof: Case) -> str:
    """Say what was changed until both sides agreed: of an old object without the value, more than that was removed."""
    if proof.operation is Operation.CREATE:
        return "as a create" if proof.object == question.case.object else "as a create of the old object"
    path = path_of(question.mismatch.path)
    removed = _present(question.case.old, path)
    return f"against an old object without {'the value' if removed == path else write(removed)}"


def _is_shown(question: Question, silent: str) -> bool:
    """Whether an update shows that the unchanged value decides: rules look at no more of the old object than that."""
    is_update = any(case.operation is Operation.UPDATE for case in question.proofs)
    return silent == "declarative" and not question.is_about_servers and is_update and question.mismatch.ratcheting


def describe_side(question: Question, silent: str, how: str, why: Silence) -> Explanation:
    """Say which side is silent on the update, because of what, and whether that is wanted."""
    name = question.name_of(silent)
    changed, code = f"{how} both sides agree", f"the check of {question.check}"
    check = code if silent == "handwritten" else question.tag_or_rule
    changes = f"let {check} look at {question.where} wherever the update {describe_touched(question, silent)}"
    stored = f"{changes}; or write an exception if stored objects that are wrong are tolerated on purpose"
    match why.reason:
        case "unchanged":
            fix = f"let {code} look at unchanged values too, or let {question.tag_or_rule} ratchet"
            if silent == "declarative":
                fix = f"let {code} skip {describe_left(question)}, or write an exception: ratcheting is wanted"
            fixed = "; the value may not be changed" if why.is_fixed else ""
            told = f"{name} ratchets what the update did not change: {changed}{fixed}"
            whole = _changed_list(question) if silent == "handwritten" else None
            if whole is not None:
                told = f"{told}; rules compare {whole.path} with the old list as a whole, for its items have no keys"
            return Explanation(told, fix)
        case "same-error":
            return Explanation(
                f"{name} does not report it while the old object has the error there too, not even when the update "
                f"changes the value to {describe_value(why.value)}: {changed}",
                f"let {check} skip {question.where} where its value did not change, and nowhere else",
            )
        case "old-errors":
            return Explanation(
                f"{name} does not report it while the old object is wrong, {_name_errors(why)}: against an accepted "
                f"old object both sides report it",
                stored,
            )
        case "other-old":
            found = Explanation(
                f"{name} does not report it against this old object, in which it has no error: against another "
                f"accepted one both sides report it",
                changes,
            )
            return _unless_rejected(question, [question.where], found)
        case "updates":
            return Explanation(
                f"{name} does not validate it on this update, not even when the value changes to "
                f"{describe_value(why.value)}: {changed}",
                f"let {check} look at {question.where} on updates too",
            )
        case "change":
            return Explanation(
                f"{name} does not report this change: {changed}",
                f"let {code} and {question.tag_or_rule} take the same for a change",
            )
        case "changed":
            return _describe_changed(question, name, check, changed, describe_touched(question, silent))
    tried = f"none of the {why.tried} other values that were tried has the error" if why.tried else "no other was tried"
    fix = f"look whether {check} at {question.where} skips what did not change, or every update"
    return Explanation(
        f"{name} does not report it on this update, which {_describe_kept(question)}: {changed}; whether it reports a "
        f"value that the update changes is not known, {tried}",
        fix,
    )


def _describe_changed(question: Question, name: str, check: str, agree: str, touched: str) -> Explanation:
    """Say what of the object the update changes: the value, or another field on which the rule depends. Such a rule
    looks at which of the two are set, and not at their values.
    """
    case, fields, trigger = question.case, [question.where], ""
    how = _describe_set(question)
    path = path_in_object(question, case.object)
    if look(case.object, path) == look(case.old, path):
        trigger = changed_trigger(question)
        others = (canonical_path(write(one)) for one in differences(case.object, case.old))
        fields = [trigger] if trigger else list(islice(dict.fromkeys(others), _MAX_NAMED))
        added = canonical_path(write(_added_above(question, path)))
        changed = [one for one in fields if one != added]
        does = [f"changes {' and '.join(changed)}"] if changed else []
        how = f"which {' and '.join([*does, _describe_kept(question)])}"
        if added and not trigger and all(is_within(question.where, one) for one in fields):
            # A rule finds what contains the value in the old object, by its key in a list, and ratchets it there.
            touched = "changes it or adds what contains it" if touched == "changes it" else touched
            fields = [question.where]
    changes = touched if fields == [question.where] else f"changes {' or '.join(fields)}"
    changes = f"sets or unsets it or {trigger}" if trigger else changes
    fix = f"let {check} look at {question.where} wherever the update {changes}"
    return _unless_rejected(
        question, fields, Explanation(f"{name} does not report it on this update, {how}: {agree}", fix)
    )


def _unless_rejected(question: Question, fields: Sequence[str], found: Explanation) -> Explanation:
    """Say of an update that is rejected for changing one of some fields that requests need no fix.

    Where the change is rejected is told, and not that the field may never change: that may hang on the old object.
    """
    fixed = next(filter(None, (_rejected_change(question, one) for one in fields)), None)
    if fixed is None:
        return found
    told = f"{found.detail}; the update is rejected anyway, {fixed.text}"
    at = canonical_path(question.comparator.matcher.normalize(fixed.field))
    return Explanation(told, f"nothing to do for requests like this one, which are rejected at {at}; else {found.fix}")


def _describe_kept(question: Question) -> str:
    """Say of a value that is the same in both objects whether it is there, and whether what contains it is new."""
    path = path_in_object(question, question.case.object)
    if look(question.case.object, path) is not ABSENT:
        return "leaves the value as it was"
    new = write(_added_above(question, path))
    return f"adds {new} without the value" if new else "leaves the value absent"


def _describe_set(question: Question) -> str:
    """Say of a value that differs whether the update changes or adds it, by itself or with what contains it."""
    path = path_in_object(question, question.case.object)
    if look(question.case.old, path) is not ABSENT:
        return "although the update changes the value"
    new = write(_added_above(question, path))
    return f"although the update adds the value{f' with {new}' if new else ''}"


def _added_above(question: Question, path: JsonPath) -> JsonPath:
    """Return the outermost value above a path that the update adds; empty if the old object has all of them.

    An item that the old list has elsewhere was moved, and not added.
    """
    case, depths = question.case, range(1, len(path))
    first = next((path[:end] for end in depths if look(case.old, path[:end]) is ABSENT), ())
    value = look(case.object, first) if first else ABSENT
    items = look(case.old, first[:-1])
    is_moved = isinstance(items, list) and value in items
    return () if value is ABSENT or is_moved else first


def _rejected_change(question: Question, field: str) -> FieldError | None:
    """Return the error of the answer that rejects every change of a field, whatever the gates are."""
    answer, normalize = question.answer, question.comparator.matcher.normalize
    certain = [one for one in answer.handwritten if not one.covered]
    certain += [one for one in answer.declarative if not one.level]
    return next(
        (
            one
            for one in certain
            if question.facts.is_of_change(one) and is_within(field, canonical_path(normalize(one.field)))
        ),
        None,
    )


def _changed_list(question: Question) -> ListWithoutKeys | None:
    """Return a list without keys above the path, which the update changes: rules then take all its items for new."""
    found = question.hints.unkeyed_list(question.mismatch.path)
    if found is None:
        return None
    path = path_of(question.mismatch.path)[: len(path_of(found.path))]
    case = question.case
    return None if look(case.old, path) == look(case.object, path) else found


def describe_server(question: Question, silent: str, how: str, why: Silence) -> Explanation:
    """Say which of two servers is silent on the update, and because of what."""
    silent_name, other = (question.name_of(side) for side in (silent, question.mismatch.side))
    fix = f"mend stored objects before they are updated by {other}"
    match why.reason:
        case "unchanged":
            return Explanation(f"{silent_name} ratchets what the update did not change: {how} both agree", fix)
        case "same-error":
            told = f"{silent_name} does not report it while the old object has the error there too: {how} both agree"
        case "old-errors":
            told = f"{silent_name} does not report it while the old object is wrong, {_name_errors(why)}"
        case "other-old":
            told = f"{silent_name} does not report it against this old object, and against another both do"
        case "updates":
            told = f"{silent_name} does not validate it on this update: {how} both agree, a changed value too"
        case _:
            told = f"{silent_name} does not report it on this update: {how} both agree"
    return Explanation(told, fix)


def _name_errors(why: Silence) -> str:
    first, *others = why.errors
    return f"{first.text}{f' and {len(others)} more' if others else ''}"


def _silent_side(question: Question) -> str:
    """Name the side that reports the error of a mismatch less often."""
    if question.mismatch.side != "both":
        return question.silent
    both = question.answer.handwritten, question.answer.declarative
    handwritten, declarative = (len(question.select(errors)) for errors in both)
    return "declarative" if declarative < handwritten else "handwritten"


def _without_old(question: Question) -> Iterator[Case]:
    """Yield the case without what the old object has at the path of the mismatch, or without an old object."""
    case, path = question.case, path_of(question.mismatch.path)
    created = question.created()
    if created is not None:
        yield created
    before = _without_first(case.old, path)
    if before != case.old:
        yield msgspec.structs.replace(case, old=before)
        if case.mode == "served":  # preparation may bring back from the old object what was taken from it
            yield msgspec.structs.replace(case, old=before, mode="given")
    if case.mode == "served" and _brings_back(case, path):
        main = case.subresource if Operation.CREATE in question.comparator.info.operations else ""
        yield msgspec.structs.replace(
            case, operation=Operation.CREATE, object=case.old, old=None, subresource=main, mode="given"
        )


def _brings_back(case: Case, path: JsonPath) -> bool:
    """Whether preparation may bring back what stood at a path: metadata, or what a request leaves out."""
    for end in range(2, len(path) + 1):
        before, now = look(case.old, path[:end]), look(case.object, path[:end])
        if before is not ABSENT and (now is ABSENT or (is_in_metadata(path) and now != before)):
            return True
    return False


def _without_first(value: Json, path: JsonPath) -> Json:
    """Remove what stands at a path, or the nearest thing above it that is there."""
    path = _present(value, path)
    return remove(value, path) if path else value


def _present(value: Json, path: JsonPath) -> JsonPath:
    """Return the path without the steps that a value does not have."""
    while path and look(value, path) is ABSENT:
        path = path[:-1]
    return path


RATCHETING = Cause(
    code="ratcheting",
    page="""
One side accepts a value because of the update: without the old object, both sides agree.
What of the update decides is asked then, and the report says it:

- "ratchets what the update did not change": with the value changed it is reported. Declarative rules ratchet by design,
  so this is often wanted. To make the handwritten check agree, pass it the old object and return early if the value is
  unchanged.
- "while the old object has the error there too", or "is wrong": the side looks away from wrong stored objects, and lets
  the update change the value to another wrong one.
- "does not validate it on this update": it is silent about a changed value too. That is never wanted.
""",
    experiment="as a create, the value changed within the update, the old object repaired",
    example="""
`spec.replicas: -1` in the old and in the new object: the check reports it, the rule does not, because the update leaves
it as it was. As a create, and changed from `1`, both report it.
""",
    sides=Finder(trials=trials, refine=partial(refine, describe=describe_side)),
    servers=Finder(trials=trials, refine=partial(refine, describe=describe_server)),
    extent="type",
)
