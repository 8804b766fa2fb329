"""Asks whether the search notices mutants of a rule and of its handwritten check.

Of a suite, both are those of mutation testing, each searched. The validators that a release generates are not changed:
mutants of a rule are judged on the answers of the search itself, and those of the check in a worker that has them all.
Of a check these are the edits of the statement that makes the error, of the call of its function, and of the
conditions around both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

import msgspec

from harness.case import KindInfo
from harness.engine.observers import ObserverFactory
from harness.events import Result
from harness.fuzzers.budget import Clock
from harness.graduate.document import CALLED_AT, Certificate, MutantsJudged
from harness.limits import read_checkout
from harness.power import known as lists
from harness.power.filters import RuleKey
from harness.power.handwritten import BASE_CASES, CodeTrial, search_untouched
from harness.power.judge import SuiteTrial
from harness.power.mutant import Record
from harness.power.observer import NO_UPDATE, Power, location_of
from harness.power.operators.checklines import lines_around as python_lines
from harness.power.releases import build_trial, examine_code
from harness.power.suites import JudgingProgress, examine
from harness.power.targets import NAME, records_of
from harness.rulecov.inventory import KnownRule
from harness.targets.kubernetes.gomodule import TOP
from harness.targets.kubernetes.mutants.checklines import lines_around as go_lines
from harness.targets.kubernetes.mutants.gomutant import GoMutant
from harness.targets.kubernetes.mutants.population import all_mutants
from harness.targets.kubernetes.mutants.program import mutated_folders
from harness.targets.kubernetes.release import find_release

_NAMED = 3
"""At most so many mutants that were not noticed are named in one sentence; the document has them all."""
_EVERY = 20
"""After so many mutants the progress is told."""

Note: TypeAlias = Callable[[str], None]


class WantedRule(NamedTuple):
    """A rule whose mutants are asked: the lines of its tags, and those that lead to the error of its check."""

    known: KnownRule
    tags: frozenset[str]
    check: tuple[str, ...]


class Judged(NamedTuple):
    """The records of the mutants of each wanted rule, in order. `interrupted`: the user ended it early."""

    records: tuple[tuple[Record, ...], ...]
    interrupted: bool


class MutantSearch(Protocol):
    """Judges the mutants of rules of one target. `observers` are for the search of the certificates."""

    @property
    def observers(self) -> Mapping[str, ObserverFactory]:
        """The observers that the search of the certificates needs."""

    @property
    def known(self) -> Sequence[lists.Known]:
        """The surviving mutants that a person has listed."""

    def judge(
        self, wanted: Sequence[WantedRule], kinds: Sequence[KindInfo], patterns: Sequence[str],
        results: Sequence[Result], note: Note,
    ) -> Judged:  # fmt: skip
        """Judge the mutants of each rule. Raises: HarnessError."""


@dataclass(frozen=True, slots=True)
class SuiteMutants:
    """The mutants of a suite in a folder. `trial` has no kinds yet; those that hold chosen rules are searched."""

    trial: SuiteTrial
    folder: Path
    known: tuple[lists.Known, ...]
    jobs: int

    @property
    def observers(self) -> Mapping[str, ObserverFactory]:
        """None: each mutant has a search of its own."""
        return {}

    def judge(
        self, wanted: Sequence[WantedRule], kinds: Sequence[KindInfo], patterns: Sequence[str],
        results: Sequence[Result], note: Note,
    ) -> Judged:  # fmt: skip
        """Search each mutant of these rules and of their checks. Raises: HarnessError."""
        read = cache(lambda file: read_checkout(self.folder / file).decode("utf-8", "replace"))
        lines = [
            one.tags | {f"{file}:{line}" for file, at in _places(one.check) for line in python_lines(read(file), at)}
            for one in wanted
        ]
        every = frozenset[str]().union(*lines)
        outcome = examine(
            replace(self.trial, kinds=tuple(patterns)), jobs=self.jobs, clock=Clock(),
            wanted=lambda mutant: bool(mutant.lines & every), on_progress=_told(note),
        )  # fmt: skip
        records = outcome.records()
        return Judged(
            tuple(
                tuple(record for number, record in records.items() if outcome.mutants[number].lines & own)
                for own in lines
            ),
            outcome.interrupted,
        )


@dataclass(frozen=True, slots=True)
class ReleaseMutants:
    """The mutants of a release. `trial` has no kinds and no worker yet."""

    trial: CodeTrial
    known: tuple[lists.Known, ...]
    jobs: int

    @property
    def observers(self) -> Mapping[str, ObserverFactory]:
        """The observer that judges mutants of rules on the answers of the search."""
        return {NAME: Power(self.trial.trusted)}

    def judge(
        self, wanted: Sequence[WantedRule], kinds: Sequence[KindInfo], patterns: Sequence[str],
        results: Sequence[Result], note: Note,
    ) -> Judged:  # fmt: skip
        """Take the mutants of rules from the search, and search those of the checks. Raises: HarnessError."""
        folders = mutated_folders(find_release(self.trial.parts[0].location))
        lines = [frozenset(_go_lines(one.check, folders)) for one in wanted]
        of_code, interrupted = self._of_code(frozenset[str]().union(*lines), folders, patterns, note)
        by_name: dict[tuple[str, str], list[Record]] = {}
        for record in records_of(results):
            by_name.setdefault((record.location, record.rule), []).append(record)
        found = []
        for one, own in zip(wanted, lines, strict=True):
            rule = one.known.rule
            words = RuleKey(rule.path, rule.type, rule.origin, rule.level).words
            places = {location_of(info, path) for info in kinds if info.type == one.known.type
                      for path in one.known.places}  # fmt: skip
            of_rule = [record for place in sorted(places) for record in by_name.get((place, words), ())]
            found.append((*of_rule, *(record for mutant, record in of_code if _line_of(mutant) in own)))
        return Judged(tuple(found), interrupted)

    def _of_code(
        self, lines: frozenset[str], folders: Mapping[str, Path], patterns: Sequence[str], note: Note
    ) -> tuple[list[tuple[GoMutant, Record]], bool]:
        """Judge the mutants at lines, and say whether the user ended it."""
        mutants = [one for one in all_mutants(folders) if _line_of(one) in lines]
        if not mutants:
            return [], False
        note(f"{len(mutants):,} mutants of the handwritten checks")
        plan = build_trial(replace(self.trial, kinds=tuple(patterns)), mutants, 1, note)
        cases = min(BASE_CASES, self.trial.cases * max(1, len(patterns)) * len(self.trial.parts))
        plan = replace(plan, trial=search_untouched(plan.trial, cases))
        outcome = examine_code(plan, jobs=self.jobs, clock=Clock(), on_progress=_told(note))
        return [
            (plan.build.mutants[number], record)
            for number, record in zip(plan.chosen, outcome.records, strict=True)
        ], outcome.interrupted  # fmt: skip


def _told(note: Note) -> Callable[[JudgingProgress], None]:
    def tell(progress: JudgingProgress) -> None:
        if not progress.judged % _EVERY or progress.judged == progress.made:
            note(f"judged {progress.judged:,} of {progress.made:,} mutants, {progress.killed:,} noticed")

    return tell


def _places(check: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the file and the line of each line that leads to an error."""
    for text in check:
        file, _, line = text.partition(" in ")[0].rpartition(":")
        yield file, int(line)


def _go_lines(check: Iterable[str], folders: Mapping[str, Path]) -> Iterator[str]:
    """Yield the lines that decide about an error, of the files of modules that have mutants."""
    for name, at in _places(check):
        other = next((one for one in folders if name.startswith(f"{one}/")), None)
        file = name.removeprefix(f"{other}/") if other else name
        path = folders[other or TOP] / file
        if path.is_file():
            yield from (f"{name}:{line}" for line in go_lines(read_checkout(path), at))


def _line_of(mutant: GoMutant) -> str:
    """Return the line of a mutant as sources of errors name it."""
    return mutant.location if mutant.module == TOP else f"{mutant.module}/{mutant.location}"


def wants_mutants(one: Certificate) -> bool:
    """Whether mutants of a rule are asked: nothing changes, and the rule was seen to reject a value."""
    return one.change is None and any(asked.both or asked.rule for asked in one.asked)


def lines_to_check(one: Certificate) -> tuple[str, ...]:
    """Return the lines that make the error of a check, the innermost first, up to the call of the function they are in.

    What stands further out decides about other checks too, such as the limit of a list around the value.
    """
    if one.check is None:
        return ()
    calls, last = one.check.calls, one.check.place.split(CALLED_AT)[-1].partition(" in ")[0]
    return calls[: calls.index(last) + 2] if last in calls else (one.check.line,)


def with_mutants(one: Certificate, records: Sequence[Record], known: Sequence[lists.Known]) -> Certificate:
    """Return a certificate with the mutants of its rule and check; a safe one is unknown if one was not noticed."""
    marked, _ = lists.apply(records, known)
    idle = [record for record in marked if record.uncompared or record.reason == NO_UPDATE]
    left = tuple(record for record in marked if record not in idle and record.state not in ("killed", "equivalent"))
    judged = MutantsJudged(
        sum(record.state == "killed" for record in marked), sum(record.state == "equivalent" for record in marked),
        len(idle), left,
    )  # fmt: skip
    missing = [*one.missing, *_missing(judged, {record.side for record in marked}, one)]
    verdict = "unknown" if one.verdict == "safe" and missing else one.verdict
    return msgspec.structs.replace(one, mutants=judged, missing=tuple(missing), verdict=verdict)


def _missing(judged: MutantsJudged, sides: set[str], one: Certificate) -> Iterator[str]:
    if "declarative" not in sides:
        yield "mutants: no mutant of the rule was made"
    if "handwritten" not in sides:
        why = ", because its line is not known" if one.check is None else ""
        yield f"mutants: no mutant of the handwritten check was made{why}"
    if judged.left:
        more = len(judged.left) - _NAMED
        named = "; ".join(record.name for record in judged.left[:_NAMED])
        yield (
            f"mutants: the search does not notice {len(judged.left):,} of {judged.made:,}: {named}"
            + (f"; and {more:,} more" if more > 0 else "")
        )
