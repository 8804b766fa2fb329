"""What users of one target see when they move to another: a section of the report, made of its findings.

Findings of one cause at one place of one type are one change, whatever kinds and versions hold the type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from harness.compare.ends import DIRECTIONS, Direction, direction_of, only, served_after, served_before
from harness.jsonpath import canonical_path


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change: its cause and direction, where, and a sentence about its smallest object.

    `field` is the type and member (`PodSpec.hostname`), or the path where types are not known. `kinds` are those it
    shows on, `findings` fingerprints, the one that the sentence is about first.
    """

    direction: Direction
    cause: str
    field: str
    sentence: str
    kinds: tuple[str, ...]
    findings: tuple[str, ...]


class Moves(msgspec.Struct, frozen=True, omit_defaults=True):
    """The changes between two targets. `directions` and `causes` count changes.

    `only_before` and `only_after` are kinds that one of the two serves alone, which nobody can compare.
    """

    subject: str
    before: str
    after: str
    directions: dict[str, int]
    causes: dict[str, int]
    changes: tuple[Move, ...]
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()


def moves_of(findings: Sequence[Any], excluded: Sequence[Any], subjects: Iterable[Sequence[str]]) -> tuple[Moves, ...]:
    """Make the section of (subject, before, after), from findings as they stand in the report, worst first."""
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
        only_before=_alone(excluded, subject, before),
        only_after=_alone(excluded, subject, after),
    )


def direction_in(finding: Any) -> Direction:
    """Return what changes for the user by a finding."""
    return direction_of(served_before(finding.answer), served_after(finding.answer))


def _key(finding: Any) -> tuple[str, ...]:
    # One cause on one type often has several errors; one field is one change.
    place = (finding.owner, finding.member) if finding.owner else (finding.group, finding.resource, finding.path)
    if finding.cause == "path":  # told once at each of the two places: the words behind are those of both
        place = (finding.group, canonical_path(finding.detail.rpartition("; ")[2]))
    return direction_in(finding), finding.cause, finding.type, *place


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


def _alone(excluded: Sequence[Any], subject: str, name: str) -> tuple[str, ...]:
    some = [one for one in excluded if one.subject == subject and one.reason == only(name)]
    return tuple(f"{one.group}/{one.version} {one.resource}".lstrip("/") for one in some)
