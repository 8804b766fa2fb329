"""The report document: one JSON value with the target, the cases, the findings, and the effort of a run.

Every format (terminal, JUnit, HTML) is a function of this document alone, so a saved report can be rendered again at
any time. Without types the rules are not known, so `coverage` is absent: zeros would read as "no rule fired".
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from harness.case import Excluded, kind_name
from harness.compare.confirmation import Confirmation, Outcome
from harness.compare.finding import SEVERITIES, Finding, Severity
from harness.events import Budget, Discovery, Expected, Replayed, Timings
from harness.report.model.code import FunctionEntry
from harness.report.model.cost import Cost
from harness.report.model.coverage import BranchCoverage, Coverage, RuleEntry, UncoveredEntry
from harness.report.model.fields import FieldErrors
from harness.report.model.moves import Moves
from harness.report.model.verification import Verification
from harness.report.words import Verdict, rank

SCHEMA_VERSION = 2
SCHEMA_IDS = tuple(f"urn:equivalence-harness:report:{number}" for number in range(1, SCHEMA_VERSION + 1))
SCHEMA_ID = SCHEMA_IDS[-1]
SCHEMA = Path(__file__).parent / "schema" / "report.schema.json"
"""The published JSON Schema."""


class Policy(msgspec.Struct, frozen=True):
    """The options that define what fails a run. They are part of the report, so that all formats agree.

    `fail_on` is the mildest severity that fails it. `allow_incomplete` are patterns of kinds that may be incomplete.
    """

    fail_on: Severity = SEVERITIES[-1]
    allow_incomplete: tuple[str, ...] = ()


FAIL_ON_ANYTHING = Policy()
"""Every finding fails a run, and so does every incomplete kind."""


class TargetSummary(msgspec.Struct, frozen=True):
    """The target of a run. If a run has several suites, `name` lists them and `gates` are those of all."""

    name: str
    release: str
    gates: dict[str, bool]


class Reach(msgspec.Struct, frozen=True, omit_defaults=True):
    """How to open the target again: the options of the command line. `location` is a folder, a release or a command.

    `handwritten` is the file of a recording that replaced the handwritten validator. `release` is the Kubernetes
    release whose API server judged CRDs or policies, `validator` what validated beside those of `against`, or in place
    of policies, `crds` the CRDs whose objects policies were about.
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
    release: str = ""
    validator: str = ""
    crds: str = ""


class Part(msgspec.Struct, frozen=True):
    """The run against one subject. A report of several suites has one part for each.

    A release is searched under several settings of its feature gates, in one part for each; `subject` then names the
    gates. `compared` is the number of cases whose two lists were compared, fewer than `cases` if answers failed.
    `shard` is `2/4` if only a part of the kinds was searched, empty for all. `beside`: the part ran in parallel with
    the part before it. `discovery` counts the differences found in each quarter of the run. `between` are the names of
    two targets that were compared. `allow_incomplete` are the patterns of kinds that the subject allows to be
    incomplete.
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
    generated_checked: int = 0
    round_trips_checked: int = 0


class UnacceptedPath(msgspec.Struct, frozen=True):
    """A path of a type that occurs in no accepted object, and the error that rejected it, empty if there was none."""

    path: str
    error: str = ""


class KindEntry(msgspec.Struct, frozen=True):
    """The search of one kind and operation.

    `has_seed`: a seed object that both validators accept was found. Otherwise `remaining` are the errors of the object
    that came closest, those that no edit removed first, and `sides` are the validators that report them:
    `handwritten`, `declarative` or `both`. `seed_search_complete`: the search for a seed object ended before the time
    did. `allowed` is the pattern that allows the kind to be incomplete, if it is. `too_large` counts the answers that
    failed because they had more errors than are kept. `through` is the served version whose strategy answered for a
    version that no user can reach, empty for others.

    `paths` is the number of paths of the type, `accepted_paths` of those that occur in an accepted object,
    `rejected_paths` of the others that an error rejected; the rest was not tried. `unaccepted_paths` are the outermost
    paths that occur in no accepted object. These are set for the first operation that uses the type only.
    `changed_paths` are the paths that an accepted update changes.
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
    too_large: int = 0

    @property
    def has_accepted(self) -> bool:
        """Whether both validators accepted an object, or for update a pair of objects."""
        return self.has_seed or bool(self.accepted)

    @property
    def name(self) -> str:
        """The name of the kind for users: `apps/v1 deployments/scale`."""
        return kind_name(self.group, self.version, self.resource, self.subresource)

    @property
    def id(self) -> str:
        """The name of the test for this kind and operation: `deployments-scale-v1-update`."""
        return item_id(self)


class ReportedFinding(Finding, frozen=True):
    """A finding with its subject. `answer.served` has the errors that are served under each gate setting.

    `confirmation` is what a running server answered to its case; it is left out where none was asked.
    """

    subject: str = ""
    confirmation: Confirmation | msgspec.UnsetType = msgspec.UNSET

    @property
    def name(self) -> str:
        """The name of the kind for users: `apps/v1 deployments/scale`."""
        return kind_name(self.group, self.version, self.resource, self.subresource)

    @property
    def outcome(self) -> Outcome | None:
        """What came of asking a running server; None where none was asked."""
        return None if self.confirmation is msgspec.UNSET else self.confirmation.outcome

    @property
    def tried(self) -> str:
        """What came of trying the fix, for people: `gone`, why it still differs, or that it was not."""
        reason = self.fix_tried.removeprefix("differs: ")
        if not reason:
            return "not by this run"
        return reason if reason == self.fix_tried else f"still differs, because {reason}"


class ExcludedEntry(Excluded, frozen=True):
    """A resource of a target that cannot be searched."""

    subject: str = ""


class ExampleEntry(Expected, msgspec.Struct, frozen=True):
    """The errors of both validators for an object that the user gave, for one kind and operation.

    `source` is its file and line. `expected` is `rejected` if the name of the file asks for it, else `accepted`.
    `failure` is the reason if there are no lists of errors.
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
    """An entry of equivalence_exceptions.yaml, and the fingerprints of the findings that it tolerates.

    `witnessed` is the number of cases of its witness that were replayed, `shown` of those that still show the tolerated
    difference.
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
    """The differences that a replayed case of a witness shows, and the part of the run that replayed it."""

    subject: str = ""


class Exceptions(msgspec.Struct, frozen=True):
    """The exceptions file and the state of its entries. An unused, expired or unwitnessed entry fails the run.

    An entry is used if a finding needs it or its witness still shows the difference. It is unused if all cases of its
    witness were replayed and none shows the difference, whatever the findings are.
    """

    file: str = ""
    used: tuple[ExceptionEntry, ...] = ()
    unused: tuple[ExceptionEntry, ...] = ()
    expired: tuple[ExceptionEntry, ...] = ()
    unwitnessed: tuple[ExceptionEntry, ...] = ()

    @property
    def all_entries(self) -> tuple[ExceptionEntry, ...]:
        """All entries that apply to the run."""
        return (*self.used, *self.unused, *self.expired, *self.unwitnessed)

    @property
    def failing(self) -> tuple[tuple[str, ExceptionEntry], ...]:
        """The entries that fail the run, each with the reason."""
        lists = (("unused", self.unused), ("expired", self.expired), ("unwitnessed", self.unwitnessed))
        return tuple((word, entry) for word, entries in lists for entry in entries)


class Totals(msgspec.Struct, frozen=True):
    """Sums over the document. `findings` and the `by_` tables count the findings that no exception tolerates."""

    findings: int
    tolerated: int
    by_cause: dict[str, int]
    by_severity: dict[str, int]
    by_kind: dict[str, int]
    failures: int
    cases_per_second: float


class Report(msgspec.Struct, frozen=True):
    """The report document (docs/reference/report.md).

    `narrowed` are the options that excluded kinds or operations, empty if all were searched. `witnesses` are the
    replayed cases of the witnesses of exceptions.
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
    code: tuple[FunctionEntry, ...] = ()
    fields: tuple[FieldErrors, ...] = ()
    verification: Verification | None = None
    cost: Cost | None = None
    moves: tuple[Moves, ...] = ()
    narrowed: tuple[str, ...] = ()
    policy: Policy = FAIL_ON_ANYTHING
    witnesses: tuple[ReplayedWitness, ...] = ()
    examples: tuple[ExampleEntry, ...] = ()
    generated_checked: int = 0
    round_trips_checked: int = 0

    @property
    def open_findings(self) -> tuple[ReportedFinding, ...]:
        """The findings that no exception tolerates, worst first."""
        return tuple(f for f in self.findings if f.exception is None)

    @property
    def failing_findings(self) -> tuple[ReportedFinding, ...]:
        """The open findings that are severe enough to fail the run."""
        return tuple(f for f in self.findings if fails(f, self.policy))

    @property
    def contradicted(self) -> tuple[ReportedFinding, ...]:
        """The findings, tolerated or not, to whose case a running server answers something else than we say."""
        return tuple(f for f in self.findings if f.outcome == "contradicted")

    @property
    def exit_code(self) -> int:
        """0 nothing fails the run, 1 findings or lost coverage, 2 could not run or incomplete, 130 interrupted.

        Findings take precedence over incompleteness. A contradicted finding fails the run as a defect of the harness.
        """
        if self.stopped == "interrupted":
            return 130
        if self.contradicted:
            return 1
        if self.verification is not None and not self.verification.is_clean:
            return 1
        if self.verification is not None and self.verification.nothing_touched:
            return 0
        if self.verdict == "equivalent" and self.coverage is not None and self.coverage.lost:
            return 1
        if self.is_empty_shard:
            return 0
        return {"equivalent": 0, "different": 1}.get(self.verdict, 2)

    @property
    def is_empty_shard(self) -> bool:
        """Whether all kinds belong to other shards, so that only the merged report has a verdict."""
        return bool(self.parts) and all(has_no_kinds(part, self.kinds) for part in self.parts)


def has_no_kinds(part: Part, kinds: Iterable[KindEntry]) -> bool:
    """Whether a part is a shard without any kind of its subject, and was not aborted."""
    is_complete = part.stopped not in ("target-lost", "interrupted")
    return bool(part.shard) and is_complete and all(kind.subject != part.subject for kind in kinds)


def fails(finding: Finding, policy: Policy) -> bool:
    """Whether a finding fails a run, because no exception tolerates it and it is severe enough."""
    return finding.exception is None and rank(finding.severity) <= rank(policy.fail_on)


def item_id(entry: Any) -> str:
    """Return the name of the test for a kind, version, subresource and operation."""
    parts = (entry.resource, entry.subresource, entry.version, str(entry.operation))
    return "-".join(part for part in parts if part)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document, as published in `SCHEMA`."""
    body = msgspec.json.schema(Report)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Report of the equivalence harness",
        **body,
    }
