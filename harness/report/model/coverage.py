"""The report sections on rule coverage: the declared rules, handwritten errors without a rule, and lost coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from harness.case import group_version
from harness.field.unaccepted import REASONS, Reason, Unaccepted, nearest


class _OfKind(msgspec.Struct, frozen=True, omit_defaults=True):
    subject: str
    group: str
    version: str
    kind: str

    @property
    def name(self) -> str:
        """The name of the kind for users: `apps/v1 Deployment`."""
        return f"{group_version(self.group, self.version)} {self.kind}"


class RuleEntry(_OfKind, frozen=True, omit_defaults=True):
    """A declared rule, and what the search observed of it.

    `path` is canonical (`[*]` for items, empty for the object itself); `level` is empty for standard. `declarative` and
    `handwritten` are the operations for which the validator reported its error. `rejected`: it fired just beyond its
    limit, or at all if it has no limit. `accepted`: an object that both validators accept has its field exactly at the
    limit, or has its field if there is no limit. `first` is when the declarative validator first reported it, in
    seconds of the run, and `parts` are the parts of the run in which it fired. `unserved`: it fired only for objects or
    options that no server passes to it. `asked` is false if its kind had no cases. `cannot` is the reason why the rule
    cannot fire, if that is proven. `unaccepted` is why no object at its limit was accepted, null if one was, it has no
    limit, or its kind had no cases.
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
    unaccepted: Unaccepted | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The identity of the rule."""
        return self.subject, self.group, self.version, self.kind, self.path, self.type, self.origin


class UncoveredEntry(_OfKind, frozen=True, omit_defaults=True):
    """Handwritten errors of one field without a declared rule: these checks are not migrated yet.

    `covered`: the handwritten validator marks them as covered nevertheless. `near` is the origin of a rule with the
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
        """The identity of the entry."""
        return self.subject, self.group, self.version, self.kind, self.path, self.type, self.origin


class Lost(msgspec.Struct, frozen=True, omit_defaults=True):
    """A rule that lost coverage: the ratchet file has observations of it that this run does not have.

    `marks` are the missing observations, `since` is the day on which its line was added to the file; empty if unknown.
    """

    rule: str
    marks: tuple[str, ...]
    since: str = ""


class RatchetEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of comparing with a ratchet file. `skipped` is the reason if it was not compared.

    `of` is what has a line there: a rule, or a package of code.
    """

    file: str
    rules: int = 0
    lost: tuple[Lost, ...] = ()
    skipped: str = ""
    updated: bool = False
    of: str = "rule"


class BranchEntry(msgspec.Struct, frozen=True):
    """A branch of a handwritten validator in Python that was never taken; `to` is 0 for the end of its function."""

    file: str
    line: int
    to: int


class BranchCoverage(msgspec.Struct, frozen=True):
    """The branches of handwritten validators in Python, if their coverage was measured."""

    total: int
    missed: tuple[BranchEntry, ...] = ()


class Coverage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Numbers of rules of a report.

    `declared`: all rules of the searched kinds. `asked`: those whose kind had cases. `fired`: those that the
    declarative validator reported; `early`: within the first 30 seconds. `limits`: those with a limit; `at_limit`: of
    these, accepted at the limit; `beyond`: rejected just beyond it. `unaccepted`: the rest of these by reason.
    `cannot`: those that are proven not to fire.
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
    unaccepted: dict[Reason, int] = {}

    @property
    def lost(self) -> tuple[Lost, ...]:
        """All rules that lost coverage."""
        return tuple(one for ratchet in self.ratchets for one in ratchet.lost)

    @property
    def lost_of(self) -> str:
        """What lost coverage: rules, packages of code, or several of these."""
        named = {ratchet.of for ratchet in self.ratchets if ratchet.lost}
        return named.pop() if len(named) == 1 else "line"


EARLY_SECONDS = 30.0
"""Within this time of a run most rules should have fired."""


def sum_coverage(rules: Sequence[RuleEntry], ratchets: Iterable[RatchetEntry] = ()) -> Coverage:
    """Count the rules of a report."""
    limits = [rule for rule in rules if rule.limit is not None]
    reasons = Counter(rule.unaccepted.reason for rule in limits if rule.unaccepted is not None)
    return Coverage(
        declared=len(rules),
        asked=sum(rule.asked for rule in rules),
        fired=sum(bool(rule.declarative) for rule in rules),
        early=sum(rule.first is not None and rule.first <= EARLY_SECONDS for rule in rules),
        handwritten=sum(bool(rule.handwritten) for rule in rules),
        accepted=sum(rule.accepted for rule in rules),
        limits=len(limits),
        at_limit=sum(rule.accepted for rule in limits),
        beyond=sum(rule.rejected for rule in limits),
        cannot=sum(bool(rule.cannot) for rule in rules),
        ratchets=tuple(ratchets),
        unaccepted={reason: number for reason in REASONS if (number := reasons[reason])},
    )


def combine_rules(one: RuleEntry, other: RuleEntry) -> RuleEntry:
    """Combine the observations of one rule by two searches."""
    seconds = [first for first in (one.first, other.first) if first is not None]
    fired = [rule for rule in (one, other) if rule.declarative]
    accepted = one.accepted or other.accepted
    return msgspec.structs.replace(
        one,
        declarative=_operations(one.declarative, other.declarative),
        handwritten=_operations(one.handwritten, other.handwritten),
        rejected=one.rejected or other.rejected,
        accepted=accepted,
        first=min(seconds, default=None),
        parts=tuple(dict.fromkeys((*one.parts, *other.parts))),
        unserved=bool(fired) and all(rule.unserved for rule in fired),
        asked=one.asked or other.asked,
        cannot="" if fired else one.cannot or other.cannot,
        unaccepted=None if accepted else nearest(one.unaccepted, other.unaccepted),
    )


def _operations(*lists: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({operation for one in lists for operation in one}))


def combine_uncovered(one: UncoveredEntry, other: UncoveredEntry) -> UncoveredEntry:
    """Add up the errors of one entry in two searches."""
    return msgspec.structs.replace(one, count=one.count + other.count, covered=one.covered or other.covered)
