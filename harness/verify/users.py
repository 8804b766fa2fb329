"""What changes for users between base and head: a comparison's findings, read as what was said before and is said now.

In the comparison the head stands in the place of the handwritten side and the base in that of the declarative one; what
both serve is a handwritten error without a mark (`harness.subject.twin`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from harness.compare.ends import Direction, direction_of, served_after, served_before
from harness.compare.finding import Finding
from harness.field import FieldError
from harness.reporting.verification import UserChange
from harness.subject import SubjectSpec

DEFAULT = "default gates"


def user_change(finding: Finding, subject: str, names: tuple[str, ...], replay: str) -> UserChange:
    """Read one finding of a comparison. `subject` is the comparison's name, `names` the touched fields it is about."""
    before, after = served_before(finding.answer), served_after(finding.answer)
    direction = direction_of(before, after)
    return UserChange(
        finding.fingerprint, direction, _sentence(finding, direction, before, after), before, after,
        tuple(setting_name(part, subject) for part in finding.parts), names, finding, replay,
    )  # fmt: skip


def order_of(change: UserChange) -> tuple[object, ...]:
    """Order changes: objects that change sides come first."""
    return not change.is_verdict, change.direction, change.fields, change.fingerprint


def once(changes: Iterable[UserChange]) -> tuple[UserChange, ...]:
    """Leave out what an object was told for already: an error that changed is missed by one end, added by the other."""
    kept: dict[str, UserChange] = {}
    for one in changes:
        case = one.finding.case
        key = (case.group, case.version, case.resource, case.subresource, one.direction, case.object, case.old)
        kept.setdefault(repr(key), one)
    return tuple(kept.values())


def _sentence(finding: Finding, direction: Direction, before: Sequence[FieldError], after: Sequence[FieldError]) -> str:
    what = "an update" if finding.operation == "update" else "an object"
    if direction == "newly-rejected":
        return f"{what} that was accepted is rejected: {_told(after)}"
    if direction == "newly-accepted":
        return f"{what} that was rejected is accepted; the base said: {_told(before)}"
    gone, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
    if all(one in after for one in gone) and all(one in before for one in new):
        return f"{what} is rejected with the same error {'twice' if new else 'once, not twice'}: {_told([*gone, *new])}"
    said = [f"it read {_told([*gone])}" if gone else "", f"it reads {_told([*new])} now" if new else "it is gone now"]
    return f"{what} is rejected with other errors: {', '.join(filter(None, said))}"


def _told(errors: Sequence[FieldError]) -> str:
    more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
    return errors[0].text + more if errors else "nothing"


def setting_name(part: str, subject: str) -> str:
    """Name a part of the comparison by its gates alone."""
    return part.removeprefix(subject).strip() or DEFAULT


def setting_of(spec: SubjectSpec) -> str:
    """Name the setting of gates that a specification opens."""
    return spec.gates_text or DEFAULT
