"""Merges the reports of shards into one report, equal to that of a run on one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import TypeAlias, TypeVar

import msgspec

from harness.diagnostics import Diagnostic, InputError, Position
from harness.events import Discovery, Timings, stop_rank
from harness.report.model.assembly import compute_sums, report_order
from harness.report.model.code import combine_functions
from harness.report.model.coverage import combine_rules, combine_uncovered, sum_coverage
from harness.report.model.document import Exceptions, KindEntry, Part, Report, ReportedFinding
from harness.report.model.fields import combine_fields
from harness.report.words import rank

T = TypeVar("T")
Named: TypeAlias = tuple[str, Report]
"""The path of a report file, and the report."""


def merge(reports: Sequence[Named]) -> Report:
    """Merge the reports of shards, without exceptions, which the caller applies to all findings.

    If shards are missing, the result names them, and its verdict is `incomplete` or `different`.
    Raises: InputError when the reports are not of one run, or two are of the same shard.
    """
    _check_same_run(reports)
    return combine([report for _, report in reports])


def combine(reports: Sequence[Report]) -> Report:
    """Add up reports that have no case in common. Fields that are not sums are those of the first report."""
    first = reports[0]
    parts = _parts(reports)
    kinds = tuple(_sum_up([kind for report in reports for kind in report.kinds], _kind_key, _combine_kinds))
    findings = tuple(sorted(_sum_up(_findings(reports), _finding_key, _combine_findings), key=report_order))
    rules = tuple(_sum_up([rule for report in reports for rule in report.rules], lambda rule: rule.key, combine_rules))
    uncovered = [one for report in reports for one in report.uncovered]
    excluded = tuple(dict.fromkeys(entry for report in reports for entry in report.excluded))
    return msgspec.structs.replace(
        first,
        rules=rules,
        uncovered=tuple(_sum_up(uncovered, lambda one: one.key, combine_uncovered)),
        coverage=sum_coverage(rules) if any(report.coverage is not None for report in reports) else None,
        code=tuple(_sum_up([one for report in reports for one in report.code], lambda one: one.key, combine_functions)),
        fields=tuple(
            _sum_up([one for report in reports for one in report.fields], lambda one: one.key, combine_fields)
        ),
        examples=tuple(dict.fromkeys(example for report in reports for example in report.examples)),
        started=min(report.started for report in reports),
        witnesses=tuple(dict.fromkeys(one for report in reports for one in report.witnesses)),
        **compute_sums(parts, kinds, findings, Exceptions(), excluded, first.policy),
    )


def _check_same_run(reports: Sequence[Named]) -> None:
    """Check that the reports are distinct shards of one run. Raises: InputError with all differences."""
    errors = []
    name, first = reports[0]
    for other, report in reports[1:]:
        for what in ("harness_version", "seed", "budget", "mode", "target", "policy"):
            if getattr(report, what) != getattr(first, what):
                errors.append(_merge_error(other, f"its {what.replace('_', ' ')} is not that of {name}"))
    owners: dict[tuple[str, str], str] = {}
    for other, report in reports:
        for part in report.parts:
            which = f"shard {part.shard}" if part.shard else "the whole"
            if (part.subject, part.shard) in owners:
                errors.append(
                    _merge_error(other, f"{which} of {part.subject} is in {owners[part.subject, part.shard]}")
                )
            owners.setdefault((part.subject, part.shard), other)
    for (subject, shard), other in owners.items():
        counts = {one.partition("/")[2] for name, one in owners if name == subject}
        if len(counts) > 1:
            errors.append(
                _merge_error(other, f"{subject} is dealt to different shards in these reports, here {shard or 'none'}")
            )
    if errors:
        raise InputError(errors)


def _merge_error(name: str, message: str) -> Diagnostic:
    why = "only shards of the same run can be merged"
    return Diagnostic(Position(name), "report-merge", message, why, "name the reports written with --shard 1/N to N/N")


def _parts(reports: Sequence[Report]) -> tuple[Part, ...]:
    return tuple(
        _mark_missing_shards(part)
        for part in _sum_up(
            (part for report in reports for part in report.parts), lambda part: part.subject, _combine_parts
        )
    )


def _mark_missing_shards(part: Part) -> Part:
    """Mark a part with missing shards as `target-lost`, and name the shards."""
    if not part.shard:
        return part
    present = part.shard.split(",")
    count = present[0].partition("/")[2]
    number = int(count.partition(" ")[0])
    missing = [one for one in (f"{i}/{count}" for i in range(1, number + 1)) if one not in present]
    if not missing:
        return msgspec.structs.replace(part, shard="")
    detail = "; ".join(filter(None, [part.stopped_detail, f"missing: {', '.join(f'shard {one}' for one in missing)}"]))
    return msgspec.structs.replace(part, stopped=min("target-lost", part.stopped, key=stop_rank), stopped_detail=detail)


def _combine_parts(one: Part, other: Part) -> Part:
    return msgspec.structs.replace(
        one,
        # Shards run in parallel, so the run took as long as the slowest.
        seconds=max(one.seconds, other.seconds),
        cases=one.cases + other.cases,
        compared=one.compared + other.compared,
        composition_checked=one.composition_checked + other.composition_checked,
        composition_differences=one.composition_differences + other.composition_differences,
        generated_checked=one.generated_checked + other.generated_checked,
        round_trips_checked=one.round_trips_checked + other.round_trips_checked,
        restarts=one.restarts + other.restarts,
        stopped=min(one.stopped, other.stopped, key=stop_rank),
        stopped_detail="; ".join(filter(None, (one.stopped_detail, other.stopped_detail))),
        timings=Timings(*(getattr(one.timings, n) + getattr(other.timings, n) for n in Timings.__struct_fields__)),
        shard=",".join(filter(None, (one.shard, other.shard))),
        discovery=_add_discoveries(one.discovery, other.discovery),
    )


def _add_discoveries(one: Discovery, other: Discovery) -> Discovery:
    """Add up discoveries, because shards have no common kind and so no common signature."""
    first, second, third, fourth = (a + b for a, b in zip(one.quarters, other.quarters, strict=True))
    return Discovery(one.signatures + other.signatures, max(one.last, other.last), (first, second, third, fourth))


def _kind_key(kind: KindEntry) -> object:
    return kind.subject, kind.group, kind.version, kind.resource, kind.subresource, kind.operation


def _combine_kinds(one: KindEntry, other: KindEntry) -> KindEntry:
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
        too_large=one.too_large + other.too_large,
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


def _combine_findings(one: ReportedFinding, other: ReportedFinding) -> ReportedFinding:
    worse = min(one, other, key=lambda finding: rank(finding.severity))
    return msgspec.structs.replace(worse, occurrences=one.occurrences + other.occurrences)


def _sum_up(items: Iterable[T], key: Callable[[T], object], add: Callable[[T, T], T]) -> list[T]:
    """Add up items with the same key, in the order of first appearance."""
    groups: dict[object, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return [reduce(add, group) for group in groups.values()]
