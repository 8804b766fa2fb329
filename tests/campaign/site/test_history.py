"""The history counts what belongs together once, and knows what is new."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from harness.campaign.ledger import CampaignLedger
from harness.campaign.mutants import MutantCount
from harness.campaign.plan import CampaignPlan
from harness.campaign.site.history import WHOLE_SITE, ReachedCount, SiteScope, gather, read_campaigns
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from tests.campaign.site.made import report, state
from tests.report import made

A, B, C = "a" * 12, "b" * 12, "c" * 12


def test_what_two_settings_have_is_counted_once() -> None:
    """Findings at their worst, rules and blocks where one of them reached them; cases are added up."""
    default = report(made.finding(A, severity="visible"), made.finding(B), fired=1, reached=0)
    every = report(made.finding(A, severity="verdict"), made.finding(C, exception="1a2b"), fired=3, reached=1)
    found = gather([state("one", default, every)])
    assert found is not None
    release, group = SiteScope("kubernetes 1.37.1"), SiteScope(group="example.io")
    assert [WHOLE_SITE, group, release] == found.scopes
    counts = found.points[0].counts
    assert counts[WHOLE_SITE] == counts[release]
    assert ({"verdict": 1, "graduation": 1}, 1, 2) == (
        counts[release].severities,
        counts[release].tolerated,
        counts[release].findings,
    )
    assert (ReachedCount(3, 4), ReachedCount(1, 3)) == (counts[release].rules, counts[release].blocks)
    assert (ReachedCount(3, 4), ReachedCount(1, 2)) == (counts[group].rules, counts[group].blocks)
    assert (200, 200) == (counts[WHOLE_SITE].cases, counts[group].cases)
    assert ("target 1", "target 2") == next(one.settings for one in found.findings if one.finding.fingerprint == A)


def test_what_another_release_has_is_counted_beside() -> None:
    """A finding of two releases is two, and so is a rule."""
    found = gather([state("one", report(made.finding(A)), report(made.finding(A), release="1.36.3"))])
    assert found is not None
    assert 2 == found.points[0].counts[WHOLE_SITE].findings
    assert ReachedCount(2, 8) == found.points[0].counts[SiteScope(group="example.io")].rules
    assert 1 == found.points[0].counts[SiteScope("kubernetes 1.36.3")].findings


def test_what_came_and_went_is_known_for_each_campaign() -> None:
    """New is what the release had not before; of the first campaign nothing is."""
    states = [
        state("one", report(made.finding(A)), day="2026-11-01"),
        state("two", report(made.finding(B)), day="2026-11-02"),
        state("three", report(made.finding(B), made.finding(C)), day="2026-11-03", missing=2),
    ]
    found = gather(states)
    assert found is not None
    counts = [point.counts[WHOLE_SITE] for point in found.points]
    assert [(0, 0), (1, 1), (1, 0)] == [(one.came, one.went) for one in counts]
    assert {B: False, C: True} == {one.finding.fingerprint: one.is_new for one in found.findings}
    assert [0, 0, 2] == [point.missing for point in found.points]
    assert [C] == [one.fingerprint for one in found.changes_of(SiteScope(group="example.io"))[0].came]
    assert [] == found.changes_of(SiteScope(group="other.io"))
    assert gather(states[:1]) is not None
    assert gather([]) is None


def test_speed_and_mutants_are_those_of_releases() -> None:
    """Of a group neither is known; several settings add up."""
    reports = report(made.finding(A)), report(made.finding(A))
    found = state("one", *reports)
    settings = tuple(replace(one, seconds=4.0, mutants=MutantCount("", 3, 5, ("m",))) for one in found.settings)
    history = gather([replace(found, settings=settings)])
    assert history is not None
    counts = history.points[0].counts
    assert (200 / 8.0, ReachedCount(6, 10)) == (counts[WHOLE_SITE].speed, counts[WHOLE_SITE].mutants)
    assert (None, ReachedCount(0, 0)) == (
        counts[SiteScope(group="example.io")].speed,
        counts[SiteScope(group="example.io")].mutants,
    )


def test_a_ledger_is_shown_as_it_was_at_the_end_of_each_day(tmp_path: Path) -> None:
    """Several ledgers are shown as they are, one after another."""
    ledger = CampaignLedger(str(tmp_path / "nightly"))
    ledger.create()
    ledger.add_plan(CampaignPlan((("suite",),), seeds=(1, 2, 3)))
    for number, unit in enumerate(ledger.units()):
        if number < 2:
            found = build_report(made.result(made.finding(A if number else B)))
            ledger.keep(unit, encode(msgspec.structs.replace(found, started=f"2026-11-0{number + 3}T09:00:00+00:00")))
    first, second = read_campaigns([ledger], lambda report: report)
    assert [("nightly", "2026-11-03", 2), ("nightly", "2026-11-04", 1)] == [
        (one.name, one.day, one.missing) for one in (first, second)
    ]
    assert [1, 2] == [len(one.settings[0].report.findings) for one in (first, second)]
    assert ["2026-11-04"] * 2 == [one.day for one in read_campaigns([ledger, ledger], lambda report: report)]
