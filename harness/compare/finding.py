"""A finding: a reduced and explained mismatch, with a lasting name."""

from __future__ import annotations

import hashlib
from typing import Literal, TypeAlias, get_args

import msgspec

from harness.case import Answer, Case
from harness.compare.mismatch import Mismatch, MismatchKind, canonical_path

Severity: TypeAlias = Literal["verdict", "graduation", "visible", "shadow", "unreachable"]
SEVERITIES: tuple[Severity, ...] = ("verdict", "graduation", "visible", "shadow", "unreachable")
"""Worst first."""

Cause: TypeAlias = Literal[
    "ratcheting", "masked", "short-circuit", "path", "type", "origin", "unmarked", "no-rule", "no-twin", "boundary",
    "version", "gate", "duplicate", "wrong-path", "unreachable", "panic", "unknown", "wording", "unstable",
    "composition", "normalization",
]  # fmt: skip
CAUSES: tuple[Cause, ...] = get_args(Cause)


class Finding(msgspec.Struct, frozen=True):
    """One reduced mismatch as it stands in the report document (design.md 7).

    `path` has [*] for subscripts. `code` is the slug that `harness explain` knows, `fix` a proposed remedy in words.
    `others` are mismatches of other signatures on the reduced case (empty when the reduction isolated the finding).
    `exception` is the id of the exception that tolerates it. `replay` is a command that shows it again.
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


def fingerprint(subject: str, case: Case, mismatch: Mismatch) -> str:
    """Name a finding for good: independent of seed, order, release of the harness, and of the reduced object.

    Returns: 12 hexadecimal digits over subject (suite or `kubernetes`), kind, operation and signature.
    """
    parts = (
        subject, case.group, case.version, case.kind, case.resource, case.subresource, str(case.operation),
        mismatch.kind, canonical_path(mismatch.path), mismatch.type, mismatch.origin, mismatch.side,
    )  # fmt: skip
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:12]
