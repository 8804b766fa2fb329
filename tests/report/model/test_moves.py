"""Changes for users who move to another target: by direction, each once, with the names of both targets."""

from __future__ import annotations

from typing import Any

import msgspec

from harness.case import Answer, Excluded
from harness.compare.finding import Finding
from harness.report.formats.markdown import render_markdown
from harness.report.formats.terminal.overview import move_rows
from harness.report.formats.terminal.screen import summary
from harness.report.model.assembly import build_report
from harness.report.model.document import Report
from harness.report.text.finding import describe_fully, to_plain_text
from tests.report import made

AFTER = made.error(covered=True)
BEFORE = made.error(detail="must be odd")


def finding(number: int, after: tuple[Any, ...], before: tuple[Any, ...], **more: Any) -> Finding:
    """Return a finding between two releases."""
    answer = Answer(1, handwritten=after, declarative=before)
    return made.finding(f"{number:012x}", answer=answer, between=("1.0", "2.0"), cause="new-rule", **more)


def report(*findings: Finding, **more: Any) -> Report:
    """Return the report of a run against another release."""
    return build_report(made.result(*findings, between=("1.0", "2.0"), **more))


def test_changes_are_counted_by_direction() -> None:
    """Newly rejected objects come first; findings with one cause at one field are one change."""
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
    """It has a finding at each of the two paths, and the sentence names both paths."""
    words = "rejected by both: x; 1.0 reports it at spec.a, 2.0 at spec.b"
    ours = finding(1, (AFTER,), (BEFORE,), path="spec.b", detail=words)
    theirs = finding(2, (AFTER,), (BEFORE,), path="spec.a", detail=words, side="declarative")
    moved = [msgspec.structs.replace(one, cause="path") for one in (ours, theirs)]
    assert 1 == len(report(*moved).moves[0].changes)


def test_each_list_is_named_after_its_target() -> None:
    """The lists are not called handwritten and declarative, and an error that both serve is in both lists."""
    shared = made.error("spec.name", detail="too long")
    one = report(finding(1, (AFTER, shared), (BEFORE,))).findings[0]
    assert ["1.0", "2.0"] == [served.setting for served in one.answer.served]
    assert [2, 2] == [len(served.errors) for served in one.answer.served]
    text = to_plain_text(describe_fully(one))
    assert "handwritten" not in text
    assert "must be odd" in text.partition("2.0  ")[0]


def test_a_summary_names_both_targets() -> None:
    """The page of a CI job has the names of the releases instead of handwritten and declarative."""
    page = render_markdown(report(finding(1, (AFTER,), (BEFORE,))))
    assert ("errors of 1.0" in page, "errors of 2.0" in page, "handwritten errors" in page) == (True, True, False)


def test_one_screen_names_both_and_shows_every_direction() -> None:
    """Changes of the verdict come first, and each direction has some lines, however many changes there are."""
    many = [finding(number, (AFTER,), (), path=f"spec.x{number}") for number in range(200)]
    many += [finding(300 + number, (AFTER,), (BEFORE,), path=f"spec.y{number}") for number in range(200)]
    rows = [row.plain for row in summary(report(*many))]
    assert len(rows) < 60
    text = "\n".join(rows)
    assert "What users of 1.0 see when they move to 2.0:" in text
    assert "accepted by 1.0, rejected by 2.0: 200 changes" in text
    assert "rejected by 1.0 and 2.0, with other errors: 200 changes" in text
    assert "more, in the report" in text


def test_kinds_that_only_one_serves_are_listed() -> None:
    """They cannot be compared, so they are listed separately."""
    alone = (Excluded("g", "v1", "ts", "served by 2.0 only"), Excluded("g", "v1", "us", "served by 1.0 only"))
    [moves] = report(excluded=alone).moves
    assert (("g/v1 us",), ("g/v1 ts",)) == (moves.only_before, moves.only_after)
    text = to_plain_text(move_rows([moves], 20))
    assert "nothing that was tried changes" in text
    assert "served by 2.0 only: g/v1 ts" in text


def test_hostile_text_does_not_reach_the_terminal() -> None:
    """Paths and sentences are untrusted text."""
    bad = finding(1, (AFTER,), (), path=made.HOSTILE, detail=made.HOSTILE)
    assert not {"\x1b", "\x07", "\u202e"} & set(to_plain_text(move_rows(report(bad).moves, 20)))


def test_an_ordinary_report_has_no_such_section() -> None:
    """A comparison of the two validators of one target has no changes for users who move."""
    assert () == build_report(made.result(made.finding())).moves
