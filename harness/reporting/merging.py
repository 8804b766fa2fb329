"""Reports of shards become one report: a run that was spread over machines reads like a run on one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import TypeAlias, TypeVar

import msgspec

from harness.compare.finding import SEVERITIES
from harness.diagnostics import Diagnostic, InputError, Position
from harness.events import Discovery, Timings, how_bad
from harness.reporting.assembly import sums_of, worst_first
from harness.reporting.coverage import coverage_of, with_rule, with_uncovered
from harness.reporting.document import Exceptions, KindEntry, Part, Report, ReportedFinding

T = TypeVar("T")
Named: TypeAlias = tuple[str, Report]
"""Where a report was read from, and the report."""


def merge(reports: Sequence[Named]) -> Report:
    """Bring the reports of shards together; exceptions are left out, for the caller to apply to all findings.

    A missing shard is no reason to lose the others: the result says which one is missing and is `incomplete` at best.
    Raises: InputError when the reports are not of one run, or two are of the same shard.
    """
    _refuse_strangers(reports)
    return combine([report for _, report in reports])


def combine(every: Sequence[Report]) -> Report:
    """Add up reports that have no case in common; what is said once of a run is that of the first."""
    first = every[0]
    parts = _parts(every)
    kinds = tuple(_summed([kind for report in every for kind in report.kinds], _kind_key, _with_kind))
    findings = tuple(sorted(_summed(_findings(every), _finding_key, _with_finding), key=worst_first))
    rules = tuple(_summed([rule for report in every for rule in report.rules], lambda rule: rule.key, with_rule))
    uncovered = [one for report in every for one in report.uncovered]
    excluded = tuple(dict.fromkeys(entry for report in every for entry in report.excluded))
    return msgspec.structs.replace(
        first,
        rules=rules,
        uncovered=tuple(_summed(uncovered, lambda one: one.key, with_uncovered)),
        coverage=coverage_of(rules) if any(report.coverage is not None for report in every) else None,
        examples=tuple(dict.fromkeys(example for report in every for example in report.examples)),
        started=min(report.started for report in every),
        witnesses=tuple(dict.fromkeys(one for report in every for one in report.witnesses)),
        **sums_of(parts, kinds, findings, Exceptions(), excluded, first.policy),
    )


def _refuse_strangers(reports: Sequence[Named]) -> None:
    """Refuse what would add up to nonsense. Raises: InputError with every reason."""
    wrong = []
    name, first = reports[0]
    for other, report in reports[1:]:
        for what in ("harness_version", "seed", "budget", "mode", "target", "policy"):
            if getattr(report, what) != getattr(first, what):
                wrong.append(_stranger(other, f"its {what.replace('_', ' ')} is not that of {name}"))
    owners: dict[tuple[str, str], str] = {}
    for other, report in reports:
        for part in report.parts:
            which = f"shard {part.shard}" if part.shard else "the whole"
            if (part.subject, part.shard) in owners:
                wrong.append(_stranger(other, f"{which} of {part.subject} is in {owners[part.subject, part.shard]}"))
            owners.setdefault((part.subject, part.shard), other)
    for (subject, shard), other in owners.items():
        counts = {one.partition("/")[2] for name, one in owners if name == subject}
        if len(counts) > 1:
            wrong.append(_stranger(other, f"{subject} is cut into different numbers of shards, here {shard or 'none'}"))
    if wrong:
        raise InputError(wrong)


def _stranger(name: str, message: str) -> Diagnostic:
    why = "only the shards of one run add up to one report"
    return Diagnostic(Position(name), "report-merge", message, why, "name the reports that --shard 1/N to N/N wrote")


def _parts(reports: Sequence[Report]) -> tuple[Part, ...]:
    return tuple(
        _complete(part)
        for part in _summed(
            (part for report in reports for part in report.parts), lambda part: part.subject, _with_part
        )
    )


def _complete(part: Part) -> Part:
    """Say which shards are missing."""
    if not part.shard:
        return part
    there = part.shard.split(",")
    number = int(there[0].partition("/")[2])
    missing = [one for one in (f"{i}/{number}" for i in range(1, number + 1)) if one not in there]
    if not missing:
        return msgspec.structs.replace(part, shard="")
    detail = "; ".join(filter(None, [part.stopped_detail, f"missing: {', '.join(f'shard {one}' for one in missing)}"]))
    return msgspec.structs.replace(part, stopped=min("target-lost", part.stopped, key=how_bad), stopped_detail=detail)


def _with_part(one: Part, other: Part) -> Part:
    return msgspec.structs.replace(
        one,
        # Shards run side by side: the run took as long as the slowest.
        seconds=max(one.seconds, other.seconds),
        cases=one.cases + other.cases,
        compared=one.compared + other.compared,
        composition_checked=one.composition_checked + other.composition_checked,
        composition_differences=one.composition_differences + other.composition_differences,
        restarts=one.restarts + other.restarts,
        stopped=min(one.stopped, other.stopped, key=how_bad),
        stopped_detail="; ".join(filter(None, (one.stopped_detail, other.stopped_detail))),
        timings=Timings(*(getattr(one.timings, n) + getattr(other.timings, n) for n in Timings.__struct_fields__)),
        shard=",".join(filter(None, (one.shard, other.shard))),
        discovery=_discovered(one.discovery, other.discovery),
    )


def _discovered(one: Discovery, other: Discovery) -> Discovery:
    """Add up: shards have no kind in common, and so no signature."""
    first, second, third, fourth = (a + b for a, b in zip(one.quarters, other.quarters, strict=True))
    return Discovery(one.signatures + other.signatures, max(one.last, other.last), (first, second, third, fourth))


def _kind_key(kind: KindEntry) -> object:
    return kind.subject, kind.group, kind.version, kind.resource, kind.subresource, kind.operation


def _with_kind(one: KindEntry, other: KindEntry) -> KindEntry:
    fuller = max(one, other, key=lambda kind: kind.accepted_paths)
    return msgspec.structs.replace(
        one,
        paths=fuller.paths,
        accepted_paths=fuller.accepted_paths,
        unaccepted_paths=fuller.unaccepted_paths,
        rejected_paths=fuller.rejected_paths,
        changed_paths=one.changed_paths or other.changed_paths,
        cases=one.cases + other.cases,
        accepted=one.accepted + other.accepted,
        failures=one.failures + other.failures,
        has_seed=one.has_seed or other.has_seed,
        remaining=() if one.has_seed or other.has_seed else one.remaining,
        sides=() if one.has_seed or other.has_seed else one.sides,
        seed_search_complete=one.seed_search_complete or other.seed_search_complete,
        error="; ".join(filter(None, (one.error, other.error))),
    )


def _findings(reports: Sequence[Report]) -> Iterable[ReportedFinding]:
    return (msgspec.structs.replace(f, exception=None) for report in reports for f in report.findings)


def _finding_key(finding: ReportedFinding) -> object:
    return finding.subject, finding.fingerprint


def _with_finding(one: ReportedFinding, other: ReportedFinding) -> ReportedFinding:
    worse = min(one, other, key=lambda finding: SEVERITIES.index(finding.severity))
    return msgspec.structs.replace(worse, occurrences=one.occurrences + other.occurrences)


def _summed(things: Iterable[T], key: Callable[[T], object], add: Callable[[T, T], T]) -> list[T]:
    """Add up what has the same key, in the order of first appearance."""
    groups: dict[object, list[T]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return [reduce(add, group) for group in groups.values()]
