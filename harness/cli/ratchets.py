"""Holds a report to the ratchets of rule coverage, and raises them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from harness.diagnostics import UsageError
from harness.events import LOST
from harness.ratchets.rules import NAME, Ratchet, marks_of, read_ratchet, write_ratchet
from harness.reporting.coverage import Lost, RatchetEntry, RuleEntry, coverage_of
from harness.reporting.document import Part, Report
from harness.reporting.ruletext import describe_rule
from harness.subject import SubjectSpec

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Ratchets:
    """What the options said: one file for all, or none; and whether to raise."""

    file: Path | None = None
    update: bool = False

    def check(self, specs: Iterable[SubjectSpec]) -> None:
        """See before a search that every file can be read and has a place. Raises: InputError, UsageError."""
        for spec in specs:
            place = self.file or (Path(spec.location) / NAME if spec.kind == "suite" else None)
            if place is not None:
                read_ratchet(place)
            elif self.update:
                raise UsageError(f"{spec.location} has no folder for a ratchet\n  fix: name one with --ratchet FILE")

    def hold(self, report: Report, operations: bool = False) -> Report:
        """Compare a report with the ratchets of its subjects. `operations` says that only some were asked.

        Raises: InputError for a file that cannot be read.
        """
        if report.coverage is None:
            if self.file is not None:
                click.echo(f"harness: {self.file} was not compared: no types tell which rules there are", err=True)
            return report
        entries = tuple(self._held(report, operations))
        return msgspec.structs.replace(report, coverage=coverage_of(report.rules, entries))

    def _held(self, report: Report, operations: bool) -> Iterator[RatchetEntry]:
        for subject, parts in _by_subject(report).items():
            place = self.file or _default(parts[0])
            if place is not None and (self.file is not None or self.update or place.is_file()):
                rules = [rule for rule in report.rules if rule.subject == subject]
                yield self._entry(place, report, parts, rules, operations)

    def _entry(
        self, place: Path, report: Report, parts: list[Part], rules: list[RuleEntry], operations: bool
    ) -> RatchetEntry:
        ratchet = read_ratchet(place)
        seen = {describe_rule(rule): _marks(rule) for rule in rules}
        asked = {rule.name for rule in rules if rule.asked}
        cases = sum(part.cases for part in parts)
        if self.update:
            return _raised(
                place, ratchet.raised(seen, asked, min(cases, report.budget.max_cases or cases), date.today())
            )
        skipped = _reason(ratchet, parts, cases, operations)
        lost = () if skipped else tuple(Lost(*one) for one in ratchet.lost(seen, asked))
        return RatchetEntry(str(place), len(ratchet.rules), lost, skipped)


def _raised(place: Path, ratchet: Ratchet) -> RatchetEntry:
    try:
        write_ratchet(place, ratchet)
    except OSError as error:
        return RatchetEntry(str(place), len(ratchet.rules), (), f"could not be written: {error.strerror or error}")
    return RatchetEntry(str(place), len(ratchet.rules), updated=True)


def _reason(ratchet: Ratchet, parts: Iterable[Part], cases: int, operations: bool) -> str:
    """Say why a run cannot be held to a ratchet; empty when it can."""
    if any(part.stopped == "interrupted" or part.stopped in LOST for part in parts):
        return "the search was broken off"
    if any(part.shard for part in parts):
        return "this is a shard; harness merge compares all of them together"
    if any(part.reach.handwritten for part in parts):
        return "only recorded cases were asked"
    if operations:
        return "only some operations were asked"
    if cases < ratchet.cases:
        return f"it holds for {ratchet.cases:,} cases and more, and these were {cases:,}"
    return ""


def _by_subject(report: Report) -> Mapping[str, list[Part]]:
    """Group the parts that are about one subject under several settings."""
    found: dict[str, list[Part]] = {}
    for subject in dict.fromkeys(rule.subject for rule in report.rules):
        own = [part for part in report.parts if part.subject == subject or part.subject.startswith(f"{subject} ")]
        if own:
            found[subject] = own
    return found


def _default(part: Part) -> Path | None:
    return Path(part.reach.location) / NAME if part.reach.kind == "suite" else None


def _marks(rule: RuleEntry) -> tuple[str, ...]:
    return marks_of(
        (
            ("accepted", rule.accepted),
            ("declarative", rule.declarative),
            ("handwritten", rule.handwritten),
            ("rejected", rule.rejected),
        )
    )


def ratchet_options(function: F) -> F:
    """Add the options of the ratchet."""
    for add in (
        click.option(
            "--update-ratchet", is_flag=True, help="Raise the ratchet to the rule coverage of this run; never lower it."
        ),
        click.option(
            "--ratchet", "ratchet_file", type=click.Path(path_type=Path), metavar="FILE",
            help=f"Rule coverage that must not drop. Default: {NAME} of the suite, if it exists.",
        ),
    ):  # fmt: skip
        function = add(function)
    return function
