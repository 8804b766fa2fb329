"""What a report says of declared rules: which were seen at work, what no rule covers, and which lost their cover."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec


class _OfKind(msgspec.Struct, frozen=True, omit_defaults=True):
    subject: str
    group: str
    version: str
    kind: str

    @property
    def name(self) -> str:
        """The kind as people name it: `apps/v1 Deployment`."""
        return f"{self.group}/{self.version} {self.kind}" if self.group else f"{self.version} {self.kind}"


class RuleEntry(_OfKind, frozen=True, omit_defaults=True):
    """One declared rule and what was seen of it.

    `path` is canonical (`[*]` for items, empty for the object itself); `level` is empty for standard. `declarative` and
    `handwritten` are the operations on which the side reported its error. `rejected`: it fired just beyond its limit,
    or fired at all when it has none. `accepted`: an object that both sides accept has its field exactly at the limit,
    or has its field. `first` is when it first fired on the declarative side, in seconds of the run, and `parts` in
    which parts of the run. `unserved`: it fired only on objects or options that no server hands to it. `asked` is false
    when nothing was asked of its kind. `cannot` says why it cannot fire, where that is proven.
    """

    path: str
    type: str
    origin: str = ""
    level: str = ""
    tag: str = ""
    limit: int | None = None
    declarative: tuple[str, ...] = ()
    handwritten: tuple[str, ...] = ()
    rejected: bool = False
    accepted: bool = False
    first: float | None = None
    parts: tuple[str, ...] = ()
    unserved: bool = False
    asked: bool = True
    cannot: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """What tells one rule from another."""
        return self.subject, self.group, self.version, self.kind, self.path, self.type, self.origin


class UncoveredEntry(_OfKind, frozen=True, omit_defaults=True):
    """Handwritten errors of one field that no declared rule covers: what is left to migrate.

    `covered` says that the handwritten side marks them as covered all the same. `near` is the origin of a rule with the
    same path and type.
    """

    path: str
    type: str
    origin: str
    count: int
    message: str
    covered: bool = False
    near: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """What tells one of them from another."""
        return self.subject, self.group, self.version, self.kind, self.path, self.type, self.origin


class Lost(msgspec.Struct, frozen=True, omit_defaults=True):
    """A rule that was seen at work before, as the ratchet file says, and now was not.

    `marks` are what is missing, `since` is the day since which the file has its line; empty when it does not say.
    """

    rule: str
    marks: tuple[str, ...]
    since: str = ""


class RatchetEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of the comparison with a ratchet file. `skipped` says why there was none."""

    file: str
    rules: int = 0
    lost: tuple[Lost, ...] = ()
    skipped: str = ""
    updated: bool = False


class BranchEntry(msgspec.Struct, frozen=True):
    """A branch of a handwritten validator in Python that was never taken; `to` is 0 for the end of its function."""

    file: str
    line: int
    to: int


class BranchCoverage(msgspec.Struct, frozen=True):
    """The branches of handwritten validators in Python, where they were watched."""

    total: int
    missed: tuple[BranchEntry, ...] = ()


class Coverage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Sums over the rules of a report.

    `declared` rules are those of every kind that the run was about, `asked` those whose kind was asked. `fired` counts
    the declarative side, `early` those that did so within the first 30 seconds. `limits` have a number, `at_limit` of
    them were accepted at it and `beyond` rejected just beyond it. `cannot` are proven not to fire.
    """

    declared: int = 0
    asked: int = 0
    fired: int = 0
    early: int = 0
    handwritten: int = 0
    accepted: int = 0
    limits: int = 0
    at_limit: int = 0
    beyond: int = 0
    cannot: int = 0
    ratchets: tuple[RatchetEntry, ...] = ()

    @property
    def lost(self) -> tuple[Lost, ...]:
        """Every rule that lost its cover."""
        return tuple(one for ratchet in self.ratchets for one in ratchet.lost)


EARLY = 30.0
"""Seconds of a run within which most rules should have fired."""


def coverage_of(rules: Sequence[RuleEntry], ratchets: Iterable[RatchetEntry] = ()) -> Coverage:
    """Add up the rules of a report."""
    limits = [rule for rule in rules if rule.limit is not None]
    return Coverage(
        declared=len(rules),
        asked=sum(rule.asked for rule in rules),
        fired=sum(bool(rule.declarative) for rule in rules),
        early=sum(rule.first is not None and rule.first <= EARLY for rule in rules),
        handwritten=sum(bool(rule.handwritten) for rule in rules),
        accepted=sum(rule.accepted for rule in rules),
        limits=len(limits),
        at_limit=sum(rule.accepted for rule in limits),
        beyond=sum(rule.rejected for rule in limits),
        cannot=sum(bool(rule.cannot) for rule in rules),
        ratchets=tuple(ratchets),
    )


def with_rule(one: RuleEntry, other: RuleEntry) -> RuleEntry:
    """Add what two searches saw of one rule."""
    seconds = [first for first in (one.first, other.first) if first is not None]
    fired = [rule for rule in (one, other) if rule.declarative]
    return msgspec.structs.replace(
        one,
        declarative=_operations(one.declarative, other.declarative),
        handwritten=_operations(one.handwritten, other.handwritten),
        rejected=one.rejected or other.rejected,
        accepted=one.accepted or other.accepted,
        first=min(seconds, default=None),
        parts=tuple(dict.fromkeys((*one.parts, *other.parts))),
        unserved=bool(fired) and all(rule.unserved for rule in fired),
        asked=one.asked or other.asked,
        cannot="" if fired else one.cannot or other.cannot,
    )


def _operations(*lists: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({operation for one in lists for operation in one}))


def with_uncovered(one: UncoveredEntry, other: UncoveredEntry) -> UncoveredEntry:
    """Add what two searches met of one error."""
    return msgspec.structs.replace(one, count=one.count + other.count, covered=one.covered or other.covered)
