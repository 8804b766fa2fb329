"""Makes the report document: of runs, of what exceptions tolerate, and its sums.

Every report adds up here, whether it is of one run, merged from several, or of nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

import harness
from harness.case import Case, KindInfo, ServedList
from harness.compare.composition import compose, settings
from harness.compare.ends import served_after, served_before
from harness.compare.finding import SEVERITIES, Finding
from harness.events import LOST, Budget, KindReport, Replayed, Result, how_bad
from harness.reporting.document import (
    EVERYTHING,
    SCHEMA_ID,
    SCHEMA_VERSION,
    ExampleEntry,
    Exceptions,
    ExcludedEntry,
    KindEntry,
    Part,
    Policy,
    Reach,
    ReplayedWitness,
    Report,
    ReportedFinding,
    TargetSummary,
    Totals,
    UnacceptedPath,
    Verdict,
    fails,
    has_no_kinds,
)
from harness.reporting.gaps import has_gap, with_allowances
from harness.reporting.moves import moves_of


def build_report(
    results: Result | Sequence[Result],
    findings: Iterable[Finding] | None = None,
    exceptions: Exceptions | None = None,
    reaches: Mapping[str, Reach] | None = None,
    replay: Callable[[Finding], str] | None = None,
    policy: Policy = EVERYTHING,
) -> Report:
    """Make the document of one run, or of one run per subject.

    `findings` are those of the results after exceptions were applied (default: as they are), `reaches` says by subject
    how to open the target again, `replay` writes the command that shows a finding again, and `policy` says what fails.
    """
    parts = (results,) if isinstance(results, Result) else tuple(results)
    by_fingerprint = {f.fingerprint: f for f in findings} if findings is not None else {}
    exceptions = exceptions or Exceptions()
    reported = sorted(
        (
            _reported(by_fingerprint.get(finding.fingerprint, finding), result, kinds, replay)
            for result in parts
            for kinds in ({kind.key: kind for kind in reversed(result.target.kinds)},)
            for finding in result.findings
        ),
        key=worst_first,
    )
    return _assemble(parts, tuple(reported), exceptions, reaches or {}, policy)


def _assemble(
    results: Sequence[Result],
    findings: tuple[ReportedFinding, ...],
    exceptions: Exceptions,
    reaches: Mapping[str, Reach],
    policy: Policy,
) -> Report:
    first = results[0]
    kinds = tuple(_kind_entry(_name(r), kind) for r in results for kind in r.kinds)
    parts = tuple(_part(r, reaches) for r in results)
    excluded = tuple(
        ExcludedEntry(e.group, e.version, e.resource, e.reason, _name(r)) for r in results for e in r.excluded
    )
    return Report(
        schema=SCHEMA_ID,
        schema_version=SCHEMA_VERSION,
        harness_version=harness.__version__,
        target=TargetSummary(
            name=", ".join(dict.fromkeys(r.subject for r in results)),
            release=", ".join(dict.fromkeys(r.target.release for r in results if r.target.release)),
            gates={name: value for r in reversed(results) for name, value in r.target.gates.items()},
        ),
        mode=first.mode,
        seed=first.seed,
        budget=first.budget,
        started=first.started,
        policy=policy,
        witnesses=tuple(_replayed(one, result) for result in results for one in result.replayed),
        **sums_of(parts, kinds, findings, exceptions, excluded, policy),
        examples=tuple(
            ExampleEntry(
                _name(r), e.source, e.kind.name, e.operation, e.expected, e.handwritten, e.declarative, e.failure
            )
            for r in results
            for e in r.examples
        ),
    )


def _replayed(one: Replayed, result: Result) -> ReplayedWitness:
    return ReplayedWitness(one.exception, one.case, one.shown, one.failure, _name(result))


def empty_report(name: str, mode: str, seed: int, budget: Budget, started: str) -> Report:
    """Make the document of a run in which nothing was searched, since there was nothing to search."""
    sums = sums_of((), (), (), Exceptions(), ())
    target = TargetSummary(name=name, release="", gates={})
    return Report(
        schema=SCHEMA_ID, schema_version=SCHEMA_VERSION, harness_version=harness.__version__, target=target, mode=mode,
        seed=seed, budget=budget, started=started, **{**sums, "verdict": "nothing-compared"},
    )  # fmt: skip


def sums_of(
    parts: tuple[Part, ...],
    kinds: tuple[KindEntry, ...],
    findings: tuple[ReportedFinding, ...],
    exceptions: Exceptions,
    excluded: tuple[ExcludedEntry, ...],
    policy: Policy = EVERYTHING,
) -> dict[str, Any]:
    """Return the fields of a report that follow from its parts, so that every report adds up in the same way."""
    seconds, cases = _seconds(parts), sum(part.cases for part in parts)
    kinds = with_allowances(parts, kinds, policy)
    return {
        "verdict": _verdict(parts, kinds, findings, exceptions, policy),
        "seconds": round(seconds, 3),
        "cases": cases,
        "compared": sum(part.compared for part in parts),
        "composition_checked": sum(part.composition_checked for part in parts),
        "composition_differences": sum(part.composition_differences for part in parts),
        "stopped": min((part.stopped for part in parts), key=how_bad, default="exhausted"),
        "stopped_detail": "; ".join(f"{part.subject}: {part.stopped_detail}" for part in parts if part.stopped_detail),
        "parts": parts,
        "kinds": kinds,
        "findings": findings,
        "exceptions": exceptions,
        "excluded": excluded,
        "moves": moves_of(findings, excluded, [(p.subject, *p.between) for p in parts if len(p.between) == 2]),
        "totals": _totals(findings, kinds, cases, seconds),
    }


def _seconds(parts: Sequence[Part]) -> float:
    """Add up what ran one after the other; of what ran side by side the longest counts."""
    groups: list[float] = []
    for part in parts:
        if part.beside and groups:
            groups[-1] = max(groups[-1], part.seconds)
        else:
            groups.append(part.seconds)
    return sum(groups)


def _name(result: Result) -> str:
    return result.part or result.subject


def _verdict(
    parts: Sequence[Part],
    kinds: Sequence[KindEntry],
    findings: Sequence[Finding],
    exceptions: Exceptions,
    policy: Policy,
) -> Verdict:
    """Judge the run. A difference weighs more than an incomplete search, and silence is never agreement."""
    different = any(fails(f, policy) for f in findings) or any(part.composition_differences for part in parts)
    if different or exceptions.failing:
        return "different"
    searched = [part for part in parts if not has_no_kinds(part, kinds)]
    if not searched or any(part.compared == 0 for part in searched):
        return "nothing-compared"
    if any(part.stopped in LOST for part in parts) or any(kind.error for kind in kinds):
        return "incomplete"
    if has_gap(parts, kinds):
        return "incomplete"
    return "equivalent"


def _part(result: Result, reaches: Mapping[str, Reach]) -> Part:
    target = result.target
    return Part(
        subject=_name(result),
        target=TargetSummary(target.name, target.release, dict(target.gates)),
        reach=reaches.get(_name(result), Reach("", result.subject, mode=result.mode)),
        seconds=round(result.seconds, 3),
        cases=result.cases,
        compared=result.compared,
        composition_checked=result.composition_checked,
        composition_differences=result.composition_differences,
        restarts=result.restarts,
        stopped=result.stopped,
        stopped_detail=result.stopped_detail,
        timings=result.timings,
        shard=result.shard,
        beside=result.beside,
        discovery=result.discovery,
        between=result.between,
        allow_incomplete=result.allow_incomplete,
    )


def _kind_entry(subject: str, report: KindReport) -> KindEntry:
    kind = report.kind
    return KindEntry(
        subject=subject,
        group=kind.group,
        version=kind.version,
        kind=kind.kind,
        resource=kind.resource,
        subresource=kind.subresource,
        operation=str(report.operation),
        rules=kind.rules,
        storage=kind.storage,
        cases=report.cases,
        accepted=report.accepted,
        failures=report.failures,
        has_seed=report.has_seed,
        remaining=tuple(report.remaining),
        error=report.error,
        through=kind.through,
        paths=report.paths,
        accepted_paths=report.accepted_paths,
        unaccepted_paths=tuple(UnacceptedPath(*one) for one in report.unaccepted_paths),
        changed_paths=report.changed_paths,
        rejected_paths=report.rejected_paths,
        sides=report.sides,
        seed_search_complete=report.seed_search_complete,
    )


def _reported(
    finding: Finding,
    result: Result,
    kinds: Mapping[tuple[str, str, str, str], KindInfo],
    replay: Callable[[Finding], str] | None,
) -> ReportedFinding:
    fields = {name: getattr(finding, name) for name in Finding.__struct_fields__}
    fields["subject"] = _name(result)
    info = kinds.get(_key(finding.case))
    if info is not None and finding.answer.failure is None:
        fields["answer"] = msgspec.structs.replace(
            finding.answer, served=served_lists(finding.answer, info, finding.between)
        )
    if replay is not None:
        fields["replay"] = replay(finding)
    return ReportedFinding(**fields)


def _key(case: Case) -> tuple[str, str, str, str]:
    return case.group, case.version, case.resource, case.subresource


def served_lists(answer: Any, info: KindInfo, between: Sequence[str] = ()) -> tuple[ServedList, ...]:
    """Say what a user reads under each setting of the gates, by our composition; of two targets, what each serves."""
    if between:
        both = served_before(answer), served_after(answer)
        return tuple(ServedList(name, {}, errors) for name, errors in zip(between, both, strict=True))
    return tuple(
        ServedList(s.name, dict(s.gates), tuple(compose(answer.handwritten, answer.declarative, info, s)))
        for s in settings(info.composition)
    )


def worst_first(finding: ReportedFinding) -> tuple[Any, ...]:
    """Order findings as reports do."""
    return (
        finding.exception is not None, SEVERITIES.index(finding.severity), finding.cause, finding.subject,
        finding.group, finding.resource, finding.version, finding.subresource, finding.path, finding.operation,
        finding.fingerprint,
    )  # fmt: skip


def _totals(findings: Sequence[ReportedFinding], kinds: Sequence[KindEntry], cases: int, seconds: float) -> Totals:
    """Sum over findings and kinds."""
    opened = [f for f in findings if f.exception is None]
    severities = Counter(f.severity for f in opened)
    return Totals(
        findings=len(opened),
        tolerated=len(findings) - len(opened),
        by_cause=dict(Counter(f.cause for f in opened).most_common()),
        by_severity={name: severities[name] for name in SEVERITIES if severities[name]},
        by_kind=dict(Counter(f.name for f in opened).most_common()),
        failures=sum(k.failures for k in kinds),
        cases_per_second=round(cases / seconds, 1) if seconds else 0.0,
    )
