"""Rule coverage of a run: who looks on, and what the report says of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path

import msgspec

from harness.diagnostics import HarnessError, UsageError
from harness.engine.observers import ObserverFactory
from harness.events import Result
from harness.reporting.coverage import (
    BranchCoverage,
    BranchEntry,
    RuleEntry,
    UncoveredEntry,
    coverage_of,
    with_rule,
    with_uncovered,
)
from harness.reporting.document import Report
from harness.rulecov.branches import Branches
from harness.rulecov.inventory import Inventory, KnownRule, inventory_of
from harness.rulecov.observed import (
    ACCEPTED,
    DECLARATIVE_CREATE,
    DECLARATIVE_UPDATE,
    FIRED,
    HANDWRITTEN_CREATE,
    HANDWRITTEN_UPDATE,
    NAME,
    REJECTED,
    SERVED,
    Observed,
    RuleObserverFactory,
    Sight,
)
from harness.rulecov.unfireable import reasons_for
from harness.subject import SubjectSpec
from harness.subject.opening import api_of

_NOTHING = Sight(0)
_IDLE = "nothing of this release runs the declarative validators of this type"


def rule_observers(spec: SubjectSpec) -> dict[str, ObserverFactory]:
    """Return who looks on at a run against a subject: nobody where no types tell its rules, or two are compared."""
    if spec.against:
        return {}
    try:
        api = api_of(spec)
    except HarnessError:
        return {}  # opening the subject fails for the same reason, and says so
    return {} if api is None else {NAME: RuleObserverFactory(inventory_of(api))}


def inventory_in(observers: Mapping[str, ObserverFactory]) -> Inventory | None:
    """Return the rules that observers know."""
    observer = observers.get(NAME)
    return observer.inventory if isinstance(observer, RuleObserverFactory) else None


def with_coverage(
    report: Report, results: Sequence[Result], inventories: Mapping[str, Inventory], narrowed: bool
) -> Report:
    """Put into a report what was seen of the declared rules; when `narrowed`, only those of kinds that were meant."""
    if not any(result.subject in inventories for result in results):
        return report
    rules: dict[tuple[str, ...], RuleEntry] = {}
    uncovered: dict[tuple[str, ...], UncoveredEntry] = {}
    for result in results:
        inventory = inventories.get(result.subject)
        if inventory is not None:
            for rule in _rules(result, inventory, narrowed):
                rules[rule.key] = with_rule(rules[rule.key], rule) if rule.key in rules else rule
        for one in _uncovered(result):
            uncovered[one.key] = with_uncovered(uncovered[one.key], one) if one.key in uncovered else one
    every = tuple(rules.values())
    order = sorted(uncovered.values(), key=lambda one: one.key)
    return msgspec.structs.replace(report, rules=every, uncovered=tuple(order), coverage=coverage_of(every))


def _rules(result: Result, inventory: Inventory, narrowed: bool) -> Iterator[RuleEntry]:
    """Say of every rule what one part of a run saw of it."""
    seen = _added(result.observed.get(NAME, ()))
    reasons = reasons_for(result.target.release)
    names = {info.type: (info.group, info.version) for info in result.target.kinds if not info.subresource}
    kinds = result.target.kinds
    idle = {info.type for info in kinds} - {info.type for info in kinds if info.rules}
    numbers: dict[str, int] = {}
    for known in inventory.rules:
        number = numbers[known.type] = numbers.get(known.type, -1) + 1
        sights = seen.get(known.type)
        if sights is not None or not narrowed:
            entry = _entry(result, known, (sights or {}).get(number, _NOTHING), sights is not None)
            group, version = (entry.group, entry.version)
            if not group and known.type in names:
                group, version = names[known.type]
            cannot = reasons.get((group, version, entry.kind, entry.path, entry.type, entry.origin), "")
            if not cannot and known.type in idle and not entry.declarative:
                cannot = _IDLE
            yield msgspec.structs.replace(entry, group=group, version=version, cannot=cannot)


def _added(observed: Iterable[Observed]) -> dict[str, dict[int, Sight]]:
    """Add up what the units of a part saw: several may be about one type, as scales are."""
    found: dict[str, dict[int, Sight]] = {}
    for one in observed:
        known = found.setdefault(one.type, {})
        for number, sight in one.rules.items():
            known[number] = reduce(_both, (sight, *([known[number]] if number in known else [])))
    return found


def _both(one: Sight, other: Sight) -> Sight:
    seconds = [first for first in (one.first, other.first) if first is not None]
    return Sight(one.seen | other.seen, min(seconds, default=None))


def _entry(result: Result, known: KnownRule, sight: Sight, asked: bool) -> RuleEntry:
    rule, seen = known.rule, sight.seen
    return RuleEntry(
        subject=result.subject, group=rule.group, version=rule.version, kind=rule.kind, path=rule.path, type=rule.type,
        origin=rule.origin, level=rule.level, tag=rule.tag, limit=known.limit,
        declarative=_operations(seen, DECLARATIVE_CREATE, DECLARATIVE_UPDATE),
        handwritten=_operations(seen, HANDWRITTEN_CREATE, HANDWRITTEN_UPDATE),
        rejected=bool(seen & REJECTED), accepted=bool(seen & ACCEPTED),
        first=None if sight.first is None else round(sight.first, 2),
        parts=(result.part or result.subject,) if seen & FIRED else (),
        unserved=bool(seen & FIRED) and not seen & SERVED and result.mode == "served", asked=asked,
    )  # fmt: skip


def _operations(seen: int, create: int, update: int) -> tuple[str, ...]:
    return tuple(name for name, mark in (("create", create), ("update", update)) if seen & mark)


def _uncovered(result: Result) -> Iterator[UncoveredEntry]:
    for observed in result.observed.get(NAME, ()):
        for one in observed.uncovered:
            fields = {name: getattr(one, name) for name in one.__struct_fields__}
            yield UncoveredEntry(result.subject, **fields)


def branch_folders(specs: Iterable[SubjectSpec], jobs: int | None) -> list[Path]:
    """Return the folders whose branches can be watched: those of suites in Python. Raises: UsageError."""
    folders = [Path(spec.location) for spec in specs if spec.kind == "suite"]
    if not folders:
        raise UsageError("--branches watches validators in Python, in this process\n  fix: name a suite")
    if jobs is not None and jobs > 1:
        raise UsageError("--branches watches this process alone\n  fix: leave --jobs out")
    return folders


def with_branches(report: Report, watched: Branches | None) -> Report:
    """Put into a report which branches of handwritten validators were never taken."""
    if watched is None:
        return report
    missed = tuple(BranchEntry(_shown(one.file), one.line, one.to) for one in watched.missed)
    return msgspec.structs.replace(report, branches=BranchCoverage(watched.total, missed))


def _shown(file: str) -> str:
    """Write a path as people would from where they are."""
    place = Path(file).resolve()
    return str(place.relative_to(Path.cwd())) if place.is_relative_to(Path.cwd()) else file
