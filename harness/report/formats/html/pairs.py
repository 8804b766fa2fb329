"""Aligns two lists of errors in rows for the HTML page, and marks the rows of the error that a finding is about.

Errors with the same type, field and origin are in one row. If the cause of the finding is that two errors differ in one
of these, they are in one row too. This only affects how a finding is shown; the judge has found it before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.field import ErrorType, FieldError
from harness.jsonpath import canonical_path
from harness.report.model.document import ReportedFinding
from harness.report.text.finding import count_equal

CountedError = tuple[FieldError, int]
"""An error, and how often it is in the list."""


class Pair(NamedTuple):
    """A row: an error of each list, or None if a list does not have it.

    `note` describes how the two are related. `same`: the two count as one error. `is_marked`: the finding is about it.
    """

    left: CountedError | None
    right: CountedError | None
    note: str
    same: bool = False
    is_marked: bool = False

    @property
    def is_equal(self) -> bool:
        """Whether both lists have exactly the same error, equally often."""
        return self.left is not None and self.right is not None and self.same and self.note == _SAME

    @property
    def is_expected(self) -> bool:
        """Whether only the handwritten list has it, and it is not covered, so that no rule should report it."""
        return self.right is None and self.left is not None and not self.left[0].covered and not self.is_marked


_SAME = "the same error"


def pair_errors(finding: ReportedFinding) -> list[Pair]:
    """Align the two error lists of a finding, marked rows first."""
    if len(finding.between) == 2 and len(finding.answer.served) == 2:
        return pair_served(*(one.errors for one in finding.answer.served))
    rows = list(_pair_lists(finding.answer.handwritten, finding.answer.declarative, finding.cause))
    return rows if finding.mismatch == "version" else _mark_finding(rows, finding)


def pair_versions(finding: ReportedFinding) -> list[tuple[str, list[Pair]]]:
    """Align the declarative list of the finding's version with that of every other version, by version."""
    found = []
    for version, errors in finding.answer.versions.items():
        rows = [
            row._replace(note=f"only as {finding.version if row.right is None else version}")
            if row.right is None or row.left is None
            else row
            for row in _pair_lists(finding.answer.declarative, errors)
        ]
        found.append((version, _mark_finding(rows, finding) if finding.mismatch == "version" else rows))
    return found


def pair_served(before: Sequence[FieldError], after: Sequence[FieldError]) -> list[Pair]:
    """Align the errors that users were served with those that they are served now."""
    notes = {True: "no longer", False: "new"}
    return [
        row._replace(note=notes[row.right is None], is_marked=True) if row.left is None or row.right is None else row
        for row in _pair_lists(before, after)
    ]


def _mark_finding(rows: list[Pair], finding: ReportedFinding) -> list[Pair]:
    found = [row for row in rows if _has_error_of(row, finding)]
    marked = [row for row in found if not row.is_equal] or found
    return [row._replace(is_marked=True) for row in marked] + [row for row in rows if row not in marked]


def _pair_lists(left: Sequence[FieldError], right: Sequence[FieldError], cause: str = "") -> Iterator[Pair]:
    """Align two lists in the order of the first; errors that only the second has come last.

    If `cause` is `path`, `type` or `origin`, errors that differ only in it are in one row too.
    """
    rest, unpaired = count_equal(right), []
    for one in count_equal(left):
        partner = next((other for other in rest if _key(other[0]) == _key(one[0])), None)
        if partner is None:
            unpaired.append(one)
        else:
            rest.remove(partner)
            yield Pair(one, partner, *_describe_relation(one, partner))
    for one in unpaired:
        partner = next((other for other in rest if _differ_in(one[0], other[0]) == cause), None)
        if partner is None:
            yield Pair(one, None, _describe_handwritten_only(one[0]))
        else:
            rest.remove(partner)
            yield Pair(one, partner, f"the same but for the {'field' if cause == 'path' else cause}")
    for other in rest:
        yield Pair(None, other, _describe_declarative_only(other[0]))


def _key(error: FieldError) -> tuple[str, str, str]:
    return error.type, error.field, error.origin


def _differ_in(one: FieldError, other: FieldError) -> str:
    """Return the only property in which two errors differ; empty if they differ in none or in several."""
    names = [name for name, a, b in zip(("type", "path", "origin"), _key(one), _key(other), strict=True) if a != b]
    return names[0] if len(names) == 1 else ""


def _describe_relation(one: CountedError, partner: CountedError) -> tuple[str, bool]:
    if one[0].type == ErrorType.INVALID and not one[0].origin:
        return "look the same, but name no origin: without one, Invalid errors never count as the same", False
    notes = [_SAME]
    if one[0].detail != partner[0].detail:
        notes.append("in other words")
    if one[1] != partner[1]:
        notes.append(f"{one[1]} times beside {partner[1]}")
    return ", ".join(notes), True


def _describe_handwritten_only(error: FieldError) -> str:
    return (
        "covered: it promises that a rule reports the same, and none does"
        if error.covered
        else "not covered: no rule is expected to report it"
    )


def _describe_declarative_only(error: FieldError) -> str:
    return (
        f"level {error.level}: a covered handwritten error should stand beside it, and none does"
        if error.level
        else "level standard: it may stand alone"
    )


def _has_error_of(row: Pair, finding: ReportedFinding) -> bool:
    """Whether a row has the error that the finding is about."""
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
