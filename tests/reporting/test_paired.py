"""Both lists of errors on the same rows."""

from __future__ import annotations

from typing import Any

from harness.case import Answer
from harness.field import FieldError
from harness.reporting.assembly import build_report
from harness.reporting.document import ReportedFinding
from harness.reporting.paired import Pair, by_version, paired
from tests.reporting import made


def reported(handwritten: tuple[FieldError, ...], declarative: tuple[FieldError, ...], **more: Any) -> ReportedFinding:
    """A finding with these lists."""
    versions = more.pop("versions", {})
    answer = Answer(1, handwritten=handwritten, declarative=declarative, versions=versions)
    return build_report(made.result(made.finding(answer=answer, **more))).findings[0]


def told(rows: list[Pair]) -> list[tuple[str, str, bool]]:
    """Both fields of each row, and whether the finding is about it."""
    return [(r.left[0].field if r.left else "", r.right[0].field if r.right else "", r.odd) for r in rows]


def test_equal_errors_share_a_row_and_the_odd_one_comes_first() -> None:
    """What the finding is about is marked; what only the declarative side says comes last."""
    same, odd, other = made.error("a", origin="x"), made.error(covered=True), made.error("b", origin="x")
    rows = paired(reported((same, odd), (other, same)))
    assert [("spec.size", "", True), ("a", "a", False), ("", "b", False)] == told(rows)
    assert "promises that a rule reports the same" in rows[0].note
    assert rows[1].same
    assert rows[1].agrees


def test_how_often_and_in_which_words_is_said() -> None:
    """The same error may come more often, or in other words."""
    one, other = made.error("a", origin="x"), made.error("a", origin="x", detail="no")
    rows = paired(reported((one, one), (other,)))
    assert [(2, 1)] == [(row.left[1], row.right[1]) for row in rows if row.left and row.right]
    assert "the same error, in other words, 2 times beside 1" == rows[0].note
    assert not rows[0].agrees


def test_invalid_errors_without_origin_are_not_the_same() -> None:
    """They stand on one row, which says why they do not count."""
    row = paired(reported((made.error("a"),), (made.error("a"),)))[0]
    assert "name no origin" in row.note
    assert not row.same


def test_errors_that_differ_in_the_cause_are_paired() -> None:
    """Only where an experiment found that cause: else two errors of one field are two errors."""
    left, right = made.error("a", origin="x"), made.error("a", origin="y")
    assert "the same but for the origin" == paired(reported((left,), (right,), cause="origin"))[0].note
    assert 2 == len(paired(reported((left,), (right,), cause="no-rule")))
    moved = made.error("b", origin="x")
    assert "the same but for the field" == paired(reported((left,), (moved,), cause="path"))[0].note


def test_a_row_that_agrees_is_not_the_odd_one() -> None:
    """Where two errors have the key of the finding, the one that differs is meant."""
    key = {"origin": "x", "covered": True}
    same, words = made.error("spec.size", value="1", **key), made.error("spec.size", value="2", **key)
    declared = (made.error(origin="x", value="1"), made.error(origin="x", value="2", detail="other"))
    rows = paired(reported((same, words), declared, side="both", mismatch="served", origin="x", cause="wording"))
    assert [True, False] == [row.odd for row in rows]
    assert rows[0].left is not None
    assert "2" == rows[0].left[0].value


def test_what_nobody_promised_is_expected() -> None:
    """A handwritten error without a mark needs no rule."""
    rows = paired(reported((made.error("a"), made.error(covered=True)), ()))
    assert [False, True] == [row.expected for row in rows]


def test_versions_stand_beside_each_other() -> None:
    """The difference is marked between the versions, not between the sides."""
    error = made.error(origin="x", level="beta")
    finding = reported(
        (made.error(origin="x", covered=True),), (error,), versions={"v1beta1": ()}, mismatch="version",
        side="declarative", origin="x", cause="version",
    )  # fmt: skip
    assert [("spec.size", "spec.size", False)] == told(paired(finding))
    assert [("v1beta1", [("spec.size", "", True)])] == [(name, told(rows)) for name, rows in by_version(finding)]
    assert "only as v1" == by_version(finding)[0][1][0].note
