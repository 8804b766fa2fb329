"""Two lists of errors beside each other: what both sides say on one row, and the odd one marked.

This is for readers. It pairs errors that agree in type, field and origin, and, where an experiment found that the two
differ in just one of these, those two. The judge has done its work before and is not asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.field import ErrorType, FieldError
from harness.jsonpath import canonical_path
from harness.reporting.document import ReportedFinding
from harness.reporting.terminal import counted

Told = tuple[FieldError, int]
"""An error, and how often the side reported it."""


class Pair(NamedTuple):
    """One row. A side that says nothing here is None. `note` says in words how the two relate; `odd` marks the finding.

    `same` holds for a pair that counts as one error.
    """

    left: Told | None
    right: Told | None
    note: str
    same: bool = False
    odd: bool = False

    @property
    def agrees(self) -> bool:
        """Whether both sides say the same, to the letter and as often."""
        return self.left is not None and self.right is not None and self.same and self.note == _SAME

    @property
    def expected(self) -> bool:
        """Whether nothing is wrong with it: the handwritten side alone, and nobody said that a rule covers it."""
        return self.right is None and self.left is not None and not self.left[0].covered and not self.odd


_SAME = "the same error"


def paired(finding: ReportedFinding) -> list[Pair]:
    """Put the two lists of a finding beside each other, what it is about first."""
    if len(finding.between) == 2 and len(finding.answer.served) == 2:
        return before_and_after(*(one.errors for one in finding.answer.served))
    rows = list(_pairs(finding.answer.handwritten, finding.answer.declarative, finding.cause))
    return rows if finding.mismatch == "version" else _odd_first(rows, finding)


def by_version(finding: ReportedFinding) -> list[tuple[str, list[Pair]]]:
    """Put the declarative list of the finding's version beside that of every other version."""
    found = []
    for version, errors in finding.answer.versions.items():
        rows = [
            row._replace(note=f"only as {finding.version if row.right is None else version}")
            if row.right is None or row.left is None
            else row
            for row in _pairs(finding.answer.declarative, errors)
        ]
        found.append((version, _odd_first(rows, finding) if finding.mismatch == "version" else rows))
    return found


def before_and_after(before: Sequence[FieldError], after: Sequence[FieldError]) -> list[Pair]:
    """Put what users were served beside what they are served now."""
    notes = {True: "no longer", False: "new"}
    return [
        row._replace(note=notes[row.right is None], odd=True) if row.left is None or row.right is None else row
        for row in _pairs(before, after)
    ]


def _odd_first(rows: list[Pair], finding: ReportedFinding) -> list[Pair]:
    about = [row for row in rows if _is_about(row, finding)]
    odd = [row for row in about if not row.agrees] or about
    return [row._replace(odd=True) for row in odd] + [row for row in rows if row not in odd]


def _pairs(left: Sequence[FieldError], right: Sequence[FieldError], cause: str = "") -> Iterator[Pair]:
    """Put two lists beside each other, in the order of the first; what only the second says comes last.

    `cause` may be `path`, `type` or `origin`: then errors that differ in just that are paired too.
    """
    rest, alone = counted(right), []
    for one in counted(left):
        partner = next((other for other in rest if _key(other[0]) == _key(one[0])), None)
        if partner is None:
            alone.append(one)
        else:
            rest.remove(partner)
            yield Pair(one, partner, *_related(one, partner))
    for one in alone:
        partner = next((other for other in rest if _differ_in(one[0], other[0]) == cause), None)
        if partner is None:
            yield Pair(one, None, _alone_left(one[0]))
        else:
            rest.remove(partner)
            yield Pair(one, partner, f"the same but for the {'field' if cause == 'path' else cause}")
    for other in rest:
        yield Pair(None, other, _alone_right(other[0]))


def _key(error: FieldError) -> tuple[str, str, str]:
    return error.type, error.field, error.origin


def _differ_in(one: FieldError, other: FieldError) -> str:
    """Name the only thing in which two errors differ; empty when it is not one thing."""
    names = [name for name, a, b in zip(("type", "path", "origin"), _key(one), _key(other), strict=True) if a != b]
    return names[0] if len(names) == 1 else ""


def _related(one: Told, partner: Told) -> tuple[str, bool]:
    if one[0].type == ErrorType.INVALID and not one[0].origin:
        return "look the same, but name no origin: without one, Invalid errors never count as the same", False
    notes = [_SAME]
    if one[0].detail != partner[0].detail:
        notes.append("in other words")
    if one[1] != partner[1]:
        notes.append(f"{one[1]} times beside {partner[1]}")
    return ", ".join(notes), True


def _alone_left(error: FieldError) -> str:
    return (
        "covered: it promises that a rule reports the same, and none does"
        if error.covered
        else "not covered: no rule is expected to report it"
    )


def _alone_right(error: FieldError) -> str:
    return (
        f"level {error.level}: a covered handwritten error should stand beside it, and none does"
        if error.level
        else "level standard: it may stand alone"
    )


def _is_about(row: Pair, finding: ReportedFinding) -> bool:
    """Whether a row holds the error that the finding is about."""
    wanted = finding.path, finding.type, finding.origin
    both = row.left, row.right
    sides = (
        both
        if finding.mismatch == "version"
        else {"handwritten": both[:1], "declarative": both[1:]}.get(finding.side, both)
    )
    return any(
        side is not None and (canonical_path(side[0].field), side[0].type, side[0].origin) == wanted for side in sides
    )
