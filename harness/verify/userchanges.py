"""Describes what changes for users between base and head: the served errors before and after, for each finding.

The findings are of a comparison in which the head takes the place of the handwritten validators, and the base that of
the declarative ones. Errors that both serve are handwritten ones without a mark (`harness.subject.targetpair`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from harness.compare.finding import Finding
from harness.compare.two_servers import Direction, direction_of, served_after, served_before
from harness.field import FieldError
from harness.report.model.verification import UserChange
from harness.subject import SubjectSpec

DEFAULT_GATES = "default gates"


def make_user_change(finding: Finding, subject: str, names: tuple[str, ...], replay: str) -> UserChange:
    """Describe one finding of a comparison. `subject` is its name, `names` are the touched fields of the finding."""
    before, after = served_before(finding.answer), served_after(finding.answer)
    direction = direction_of(before, after)
    return UserChange(
        finding.fingerprint, direction, _sentence(finding, direction, before, after), before, after,
        tuple(setting_name(part, subject) for part in finding.parts), names, finding, replay,
    )  # fmt: skip


def sort_key(change: UserChange) -> tuple[object, ...]:
    """Return the sort key of a change: objects that are newly accepted or rejected come first."""
    return not change.is_verdict, change.direction, change.fields, change.fingerprint


def deduplicate(changes: Iterable[UserChange]) -> tuple[UserChange, ...]:
    """Keep one change for each object and direction, because a changed error is both removed and added."""
    kept: dict[str, UserChange] = {}
    for one in changes:
        case = one.finding.case
        key = (case.group, case.version, case.resource, case.subresource, one.direction, case.object, case.old)
        kept.setdefault(repr(key), one)
    return tuple(kept.values())


def _sentence(finding: Finding, direction: Direction, before: Sequence[FieldError], after: Sequence[FieldError]) -> str:
    what = "an update" if finding.operation == "update" else "an object"
    if direction == "newly-rejected":
        return f"{what} that was accepted is rejected: {_first_error(after)}"
    if direction == "newly-accepted":
        return f"{what} that was rejected is accepted; the base said: {_first_error(before)}"
    removed, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
    if all(one in after for one in removed) and all(one in before for one in new):
        times = "twice" if new else "once, not twice"
        return f"{what} is rejected with the same error {times}: {_first_error([*removed, *new])}"
    parts = [
        f"it read {_first_error([*removed])}" if removed else "",
        f"it reads {_first_error([*new])} now" if new else "it is gone now",
    ]
    return f"{what} is rejected with other errors: {', '.join(filter(None, parts))}"


def _first_error(errors: Sequence[FieldError]) -> str:
    more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
    return errors[0].text + more if errors else "nothing"


def setting_name(part: str, subject: str) -> str:
    """Return the gates of a part of the comparison, without the subject."""
    return part.removeprefix(subject).strip() or DEFAULT_GATES


def setting_of(spec: SubjectSpec) -> str:
    """Return the gate setting of a specification, as text."""
    return spec.gates_text or DEFAULT_GATES
