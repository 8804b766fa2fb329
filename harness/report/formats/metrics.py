"""Renders a report as Prometheus metrics: upstream's counters under upstream's names, and metrics of the harness.

Upstream's counters count requests of users; here they count cases of the search, so that the same dashboards and alerts
work for both. Source: apiserver pkg/validation/metrics.go and pkg/registry/rest/validate.go, metricIdentifier (1.37.1);
semantics.md#7.5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import get_args

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from harness.compare.confirmation import OUTCOMES
from harness.compare.two_servers import DIRECTIONS
from harness.report.escaping import visible
from harness.report.model.document import KindEntry, Report, ReportedFinding
from harness.report.model.gaps import find_gaps
from harness.report.text.confirmation import count_outcomes
from harness.report.words import FieldVerdict, Verdict, rank

_UPSTREAM = "apiserver_validation_"


def render_metrics(report: Report) -> bytes:
    """Render a report in the text format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(_Metrics(report))
    return generate_latest(registry)


def identifier(entry: KindEntry | ReportedFinding) -> str:
    """Return the value of upstream's label `validation_identifier` for a kind and operation."""
    subresource = f"_{entry.subresource.replace('/', '_')}" if entry.subresource else ""
    return visible(f"{entry.kind.lower() or 'unknown_resource'}{subresource}_{entry.operation or 'unknown_op'}")


class _Metrics(Collector):
    """Collects the metric families of a report."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def collect(self) -> Iterator[Metric]:
        """Yield the families, upstream's first."""
        yield from _upstream(self._report)
        yield from _findings(self._report)
        yield from _effort(self._report)


def _upstream(report: Report) -> Iterator[Metric]:
    mismatches = [one for one in report.findings if one.mismatch in ("unmatched", "extra")]
    panics = [one for one in report.findings if _is_declarative_panic(one)]
    duplicates = [one for one in report.findings if one.cause == "duplicate"]
    yield from _count_by_kind(
        report, mismatches, "declarative_validation_mismatch", "declarative_validation_parity_discrepancies",
        "Differences met between declarative and handwritten errors, tolerated ones included",
    )  # fmt: skip
    yield from _count_by_kind(
        report, panics, "declarative_validation_panic", "declarative_validation_panics",
        "Panics met in declarative validation",
    )  # fmt: skip
    text = "Times that one error was met twice in what users read."
    yield CounterMetricFamily(f"{_UPSTREAM}duplicate_validation_error", text, _occurrences(duplicates))


def _count_by_kind(
    report: Report, findings: list[ReportedFinding], whole: str, vector: str, text: str
) -> Iterator[CounterMetricFamily]:
    """Yield a counter of all occurrences, and one by kind, which is 0 for kinds that were asked without findings."""
    yield CounterMetricFamily(f"{_UPSTREAM}{whole}", f"{text}.", _occurrences(findings))
    numbers = Counter({identifier(kind): 0 for kind in report.kinds if kind.cases})
    for finding in findings:
        numbers[identifier(finding)] += finding.occurrences
    family = CounterMetricFamily(f"{_UPSTREAM}{vector}", f"{text}, by kind.", labels=["validation_identifier"])
    for name in sorted(numbers):
        family.add_metric([name], numbers[name])
    yield family


def _is_declarative_panic(finding: ReportedFinding) -> bool:
    failure = finding.answer.failure
    return finding.mismatch == "panic" and failure is not None and failure.stage == "declarative"


def _occurrences(findings: Iterable[ReportedFinding]) -> int:
    return sum(finding.occurrences for finding in findings)


def _findings(report: Report) -> Iterator[Metric]:
    verdict = GaugeMetricFamily("harness_verdict", "1 for the verdict of the run.", labels=["verdict"])
    for name in get_args(Verdict):
        verdict.add_metric([name], name == report.verdict)
    yield verdict
    yield GaugeMetricFamily("harness_exit_code", "What the run's command returned, or would have.", report.exit_code)
    yield GaugeMetricFamily("harness_findings_open", "Findings that no exception tolerates.", report.totals.findings)
    failing = len(report.failing_findings)
    yield GaugeMetricFamily("harness_findings_failing", "Findings that are severe enough to fail the run.", failing)
    yield GaugeMetricFamily("harness_findings_tolerated", "Findings that one does.", report.totals.tolerated)
    numbers = Counter((f.severity, f.cause, str(f.exception is not None).lower()) for f in report.findings)
    family = GaugeMetricFamily("harness_findings", "Findings.", labels=["severity", "cause", "tolerated"])
    for labels in sorted(numbers, key=lambda key: (rank(key[0]), key[1:])):
        family.add_metric([visible(label) for label in labels], numbers[labels])
    yield family
    if report.verification is not None:
        fields = GaugeMetricFamily("harness_fields", "Fields that the change touches, by verdict.", labels=["verdict"])
        verdicts = Counter[str](field.verdict for field in report.verification.fields)
        for name in get_args(FieldVerdict):
            fields.add_metric([name], verdicts[name])
        yield fields
        changes = GaugeMetricFamily("harness_user_changes", "What changes for users.", labels=["direction"])
        directions = Counter[str](change.direction for change in report.verification.changes)
        for name in DIRECTIONS:
            changes.add_metric([name], directions[name])
        yield changes
    if outcomes := count_outcomes(report):
        text = "Findings, by a running server's answer."
        family = GaugeMetricFamily("harness_confirmations", text, labels=["outcome"])
        for outcome in OUTCOMES:
            family.add_metric([outcome], outcomes.get(outcome, 0))
        yield family
    exceptions = GaugeMetricFamily("harness_exceptions", "Exceptions, by what became of them.", labels=["state"])
    for state in ("used", "unused", "expired", "unwitnessed"):
        exceptions.add_metric([state], len(getattr(report.exceptions, state)))
    yield exceptions


def _effort(report: Report) -> Iterator[Metric]:
    yield InfoMetricFamily(
        "harness_run",
        "What was asked, by which harness.",
        {
            "target": visible(report.target.name), "release": visible(report.target.release),
            "mode": visible(report.mode), "seed": str(report.seed), "version": visible(report.harness_version),
            "stopped": visible(report.stopped),
        },
    )  # fmt: skip
    for name, text, value in (
        ("harness_cases", "Cases asked.", report.cases),
        ("harness_cases_compared", "Cases whose two lists of errors were compared.", report.compared),
        ("harness_seconds", "How long the run took.", report.seconds),
        ("harness_failures", "Answers that failed.", report.totals.failures),
        ("harness_restarts", "Times a worker was restarted.", sum(part.restarts for part in report.parts)),
        ("harness_composition_checked", "Cases whose served list was held against the target's.",
         report.composition_checked),
        ("harness_composition_differences", "Cases among them that differed.", report.composition_differences),
        ("harness_generated_checked", "Cases whose declarative list was held against the target's own tags.",
         report.generated_checked),
        ("harness_round_trips_checked", "Accepted objects that were converted to each version and back.",
         report.round_trips_checked),
    ):  # fmt: skip
        yield GaugeMetricFamily(name, text, value)
    kinds = GaugeMetricFamily("harness_kinds", "Kinds and operations, by how far they came.", labels=["state"])
    kinds.add_metric(["served"], len(report.kinds))
    kinds.add_metric(["asked"], sum(bool(kind.cases) for kind in report.kinds))
    kinds.add_metric(["accepted"], sum(kind.has_accepted for kind in report.kinds))
    missed = [(gap, kind) for gap in find_gaps(report) for kind in gap.kinds]
    kinds.add_metric(["incomplete"], sum(not gap.allowed for gap, _ in missed))
    kinds.add_metric(["allowed"], sum(bool(gap.allowed) for gap, _ in missed))
    yield kinds
    labels = ["validation_identifier", "why"]
    incomplete = GaugeMetricFamily("harness_incomplete", "1 for each kind that was not reached.", labels=labels)
    for names in dict.fromkeys((identifier(kind), gap.reason) for gap, kind in missed if not gap.allowed):
        incomplete.add_metric(names, 1)
    yield incomplete
    if report.coverage is not None:
        rules = GaugeMetricFamily("harness_rules", "Declared rules, by what was seen of them.", labels=["state"])
        for state in ("declared", "asked", "fired", "handwritten", "accepted", "limits", "at_limit", "beyond"):
            rules.add_metric([state], getattr(report.coverage, state))
        rules.add_metric(["lost"], len(report.coverage.lost))
        yield rules
