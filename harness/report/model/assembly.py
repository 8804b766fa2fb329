"""Builds the report document from the results of runs, and computes its verdict and sums.

The sums of every report are computed here, also those of merged reports and of reports without a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

import harness
from harness.case import Case, KindInfo, ServedList
from harness.compare.composition import compose, settings
from harness.compare.finding import SEVERITIES, Finding
from harness.compare.two_servers import served_after, served_before
from harness.events import LOST, Budget, KindReport, Replayed, Result, stop_rank
from harness.report.model.document import (
    FAIL_ON_ANYTHING,
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
    fails,
    has_no_kinds,
)
from harness.report.model.gaps import has_gap, mark_allowed
from harness.report.model.moves import compute_moves
from harness.report.words import Verdict, rank


def build_report(
    results: Result | Sequence[Result],
    findings: Iterable[Finding] | None = None,
    exceptions: Exceptions | None = None,
    reaches: Mapping[str, Reach] | None = None,
    replay: Callable[[Finding], str] | None = None,
    policy: Policy = FAIL_ON_ANYTHING,
) -> Report:
    """Build the document of one run, or of one run per subject.

    `findings` replace those of the results with the same fingerprint, after exceptions were applied. `reaches` are the
    options to open the target of a subject again, `replay` returns the command that replays a finding, and `policy`
    defines what fails the run.
    """
    parts = (results,) if isinstance(results, Result) else tuple(results)
    by_fingerprint = {f.fingerprint: f for f in findings} if findings is not None else {}
    exceptions = exceptions or Exceptions()
    reported = sorted(
        (
            _convert_finding(by_fingerprint.get(finding.fingerprint, finding), result, kinds, replay)
            for result in parts
            for kinds in ({kind.key: kind for kind in reversed(result.target.kinds)},)
            for finding in result.findings
        ),
        key=report_order,
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
        witnesses=tuple(_convert_witness(one, result) for result in results for one in result.replayed),
        **compute_sums(parts, kinds, findings, exceptions, excluded, policy),
        examples=tuple(
            ExampleEntry(
                _name(r), e.source, e.kind.name, e.operation, e.expected, e.handwritten, e.declarative, e.failure
            )
            for r in results
            for e in r.examples
        ),
    )


def _convert_witness(one: Replayed, result: Result) -> ReplayedWitness:
    return ReplayedWitness(one.exception, one.case, one.shown, one.failure, _name(result))


def empty_report(name: str, mode: str, seed: int, budget: Budget, started: str) -> Report:
    """Build the document of a run that had nothing to search."""
    sums = compute_sums((), (), (), Exceptions(), ())
    target = TargetSummary(name=name, release="", gates={})
    return Report(
        schema=SCHEMA_ID, schema_version=SCHEMA_VERSION, harness_version=harness.__version__, target=target, mode=mode,
        seed=seed, budget=budget, started=started, **{**sums, "verdict": "nothing-compared"},
    )  # fmt: skip


def compute_sums(
    parts: tuple[Part, ...],
    kinds: tuple[KindEntry, ...],
    findings: tuple[ReportedFinding, ...],
    exceptions: Exceptions,
    excluded: tuple[ExcludedEntry, ...],
    policy: Policy = FAIL_ON_ANYTHING,
) -> dict[str, Any]:
    """Compute the fields of a report that follow from its parts, kinds, findings and exceptions."""
    seconds, cases = _seconds(parts), sum(part.cases for part in parts)
    kinds = mark_allowed(parts, kinds, policy)
    return {
        "verdict": _verdict(parts, kinds, findings, exceptions, policy),
        "seconds": round(seconds, 3),
        "cases": cases,
        "compared": sum(part.compared for part in parts),
        "composition_checked": sum(part.composition_checked for part in parts),
        "composition_differences": sum(part.composition_differences for part in parts),
        "generated_checked": sum(part.generated_checked for part in parts),
        "round_trips_checked": sum(part.round_trips_checked for part in parts),
        "stopped": min((part.stopped for part in parts), key=stop_rank, default="exhausted"),
        "stopped_detail": "; ".join(f"{part.subject}: {part.stopped_detail}" for part in parts if part.stopped_detail),
        "parts": parts,
        "kinds": kinds,
        "findings": findings,
        "exceptions": exceptions,
        "excluded": excluded,
        "moves": compute_moves(findings, excluded, [(p.subject, *p.between) for p in parts if len(p.between) == 2]),
        "totals": _totals(findings, kinds, cases, seconds),
    }


def _seconds(parts: Sequence[Part]) -> float:
    """Return the duration of a run: the sum over parts, where of parts that ran in parallel only the longest counts."""
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
    """Return the verdict of a run. Differences take precedence over incompleteness.

    A run without differences is equivalent only if something was compared in every part and nothing is incomplete.
    """
    is_different = any(fails(f, policy) for f in findings) or any(part.composition_differences for part in parts)
    if is_different or exceptions.failing:
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
    own = {
        "subject": _name(result),
        "target": TargetSummary(target.name, target.release, dict(target.gates)),
        "reach": reaches.get(_name(result), Reach("", result.subject, mode=result.mode)),
        "seconds": round(result.seconds, 3),
    }
    return Part(**(common_fields(Part, result) | own))


def _kind_entry(subject: str, report: KindReport) -> KindEntry:
    own = {
        "subject": subject,
        "operation": str(report.operation),
        "remaining": tuple(report.remaining),
        "unaccepted_paths": tuple(UnacceptedPath(*one) for one in report.unaccepted_paths),
    }
    return KindEntry(**(common_fields(KindEntry, report) | common_fields(KindEntry, report.kind) | own))


def common_fields(record: type[msgspec.Struct], source: msgspec.Struct) -> dict[str, Any]:
    """Return the values of a record's fields that another record type has too, by name."""
    return {name: getattr(source, name) for name in record.__struct_fields__ if name in source.__struct_fields__}


def _convert_finding(
    finding: Finding,
    result: Result,
    kinds: Mapping[tuple[str, str, str, str], KindInfo],
    replay: Callable[[Finding], str] | None,
) -> ReportedFinding:
    fields = common_fields(ReportedFinding, finding) | {"subject": _name(result)}
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
    """Return the errors that users read under each gate setting, as composed by us; of two targets, those of each."""
    if between:
        lists = served_before(answer), served_after(answer)
        return tuple(ServedList(name, {}, errors) for name, errors in zip(between, lists, strict=True))
    return tuple(
        ServedList(
            s.name, dict(s.gates), tuple(compose(answer.handwritten, answer.declarative, info, s, answer.parent))
        )
        for s in settings(info.composition)
    )


def report_order(finding: ReportedFinding) -> tuple[Any, ...]:
    """Return the key that sorts findings as reports do: open ones first, then by severity, cause, and field."""
    return (
        finding.exception is not None, rank(finding.severity), finding.cause, finding.subject,
        finding.group, finding.resource, finding.version, finding.subresource, finding.path, finding.operation,
        finding.fingerprint,
    )  # fmt: skip


def _totals(findings: Sequence[ReportedFinding], kinds: Sequence[KindEntry], cases: int, seconds: float) -> Totals:
    """Compute the sums over findings and kinds."""
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
