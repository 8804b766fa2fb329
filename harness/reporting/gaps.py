"""What a run did not reach: kinds and operations of which nothing was accepted, or of which too many answers failed.

Where no object is accepted by both sides, whatever blocks it hides everything behind it, and silence proves nothing.
What a limit of time kept from being looked at is told and is no gap: another machine would have come to it. A kind
without rules is none either, since there is nothing to compare; two targets are compared with and without them.
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
from harness.reporting.document import KindEntry, Part, Policy, Report
from harness.reporting.text import count, visible

LARGE_SHARE = 0.5
"""Answers of a kind that may fail before it counts as not asked.

In 30 seconds of 1.37.1 the largest share of a kind was 10 % (15 of 146 events that could not be decoded), on a machine
that was busy 48 % (89 of 187 quotas), in the suites of this project none; a program whose types were not those that it
was searched with failed three of four.
"""
FEWEST_CASES = 400
"""Of fewer cases a share says little: the first objects are guesses, and the machine says how many come after them."""

_VALUE = re.compile(r"\"[^\"]*\"")
Why: TypeAlias = Literal["unaccepted", "failures"]


@dataclass(frozen=True, slots=True)
class Gap:
    """One cause of incompleteness, of a kind under all operations and settings that share it.

    `errors` are those of the nearest object, each with who reports it; `allowed` is the pattern that accepts it.
    """

    name: str
    why: Why
    kinds: tuple[KindEntry, ...]
    errors: tuple[tuple[str, str], ...] = ()
    allowed: str = ""
    advice: str = ""

    @property
    def title(self) -> str:
        """The kind and the operations concerned."""
        return visible(f"{self.name} {', '.join(dict.fromkeys(kind.operation for kind in self.kinds))}")

    @property
    def sentence(self) -> str:
        """What was not reached, after how much."""
        cases, failures = (sum(getattr(kind, name) for kind in self.kinds) for name in ("cases", "failures"))
        if self.why == "failures":
            share = f"{failures:,} of {count(cases, 'answer')} failed ({100 * failures // cases} %)"
            return f"{share}: nothing was compared there"
        told = "" if self.errors else "; no answer said why" if cases else "; nothing was asked of it"
        return f"no object that both sides accept was found in {count(cases, 'case')}{told}"

    def blocking(self, most: int = 12) -> list[str]:
        """The errors that remained on the nearest object, by side, as many as are wanted."""
        rows = [visible(f"{side}: {text}") for side, text in self.errors[:most]]
        return rows + [f"… {len(self.errors) - most} more"] * (len(self.errors) > most)


def with_allowances(parts: Sequence[Part], kinds: Iterable[KindEntry], policy: Policy) -> tuple[KindEntry, ...]:
    """Mark the kinds that are incomplete and may be."""
    own = {part.subject: part for part in parts}
    every = tuple(kinds)
    bare = _bare(parts, every)

    def marked(kind: KindEntry) -> KindEntry:
        part = own.get(kind.subject)
        patterns = (*policy.allow_incomplete, *(part.allow_incomplete if part is not None else ()))
        pattern = next((one for one in patterns if matches(info_of(kind), [one])), "")
        return msgspec.structs.replace(kind, allowed=pattern if why(kind, part, bare) else "")

    return tuple(map(marked, every))


def why(kind: KindEntry, part: Part | None, bare: frozenset[str]) -> Why | None:
    """Say what makes a kind incomplete; None where nothing does. `bare` are parts without any accepted object."""
    if kind.cases >= FEWEST_CASES and kind.failures > LARGE_SHARE * kind.cases:
        return "failures"
    if kind.has_accepted:
        return None
    compared = kind.rules or (part is not None and len(part.between) == 2)
    return "unaccepted" if (kind.seed_search_complete and compared) or kind.subject in bare else None


def _bare(parts: Iterable[Part], kinds: Sequence[KindEntry]) -> frozenset[str]:
    """Return the parts of which no object of any kind was accepted: there the clock is no excuse."""
    reached = {kind.subject for kind in kinds if kind.has_accepted}
    return frozenset(part.subject for part in parts if part.compared and part.subject not in reached)


def has_gap(parts: Sequence[Part], kinds: Sequence[KindEntry]) -> bool:
    """Whether something is incomplete that nobody allows."""
    own, bare = {part.subject: part for part in parts}, _bare(parts, kinds)
    return any(not kind.allowed and why(kind, own.get(kind.subject), bare) for kind in kinds)


def gaps(report: Report) -> tuple[Gap, ...]:
    """Return what was not reached, those first that nobody allows; kinds that share all of it together.

    A report of costs judges nothing, so that nothing of it is missing.
    """
    if report.cost is not None:
        return ()
    own, bare = {part.subject: part for part in report.parts}, _bare(report.parts, report.kinds)
    found: dict[object, Gap] = {}
    for kind in report.kinds:
        part = own.get(kind.subject)
        if reason := why(kind, part, bare):
            errors = _errors(kind, part) if reason == "unaccepted" else ()
            gap = Gap(kind.name, reason, (kind,), errors, kind.allowed, _advice(kind, reason, part))
            alike = (
                kind.name,
                reason,
                kind.allowed,
                gap.advice,
                *((side, _VALUE.sub("", text)) for side, text in errors),
            )
            known = found.get(alike)
            found[alike] = gap if known is None else replace(known, kinds=(*known.kinds, kind))
    return tuple(sorted(found.values(), key=lambda gap: bool(gap.allowed)))


def open_gaps(report: Report) -> tuple[Gap, ...]:
    """Return what makes a report incomplete."""
    return tuple(gap for gap in gaps(report) if not gap.allowed)


def _errors(kind: KindEntry, part: Part | None) -> tuple[tuple[str, str], ...]:
    between = part.between if part is not None else ()
    return tuple((_side(side, between), text) for side, text in zip_longest(kind.sides, kind.remaining, fillvalue=""))


def _side(side: str, between: Sequence[str]) -> str:
    """Name who reports an error; of two targets, what the first serves alone stands in the declarative list."""
    if len(between) == 2:
        return {"handwritten": between[1], "declarative": between[0], "both": " and ".join(between)}.get(side, "error")
    return {"both": "both sides"}.get(side, side) or "error"


def _advice(kind: KindEntry, reason: Why, part: Part | None) -> str:
    allow = f"accept it by name with --allow-incomplete '{visible(kind.name)}'"
    if reason == "failures":
        return f"see what fails with harness check, give the types with --types if it is a program, or {allow}"
    if part is not None and part.reach.handwritten:
        return f"record an object that is accepted, or {allow}"
    if not kind.seed_search_complete:
        return f"give it more time (--max-time) or an object that is accepted (--example FILE), or {allow}"
    folder = f"in {part.reach.location}/examples or " if part is not None and part.reach.kind == "suite" else ""
    return (
        f"give an object that is accepted ({visible(folder)}with --example FILE), look at the check that reports "
        f"it, ask more of it (--max-cases), or {allow}"
    )


def idle_allowances(report: Report) -> list[str]:
    """Return the patterns that allow what is not incomplete: they can go. A run that asked a part of it cannot say."""
    broken = any(part.stopped in LOST or part.stopped == "interrupted" or part.shard for part in report.parts)
    if broken or report.narrowed or report.cost is not None:
        return []
    used = {kind.allowed for kind in report.kinds if kind.allowed}
    given = [(pattern, report.kinds) for pattern in report.policy.allow_incomplete]
    for part in report.parts:
        kinds = tuple(kind for kind in report.kinds if kind.subject == part.subject)
        given += [(pattern, kinds) for pattern in part.allow_incomplete]
    return list(dict.fromkeys(p for p, kinds in given if p not in used and all(_is_reached(p, k) for k in kinds)))


def _is_reached(pattern: str, kind: KindEntry) -> bool:
    """Whether a kind is none of a pattern, or an object of it was accepted."""
    return kind.has_accepted or not matches(info_of(kind), [pattern])


def allowance_rows(report: Report) -> Iterator[str]:
    """Tell what is incomplete and may be, and what is allowed for nothing."""
    for gap in gaps(report):
        if gap.allowed:
            yield visible(f"{gap.title}: {gap.sentence}; --allow-incomplete {gap.allowed!r} accepts that")
    for pattern in idle_allowances(report):
        yield visible(f"nothing that --allow-incomplete {pattern!r} names is incomplete: leave it out")


def info_of(kind: KindEntry) -> KindInfo:
    """Return what a target would say of a kind, as far as its name goes."""
    return KindInfo(kind.group, kind.version, kind.kind, kind.resource, "", kind.subresource)
