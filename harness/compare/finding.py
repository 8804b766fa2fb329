"""A finding: a reduced and explained mismatch, with a stable fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from harness.case import Answer, Case, KindInfo, Operation
from harness.compare.cause import Certainty
from harness.compare.causes import CAUSES, normalization
from harness.compare.change import TagChange
from harness.compare.mismatch import Mismatch, MismatchKind
from harness.errormatch.normalize import RuleProblem
from harness.jsonpath import canonical_path

Severity: TypeAlias = Literal["verdict", "graduation", "visible", "shadow", "unreachable"]
SEVERITIES: tuple[Severity, ...] = ("verdict", "graduation", "visible", "shadow", "unreachable")
"""Worst first."""

CAUSE_CODES: tuple[str, ...] = tuple(cause.code for cause in CAUSES)
if TYPE_CHECKING:
    CauseCode: TypeAlias = str
else:  # the codes themselves, for the schema and for decoding
    CauseCode = Literal[CAUSE_CODES]


class Finding(msgspec.Struct, frozen=True):
    """One reduced mismatch as it stands in the report document (docs/reference/report.md).

    `path` has [*] for subscripts. `code` is the slug that `harness explain` knows, `fix` a proposed remedy in words.
    `owner` is the Go type that declares the field, without its version (`k8s.io/api/core.PodSpec`), and `member` the
    rest of the path from there on; `source` says where the field is declared, `import/path/file.go:line`, or by the
    path in the current folder where the file lies in it. `rule_source` is the line of the field's tag that declares the
    rule concerned, where it has one. They are empty where the types are not known. `handwritten_source` is where the
    handwritten code made its error or crashed, `handwritten.py:41 in validate_spec`, if the target knows it.
    `others` are mismatches of other signatures on the reduced case (empty when the reduction isolated the finding).
    `exception` is the id of the exception that tolerates it. `replay` is a command that shows it again.
    `parts` names the parts of the run, each with other feature gates, under which it shows; empty when there was one.
    `between` names two targets, the one that users have and the one they move to, when it is about what each of them
    serves: then the handwritten list is what the second serves, and the declarative list what the first serves alone.
    `phase` is the phase of the search that met it first, empty where no search did.
    `certainty` says how sure the cause is: `observed` in the answer itself, proved by an `experiment`, or what
    `remains` of those that were tried; empty where nothing was tried. `experiment` says what stood behind it.
    `severity_note` says what was tried where the error alone would be more severe than it is with the other errors of
    the case, and why no request shows an unreachable one; else it is empty.
    `phase` is the phase of the search that met it first, empty where no search did. `change` is the fix as data, where
    it is a change of tags that a program can make. `fix_tried` says what came of making it and asking again: `gone`, or
    `differs: ` with the difference that is still there; it is empty where nothing was tried.
    """

    fingerprint: str
    code: str
    cause: CauseCode
    severity: Severity
    mismatch: MismatchKind
    group: str
    version: str
    kind: str
    resource: str
    subresource: str
    operation: str
    path: str
    type: str
    origin: str
    side: str
    gates: dict[str, bool]
    detail: str
    fix: str
    occurrences: int
    case: Case
    answer: Answer
    others: tuple[Mismatch, ...] = ()
    exception: str | None = None
    replay: str = ""
    owner: str = ""
    member: str = ""
    source: str = ""
    rule_source: str = ""
    handwritten_source: str = ""
    parts: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    phase: str = ""
    experiment: str = ""
    certainty: Certainty = ""
    severity_note: str = ""
    change: TagChange | None = None
    fix_tried: str = ""


def fingerprint(subject: str, case: Case, mismatch: Mismatch) -> str:
    """Return the fingerprint of a finding, independent of seed, order, harness release and the reduced object.

    Returns: 12 hexadecimal digits over subject (suite or `kubernetes`), kind, operation and signature.
    """
    parts = (
        subject, case.group, case.version, case.kind, case.resource, case.subresource, str(case.operation),
        mismatch.kind, canonical_path(mismatch.path), mismatch.type, mismatch.origin, mismatch.side,
    )  # fmt: skip
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def rule_findings(info: KindInfo, problems: Iterable[RuleProblem], subject: str) -> list[Finding]:
    """Make findings of the problems of a kind's normalization rules (`check_rules`), for the end of a run."""
    return [_rule_finding(info, problem, subject) for problem in problems]


def _rule_finding(info: KindInfo, problem: RuleProblem, subject: str) -> Finding:
    case = msgspec.structs.replace(info.case(Operation.CREATE, None), version=problem.version or info.version)
    found = normalization.describe(problem)
    mismatch = Mismatch("path", problem.result, origin=problem.rule[0], detail=found.detail)
    return Finding(
        fingerprint=fingerprint(subject, case, mismatch), code=found.cause, cause=found.cause,
        severity="shadow", mismatch="path", group=case.group, version=case.version, kind=case.kind,
        resource=case.resource, subresource=case.subresource, operation=str(case.operation),
        path=canonical_path(problem.result), type="", origin=mismatch.origin, side="", gates={},
        detail=found.detail, fix=found.fix, occurrences=1, case=case, answer=Answer(0),
    )  # fmt: skip
