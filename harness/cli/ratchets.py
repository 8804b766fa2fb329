"""Compares the rule coverage of a report with coverage ratchets, and raises the ratchets on request."""

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
from harness.report.model.coverage import Lost, RatchetEntry, RuleEntry, sum_coverage
from harness.report.model.document import Part, Report
from harness.report.text.rules import describe_rule
from harness.subject import SubjectSpec

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Ratchets:
    """The options: one ratchet file for all subjects, else that of each suite; and whether to raise the ratchets."""

    file: Path | None = None
    update: bool = False

    def check(self, specs: Iterable[SubjectSpec]) -> None:
        """Check before a search that every ratchet file is readable. Raises: InputError, UsageError."""
        for spec in specs:
            path = self.file or (Path(spec.location) / NAME if spec.kind == "suite" else None)
            if path is not None:
                read_ratchet(path)
            elif self.update:
                raise UsageError(f"{spec.location} has no default ratchet file\n  fix: --ratchet FILE")

    def compare(self, report: Report, operations: bool = False) -> Report:
        """Compare a report with the ratchets of its subjects. `operations` says that only some were searched.

        Raises: InputError for a file that cannot be read.
        """
        if report.coverage is None:
            if self.file is not None:
                why = "the Go types of the target, which declare its rules, are unknown"
                click.echo(f"harness: {self.file} was not compared: {why}", err=True)
            return report
        entries = tuple(self._compare(report, operations))
        return msgspec.structs.replace(report, coverage=sum_coverage(report.rules, entries))

    def _compare(self, report: Report, operations: bool) -> Iterator[RatchetEntry]:
        for subject, parts in _by_subject(report).items():
            path = self.file or _default_path(parts[0])
            if path is not None and (self.file is not None or self.update or path.is_file()):
                rules = [rule for rule in report.rules if rule.subject == subject]
                yield self._entry(path, report, parts, rules, operations)

    def _entry(
        self, path: Path, report: Report, parts: list[Part], rules: list[RuleEntry], operations: bool
    ) -> RatchetEntry:
        ratchet = read_ratchet(path)
        seen = {describe_rule(rule): _marks(rule) for rule in rules}
        asked = {rule.name for rule in rules if rule.asked}
        cases = sum(part.cases for part in parts)
        if self.update:
            return _raise(path, ratchet.raised(seen, asked, min(cases, report.budget.max_cases or cases), date.today()))
        skipped = _skip_reason(ratchet, parts, cases, operations)
        lost = () if skipped else tuple(Lost(*one) for one in ratchet.lost(seen, asked))
        return RatchetEntry(str(path), len(ratchet.rules), lost, skipped)


def _raise(path: Path, ratchet: Ratchet) -> RatchetEntry:
    try:
        write_ratchet(path, ratchet)
    except OSError as error:
        return RatchetEntry(str(path), len(ratchet.rules), (), f"could not be written: {error.strerror or error}")
    return RatchetEntry(str(path), len(ratchet.rules), updated=True)


def _skip_reason(ratchet: Ratchet, parts: Iterable[Part], cases: int, operations: bool) -> str:
    """Return why a run cannot be compared with a ratchet, empty when it can."""
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
    """Group the parts by subject: one subject has a part for each gate setting."""
    found: dict[str, list[Part]] = {}
    for subject in dict.fromkeys(rule.subject for rule in report.rules):
        own = [part for part in report.parts if part.subject == subject or part.subject.startswith(f"{subject} ")]
        if own:
            found[subject] = own
    return found


def _default_path(part: Part) -> Path | None:
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
