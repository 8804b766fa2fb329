"""Compares the rule and code coverage of a report with coverage ratchets, and raises the ratchets on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from harness.diagnostics import UsageError
from harness.events import LOST
from harness.ratchets.code import CodeRatchet, read_code_ratchet, write_code_ratchet
from harness.ratchets.rules import NAME, marks_of, read_ratchet, write_ratchet
from harness.report.escaping import count
from harness.report.model.code import by_package, sum_code
from harness.report.model.coverage import Lost, RatchetEntry, RuleEntry, sum_coverage
from harness.report.model.document import Part, Report
from harness.report.text.rules import describe_rule
from harness.subject import SubjectSpec

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Ratchets:
    """The options: one ratchet file for all subjects, else that of each suite; and whether to raise the ratchets.

    `code_file` is that of code coverage.
    """

    file: Path | None = None
    update: bool = False
    code_file: Path | None = None

    def check(self, specs: Iterable[SubjectSpec]) -> None:
        """Check before a search that every ratchet file is readable. Raises: InputError, UsageError."""
        if self.code_file is not None:
            read_code_ratchet(self.code_file)
        for spec in specs:
            path = self.file or (Path(spec.location) / NAME if spec.kind == "suite" else None)
            if path is not None:
                read_ratchet(path)
            elif self.update and self.code_file is None:
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

    def compare_code(self, report: Report) -> Report:
        """Compare the code coverage of a report with its ratchet. Raises: InputError for a file that cannot be read."""
        if self.code_file is None:
            return report
        sums = report.coverage or sum_coverage(())
        if report.code or report.branches is not None:
            entry = self._code_entry(self.code_file, report)
        else:
            entry = RatchetEntry(str(self.code_file), 0, (), "no code was counted", of="package")
        return msgspec.structs.replace(report, coverage=msgspec.structs.replace(sums, ratchets=(*sums.ratchets, entry)))

    def _code_entry(self, path: Path, report: Report) -> RatchetEntry:
        ratchet = read_code_ratchet(path)
        packages = by_package(report.code)
        sums = {name: sum_code(own) for name, own in packages.items()}
        # A run of some kinds does not hold the packages of others, of which it reaches nothing.
        held = {name for name, one in sums.items() if one.reached or name in ratchet.missed or not report.narrowed}
        missed = {name: sums[name].missed for name in held}
        missed |= Counter(one.file for one in report.branches.missed) if report.branches is not None else {}
        cases, asked = sum(part.cases for part in report.parts), _asked(report)
        other = _other_selection(ratchet, report, asked)
        if self.update:
            if other:
                return RatchetEntry(str(path), len(ratchet.missed), (), other, of="package")
            lowered = ratchet.lowered(missed, min(cases, report.budget.max_cases or cases), date.today(), asked)
            skipped = _write(lambda: write_code_ratchet(path, lowered))
            return RatchetEntry(str(path), len(lowered.missed), (), skipped, updated=not skipped, of="package")
        skipped = other or _skip_reason(ratchet.cases, report.parts, cases, operations=False)
        lost = tuple(
            Lost(name, (_missing(more, name in packages),), since)
            for name, more, since in ([] if skipped else ratchet.lost(missed))
        )
        return RatchetEntry(str(path), len(ratchet.missed), lost, skipped, of="package")

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
            raised = ratchet.raised(seen, asked, min(cases, report.budget.max_cases or cases), date.today())
            skipped = _write(lambda: write_ratchet(path, raised))
            return RatchetEntry(str(path), len(raised.rules), (), skipped, updated=not skipped)
        skipped = _skip_reason(ratchet.cases, parts, cases, operations)
        lost = () if skipped else tuple(Lost(*one) for one in ratchet.lost(seen, asked))
        return RatchetEntry(str(path), len(ratchet.rules), lost, skipped)


def _asked(report: Report) -> str:
    """Return what a run asked: its targets, their release, and the options that select kinds and operations."""
    options = sorted(" ".join(option.split()) for option in report.narrowed)
    return " ".join(filter(None, (*report.target.name.split(), report.target.release, *options)))


def _other_selection(ratchet: CodeRatchet, report: Report, asked: str) -> str:
    """Return why a file does not hold a run that asked something else, empty if it does."""
    if ratchet.asked:
        return "" if ratchet.asked == asked else f"it holds a run of {ratchet.asked}, and this is one of {asked}"
    if ratchet.missed and report.narrowed:
        return f"it holds a run of all kinds, and this is one of {asked}"
    return ""


def _missing(more: int, is_go: bool) -> str:
    return f"reached in {count(more, 'statement') if is_go else count(more, 'branch', 'branches')}"


def _write(write: Callable[[], None]) -> str:
    """Write a file. Returns: why it could not be written, empty if it was."""
    try:
        write()
    except OSError as error:
        return f"could not be written: {error.strerror or error}"
    return ""


def _skip_reason(least: int, parts: Iterable[Part], cases: int, operations: bool) -> str:
    """Return why a run cannot be compared with a ratchet, empty when it can."""
    if any(part.stopped == "interrupted" or part.stopped in LOST for part in parts):
        return "the search was broken off"
    if any(part.shard for part in parts):
        return "this is a shard; harness merge compares all of them together"
    if any(part.reach.handwritten for part in parts):
        return "only recorded cases were asked"
    if operations:
        return "only some operations were asked"
    if cases < least:
        return f"it holds for {least:,} cases and more, and these were {cases:,}"
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
            "--code-ratchet", "code_ratchet", type=click.Path(path_type=Path), metavar="FILE",
            help="With --branches: code coverage that must not drop, such as coverage.ratchet.",
        ),
        click.option(
            "--update-ratchet", is_flag=True, help="Raise the ratchets to the coverage of this run; never lower them."
        ),
        click.option(
            "--ratchet", "ratchet_file", type=click.Path(path_type=Path), metavar="FILE",
            help=f"Rule coverage that must not drop. Default: {NAME} of the suite, if it exists.",
        ),
    ):  # fmt: skip
        function = add(function)
    return function
