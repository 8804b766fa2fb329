"""The report document: one JSON value that says what was asked, what was found and how hard was tried.

Every rendering (terminal, JUnit, HTML) is a function of this document and of nothing else, so a saved report can be
rendered again at any time. Without types there are no rules to see at work, and `coverage` is absent: zeros would read
as "no rule fired".
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from harness.case import Excluded, KindInfo
from harness.compare.finding import SEVERITIES, Finding, Severity
from harness.diagnostics import Diagnostic, InputError, Position
from harness.events import Budget, Discovery, Expected, Replayed, Timings
from harness.limits import MOST_REPORT, decode_bounded, read_bounded
from harness.reporting.cost import Cost
from harness.reporting.coverage import BranchCoverage, Coverage, RuleEntry, UncoveredEntry
from harness.reporting.migration import migrate
from harness.reporting.moves import Moves
from harness.reporting.text import encode_json
from harness.reporting.verification import Verification

SCHEMA_VERSION = 2
_SCHEMA_IDS = tuple(f"urn:equivalence-harness:report:{number}" for number in range(1, SCHEMA_VERSION + 1))
SCHEMA_ID = _SCHEMA_IDS[-1]
MOST_VALUES = 20_000_000
"""Values of a report that is read; one of a whole release has less than a million."""
SCHEMA = Path(__file__).parent / "schema" / "report.schema.json"
"""The published JSON Schema."""

Verdict: TypeAlias = Literal["equivalent", "different", "nothing-compared", "incomplete"]
"""What a run comes to: `equivalent` nothing that fails it, `different` something does.

`incomplete`: nothing does, but a target was lost, a kind could not be searched, or no object of it was ever accepted.
"""


class Policy(msgspec.Struct, frozen=True):
    """What the options say of what fails a run, kept so that everything that is made of a report agrees.

    `fail_on` is the mildest severity that does. `allow_incomplete` are patterns of kinds that may be incomplete.
    """

    fail_on: Severity = SEVERITIES[-1]
    allow_incomplete: tuple[str, ...] = ()


EVERYTHING = Policy()
"""Every finding fails a run, and so does every kind that is incomplete."""


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
    `allow_incomplete` are patterns of kinds that the subject itself lets be incomplete.
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
    allow_incomplete: tuple[str, ...] = ()


class UnacceptedPath(msgspec.Struct, frozen=True):
    """A path of a type that occurs in no accepted object, and the error that rejected it, where there was one."""

    path: str
    error: str = ""


class KindEntry(msgspec.Struct, frozen=True):
    """What was done for one kind and operation.

    `has_seed` says whether a seed object that both sides accept was found; otherwise `remaining` has the errors that
    remained, those that nothing silenced first, and `sides` says of each who reports it: handwritten, declarative or
    both. `seed_search_complete` says that the search for one came to its end, which a limit of time may cut short.
    `allowed` is the pattern that lets it be incomplete, where it is.
    `through` names the served version whose strategy answered for a version that no user can reach, empty for others.
    `paths`, `accepted_paths` and `unaccepted_paths` say how full accepted objects are: how many paths the type has, how
    many occur in one, and the outermost that do not. Of all that do not, an error rejected `rejected_paths`, and the
    others were not tried. They stand at the first operation of those that share a type. `changed_paths` are those that
    an accepted update changes.
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
    has_seed: bool
    remaining: tuple[str, ...]
    error: str
    through: str = ""
    paths: int = 0
    accepted_paths: int = 0
    unaccepted_paths: tuple[UnacceptedPath, ...] = ()
    changed_paths: tuple[str, ...] = ()
    rejected_paths: int = 0
    sides: tuple[str, ...] = ()
    seed_search_complete: bool = False
    allowed: str = ""

    @property
    def has_accepted(self) -> bool:
        """Whether both sides accepted some object, or pair of them."""
        return self.has_seed or bool(self.accepted)

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


class ExampleEntry(Expected, msgspec.Struct, frozen=True):
    """What both sides said of an object of the user's own, for one kind and operation.

    `source` is its file and line, `expected` is `accepted`, or `rejected` where its file's name says so. `failure` says
    why there are no lists of errors.
    """

    subject: str
    source: str
    kind: str
    operation: str
    expected: str
    handwritten: tuple[str, ...] = ()
    declarative: tuple[str, ...] = ()
    failure: str = ""


class ExceptionEntry(msgspec.Struct, frozen=True):
    """An entry of equivalence_exceptions.yaml and the fingerprints of the findings it tolerates.

    `witnessed` counts the cases of its witness that were asked, `shown` those of them that show what it speaks of.
    """

    id: str
    suite: str
    reason: str
    owner: str
    until: str
    link: str = ""
    findings: tuple[str, ...] = ()
    witnessed: int = 0
    shown: int = 0


class ReplayedWitness(Replayed, frozen=True):
    """What a case of a witness shows, and the part of the run that says so."""

    subject: str = ""


class Exceptions(msgspec.Struct, frozen=True):
    """What became of the exceptions: one that is unused, expired or without a witness fails the run.

    An entry is used when a finding needs it or its witness still shows it. It is unused when it has a witness that was
    asked whole and shows it no more, whatever was found.
    """

    file: str = ""
    used: tuple[ExceptionEntry, ...] = ()
    unused: tuple[ExceptionEntry, ...] = ()
    expired: tuple[ExceptionEntry, ...] = ()
    unwitnessed: tuple[ExceptionEntry, ...] = ()

    @property
    def every(self) -> tuple[ExceptionEntry, ...]:
        """The entries that the run speaks of."""
        return (*self.used, *self.unused, *self.expired, *self.unwitnessed)

    @property
    def failing(self) -> tuple[tuple[str, ExceptionEntry], ...]:
        """The entries that fail the run, each with a word that says why."""
        lists = (("unused", self.unused), ("expired", self.expired), ("unwitnessed", self.unwitnessed))
        return tuple((word, entry) for word, entries in lists for entry in entries)


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
    """The report document (docs/reference/report.md).

    `narrowed` has the options that left kinds or operations out; empty when all were asked. `witnesses` has what the
    witnesses of the exceptions show.
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
    policy: Policy = EVERYTHING
    witnesses: tuple[ReplayedWitness, ...] = ()
    examples: tuple[ExampleEntry, ...] = ()

    @property
    def open_findings(self) -> tuple[ReportedFinding, ...]:
        """The findings that no exception tolerates, worst first."""
        return tuple(f for f in self.findings if f.exception is None)

    @property
    def failing_findings(self) -> tuple[ReportedFinding, ...]:
        """Those among them that are severe enough to fail the run."""
        return tuple(f for f in self.findings if fails(f, self.policy))

    @property
    def exit_code(self) -> int:
        """0 nothing fails the run, 1 findings or rules that lost cover, 2 could not run or incomplete, 130 interrupted.

        Findings weigh more than what is incomplete.
        """
        if self.stopped == "interrupted":
            return 130
        if self.verification is not None and self.verification.nothing_touched:
            return 0
        if self.verification is not None and not self.verification.is_clean:
            return 1
        if self.verdict == "equivalent" and self.coverage is not None and self.coverage.lost:
            return 1
        if self.is_empty_shard:
            return 0
        return {"equivalent": 0, "different": 1}.get(self.verdict, 2)

    @property
    def is_empty_shard(self) -> bool:
        """Whether all kinds belong to other shards: nothing was to be searched, and the merged report judges."""
        return bool(self.parts) and all(has_no_kinds(part, self.kinds) for part in self.parts)


def has_no_kinds(part: Part, kinds: Iterable[KindEntry]) -> bool:
    """Whether a part is a shard that no kind of its subject belongs to. A shard that broke off is none."""
    ended = part.stopped not in ("target-lost", "interrupted")
    return bool(part.shard) and ended and all(kind.subject != part.subject for kind in kinds)


def fails(finding: Finding, policy: Policy) -> bool:
    """Whether a finding fails a run: no exception tolerates it, and it is severe enough."""
    return finding.exception is None and SEVERITIES.index(finding.severity) <= SEVERITIES.index(policy.fail_on)


def kind_name(group: str, version: str, resource: str, subresource: str) -> str:
    """Name a kind as people do."""
    return KindInfo(group, version, "", resource, "", subresource).name


def item_id(entry: Any) -> str:
    """Name a test of one kind, version, subresource and operation."""
    parts = (entry.resource, entry.subresource, entry.version, str(entry.operation))
    return "-".join(part for part in parts if part)


def encode(report: Report) -> bytes:
    """Write the document as indented JSON that ends with a newline."""
    return msgspec.json.format(encode_json(report), indent=1) + b"\n"


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

    Those of older versions of the schema are brought up to the present one.
    Raises: InputError with what is wrong: no such file, not JSON, another document, a newer version.
    """
    return decode(read_data(path), str(path))


def read_data(path: Path | str) -> bytes:
    """Read the bytes of a saved report. Raises: InputError."""
    try:
        return read_bounded(path, MOST_REPORT)
    except OSError as error:
        raise _unreadable(
            path, f"cannot be read: {error.strerror}", "name a file written by harness run --json"
        ) from None


def decode(data: bytes, name: str) -> Report:
    """Read a report from bytes; `name` is what diagnostics call it."""
    try:
        head = decode_bounded(data, name, most_nodes=MOST_VALUES)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _unreadable(name, f"is not JSON: {error}", "the file was cut off or is no report", data) from None
    if not isinstance(head, dict) or "schema" not in head:
        raise _unreadable(name, "is JSON, but not a report", "name a file written by harness run --json")
    if head["schema"] not in _SCHEMA_IDS:
        raise _unreadable(
            name,
            f"follows schema {head['schema']!r}; this harness reads {SCHEMA_ID!r}",
            f"read it with the harness that wrote it ({head.get('harness_version', 'unknown')})",
        )
    version = head.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise _unreadable(
            name,
            f"is of version {version} of the schema; this harness reads up to version {SCHEMA_VERSION}",
            f"read it with the harness that wrote it ({head.get('harness_version', 'unknown')})",
        )
    migrate(head)
    if isinstance(version, int):
        head |= {"schema": SCHEMA_ID, "schema_version": SCHEMA_VERSION}  # what it is now, for who writes it again
    try:
        return msgspec.convert(head, Report)
    except (msgspec.ValidationError, RecursionError) as error:
        raise _unreadable(name, f"breaks the schema of reports: {error}", "write it again with harness run") from None


def _unreadable(path: Path | str, message: str, fix: str, data: bytes = b"") -> InputError:
    line = data.count(b"\n") + 1 if data else 0
    return InputError([Diagnostic(Position(str(path), line), "report-unreadable", message, fix=fix)])
