"""The report section on users who move from one target to another (`--against`), computed from the findings.

Findings with the same cause on the same member of a type are one change, across all kinds and versions with the type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from harness.case import group_version
from harness.compare.two_servers import DIRECTIONS, Direction, direction_of, only, served_after, served_before
from harness.jsonpath import canonical_path


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change for users: its direction and cause, its field, and a sentence about its smallest object.

    `field` is the type and member (`PodSpec.hostname`), or the path if types are not known. `kinds` are the kinds and
    operations that show it, `findings` the fingerprints, first that of the smallest object.
    """

    direction: Direction
    cause: str
    field: str
    sentence: str
    kinds: tuple[str, ...]
    findings: tuple[str, ...]


class Moves(msgspec.Struct, frozen=True, omit_defaults=True):
    """The changes between two targets. `directions` and `causes` count changes.

    `only_before` and `only_after` are kinds that only one of the two targets serves, so that they cannot be compared.
    """

    subject: str
    before: str
    after: str
    directions: dict[str, int]
    causes: dict[str, int]
    changes: tuple[Move, ...]
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()


def compute_moves(
    findings: Sequence[Any], excluded: Sequence[Any], subjects: Iterable[Sequence[str]]
) -> tuple[Moves, ...]:
    """Compute a section for each (subject, before, after), from the findings of the report, worst first."""
    return tuple(_moves(findings, excluded, *one) for one in subjects)


def _moves(findings: Sequence[Any], excluded: Sequence[Any], subject: str, before: str, after: str) -> Moves:
    found: dict[tuple[str, ...], list[Any]] = {}
    for finding in findings:
        if finding.subject == subject and finding.between:
            found.setdefault(_key(finding), []).append(finding)
    changes = sorted((_move(some) for some in found.values()), key=_order)
    return Moves(
        subject=subject,
        before=before,
        after=after,
        directions=dict(Counter(one.direction for one in changes)),
        causes=dict(Counter(one.cause for one in changes).most_common()),
        changes=tuple(changes),
        only_before=_kinds_only_in(excluded, subject, before),
        only_after=_kinds_only_in(excluded, subject, after),
    )


def direction_in(finding: Any) -> Direction:
    """Return the direction of the change that a finding means for users."""
    stage = finding.answer.failure.stage if finding.answer.failure is not None else ""
    if stage in ("old", "new"):  # a validator in Python crashed: users get no answer of it
        return "newly-rejected" if stage == "new" else "newly-accepted"
    return direction_of(served_before(finding.answer), served_after(finding.answer))


def _key(finding: Any) -> tuple[str, ...]:
    # One cause on one type often has several errors; those of one field are one change.
    field = (finding.owner, finding.member) if finding.owner else (finding.group, finding.resource, finding.path)
    if finding.cause == "path":  # there is a finding for each of the two paths, whose details end with the same path
        field = (finding.group, canonical_path(finding.detail.rpartition("; ")[2]))
    return direction_in(finding), finding.cause, finding.type, *field


def _move(findings: Sequence[Any]) -> Move:
    first = findings[0]
    field = f"{first.owner.rpartition('.')[2]}.{first.member}".rstrip(".") if first.owner else first.path
    return Move(
        direction_in(first), first.cause, field or "(the object itself)", first.detail,
        tuple(dict.fromkeys(f"{one.name} {one.operation}" for one in findings)),
        tuple(one.fingerprint for one in findings),
    )  # fmt: skip


def _order(one: Move) -> tuple[Any, ...]:
    return DIRECTIONS.index(one.direction), -len(one.findings), one.cause, one.field, one.findings


def _kinds_only_in(excluded: Sequence[Any], subject: str, name: str) -> tuple[str, ...]:
    some = [one for one in excluded if one.subject == subject and one.reason == only(name)]
    return tuple(f"{group_version(one.group, one.version)} {one.resource}" for one in some)
