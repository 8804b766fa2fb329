"""What users see when they move: changes by direction, told once, on one screen, with both names."""

from __future__ import annotations

from typing import Any

import msgspec

from harness.case import Answer, Excluded
from harness.compare.finding import Finding
from harness.reporting.assembly import build_report
from harness.reporting.document import Report
from harness.reporting.markdown import render_markdown
from harness.reporting.moverows import move_rows
from harness.reporting.terminal import full, render, summary
from tests.reporting import made

AFTER = made.error(covered=True)
BEFORE = made.error(detail="must be odd")


def finding(number: int, after: tuple[Any, ...], before: tuple[Any, ...], **more: Any) -> Finding:
    """A finding between two releases."""
    answer = Answer(1, handwritten=after, declarative=before)
    return made.finding(f"{number:012x}", answer=answer, between=("1.0", "2.0"), cause="new-rule", **more)


def report(*findings: Finding, **more: Any) -> Report:
    """The report of a run against another release."""
    return build_report(made.result(*findings, between=("1.0", "2.0"), **more))


def test_changes_are_counted_by_direction() -> None:
    """What is newly rejected comes first; findings of one cause at one place are one change."""
    many = report(
        finding(1, (), (BEFORE,)), finding(2, (AFTER,), (BEFORE,)), finding(3, (AFTER,), ()),
        finding(4, (AFTER,), (), operation="create"), finding(5, (AFTER,), (), path="spec.other"),
    )  # fmt: skip
    [moves] = many.moves
    assert ("1.0", "2.0") == (moves.before, moves.after)
    assert {"newly-rejected": 2, "newly-accepted": 1, "other-errors": 1} == moves.directions
    assert ["newly-rejected", "newly-rejected", "newly-accepted", "other-errors"] == [
        m.direction for m in moves.changes
    ]
    assert 2 == len(moves.changes[0].findings)


def test_a_moved_error_is_one_change() -> None:
    """It is found at both places, and the sentence names both."""
    words = "rejected by both: x; 1.0 reports it at spec.a, 2.0 at spec.b"
    ours = finding(1, (AFTER,), (BEFORE,), path="spec.b", detail=words)
    theirs = finding(2, (AFTER,), (BEFORE,), path="spec.a", detail=words, side="declarative")
    moved = [msgspec.structs.replace(one, cause="path") for one in (ours, theirs)]
    assert 1 == len(report(*moved).moves[0].changes)


def test_what_each_serves_is_told_by_its_name() -> None:
    """Neither side of a migration is meant, and an error that both serve stands in both lists."""
    shared = made.error("spec.name", detail="too long")
    one = report(finding(1, (AFTER, shared), (BEFORE,))).findings[0]
    assert ["1.0", "2.0"] == [served.setting for served in one.answer.served]
    assert [2, 2] == [len(served.errors) for served in one.answer.served]
    text = render(full(one))
    assert "handwritten" not in text
    assert "must be odd" in text.partition("2.0  ")[0]


def test_a_summary_names_both_too() -> None:
    """The page of a CI job speaks of releases, not of the sides of a migration."""
    page = render_markdown(report(finding(1, (AFTER,), (BEFORE,))))
    assert ("errors of 1.0" in page, "errors of 2.0" in page, "handwritten errors" in page) == (True, True, False)


def test_one_screen_names_both_and_shows_every_direction() -> None:
    """However many there are, changes of the verdict first and some of each."""
    many = [finding(number, (AFTER,), (), path=f"spec.x{number}") for number in range(200)]
    many += [finding(300 + number, (AFTER,), (BEFORE,), path=f"spec.y{number}") for number in range(200)]
    rows = [row.plain for row in summary(report(*many))]
    assert len(rows) < 60
    text = "\n".join(rows)
    assert "What users of 1.0 see when they move to 2.0:" in text
    assert "accepted by 1.0, rejected by 2.0: 200 changes" in text
    assert "rejected by 1.0 and 2.0, with other errors: 200 changes" in text
    assert "more, in the report" in text


def test_what_only_one_serves_is_named() -> None:
    """Nobody can compare it, so it is told apart."""
    alone = (Excluded("g", "v1", "ts", "served by 2.0 only"), Excluded("g", "v1", "us", "served by 1.0 only"))
    [moves] = report(excluded=alone).moves
    assert (("g/v1 us",), ("g/v1 ts",)) == (moves.only_before, moves.only_after)
    text = render(move_rows([moves], 20))
    assert "nothing that was tried changes" in text
    assert "served by 2.0 only: g/v1 ts" in text


def test_hostile_text_does_not_reach_the_terminal() -> None:
    """Paths and sentences were written by others."""
    bad = finding(1, (AFTER,), (), path=made.HOSTILE, detail=made.HOSTILE)
    assert not {"\x1b", "\x07", "\u202e"} & set(render(move_rows(report(bad).moves, 20)))


def test_an_ordinary_report_has_no_such_section() -> None:
    """Two sides of one target are no move."""
    assert () == build_report(made.result(made.finding())).moves
