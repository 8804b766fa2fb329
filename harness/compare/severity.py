"""Grades a mismatch by who would notice it (docs/reference/severities.md), from the errors served under each setting.

Only the errors of the mismatch itself are blamed, but an object that other errors reject under every setting has no
verdict that could change. So the severity of a difference is that of its worst occurrence: `grade_alone` tells how
severe it may be on another object, and `worst_possible` which answers are worth grading.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from harness.case import Answer, Case
from harness.compare.comparator import Comparator
from harness.compare.composition import Served
from harness.compare.finding import SEVERITIES, Severity
from harness.compare.mismatch import Mismatch, is_panic
from harness.field import ErrorType, FieldError


def severity_of(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Severity:
    """Grade a mismatch. `unreachable` if no request shows it; for mode `given` that is found by a cause."""
    if why_unreachable(case, answer, mismatch, comparator):
        return "unreachable"
    grade = comparator.comparison.grade(answer)
    if grade is not None:
        return grade
    match mismatch.kind:
        case "panic":
            return "verdict" if answer.failure is not None else _of_crashed_rule(comparator.served(answer))
        case "self" | "composition" | "conversion":
            return "visible"
        case "path":
            return _of_path(answer, mismatch, comparator)
        case "version":
            return _of_version(case, answer, mismatch, comparator)
        case "generated":
            return _of_generated(answer, mismatch, comparator)
    return _of_lists(comparator.served(answer), mismatch, comparator, has_parent_errors=bool(answer.parent))


def why_unreachable(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> str:
    """Return why no request shows a mismatch, empty if one does: the server refuses it, or serves no such version."""
    info = comparator.info
    if not info.served:
        told = f"{info.version} {info.plural} are registered and not served"
        return f"{told}, and were asked with the strategy of {info.through}"
    if answer.unreachable:
        return f"a server answers {answer.unreachable}"
    if mismatch.kind != "version":
        return ""
    differing = comparator.differing_versions(case, answer, mismatch)
    if not differing or any(map(comparator.is_served, differing)):
        return ""
    names = f"{' and '.join(differing)} {info.plural}"
    return f"{names}, with which {case.version} was compared, are registered and not served"


def grade_alone(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Severity:
    """Grade a mismatch as if the answer had its own errors only: what it may be on an object without other errors.

    A server may refuse this request for another reason than the value.
    """
    if answer.failure is not None:
        return severity_of(case, answer, mismatch, comparator)
    own = msgspec.structs.replace(
        answer,
        handwritten=tuple(comparator.select(mismatch, answer.handwritten)),
        declarative=tuple(comparator.select(mismatch, answer.declarative)),
        versions={name: tuple(comparator.select(mismatch, errors)) for name, errors in answer.versions.items()},
        compiled=None if answer.compiled is None else tuple(comparator.select(mismatch, answer.compiled)),
        unreachable="",
    )
    return severity_of(case, own, mismatch, comparator)


def worst_possible(answer: Answer, comparator: Comparator) -> Severity:
    """Return a severity that no mismatch of an answer exceeds. Fast, because it is asked of every new pair of lists.

    A verdict changes only where some setting accepts the object, and a handwritten error that is not covered is served
    under every setting.
    """
    if not comparator.info.served or answer.unreachable:
        return "unreachable"
    grade = comparator.comparison.grade(answer)
    if grade is not None:
        return grade
    if answer.failure is not None or any(map(is_panic, answer.declarative)):
        return "verdict"
    if not all(error.covered for error in answer.handwritten):
        return "visible"
    if answer.versions or answer.compiled is not None:  # each version has a list of its own, and so have the tags
        return "verdict"
    served = comparator.served(answer)
    if not all(one.errors for one in served[:-1]):
        return "verdict" if any(one.errors for one in served[:-1]) else "graduation"
    return "visible" if served[-1].errors else "graduation"


def _of_lists(served: list[Served], mismatch: Mismatch, comparator: Comparator, *, has_parent_errors: bool) -> Severity:
    today, graduated = served[:-1], served[-1]
    # What a parent rejects is accepted under no setting.
    if has_parent_errors:
        return _of_rejected(today, mismatch, comparator)
    if any(_flips(one, other, mismatch, comparator) for one in today for other in today):
        return "verdict"
    if any(
        _flips(one, graduated, mismatch, comparator) or _flips(graduated, one, mismatch, comparator) for one in today
    ):
        return "graduation"
    return _of_rejected(today, mismatch, comparator)


def _of_rejected(today: list[Served], mismatch: Mismatch, comparator: Comparator) -> Severity:
    """Grade a difference that changes no verdict."""
    served_today = [_served_errors(one, mismatch, comparator) for one in today]
    if any(_differ(served_today[0], other, mismatch) for other in served_today[1:]):
        return "visible"
    if any(_has_duplicates(errors, one) for errors, one in zip(served_today, today, strict=True)):
        return "visible"
    if mismatch.type == ErrorType.INTERNAL and any(served_today):
        return "visible"
    return "shadow"


def _flips(accepting: Served, rejecting: Served, mismatch: Mismatch, comparator: Comparator) -> bool:
    """Whether one setting accepts what the other rejects, this mismatch among its reasons."""
    accepted = not accepting.handwritten and not accepting.declarative
    return accepted and bool(_served_errors(rejecting, mismatch, comparator))


def _served_errors(served: Served, mismatch: Mismatch, comparator: Comparator) -> list[FieldError]:
    return comparator.select(mismatch, served.errors)


def _differ(first: list[FieldError], second: list[FieldError], mismatch: Mismatch) -> bool:
    """Whether users read different errors; the words count only for an error that both validators report."""
    if mismatch.side == "both":
        return {error.detail for error in first} != {error.detail for error in second}
    return len(first) != len(second)


def _has_duplicates(errors: list[FieldError], served: Served) -> bool:
    texts = {error.text for error in errors}
    sides = {error in served.declarative for error in errors}
    return len(texts) < len(errors) or len(sides) == 2


def _of_crashed_rule(served: list[Served]) -> Severity:
    """Grade a crash that the server recovered from: the request fails where the internal error is served."""
    failing = [one.setting.is_graduated for one in served if any(map(is_panic, one.declarative))]
    return "shadow" if not failing else "graduation" if all(failing) else "verdict"


def _of_path(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Severity:
    today = comparator.served(answer)[:-1]
    return "visible" if any(_served_errors(one, mismatch, comparator) for one in today) else "shadow"


def _of_version(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Severity:
    """Compare the errors served in this version with those of the other versions, setting by setting."""
    own = comparator.served(answer)
    lists = [
        _of_other_list(own, comparator.served_of(answer.handwritten, errors), mismatch, comparator, len)
        for version, errors in answer.versions.items()
        if version != case.version and comparator.is_served(version)
    ]
    return min(lists, key=SEVERITIES.index, default="shadow")


def _of_generated(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Severity:
    """Compare what is served with what will be, once the code is generated anew, setting by setting."""
    own = comparator.served(answer)
    others = comparator.served_of(answer.handwritten, answer.compiled or ())
    return _of_other_list(own, others, mismatch, comparator, lambda errors: [error.text for error in errors])


def _of_other_list(
    own: list[Served],
    others: list[Served],
    mismatch: Mismatch,
    comparator: Comparator,
    read: Callable[[list[FieldError]], object],
) -> Severity:
    """Compare what is served of two declarative lists, setting by setting; `read` is what users read of errors."""
    worst: Severity = "shadow"
    for one, other in zip(own, others, strict=True):
        if _flips(one, other, mismatch, comparator) or _flips(other, one, mismatch, comparator):
            if not one.setting.is_graduated:
                return "verdict"
            worst = "graduation"
        elif worst == "shadow" and not one.setting.is_graduated:
            differ = read(_served_errors(one, mismatch, comparator)) != read(
                _served_errors(other, mismatch, comparator)
            )
            worst = "visible" if differ else worst
    return worst
