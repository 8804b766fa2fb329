"""The JSON document of `harness graduate`: one certificate for each rule, with its evidence."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal, TypeAlias

import msgspec

from harness import __version__
from harness.case import Json
from harness.graduate.after import Effect
from harness.graduate.observer import Asked
from harness.power.mutant import Record
from harness.report.escaping import count
from harness.report.model.code import NearestObject

NAME = "urn:equivalence-harness:graduate:1"

Verdict: TypeAlias = Literal["safe", "changes", "unknown"]
VERDICTS: tuple[Verdict, ...] = ("changes", "unknown", "safe")
"""Worst first. `no error` is no verdict: such a marker declares no error of its own."""


class ChangeShown(msgspec.Struct, frozen=True):
    """What changes for users, on the smallest object that shows it.

    `effect` is the worst; `today` and `after` are the errors that users are served before and after graduation, under
    the gate setting `setting`. `fingerprint`, `cause` and `fix` are those of the finding whose reduced case it is; they
    are empty where the run reduced none, and then the object is as it was asked. `times` counts the answers of the run
    that show this effect. `ratcheting`: the update leaves alone what the errors are about. For an effect `finding`,
    such as a difference between versions, `today` and `after` are empty and `detail` says it.
    """

    effect: Effect | Literal["finding"]
    setting: str
    today: tuple[str, ...]
    after: tuple[str, ...]
    request: str
    operation: str
    object: Json
    old: Json = None
    ratcheting: bool = False
    times: int = 1
    fingerprint: str = ""
    cause: str = ""
    detail: str = ""
    fix: str = ""


class Proof(msgspec.Struct, frozen=True):
    """What a proof says of a rule and its check, for objects that are created.

    `proved`: both report the same error for all of them, within the bounds that `why` names. `counterexample`: they do
    not, and the object of `change` shows it. `unknown`: `why` says what was not read, or was not shown.
    """

    outcome: Literal["proved", "counterexample", "unknown"]
    why: str


class FindingAt(msgspec.Struct, frozen=True):
    """A finding of the run at the path of the rule, whatever it means for it."""

    fingerprint: str
    severity: str
    cause: str
    mismatch: str
    operation: str
    path: str
    detail: str


class MutantsJudged(msgspec.Struct, frozen=True):
    """What became of the mutants of a rule and of its handwritten check.

    `noticed` counts those that the search shows a difference of, `equivalent` those that a person listed as such, and
    `idle` those that change nothing that is compared: errors that no rule reports, or updates of a rule that rejects
    creates alone. `left` are all others: no case shows them, no case reaches them, or they were not judged.
    """

    noticed: int
    equivalent: int
    idle: int
    left: tuple[Record, ...] = ()

    @property
    def made(self) -> int:
        """The number of mutants that a difference could show."""
        return self.noticed + len(self.left)


class MissedLine(msgspec.Struct, frozen=True):
    """A line of handwritten code that no case reached, of the calls that report the error of a rule.

    `place` is the line and its function, `condition` what decides about it. `leads`: it has a call on the way to one
    that reports. `sort` and `reason` are why no case reached it, both empty if that is not known, `behind` is the line
    that decides, if it is another one, and `nearest` a case that came near.
    """

    place: str
    condition: str = ""
    leads: bool = False
    sort: str = ""
    reason: str = ""
    behind: str = ""
    nearest: NearestObject | None = None


class CallsReached(msgspec.Struct, frozen=True):
    """The handwritten calls that report the error of a rule and mark it as covered, as the sources show them.

    `reached` of `size` calls were reached by the run, with all calls on a way from the strategy to them. `missed` are
    the lines that were not, of these calls and of all ways to them. `uncounted` is the number of calls in code without
    counters. `not_followed` are calls of which it is not known whether they report it. `problem` says why nothing is
    known.
    """

    size: int = 0
    reached: int = 0
    missed: tuple[MissedLine, ...] = ()
    uncounted: int = 0
    not_followed: tuple[str, ...] = ()
    problem: str = ""


CALLED_AT = ", called at "
"""Stands between the places of a source."""


class CheckSource(msgspec.Struct, frozen=True):
    """Where the handwritten check is made: the line, the callers it shares, and the other fields of that line.

    `calls` are the lines that lead to it, the innermost first.
    """

    place: str
    callers: tuple[str, ...] = ()
    also_reports: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The line that makes the error, without the place that calls it."""
        return line_of(self.place)


def line_of(source: str) -> str:
    """Return the line of a source of an error, without the place that calls it."""
    return source.partition(CALLED_AT)[0]


class Certificate(msgspec.Struct, frozen=True):
    """The verdict on one rule, and its evidence.

    `markers` are the lines of the tags that declare it. `missing` says, for an unknown rule, what a safe one has
    besides; each begins with the word of the demand. Those of `metrics` are there whatever the verdict is. `findings`
    are those at its path. `effects` counts the answers by what they change for users. `proof` is there with `--prove`,
    and `mutants` with `--mutants` for rules that change nothing and were seen to reject a value; `calls` with
    `--branches`.
    """

    group: str
    version: str
    kind: str
    path: str
    type: str
    origin: str
    level: str
    tag: str
    limit: int | None
    verdict: Verdict
    missing: tuple[str, ...]
    change: ChangeShown | None
    asked: tuple[Asked, ...]
    findings: tuple[FindingAt, ...] = ()
    check: CheckSource | None = None
    markers: tuple[str, ...] = ()
    effects: dict[str, int] = {}
    proof: Proof | None = None
    mutants: MutantsJudged | None = None
    calls: CallsReached | None = None

    @property
    def only_ratchets(self) -> bool:
        """Whether all that changes is that updates may leave a bad old value alone."""
        return bool(self.effects) and all(name.endswith("(ratcheting)") for name in self.effects)

    @property
    def name(self) -> str:
        """The rule, as it is displayed: kind and path."""
        kind = "/".join(filter(None, (self.group, self.version, self.kind)))
        return f"{kind} {self.path}".rstrip()

    @property
    def words(self) -> str:
        """The error of the rule and its limit."""
        limit = f" {self.limit}" if self.limit is not None else ""
        return self.type.removeprefix("FieldValue") + (f"/{self.origin}" if self.origin else "") + limit


class CountedRequests(msgspec.Struct, frozen=True):
    """The counters of an API server for one kind, subresource and operation, which their label names."""

    identifier: str
    mismatches: int
    panics: int

    @property
    def words(self) -> str:
        """What is counted, as it is displayed."""
        found = (
            count(self.mismatches, "mismatch", "mismatches") if self.mismatches else "",
            count(self.panics, "panic") if self.panics else "",
        )
        return " and ".join(filter(None, found))


class ServerCounters(msgspec.Struct, frozen=True):
    """What the metrics of one API server say of declarative validation, since it was started.

    `source` is the file that they were read from. `release` and `started`, a day, are empty where it does not tell, and
    `enforced`, the gate DeclarativeValidationBeta, is None. `mismatches` and `panics` count all requests, `requests`
    those above zero by their label, and `unlabelled` what no label tells of.
    """

    source: str
    release: str
    enforced: bool | None
    started: str
    mismatches: int
    panics: int
    unlabelled: int = 0
    requests: tuple[CountedRequests, ...] = ()


class MarkerVerdict(msgspec.Struct, frozen=True):
    """The verdict on one line with a level: the worst of the rules that it declares; `no error` if it declares none."""

    group: str
    line: str
    tag: str
    verdict: Verdict | Literal["no error"]


class Certificates(msgspec.Struct, frozen=True):
    """The document. `stopped` says why the run ended, `cases` how many it asked. `servers` are those of `--metrics`."""

    schema: str
    harness_version: str
    subject: str
    release: str
    seed: int
    max_cases: int | None
    max_time: float | None
    jobs: int
    cases: int
    seconds: float
    stopped: str
    command: str
    rules: tuple[Certificate, ...]
    markers: tuple[MarkerVerdict, ...] = ()
    servers: tuple[ServerCounters, ...] = ()

    @property
    def totals(self) -> Counter[str]:
        """The number of rules by verdict."""
        return Counter(one.verdict for one in self.rules)


def make_document(**fields: Any) -> Certificates:
    """Return the document of this version of the harness."""
    return Certificates(schema=NAME, harness_version=__version__, **fields)
