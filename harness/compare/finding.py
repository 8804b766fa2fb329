"""A finding: a reduced and explained mismatch, with a lasting name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Literal, TypeAlias, get_args

import msgspec

from harness.case import Answer, Case, KindInfo, Operation
from harness.compare.mismatch import Mismatch, MismatchKind
from harness.errormatch.normalize import RuleProblem
from harness.jsonpath import canonical_path

Severity: TypeAlias = Literal["verdict", "graduation", "visible", "shadow", "unreachable"]
SEVERITIES: tuple[Severity, ...] = ("verdict", "graduation", "visible", "shadow", "unreachable")
"""Worst first."""

Cause: TypeAlias = Literal[
    "ratcheting", "masked", "short-circuit", "path", "type", "origin", "unmarked", "no-rule", "no-counterpart",
    "boundary", "version", "gate", "duplicate", "wrong-path", "unreachable", "panic", "unknown", "wording", "unstable",
    "composition", "normalization", "conditional", "new-rule", "rule-removed", "schema", "preparation", "defaulting",
    "not-explained",
]  # fmt: skip
CAUSES: tuple[Cause, ...] = get_args(Cause)


class Finding(msgspec.Struct, frozen=True):
    """One reduced mismatch as it stands in the report document (docs/reference/report.md).

    `path` has [*] for subscripts. `code` is the slug that `harness explain` knows, `fix` a proposed remedy in words.
    `owner` is the Go type that declares the field, without its version (`k8s.io/api/core.PodSpec`), and `member` the
    rest of the path from there on; `source` says where the field is declared, `import/path/file.go:line`, or by the
    path in the current folder where the file lies in it. `rule_source` is the line of the field's tag that declares the
    rule concerned, where it has one. They are empty where the types are not known.
    `others` are mismatches of other signatures on the reduced case (empty when the reduction isolated the finding).
    `exception` is the id of the exception that tolerates it. `replay` is a command that shows it again.
    `parts` names the parts of the run, each with other feature gates, under which it shows; empty when there was one.
    `between` names two targets, the one that users have and the one they move to, when it is about what each of them
    serves: then the handwritten list is what the second serves, and the declarative list what the first serves alone.
    `phase` is the phase of the search that met it first, empty where no search did.
    """

    fingerprint: str
    code: str
    cause: Cause
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
    parts: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    phase: str = ""


def fingerprint(subject: str, case: Case, mismatch: Mismatch) -> str:
    """Name a finding for good: independent of seed, order, release of the harness, and of the reduced object.

    Returns: 12 hexadecimal digits over subject (suite or `kubernetes`), kind, operation and signature.
    """
    parts = (
        subject, case.group, case.version, case.kind, case.resource, case.subresource, str(case.operation),
        mismatch.kind, canonical_path(mismatch.path), mismatch.type, mismatch.origin, mismatch.side,
    )  # fmt: skip
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def rule_findings(info: KindInfo, problems: Iterable[RuleProblem], subject: str) -> list[Finding]:
    """Turn what is wrong with a kind's normalization rules (`check_rules`) into findings for the end of a run."""
    return [_rule_finding(info, problem, subject) for problem in problems]


def _rule_finding(info: KindInfo, problem: RuleProblem, subject: str) -> Finding:
    case = msgspec.structs.replace(info.case(Operation.CREATE, None), version=problem.version or info.version)
    mismatch = Mismatch("path", problem.result, origin=problem.rule[0], detail=str(problem))
    fix = {
        "unused": "remove the rule, or mend its regex",
        "collision": "make the regex so narrow that the two fields keep two paths",
    }[problem.kind]
    return Finding(
        fingerprint=fingerprint(subject, case, mismatch), code="normalization", cause="normalization",
        severity="shadow", mismatch="path", group=case.group, version=case.version, kind=case.kind,
        resource=case.resource, subresource=case.subresource, operation=str(case.operation),
        path=canonical_path(problem.result), type="", origin=mismatch.origin, side="", gates={},
        detail=mismatch.detail, fix=fix, occurrences=1, case=case, answer=Answer(0),
    )  # fmt: skip
