"""Sentences that describe a finding."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from harness.case import Answer, ServedList
from harness.compare.composition import settings
from harness.compare.mismatch import MismatchKind
from harness.field import FieldError
from harness.report.formats.html.pairs import pair_errors
from harness.report.formats.html.story import (
    SETTINGS,
    TWO_SIDES,
    SideNames,
    describe_audience,
    describe_mismatch,
    group_settings,
    name_request,
    name_sides,
)
from harness.report.model.assembly import build_report
from harness.report.model.document import ReportedFinding
from tests.report import made

BAD = (made.error(),)


def reported(lists: dict[str, tuple[FieldError, ...]], **more: Any) -> ReportedFinding:
    """Return a finding with the errors that are served under each setting."""
    finding = build_report(made.result(made.finding(**more))).findings[0]
    answer = Answer(1, served=tuple(ServedList(name, {}, errors) for name, errors in lists.items()))
    return ReportedFinding(**{name: getattr(finding, name) for name in finding.__struct_fields__} | {"answer": answer})


@pytest.mark.parametrize(
    ("lists", "severity", "said"),
    [
        ({"beta-on": (), "beta-off": BAD}, "verdict", "accepted under setting beta-on and rejected under beta-off"),
        ({"beta-on": BAD, "beta-off": BAD, "graduated": ()}, "graduation", "rejected today and will be accepted then"),
        ({"beta-on": (), "beta-off": (), "graduated": BAD}, "graduation", "accepted today and will be rejected then"),
        ({"beta-on": BAD, "beta-off": BAD}, "visible", "the errors that they read change"),
        ({"beta-on": (), "beta-off": ()}, "shadow", "Nobody today: the request is accepted under every setting"),
        ({"beta-on": (), "beta-off": BAD}, "unreachable", "It shows only when validators are called directly"),
        ({}, "visible", "Rejected everywhere"),
    ],
)
def test_the_audience_depends_on_the_served_errors(lists: dict[str, Any], severity: str, said: str) -> None:
    """The sentence follows from the served errors of this finding, not from its severity alone."""
    assert said in describe_audience(reported(lists, severity=severity))


def test_a_difference_between_versions_is_described_as_such() -> None:
    """The errors served for one version do not show it."""
    finding = reported({"beta-on": BAD, "graduated": BAD}, mismatch="version", severity="graduation")
    assert "depends on the version" in describe_audience(finding)


def test_two_targets_are_called_by_their_names() -> None:
    """The words handwritten and declarative do not apply to a comparison of two targets."""
    between = ("1.36.3", "1.37.1")
    finding = reported({"1.36.3": (), "1.37.1": BAD}, severity="verdict", between=between)
    assert "accepted by 1.36.3 and rejected by 1.37.1" in describe_audience(finding)
    assert "Users of 1.36.3 and of 1.37.1 read different errors for the same request:" == describe_mismatch(finding)
    told = [(name, meaning) for one in group_settings(finding) for name, meaning in one.settings]
    assert [("1.36.3", "what users have"), ("1.37.1", "what they move to")] == told
    same = reported({"1.36.3": BAD, "1.37.1": (made.error("a"),)}, severity="visible", between=between)
    assert "rejected by both" in describe_audience(same)
    assert [("no longer", True), ("new", True)] == [(row.note, row.is_marked) for row in pair_errors(same)]


def test_settings_that_serve_the_same_are_one_group() -> None:
    """Errors that are not served under every setting are listed separately."""
    both = made.error("a")
    rows = group_settings(reported({"beta-on": (both, *BAD), "beta-off": (both, *BAD), "graduated": (both,)}))
    assert [["beta-on", "beta-off"], ["graduated"]] == [[name for name, _ in row.settings] for row in rows]
    assert [list(BAD), []] == [row.only for row in rows]
    assert [[both], [both]] == [row.common for row in rows]


def test_every_setting_and_mismatch_has_a_description() -> None:
    """None is shown by its name only."""
    names = {one.name for generation in ("levels", "takeover") for one in settings(generation)}
    assert set() == names - set(SETTINGS)
    for kind in get_args(MismatchKind):
        assert describe_mismatch(reported({}, mismatch=kind)).endswith(":")


def test_a_request_is_named() -> None:
    """The name has operation, kind, version and subresource."""
    assert "Update of kind Widget (example.io/v1)" == name_request(reported({}))
    assert "Update of kind Pod (v1, subresource status)" == name_request(
        reported({}, group="", kind="Pod", subresource="status")
    )
    assert "Update of kind Order" == name_request(reported({}, group="", version="", kind="Order"))


def test_headings_depend_on_the_compared_targets() -> None:
    """They are handwritten and declarative, unless two targets were compared."""
    assert TWO_SIDES == name_sides(())
    assert SideNames("a", "b") == name_sides(("a", "b"))


@pytest.mark.parametrize(
    ("side", "said"),
    [
        ("handwritten", "The handwritten validator crashes instead of answering"),
        ("declarative", "A rule crashes, and the request fails with an internal error"),
        ("", "The target crashes"),
    ],
)
def test_a_crash_is_not_told_as_a_matter_of_gates(side: str, said: str) -> None:
    """No setting accepts the object, and no setting rejects it."""
    finding = reported({"beta-on": BAD, "beta-off": ()}, mismatch="panic", side=side, severity="verdict")
    assert said in describe_audience(finding)
    assert "setting" not in describe_audience(finding)
