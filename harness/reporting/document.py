"""The report document: one JSON value that says what was asked, what was found and how hard was tried.

Every rendering (terminal, JUnit, HTML) is a function of this document and of nothing else, so a saved report can be
rendered again at any time. Without types there are no rules to see at work, and `coverage` is absent: zeros would read
as "no rule fired".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

import harness
from harness.case import Case, Excluded, KindInfo, ServedList
from harness.compare.composition import compose, settings
from harness.compare.ends import served_after, served_before
from harness.compare.finding import SEVERITIES, Finding
from harness.diagnostics import Diagnostic, InputError, Position
from harness.events import Budget, Discovery, KindReport, Result, Timings
from harness.reporting.cost import Cost
from harness.reporting.coverage import BranchCoverage, Coverage, RuleEntry, UncoveredEntry
from harness.reporting.moves import Moves, moves_of
from harness.reporting.verification import Verification

SCHEMA_ID = "urn:equivalence-harness:report:1"
SCHEMA_VERSION = 1
SCHEMA = Path(__file__).parent / "schema" / "report.schema.json"
"""The published JSON Schema."""

Verdict: TypeAlias = Literal["equivalent", "different", "nothing-compared", "incomplete"]
"""`incomplete`: no difference was found, but a target was lost or a kind could not be searched."""


class TargetSummary(msgspec.Struct, frozen=True):
    """Who was asked. With several suites in one run, `name` lists them and `gates` are those of all."""

    name: str
    release: str
    gates: dict[str, bool]


class Reach(msgspec.Struct, frozen=True, omit_defaults=True):
    """How to open the target again: what the command line said. `location` is a folder, a release or a command.

    `handwritten` is the file of a recording that stood for the handwritten side.
    """

    kind: str
    location: str
    gates: dict[str, bool] = {}
    types: str = ""
    mode: str = "served"
    arguments: tuple[str, ...] = ()
    declarative: str = "target"
    against: str = ""
    handwritten: str = ""


class Part(msgspec.Struct, frozen=True):
    """The run against one subject. A report of several suites has one part each.

    `compared` counts cases whose two lists were compared, which is fewer than `cases` when answers failed. `shard` is
    `2/4` when only a part of the kinds was searched, empty for all of them. A release is searched under several
    settings of its feature gates: one part each, `subject` names the gates; `beside` says that it ran while the part
    before did. `discovery` says when new differences came. `between` names two targets whose users were compared.
    """

    subject: str
    target: TargetSummary
    reach: Reach
    seconds: float
    cases: int
    compared: int
    composition_checked: int
    composition_differences: int
    restarts: int
    stopped: str
    stopped_detail: str
    timings: Timings
    shard: str = ""
    beside: bool = False
    discovery: Discovery = Discovery()
    between: tuple[str, ...] = ()


class Unreached(msgspec.Struct, frozen=True):
    """A place of a type that occurs in no accepted object, and the error that refused it, where there was one."""

    path: str
    error: str = ""


class KindEntry(msgspec.Struct, frozen=True):
    """What was done for one kind and operation.

    `base` says whether an object that both sides accept was found; otherwise `remaining` has the errors that remained.
    `through` names the served version whose strategy answered for a version that no user can reach, empty for others.
    `places`, `reached` and `unreached` say how full accepted objects are: what the type has room for, what occurs in
    one, and the outermost places that do not. They stand at the first operation of those that share a type. `changed`
    are places that an accepted update changes.
    """

    subject: str
    group: str
    version: str
    kind: str
    resource: str
    subresource: str
    operation: str
    rules: bool
    storage: bool
    cases: int
    accepted: int
    failures: int
    base: bool
    remaining: tuple[str, ...]
    error: str
    through: str = ""
    places: int = 0
    reached: int = 0
    unreached: tuple[Unreached, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name people use: `apps/v1 deployments/scale`."""
        return kind_name(self.group, self.version, self.resource, self.subresource)

    @property
    def id(self) -> str:
        """The name of a test of this kind and operation: `deployments-scale-v1-update`."""
        return item_id(self)


class ReportedFinding(Finding, frozen=True):
    """A finding with the subject it belongs to. `answer.served` holds the list of every setting."""

    subject: str = ""

    @property
    def name(self) -> str:
        """The name people use for the kind: `apps/v1 deployments/scale`."""
        return kind_name(self.group, self.version, self.resource, self.subresource)


class ExcludedEntry(Excluded, frozen=True):
    """Something a target has but cannot be asked about."""

    subject: str = ""


class ExceptionEntry(msgspec.Struct, frozen=True):
    """An entry of equivalence_exceptions.yaml and the fingerprints of the findings it tolerates."""

    id: str
    suite: str
    reason: str
    owner: str
    until: str
    link: str = ""
    findings: tuple[str, ...] = ()


class Exceptions(msgspec.Struct, frozen=True):
    """What became of the exceptions: an unused or expired one fails the run."""

    file: str = ""
    used: tuple[ExceptionEntry, ...] = ()
    unused: tuple[ExceptionEntry, ...] = ()
    expired: tuple[ExceptionEntry, ...] = ()


class Totals(msgspec.Struct, frozen=True):
    """Sums over the document. `findings` counts those that no exception tolerates; the `by_` tables count them too."""

    findings: int
    tolerated: int
    by_cause: dict[str, int]
    by_severity: dict[str, int]
    by_kind: dict[str, int]
    failures: int
    cases_per_second: float


class Report(msgspec.Struct, frozen=True):
    """The document (design.md 7).

    `narrowed` has the options that left kinds or operations out; empty when all were asked.
    """

    schema: str
    schema_version: int
    harness_version: str
    verdict: Verdict
    target: TargetSummary
    mode: str
    seed: int
    budget: Budget
    started: str
    seconds: float
    cases: int
    compared: int
    composition_checked: int
    composition_differences: int
    stopped: str
    stopped_detail: str
    parts: tuple[Part, ...]
    kinds: tuple[KindEntry, ...]
    findings: tuple[ReportedFinding, ...]
    excluded: tuple[ExcludedEntry, ...]
    exceptions: Exceptions
    totals: Totals
    rules: tuple[RuleEntry, ...] = ()
    uncovered: tuple[UncoveredEntry, ...] = ()
    coverage: Coverage | None = None
    branches: BranchCoverage | None = None
    verification: Verification | None = None
    cost: Cost | None = None
    moves: tuple[Moves, ...] = ()
    narrowed: tuple[str, ...] = ()

    @property
    def open_findings(self) -> tuple[ReportedFinding, ...]:
        """The findings that no exception tolerates, worst first."""
        return tuple(f for f in self.findings if f.exception is None)

    @property
    def exit_code(self) -> int:
        """0 nothing beyond the exceptions, 1 findings or rules that lost cover, 2 could not run, 130 interrupted."""
        if self.stopped == "interrupted":
            return 130
        if self.verification is not None and self.verification.nothing_touched:
            return 0
        if self.verification is not None and not self.verification.is_clean:
            return 1
        if self.verdict == "equivalent" and self.coverage is not None and self.coverage.lost:
            return 1
        return {"equivalent": 0, "different": 1}.get(self.verdict, 2)


def kind_name(group: str, version: str, resource: str, subresource: str) -> str:
    """Name a kind as people do."""
    return KindInfo(group, version, "", resource, "", subresource).name


def item_id(entry: Any) -> str:
    """Name a test of one kind, version, subresource and operation."""
    parts = (entry.resource, entry.subresource, entry.version, str(entry.operation))
    return "-".join(part for part in parts if part)


def build_report(
    results: Result | Sequence[Result],
    findings: Iterable[Finding] | None = None,
    exceptions: Exceptions | None = None,
    reaches: Mapping[str, Reach] | None = None,
    replay: Callable[[Finding], str] | None = None,
) -> Report:
    """Make the document of one run, or of one run per subject.

    `findings` are those of the results after exceptions were applied (default: as they are), `reaches` says by subject
    how to open the target again, and `replay` writes the command that shows a finding again.
    """
    parts = (results,) if isinstance(results, Result) else tuple(results)
    by_fingerprint = {f.fingerprint: f for f in findings} if findings is not None else {}
    exceptions = exceptions or Exceptions()
    reported = sorted(
        (
            _reported(by_fingerprint.get(finding.fingerprint, finding), result, replay)
            for result in parts
            for finding in result.findings
        ),
        key=worst_first,
    )
    return _assemble(parts, tuple(reported), exceptions, reaches or {})


def _assemble(
    results: Sequence[Result],
    findings: tuple[ReportedFinding, ...],
    exceptions: Exceptions,
    reaches: Mapping[str, Reach],
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
        **sums_of(parts, kinds, findings, exceptions, excluded),
    )


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
) -> dict[str, Any]:
    """Return the fields of a report that follow from its parts, so that every report adds up in the same way."""
    seconds, cases = _seconds(parts), sum(part.cases for part in parts)
    return {
        "verdict": _verdict(parts, kinds, findings, exceptions),
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


_STOPPED = ("interrupted", "target-lost", "budget", "exhausted")


def how_bad(stopped: str) -> int:
    """Order the ways a run ends, worst first."""
    return _STOPPED.index(stopped) if stopped in _STOPPED else len(_STOPPED)


def _verdict(
    parts: Sequence[Part], kinds: Sequence[KindEntry], findings: Sequence[Finding], exceptions: Exceptions
) -> Verdict:
    """Judge the run. A difference weighs more than an incomplete search, and silence is never agreement."""
    different = any(f.exception is None for f in findings) or any(part.composition_differences for part in parts)
    if different or exceptions.unused or exceptions.expired:
        return "different"
    if any(part.compared == 0 for part in parts):
        return "nothing-compared"
    if any(part.stopped == "target-lost" for part in parts) or any(kind.error for kind in kinds):
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
        base=report.base,
        remaining=tuple(report.remaining),
        error=report.error,
        through=kind.through,
        places=report.places,
        reached=report.reached,
        unreached=tuple(Unreached(*one) for one in report.unreached),
        changed=report.changed,
    )


def _reported(finding: Finding, result: Result, replay: Callable[[Finding], str] | None) -> ReportedFinding:
    fields = {name: getattr(finding, name) for name in Finding.__struct_fields__}
    fields["subject"] = _name(result)
    info = next((k for k in result.target.kinds if k.key == _key(finding.case)), None)
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


def encode(report: Report) -> bytes:
    """Write the document as indented JSON that ends with a newline."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document, as published in `SCHEMA`."""
    body = msgspec.json.schema(Report)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Report of the equivalence harness",
        **body,
    }


def read_report(path: Path | str) -> Report:
    """Read a saved report.

    Raises: InputError with what is wrong: no such file, not JSON, another document, a newer version.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(
            path, f"cannot be read: {error.strerror}", "name a file written by harness run --json"
        ) from None
    return decode(data, str(path))


def decode(data: bytes, name: str) -> Report:
    """Read a report from bytes; `name` is what diagnostics call it."""
    try:
        head = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _unreadable(name, f"is not JSON: {error}", "the file was cut off or is no report", data) from None
    if not isinstance(head, dict) or "schema" not in head:
        raise _unreadable(name, "is JSON, but not a report", "name a file written by harness run --json")
    if head["schema"] != SCHEMA_ID:
        raise _unreadable(
            name,
            f"follows schema {head['schema']!r}; this harness reads {SCHEMA_ID!r}",
            f"read it with the harness that wrote it ({head.get('harness_version', 'unknown')})",
        )
    try:
        return msgspec.convert(head, Report)
    except (msgspec.ValidationError, RecursionError) as error:
        raise _unreadable(name, f"breaks the schema of reports: {error}", "write it again with harness run") from None


def _unreadable(path: Path | str, message: str, fix: str, data: bytes = b"") -> InputError:
    line = data.count(b"\n") + 1 if data else 0
    return InputError([Diagnostic(Position(str(path), line), "report-unreadable", message, fix=fix)])
