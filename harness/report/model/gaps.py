"""Finds the gaps of a run: kinds and operations without an accepted object, or with too many failed answers.

If no object is accepted by both validators, the errors that block it hide all differences behind them, so no finding
does not mean no difference. Gaps make a run incomplete. Not a gap is a kind that the run had no time for, because that
depends on the machine, and a kind without rules, because nothing can differ. When two targets are compared, kinds
without rules count too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal, TypeAlias

import msgspec

from harness.case import KindInfo
from harness.engine.units import matches
from harness.events import LOST
from harness.report.escaping import count, visible
from harness.report.model.document import KindEntry, Part, Policy, Report

MAX_FAILURE_SHARE = 0.5
"""A kind is a gap if a larger share of its answers failed.

Measured in 30 seconds of 1.37.1: at most 10 % of the answers of a kind failed (15 of 146 events could not be decoded),
on a busy machine 48 % (89 of 187 quotas), in the suites of this project none. A program that was searched with wrong
types failed in three of four answers.
"""
MIN_CASES = 400
"""With fewer cases the share of failures is not evaluated: the first objects of a kind are guesses, and how many other
cases follow depends on the machine."""

_VALUE = re.compile(r"\"[^\"]*\"")
GapReason: TypeAlias = Literal["unaccepted", "failures", "too-large"]


@dataclass(frozen=True, slots=True)
class Gap:
    """A reason why a run is incomplete, for a kind with all operations and gate settings that share the reason.

    `errors` are those of the object that came closest to being accepted, each with the validator that reports it.
    `allowed` is the pattern of `--allow-incomplete` that allows the gap, empty if none does.
    """

    name: str
    reason: GapReason
    kinds: tuple[KindEntry, ...]
    errors: tuple[tuple[str, str], ...] = ()
    allowed: str = ""
    advice: str = ""

    @property
    def title(self) -> str:
        """The kind and its operations."""
        return visible(f"{self.name} {', '.join(dict.fromkeys(kind.operation for kind in self.kinds))}")

    @property
    def sentence(self) -> str:
        """A sentence on what is missing, and after how many cases."""
        cases, failures = (sum(getattr(kind, name) for kind in self.kinds) for name in ("cases", "failures"))
        if self.reason == "failures":
            share = f"{failures:,} of {count(cases, 'answer')} failed ({100 * failures // cases} %)"
            return f"{share}: nothing was compared there"
        if self.reason == "too-large":
            large = sum(kind.too_large for kind in self.kinds)
            return f"{large:,} of {count(cases, 'answer')} had more errors than are kept: nothing was compared there"
        remark = "" if self.errors else "; no answer said why" if cases else "; nothing was asked of it"
        return f"no object that both sides accept was found in {count(cases, 'case')}{remark}"

    def blocking(self, most: int = 12) -> list[str]:
        """Return at most `most` of the errors that block the object, each with the validator that reports it."""
        rows = [visible(f"{side}: {text}") for side, text in self.errors[:most]]
        return rows + [f"… {len(self.errors) - most} more"] * (len(self.errors) > most)


def mark_allowed(parts: Sequence[Part], kinds: Iterable[KindEntry], policy: Policy) -> tuple[KindEntry, ...]:
    """Set `allowed` of the kinds that are incomplete and are allowed to be."""
    parts_by_subject = {part.subject: part for part in parts}
    all_kinds = tuple(kinds)
    unaccepted = _unaccepted_subjects(parts, all_kinds)

    def mark(kind: KindEntry) -> KindEntry:
        part = parts_by_subject.get(kind.subject)
        patterns = (*policy.allow_incomplete, *(part.allow_incomplete if part is not None else ()))
        pattern = next((one for one in patterns if matches(kind_info(kind), [one])), "")
        return msgspec.structs.replace(kind, allowed=pattern if find_reason(kind, part, unaccepted) else "")

    return tuple(map(mark, all_kinds))


def find_reason(kind: KindEntry, part: Part | None, unaccepted: frozenset[str]) -> GapReason | None:
    """Return why a kind is incomplete; None if it is not. `unaccepted` are subjects without any accepted object."""
    if kind.cases >= MIN_CASES and kind.failures > MAX_FAILURE_SHARE * kind.cases:
        return "failures"
    if kind.too_large:  # a difference may be in any of them
        return "too-large"
    if kind.has_accepted:
        return None
    compared = kind.rules or (part is not None and len(part.between) == 2)
    return "unaccepted" if (kind.seed_search_complete and compared) or kind.subject in unaccepted else None


def _unaccepted_subjects(parts: Iterable[Part], kinds: Sequence[KindEntry]) -> frozenset[str]:
    """Return the subjects without an accepted object of any kind: their kinds are gaps even if time ran out."""
    accepted = {kind.subject for kind in kinds if kind.has_accepted}
    return frozenset(part.subject for part in parts if part.compared and part.subject not in accepted)


def has_gap(parts: Sequence[Part], kinds: Sequence[KindEntry]) -> bool:
    """Whether a kind is incomplete and not allowed to be."""
    parts_by_subject, unaccepted = {part.subject: part for part in parts}, _unaccepted_subjects(parts, kinds)
    return any(not kind.allowed and find_reason(kind, parts_by_subject.get(kind.subject), unaccepted) for kind in kinds)


def find_gaps(report: Report) -> tuple[Gap, ...]:
    """Return the gaps of a report, those that are not allowed first. Operations of a kind with equal gaps are one gap.

    A report on costs has no verdict, and so no gaps.
    """
    if report.cost is not None:
        return ()
    parts_by_subject = {part.subject: part for part in report.parts}
    unaccepted = _unaccepted_subjects(report.parts, report.kinds)
    found: dict[object, Gap] = {}
    for kind in report.kinds:
        part = parts_by_subject.get(kind.subject)
        if reason := find_reason(kind, part, unaccepted):
            errors = _errors(kind, part) if reason == "unaccepted" else ()
            gap = Gap(kind.name, reason, (kind,), errors, kind.allowed, _advice(kind, reason, part))
            patterns = ((side, _VALUE.sub("", text)) for side, text in errors)
            key = (kind.name, reason, kind.allowed, gap.advice, *patterns)
            known = found.get(key)
            found[key] = gap if known is None else replace(known, kinds=(*known.kinds, kind))
    return tuple(sorted(found.values(), key=lambda gap: bool(gap.allowed)))


def find_open_gaps(report: Report) -> tuple[Gap, ...]:
    """Return the gaps that are not allowed, which make the report incomplete."""
    return tuple(gap for gap in find_gaps(report) if not gap.allowed)


def _errors(kind: KindEntry, part: Part | None) -> tuple[tuple[str, str], ...]:
    between = part.between if part is not None else ()
    return tuple((_side(side, between), text) for side, text in zip_longest(kind.sides, kind.remaining, fillvalue=""))


def _side(side: str, between: Sequence[str]) -> str:
    """Return the name of the validator that reports an error, or of the target: the declarative list is the first."""
    if len(between) == 2:
        return {"handwritten": between[1], "declarative": between[0], "both": " and ".join(between)}.get(side, "error")
    return {"both": "both sides"}.get(side, side) or "error"


def _advice(kind: KindEntry, reason: GapReason, part: Part | None) -> str:
    allow = f"accept it by name with --allow-incomplete '{visible(kind.name)}'"
    if reason == "failures":
        return f"see what fails with harness check, give the types with --types if it is a program, or {allow}"
    if reason == "too-large":
        return f"let a validator end after some hundred errors, as nobody reads thousands, or {allow}"
    if part is not None and part.reach.handwritten:
        return f"record an object that is accepted, or {allow}"
    if not kind.seed_search_complete:
        return f"give it more time (--max-time) or an object that is accepted (--example FILE), or {allow}"
    folder = f"in {part.reach.location}/examples or " if part is not None and part.reach.kind == "suite" else ""
    return (
        f"give an object that is accepted ({visible(folder)}with --example FILE), look at the check that reports "
        f"it, ask more of it (--max-cases), or {allow}"
    )


def unused_allowances(report: Report) -> list[str]:
    """Return the patterns of `--allow-incomplete` that can be removed, because no kind that they match is incomplete.

    None are returned for a run that was aborted or narrowed, because it did not search all kinds.
    """
    is_partial = any(part.stopped in LOST or part.stopped == "interrupted" or part.shard for part in report.parts)
    if is_partial or report.narrowed or report.cost is not None:
        return []
    used = {kind.allowed for kind in report.kinds if kind.allowed}
    given = [(pattern, report.kinds) for pattern in report.policy.allow_incomplete]
    for part in report.parts:
        kinds = tuple(kind for kind in report.kinds if kind.subject == part.subject)
        given += [(pattern, kinds) for pattern in part.allow_incomplete]
    unused = (pattern for pattern, kinds in given if all(_needs_no_allowance(pattern, kind) for kind in kinds))
    return [pattern for pattern in dict.fromkeys(unused) if pattern not in used]


def _needs_no_allowance(pattern: str, kind: KindEntry) -> bool:
    """Whether a kind does not match a pattern, or an object of it was accepted."""
    return kind.has_accepted or not matches(kind_info(kind), [pattern])


def allowance_rows(report: Report) -> Iterator[str]:
    """Yield the gaps that are allowed, and the patterns that can be removed."""
    for gap in find_gaps(report):
        if gap.allowed:
            yield visible(f"{gap.title}: {gap.sentence}; --allow-incomplete {gap.allowed!r} accepts that")
    for pattern in unused_allowances(report):
        yield visible(f"nothing that --allow-incomplete {pattern!r} names is incomplete: leave it out")


def kind_info(kind: KindEntry) -> KindInfo:
    """Return the `KindInfo` of a kind with its names only."""
    return KindInfo(kind.group, kind.version, kind.kind, kind.resource, "", kind.subresource)
