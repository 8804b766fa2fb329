"""Who would notice a mismatch (docs/reference/severities.md), from what is served under each setting. Pure.

A mismatch is blamed for what its own error does to the served lists, so that its grade does not depend on what else is
wrong with the object.
"""

from __future__ import annotations

from harness.case import Answer, Case
from harness.compare.comparator import Comparator
from harness.compare.composition import Served
from harness.compare.ends import direction_of, served_after, served_before
from harness.compare.finding import Severity
from harness.compare.mismatch import Mismatch
from harness.field import ErrorType, FieldError


def severity_of(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Severity:
    """Grade a mismatch. `unreachable` is what no request can reach; for the rest of it the cause finder asks."""
    if not comparator.info.served:
        return "unreachable"
    if comparator.ends is not None:  # users read both lists, one today and one after they moved
        moved = direction_of(served_before(answer), served_after(answer))
        return "visible" if moved == "other-errors" else "verdict"
    match mismatch.kind:
        case "panic":
            return "verdict"  # a request that should have been answered fails, or a wrong object is let in
        case "self" | "composition":
            return "visible"
        case "path":
            return _of_path(answer, mismatch, comparator)
        case "version":
            return _of_version(case, answer, mismatch, comparator)
    return _of_lists(comparator.served(answer), mismatch, comparator)


def _of_lists(served: list[Served], mismatch: Mismatch, comparator: Comparator) -> Severity:
    today, graduated = served[:-1], served[-1]
    if any(_flips(one, other, mismatch, comparator) for one in today for other in today):
        return "verdict"
    if any(
        _flips(one, graduated, mismatch, comparator) or _flips(graduated, one, mismatch, comparator) for one in today
    ):
        return "graduation"
    shown = [_shown(one, mismatch, comparator) for one in today]
    if any(_differ(shown[0], other, mismatch) for other in shown[1:]):
        return "visible"
    if any(_twice(errors, one) for errors, one in zip(shown, today, strict=True)):
        return "visible"
    if mismatch.type == ErrorType.INTERNAL and any(shown):
        return "visible"
    return "shadow"


def _flips(accepting: Served, rejecting: Served, mismatch: Mismatch, comparator: Comparator) -> bool:
    """Whether one setting accepts what the other rejects, this mismatch among its reasons."""
    accepted = not accepting.handwritten and not accepting.declarative
    return accepted and bool(_shown(rejecting, mismatch, comparator))


def _shown(served: Served, mismatch: Mismatch, comparator: Comparator) -> list[FieldError]:
    return comparator.concerned(mismatch, served.errors)


def _differ(first: list[FieldError], second: list[FieldError], mismatch: Mismatch) -> bool:
    """Whether the user reads something else; for one error in other words, words count."""
    if mismatch.side == "both":
        return {error.detail for error in first} != {error.detail for error in second}
    return len(first) != len(second)


def _twice(errors: list[FieldError], served: Served) -> bool:
    texts = {error.text for error in errors}
    sides = {error in served.declarative for error in errors}
    return len(texts) < len(errors) or len(sides) == 2


def _of_path(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Severity:
    today = comparator.served(answer)[:-1]
    return "visible" if any(_shown(one, mismatch, comparator) for one in today) else "shadow"


def _of_version(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Severity:
    """Compare what is served through this version with what is served through the others, setting by setting."""
    here = comparator.served(answer)
    worst: Severity = "shadow"
    for version, errors in answer.versions.items():
        if version == case.version:
            continue
        there = comparator.served_of(answer.handwritten, errors)
        for one, other in zip(here, there, strict=True):
            if _flips(one, other, mismatch, comparator) or _flips(other, one, mismatch, comparator):
                if not one.setting.is_graduated:
                    return "verdict"
                worst = "graduation"
            elif worst == "shadow" and not one.setting.is_graduated:
                differ = len(_shown(one, mismatch, comparator)) != len(_shown(other, mismatch, comparator))
                worst = "visible" if differ else worst
    return worst
