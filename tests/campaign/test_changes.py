"""What is new since another campaign is told by setting and group."""

from __future__ import annotations

from harness.campaign.changes import compare_campaigns
from harness.campaign.result import MergedSetting
from harness.report.model.assembly import build_report
from tests.report import made


def setting(*fingerprints: str, name: str = "s", severity: str = "visible") -> MergedSetting:
    """A setting with findings."""
    findings = [made.finding(one, severity=severity) for one in fingerprints]
    return MergedSetting(name, build_report(made.result(*findings)), ())


def test_findings_that_came_went_and_changed_are_told() -> None:
    """And settings that only one campaign has; what is worse now is known as such."""
    before, after = setting("a" * 12, "b" * 12), setting("b" * 12, "c" * 12, severity="verdict")
    found = compare_campaigns([before, setting(name="old")], [after, setting(name="new")])
    (group,) = found.groups
    assert (["c" * 12], ["a" * 12]) == (
        [one.fingerprint for one in group.came],
        [one.fingerprint for one in group.went],
    )
    ((change),) = group.changed
    assert change.is_worse
    assert group.is_worse
    assert (("old",), ("new",)) == (found.only_before, found.only_after)
    assert () == compare_campaigns([before], [before]).groups
