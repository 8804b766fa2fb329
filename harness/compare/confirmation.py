"""Compares what we say that a server answers with what a running one answers, finding by finding.

A server tells type, path and text of an error, and nothing of origins, levels and marks. Lists are compared as sets,
because validators that walk a map report in any order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from harness.case import Answer, Case, Composition, Failure, Operation, ServedList
from harness.compare.composition import GRADUATED
from harness.compare.mismatch import PANIC
from harness.field import ErrorType, FieldError
from harness.objectmodel import METADATA, generate_name_of
from harness.targets.wire import capped

Outcome: TypeAlias = Literal["confirmed", "unreachable", "contradicted", "not-asked"]
OUTCOMES: tuple[Outcome, ...] = ("contradicted", "confirmed", "unreachable", "not-asked")
"""Worst first."""

NOT_SERVED = "404, because the version is not served"
NO_NAME = {"405": ("405", "400")}
"""Without a name in its address, an update is answered with the first status, that of a subresource with the second."""
HANDLER = "its handler looks at another object too, and refuses it"
"""The revision of a scale is that of the object that it changes; tokens and bindings are held against one, too."""
CLOSED = "the connection is closed"
"""How the status begins where a server closed the connection instead of answering."""
_STORED = "to whoever stores the old object"
"""Is part of what a worker says where no old object of this form is stored."""
_DROPS_BEFORE_METADATA: tuple[Composition, ...] = ("explicit", "shadow")
"""The compositions of 1.36: it drops repeated errors of a strategy (apiserver pkg/registry/rest/validate.go), and then
adds those that all kinds share (create.go, update.go), which are of metadata alone. 1.37 drops those of both, releases
before 1.36 none."""
_SHORTENED = re.compile(r"… \(\d+ bytes, [0-9a-f]{16}\)$")
"""How a value ends that a worker shortened."""
_ADDRESS = re.compile(r"\(0x[0-9a-f]+\)")
"""Where in memory something is, which a text that prints a pointer quotes (1.33): another place in each process."""
_SUFFIX, _LONGEST_START = "[bcdfghjklmnpqrstvwxz2456789]{5}", 58
"""What a server appends to `generateName`, and how much of that it keeps (apiserver pkg/storage/names/generate.go)."""
_WRITTEN_SPACE = "\xa0"
"""What stands for a space in the differences that handwritten code quotes, in one process and not in the other."""


class Confirmation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a running server answered to the case of a finding.

    `server` is its name. `confirmed`: under every setting it answered what we say that users are served.
    `unreachable`: it answers the request without validating, with the status that we say; `reason` is its answer.
    `contradicted`: it answered something else, which is a defect of the harness; `reason` says what, and `settings`
    under which settings. `not-asked`: `reason` says why not.
    """

    server: str
    outcome: Outcome
    reason: str = ""
    settings: tuple[str, ...] = ()


def questions(case: Case, answer: Answer) -> list[Case]:
    """Return the requests that confirm an answer: the case itself, or where we say that nobody can store its old
    object, the attempts to do so.
    """
    if _STORED not in answer.unreachable:
        return [case]
    old = msgspec.structs.replace(case, object=case.old)
    return [msgspec.structs.replace(old, operation=Operation.CREATE, old=None), old]


def confirm(
    case: Case,
    answer: Answer,
    said: Sequence[Answer],
    server: str,
    served: bool = True,
    stored: bool = True,
    composition: Composition = "levels",
) -> Confirmation:
    """Compare our answer to a case with those of a server to its `questions`.

    `answer.served` has the lists that we say are served. `served`: we say that the version is; `stored`: the object is
    stored, and no handler does more with it than validate it. `composition` is that of the server's release.
    """
    failed = next((one.failure for one in said if one.failure is not None), None)
    if failed is not None:
        return Confirmation(server, "not-asked", failed.message)
    refusal = answer.unreachable if served else NOT_SERVED
    if _STORED in refusal:
        return _confirm_unstored(refusal, said, server)
    lists = said[0].served
    if refusal:
        return _confirm_refusal(refusal, lists, server)
    if answer.failure is not None:
        return _confirm_failure(answer.failure, lists, server)
    suffixed = _suffixed(case)
    lists = tuple(_with_one_name(one, suffixed) for one in lists)
    expected = {one.setting: _with_one_name(one, suffixed).errors for one in answer.served}
    common = [one for one in lists if one.setting in expected]
    if not common:
        asked = ", ".join(one.setting for one in lists)
        return Confirmation(server, "not-asked", f"it was asked under {asked}, of which our answer says nothing")
    wrong = [
        one for one in common
        if not answers(one, expected[one.setting])
        and not (composition in _DROPS_BEFORE_METADATA and _repeats(one, expected[one.setting], answer.handwritten))
    ]  # fmt: skip
    if not wrong:
        return Confirmation(server, "confirmed")
    excuse = _excuse([(one, expected[one.setting]) for one in wrong], stored)
    if excuse:
        return Confirmation(server, "unreachable", excuse, tuple(one.setting for one in wrong))
    reason = "; ".join(f"under {one.setting}: {_difference(expected[one.setting], one)}" for one in wrong)
    return Confirmation(server, "contradicted", reason, tuple(one.setting for one in wrong))


def _suffixed(case: Case) -> re.Pattern[str] | None:
    """Return the form of a name that a server makes of an object's `generateName`: it ends differently each time."""
    start = generate_name_of(case.object) if case.operation is Operation.CREATE else ""
    return re.compile(f"({re.escape(start[:_LONGEST_START])}){_SUFFIX}") if start else None


def _with_one_name(said: ServedList, suffixed: re.Pattern[str] | None) -> ServedList:
    """Return an answer in which each generated name ends alike."""
    if suffixed is None:
        return said
    texts = [(suffixed.sub(r"\1-----", one.value), suffixed.sub(r"\1-----", one.detail)) for one in said.errors]
    errors = [
        msgspec.structs.replace(one, value=value, detail=detail)
        for one, (value, detail) in zip(said.errors, texts, strict=True)
    ]
    return msgspec.structs.replace(said, errors=tuple(errors))


def _excuse(wrong: Sequence[tuple[ServedList, Sequence[FieldError]]], stored: bool) -> str:
    """Return why a server answers otherwise than its validators do of this object; empty if there is no such reason."""
    if not stored and all(said.status or not expected for said, expected in wrong):
        return f"{HANDLER}: {wrong[0][0].status or _verdict(wrong[0][0].errors)}"
    return ""


def _confirm_unstored(expected: str, said: Sequence[Answer], server: str) -> Confirmation:
    """Compare with our word that nobody can store an old object: it is rejected under every setting."""
    stored = [one for answer in said for one in answer.served if not (one.errors or one.status)]
    if not stored:
        return Confirmation(server, "unreachable", expected)
    reason = f"it stores the old object, and we say {expected}"
    return Confirmation(server, "contradicted", reason, tuple(dict.fromkeys(one.setting for one in stored)))


def _confirm_refusal(expected: str, served: Sequence[ServedList], server: str) -> Confirmation:
    """Compare with the status with which we say that a server answers a request that it does not validate."""
    code = expected[:3]
    wrong = [one for one in served if not one.status.startswith(NO_NAME.get(code, (code,)))]
    if not wrong:
        return Confirmation(server, "unreachable", served[0].status if served else expected)
    reason = f"{describe_answer(wrong[0])}, and we say {expected}"
    return Confirmation(server, "contradicted", reason, tuple(one.setting for one in wrong))


def _confirm_failure(failure: Failure, served: Sequence[ServedList], server: str) -> Confirmation:
    """Compare with a failure: an object that cannot be handled is refused, and a crash closes the connection.

    Some settings may prevent a crash, because a rule rejects the object before.
    """
    settings = tuple(one.setting for one in served)
    if failure.panic:
        if any(one.status.startswith(CLOSED) for one in served):
            return Confirmation(server, "confirmed")
        reason = f"it does not crash: {'; '.join(map(describe_answer, served))}"
        return Confirmation(server, "contradicted", reason, settings)
    if all(one.status or one.errors for one in served):
        return Confirmation(server, "unreachable", served[0].status or f"422 Invalid: {_verdict(served[0].errors)}")
    reason = f"it accepts the object, and we say: {failure.stage}: {failure.message}"
    return Confirmation(server, "contradicted", reason, settings)


def answers(said: ServedList, expected: Sequence[FieldError]) -> bool:
    """Whether a server's answer is a list of errors."""
    if said.status:
        return bool(expected) and _is_text_of(said.status, expected)
    return _counted(expected) == _counted(shorten(said.errors, expected))


def _repeats(said: ServedList, expected: Sequence[FieldError], handwritten: Sequence[FieldError]) -> bool:
    """Whether a list differs, after graduation, only by errors of metadata, as often as handwritten code has them."""
    if said.setting != GRADUATED or said.status:
        return False
    ours, its, repeated = map(_counted, (expected, shorten(said.errors, expected), handwritten))
    more = its - ours
    return set(ours) == set(its) and ours <= its and all(_is_shared(one) and its[one] <= repeated[one] for one in more)


def _is_shared(counted: tuple[str, str, str]) -> bool:
    return re.match(rf"{METADATA}\b", counted[1]) is not None


def shorten(errors: Sequence[FieldError], expected: Sequence[FieldError]) -> list[FieldError]:
    """Shorten the values that a server quotes whole, where a worker shortened them."""
    short = [error for error in expected if _SHORTENED.search(error.value)]
    return [next((one for one in short if _is_whole(error, one)), error) for error in errors]


def _is_whole(error: FieldError, short: FieldError) -> bool:
    ending = f": {short.detail}" if short.detail else ""
    if (error.type, error.field) != (short.type, short.field) or not error.detail.endswith(ending):
        return False
    value = error.detail.removesuffix(ending)
    if _ADDRESS.search(short.value) is None:
        return capped(value) == short.value
    kept = re.sub(r"\(0x[0-9a-f]*$", "", _SHORTENED.sub("", short.value))  # what the hash is of differs, too
    return _plain(value).startswith(_plain(kept))


def _is_text_of(status: str, errors: Sequence[FieldError]) -> bool:
    """Whether a status has the texts of these errors: some handlers make an internal error of a list."""
    texts = list(dict.fromkeys(map(_pattern, errors)))
    whole = texts[0] if len(texts) == 1 else rf"\[{', '.join(texts)}\]"
    return re.search(f": {whole}$", status) is not None


def _pattern(error: FieldError) -> str:
    """Return a regular expression for the text of an error; a value that a worker shortened is any value."""
    is_short = _SHORTENED.search(error.value) is not None
    text = re.escape(error.text)
    return text.replace(re.escape(error.value), ".+", 1) if is_short else text


def _counted(errors: Iterable[FieldError]) -> Counter[tuple[str, str, str]]:
    return Counter((error.type, error.field, error.detail) for error in map(said_of, errors))


def said_of(error: FieldError) -> FieldError:
    """Return an error as a server says it: type, path and text, without what differs from process to process."""
    if error.type == ErrorType.INTERNAL and PANIC in error.detail:
        return FieldError(error.type, error.field, PANIC)
    return FieldError(error.type, error.field, _plain(": ".join(part for part in (error.value, error.detail) if part)))


def _plain(text: str) -> str:
    return _ADDRESS.sub("(0x)", text).replace(_WRITTEN_SPACE, " ")


def _difference(expected: Sequence[FieldError], said: ServedList) -> str:
    """Return a sentence: what we say, and what the server answers."""
    if said.status:
        return f"it answers {said.status}, and we say {_verdict(expected)}"
    ours, its = _counted(expected), _counted(shorten(said.errors, expected))
    missing = [f"{field}: {words} ({kind})" for kind, field, words in (ours - its)]
    more = [f"{field}: {words} ({kind})" for kind, field, words in (its - ours)]
    parts = [f"it does not answer {'; '.join(missing)}"] * bool(missing)
    return ", ".join([*parts, *[f"it answers {'; '.join(more)}"] * bool(more)])


def _verdict(errors: Sequence[FieldError]) -> str:
    return "; ".join(error.text for error in errors) or "that it accepts the object"


def describe_answer(said: ServedList) -> str:
    """Return what a server answers under a setting."""
    return f"under {said.setting} it answers {said.status or _verdict(said.errors)}"
