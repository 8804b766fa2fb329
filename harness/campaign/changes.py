"""What is new since another campaign: findings that came, went, or changed their severity, by setting and group.

A finding is the same if its fingerprint is. Settings are the same if their target and gates are: a setting that only
one of the campaigns has is named, and none of its findings is told as new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from harness.campaign.result import MergedSetting
from harness.report.model.document import ReportedFinding
from harness.report.words import rank


@dataclass(frozen=True, slots=True)
class ChangedSeverity:
    """A finding of both campaigns whose severity is another one now."""

    before: ReportedFinding
    after: ReportedFinding

    @property
    def is_worse(self) -> bool:
        """Whether more users notice it now."""
        return rank(self.after.severity) < rank(self.before.severity)


@dataclass(frozen=True, slots=True)
class GroupChanges:
    """What is new in one API group under one setting."""

    setting: str
    group: str
    came: tuple[ReportedFinding, ...] = ()
    went: tuple[ReportedFinding, ...] = ()
    changed: tuple[ChangedSeverity, ...] = ()

    @property
    def is_worse(self) -> bool:
        """Whether a finding came, or has a worse severity."""
        return bool(self.came) or any(one.is_worse for one in self.changed)


@dataclass(frozen=True, slots=True)
class CampaignChanges:
    """What is new: the groups with changes, and the settings that only one campaign has, or has not whole."""

    groups: tuple[GroupChanges, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    incomplete: tuple[str, ...]


def compare_campaigns(before: Iterable[MergedSetting], after: Iterable[MergedSetting]) -> CampaignChanges:
    """Compare the merged settings of two campaigns."""
    first, second = ({one.name: one for one in settings} for settings in (before, after))
    both = [name for name in second if name in first]
    return CampaignChanges(
        tuple(change for name in both for change in _compare(first[name], second[name])),
        tuple(name for name in first if name not in second),
        tuple(name for name in second if name not in first),
        tuple(dict.fromkeys(one.name for one in (*first.values(), *second.values()) if one.missing)),
    )


def _compare(before: MergedSetting, after: MergedSetting) -> Iterator[GroupChanges]:
    """Yield the groups of a setting that have changes, by name."""
    old, new = ({(one.subject, one.fingerprint): one for one in each.report.findings} for each in (before, after))
    for group in sorted({one.group for one in (*old.values(), *new.values())}):
        came = tuple(one for key, one in new.items() if key not in old and one.group == group)
        went = tuple(one for key, one in old.items() if key not in new and one.group == group)
        changed = tuple(
            ChangedSeverity(old[key], one)
            for key, one in new.items()
            if one.group == group and key in old and old[key].severity != one.severity
        )
        if came or went or changed:
            yield GroupChanges(after.name, group, came, went, changed)
