"""Gathers what the site shows: counts of each campaign, of its releases and groups, and the findings of the last one.

Several ledgers are one campaign each. A single ledger is shown as it was at the end of each day on which units of it
were computed. A finding or rule that several settings of a release have is counted once. The reports of two campaigns
are in memory at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from harness.campaign.changes import CampaignChanges, GroupChanges, compare_campaigns
from harness.campaign.ledger import CampaignLedger
from harness.campaign.result import MergedSetting, merge_settings
from harness.compare.finding import SEVERITIES
from harness.objectmodel import group_of_package
from harness.report.model.document import Report, ReportedFinding
from harness.report.words import rank

_Key = TypeVar("_Key")
MAX_DAYS = 60
"""At most this many days of one ledger are shown, the last ones."""


@dataclass(frozen=True, slots=True)
class SiteScope:
    """What a page is about: a release, an API group of all releases, or both for everything."""

    release: str | None = None
    group: str | None = None

    def has(self, release: str, group: str | None = None) -> bool:
        """Whether something of a release and a group is part of it; without a group, something of the whole release."""
        return self.release in (None, release) and self.group in (None, group)


WHOLE_SITE = SiteScope()


@dataclass(frozen=True, slots=True)
class ReachedCount:
    """How many there are of something, and how many of these some case reached."""

    reached: int
    total: int


@dataclass(frozen=True, slots=True)
class SiteCounts:
    """The numbers of one campaign. `severities` counts the open findings, worst first; an exception has the others.

    `speed` is that of one worker, and `mutants` those that were killed of those that could be. Of a group neither is
    known. Units: `speed` in cases a second.
    """

    cases: int
    rules: ReachedCount
    blocks: ReachedCount
    severities: dict[str, int]
    tolerated: int
    came: int
    went: int
    speed: float | None = None
    mutants: ReachedCount = ReachedCount(0, 0)

    @property
    def findings(self) -> int:
        """The number of open findings."""
        return sum(self.severities.values())


@dataclass(frozen=True, slots=True)
class CampaignState:
    """A ledger at one time: its name, the last day of its units, its settings, and how many units it misses."""

    name: str
    day: str
    settings: tuple[MergedSetting, ...]
    missing: int


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The counts of one campaign, for everything and each release and group."""

    name: str
    day: str
    missing: int
    counts: dict[SiteScope, SiteCounts]


@dataclass(frozen=True, slots=True)
class SiteFinding:
    """A finding of the last campaign in one release, and the settings that show it. `is_new`: it came now."""

    release: str
    finding: ReportedFinding
    settings: tuple[str, ...]
    is_new: bool


@dataclass(frozen=True, slots=True)
class SiteHistory:
    """All that pages show. `changes` are those since the campaign before the last one; None for a single campaign."""

    points: tuple[HistoryPoint, ...]
    last: CampaignState
    findings: tuple[SiteFinding, ...]
    changes: CampaignChanges | None

    @property
    def scopes(self) -> list[SiteScope]:
        """The scopes of the last campaign: everything, then releases and groups by name."""
        found = self.points[-1].counts
        return sorted(found, key=lambda scope: (scope.release or "", scope.group or "", scope.group is not None))

    def changes_of(self, scope: SiteScope) -> list[GroupChanges]:
        """The changes that a page of a scope shows."""
        releases = {one.name: name_release(one.report) for one in self.last.settings}
        every = self.changes.groups if self.changes is not None else ()
        return [one for one in every if scope.has(releases.get(one.setting, ""), one.group)]


def read_campaigns(ledgers: Sequence[CampaignLedger], judge: Callable[[Report], Report]) -> Iterator[CampaignState]:
    """Yield the campaigns of ledgers, which stand in order of time. Raises: HarnessError with what is damaged."""
    for ledger in ledgers:
        units, done = list(ledger.units()), ledger.done()
        days = {unit.digest: ledger.day(unit) for unit in units if unit.digest in done}
        name = ledger.url.rstrip("/").rpartition("/")[2]
        for day in sorted(set(days.values()))[-MAX_DAYS if len(ledgers) == 1 else -1 :]:
            known = frozenset(digest for digest, when in days.items() if when <= day)
            merged = merge_settings(ledger, known)
            settings = tuple(replace(one, report=judge(one.report)) for one in merged)
            yield CampaignState(name, day, settings, len(units) - len(known))


def gather(campaigns: Iterable[CampaignState]) -> SiteHistory | None:
    """Gather the history of campaigns, oldest first. Returns: None if there is none."""
    points: list[HistoryPoint] = []
    before: CampaignState | None = None
    last: CampaignState | None = None
    changes: CampaignChanges | None = None
    for campaign in campaigns:
        before, last = last, campaign
        changes = None if before is None else compare_campaigns(before.settings, last.settings)
        points.append(HistoryPoint(last.name, last.day, last.missing, _count(last.settings, changes)))
    if last is None:
        return None
    return SiteHistory(tuple(points), last, tuple(_findings(before, last)), changes)


def name_release(report: Report) -> str:
    """Name what a report is about: a target and its release."""
    return f"{report.target.name} {report.target.release}".strip()


@dataclass(slots=True)
class _Tally:
    """What is counted for one scope, each once: rules, blocks and findings by their identity."""

    cases: int = 0
    rules: dict[object, bool] = field(default_factory=dict)
    blocks: dict[object, bool] = field(default_factory=dict)
    findings: dict[object, ReportedFinding] = field(default_factory=dict)
    came: set[object] = field(default_factory=set)
    went: set[object] = field(default_factory=set)
    seconds: float = 0.0
    killed: int = 0
    tested: int = 0

    def counts(self) -> SiteCounts:
        open_ones = Counter(one.severity for one in self.findings.values() if one.exception is None)
        return SiteCounts(
            self.cases, _reached(self.rules), _reached(self.blocks),
            {name: open_ones[name] for name in SEVERITIES if open_ones[name]},
            len(self.findings) - open_ones.total(), len(self.came), len(self.went),
            self.cases / self.seconds if self.seconds else None, ReachedCount(self.killed, self.tested),
        )  # fmt: skip


def _count(settings: Sequence[MergedSetting], changes: CampaignChanges | None) -> dict[SiteScope, SiteCounts]:
    tallies = {WHOLE_SITE: _Tally()}
    releases: dict[str, str] = {}

    def of(release: str, group: str | None = None) -> list[_Tally]:
        scopes = [WHOLE_SITE, SiteScope(release)] + ([] if group is None else [SiteScope(group=group)])
        return [tallies.setdefault(scope, _Tally()) for scope in scopes]

    for setting in settings:
        report = setting.report
        release = releases[setting.name] = name_release(report)
        for tally in of(release):
            tally.cases += report.cases
            tally.seconds += setting.seconds
            tally.killed += setting.mutants.killed
            tally.tested += setting.mutants.tested
        for kind in report.kinds:
            of(release, kind.group)[-1].cases += kind.cases
        for rule in report.rules:
            for tally in of(release, rule.group):
                key = release, rule.key[1:]  # without the subject, which names the gates
                tally.rules[key] = tally.rules.get(key, False) or bool(rule.declarative)
        groups = {kind.group for kind in report.kinds}
        for function in report.code:
            tallied = of(release, group_of_package(function.package, groups))
            for block in function.blocks:
                for tally in tallied:
                    place = release, function.file, function.name, block.start, block.end
                    tally.blocks[place] = tally.blocks.get(place, False) or block.reached
        for finding in report.findings:
            for tally in of(release, finding.group):
                _keep_worst(tally.findings, (release, finding.fingerprint), finding)
    for change in changes.groups if changes is not None else ():
        release = releases[change.setting]
        for tally in of(release, change.group):
            tally.came |= {(release, one.fingerprint) for one in change.came}
            tally.went |= {(release, one.fingerprint) for one in change.went}
    return {scope: tally.counts() for scope, tally in tallies.items()}


def _findings(before: CampaignState | None, last: CampaignState) -> Iterator[SiteFinding]:
    """Yield the findings of a campaign, each once for its release, worst first."""
    worst: dict[tuple[str, str], ReportedFinding] = {}
    settings: dict[tuple[str, str], list[str]] = {}
    for setting in last.settings:
        release = name_release(setting.report)
        for finding in setting.report.findings:
            key = release, finding.fingerprint
            _keep_worst(worst, key, finding)
            settings.setdefault(key, []).append(setting.name)
    known = [(name_release(one.report), one.report) for one in (before.settings if before is not None else ())]
    old = {(release, one.fingerprint) for release, report in known for one in report.findings}
    asked = {release for release, _ in known}
    for key, finding in sorted(worst.items(), key=lambda one: (rank(one[1].severity), one[1].name, one[0])):
        yield SiteFinding(key[0], finding, tuple(settings[key]), key[0] in asked and key not in old)


def _keep_worst(found: dict[_Key, ReportedFinding], key: _Key, finding: ReportedFinding) -> None:
    """Keep a finding unless one that is as severe is there; an open one before one with an exception."""
    if key not in found or _weight(finding) < _weight(found[key]):
        found[key] = finding


def _weight(finding: ReportedFinding) -> tuple[bool, int]:
    return finding.exception is not None, rank(finding.severity)


def _reached(found: dict[object, bool]) -> ReachedCount:
    return ReachedCount(sum(found.values()), len(found))
