"""A finding in sentences."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from harness.case import Answer, ServedList
from harness.compare.composition import settings
from harness.compare.mismatch import MismatchKind
from harness.field import FieldError
from harness.reporting.assembly import build_report
from harness.reporting.document import ReportedFinding
from harness.reporting.grouping import SEVERITY_MEANING
from harness.reporting.paired import paired
from harness.reporting.story import SETTINGS, TWO_SIDES, SideNames, noticed, request, served, sides, what
from tests.reporting import made

BAD = (made.error(),)


def reported(lists: dict[str, tuple[FieldError, ...]], **more: Any) -> ReportedFinding:
    """A finding with these lists under these settings."""
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
def test_who_notices_is_said_of_this_object(lists: dict[str, Any], severity: str, said: str) -> None:
    """The sentence speaks of what is served, not of the severity in general."""
    assert said in noticed(reported(lists, severity=severity), SEVERITY_MEANING)


def test_a_difference_between_versions_is_told_as_such() -> None:
    """What is served through one version says nothing about it."""
    finding = reported({"beta-on": BAD, "graduated": BAD}, mismatch="version", severity="graduation")
    assert "depends on the version" in noticed(finding, SEVERITY_MEANING)


def test_two_targets_are_called_by_their_names() -> None:
    """Nothing is handwritten or declarative between what users have and what they move to."""
    between = ("1.36.3", "1.37.1")
    finding = reported({"1.36.3": (), "1.37.1": BAD}, severity="verdict", between=between)
    assert "accepted by 1.36.3 and rejected by 1.37.1" in noticed(finding, SEVERITY_MEANING)
    assert "Users of 1.36.3 and of 1.37.1 read different errors for the same request:" == what(finding)
    told = [(name, meaning) for one in served(finding) for name, meaning in one.settings]
    assert [("1.36.3", "what users have"), ("1.37.1", "what they move to")] == told
    same = reported({"1.36.3": BAD, "1.37.1": (made.error("a"),)}, severity="visible", between=between)
    assert "rejected by both" in noticed(same, SEVERITY_MEANING)
    assert [("no longer", True), ("new", True)] == [(row.note, row.odd) for row in paired(same)]


def test_settings_that_serve_the_same_are_told_once() -> None:
    """And what is not served under every setting stands apart."""
    both = made.error("a")
    rows = served(reported({"beta-on": (both, *BAD), "beta-off": (both, *BAD), "graduated": (both,)}))
    assert [["beta-on", "beta-off"], ["graduated"]] == [[name for name, _ in row.settings] for row in rows]
    assert [list(BAD), []] == [row.only for row in rows]
    assert [[both], [both]] == [row.common for row in rows]


def test_every_setting_and_mismatch_has_its_words() -> None:
    """None is left to its name."""
    names = {one.name for generation in ("levels", "takeover") for one in settings(generation)}
    assert set() == names - set(SETTINGS)
    for kind in get_args(MismatchKind):
        assert what(reported({}, mismatch=kind)).endswith(":")


def test_a_request_is_named() -> None:
    """Operation, kind, version and subresource."""
    assert "Update of kind Widget (example.io/v1)" == request(reported({}))
    assert "Update of kind Pod (v1, subresource status)" == request(
        reported({}, group="", kind="Pod", subresource="status")
    )


def test_sides_follow_from_what_it_is_between() -> None:
    """Two sides of one target, as long as it was compared with no other."""
    assert TWO_SIDES == sides(())
    assert SideNames("a", "b") == sides(("a", "b"))
