"""The rows in which two error lists are aligned."""

from __future__ import annotations

from typing import Any

from harness.case import Answer
from harness.field import FieldError
from harness.report.formats.html.pairs import Pair, pair_errors, pair_versions
from harness.report.model.assembly import build_report
from harness.report.model.document import ReportedFinding
from tests.report import made


def reported(handwritten: tuple[FieldError, ...], declarative: tuple[FieldError, ...], **more: Any) -> ReportedFinding:
    """Return a finding with these error lists."""
    versions = more.pop("versions", {})
    answer = Answer(1, handwritten=handwritten, declarative=declarative, versions=versions)
    return build_report(made.result(made.finding(answer=answer, **more))).findings[0]


def told(rows: list[Pair]) -> list[tuple[str, str, bool]]:
    """Return the fields of each row's two errors, and whether the row is marked."""
    return [(r.left[0].field if r.left else "", r.right[0].field if r.right else "", r.is_marked) for r in rows]


def test_equal_errors_share_a_row_and_the_marked_one_comes_first() -> None:
    """The error that the finding is about is marked; errors of the declarative list only come last."""
    same, is_marked, other = made.error("a", origin="x"), made.error(covered=True), made.error("b", origin="x")
    rows = pair_errors(reported((same, is_marked), (other, same)))
    assert [("spec.size", "", True), ("a", "a", False), ("", "b", False)] == told(rows)
    assert "promises that a rule reports the same" in rows[0].note
    assert rows[1].same
    assert rows[1].is_equal


def test_differences_in_number_and_wording_are_noted() -> None:
    """Equal errors can differ in their number of occurrences and in their detail."""
    one, other = made.error("a", origin="x"), made.error("a", origin="x", detail="no")
    rows = pair_errors(reported((one, one), (other,)))
    assert [(2, 1)] == [(row.left[1], row.right[1]) for row in rows if row.left and row.right]
    assert "the same error, in other words, 2 times beside 1" == rows[0].note
    assert not rows[0].is_equal


def test_invalid_errors_without_origin_are_not_the_same() -> None:
    """They share a row, with a note that they do not count as equal."""
    row = pair_errors(reported((made.error("a"),), (made.error("a"),)))[0]
    assert "name no origin" in row.note
    assert not row.same


def test_errors_that_differ_in_the_cause_are_paired() -> None:
    """This applies only to findings with that cause; otherwise they are two independent errors."""
    left, right = made.error("a", origin="x"), made.error("a", origin="y")
    assert "the same but for the origin" == pair_errors(reported((left,), (right,), cause="origin"))[0].note
    assert 2 == len(pair_errors(reported((left,), (right,), cause="no-rule")))
    moved = made.error("b", origin="x")
    assert "the same but for the field" == pair_errors(reported((left,), (moved,), cause="path"))[0].note


def test_a_row_of_equal_errors_is_not_marked() -> None:
    """If two rows have the error of the finding, the row whose errors differ is marked."""
    key = {"origin": "x", "covered": True}
    same, words = made.error("spec.size", value="1", **key), made.error("spec.size", value="2", **key)
    declared = (made.error(origin="x", value="1"), made.error(origin="x", value="2", detail="other"))
    rows = pair_errors(reported((same, words), declared, side="both", mismatch="served", origin="x", cause="wording"))
    assert [True, False] == [row.is_marked for row in rows]
    assert rows[0].left is not None
    assert "2" == rows[0].left[0].value


def test_an_uncovered_handwritten_error_is_expected() -> None:
    """A handwritten error that is not marked as covered needs no rule."""
    rows = pair_errors(reported((made.error("a"), made.error(covered=True)), ()))
    assert [False, True] == [row.is_expected for row in rows]


def test_versions_are_aligned() -> None:
    """The difference between versions is marked, not that between the validators."""
    error = made.error(origin="x", level="beta")
    finding = reported(
        (made.error(origin="x", covered=True),), (error,), versions={"v1beta1": ()}, mismatch="version",
        side="declarative", origin="x", cause="version",
    )  # fmt: skip
    assert [("spec.size", "spec.size", False)] == told(pair_errors(finding))
    assert [("v1beta1", [("spec.size", "", True)])] == [(name, told(rows)) for name, rows in pair_versions(finding)]
    assert "only as v1" == pair_versions(finding)[0][1][0].note
