"""Mutation testing of a release: draws mutants of its handwritten Go code, judges them, and keeps what is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import msgspec

from harness.diagnostics import HarnessError, UsageError
from harness.files import write_atomically
from harness.fuzzers.budget import Clock
from harness.limits import read_bounded
from harness.power.handwritten import CodeTrial, Requests, judge_all, search_untouched
from harness.power.mutant import Record
from harness.power.suites import JudgingProgress
from harness.subject import Note
from harness.targets.kubernetes.build import worker_for
from harness.targets.kubernetes.mutants.gomutant import GoMutant
from harness.targets.kubernetes.mutants.marks import near_marks
from harness.targets.kubernetes.mutants.population import all_mutants, draw
from harness.targets.kubernetes.mutants.program import MutantBuild, build_mutants, mutated_folders
from harness.targets.kubernetes.release import find_release


@dataclass(frozen=True, slots=True)
class CodePlan:
    """A trial with its worker built, and the numbers of the mutants to judge."""

    trial: CodeTrial
    build: MutantBuild
    chosen: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CodeOutcome:
    """The record of every chosen mutant. `interrupted`: the user ended it early."""

    records: tuple[Record, ...]
    interrupted: bool = False


def draw_mutants(trial: CodeTrial, count: int, note: Note, *, near: bool = False) -> list[GoMutant]:
    """Draw so many mutants of the handwritten validators of a release.

    `near` draws only from functions near marked rules. Raises: TargetError, HarnessError.
    """
    folders = mutated_folders(find_release(trial.parts[0].location))
    found = all_mutants(folders)
    if near:
        found = near_marks(found, folders)
    if not found:
        raise HarnessError("no handwritten validator marks an error\n  fix: leave --near-marks out")
    note(f"{len(found):,} mutants of handwritten validators, {min(count, len(found)):,} are drawn")
    return draw(found, count, trial.seed)


def build_trial(trial: CodeTrial, mutants: Sequence[GoMutant], every: int, note: Note) -> CodePlan:
    """Build the worker that has these mutants; with `every` above 1 every nth is judged. Raises: TargetError."""
    release = find_release(trial.parts[0].location)
    build = build_mutants(release, mutants, note)
    binary = worker_for(release, note, build.program)
    chosen = tuple(number for number in sorted(build.mutants) if number % every == trial.seed % every)
    trial = replace(trial, binary=binary, mutants=build.mutants, functions=build.functions)
    return CodePlan(trial, build, chosen)


def examine_code(
    plan: CodePlan,
    *,
    jobs: int = 1,
    clock: Clock,
    keep: Path | None = None,
    on_progress: Callable[[JudgingProgress], None] = lambda progress: None,
) -> CodeOutcome:
    """Judge the chosen mutants that were not judged before. Raises: HarnessError, UsageError."""
    kept = KeptRecords(plan, keep)
    trial, judged = kept.read()
    left = [number for number in plan.chosen if number not in judged]
    interrupted = False
    try:
        if left and not trial.reached:
            trial = search_untouched(trial)
            kept.write(trial, judged)
        for number, record in judge_all(trial, left, jobs) if left else ():
            judged[number] = record
            kept.write(trial, judged)
            killed = sum(one.state == "killed" for one in judged.values())
            on_progress(JudgingProgress(len(plan.chosen), len(judged), killed))
            if clock.is_late():
                break
    except KeyboardInterrupt:
        interrupted = True
    records = tuple(judged.get(number) or _unjudged(plan, number) for number in plan.chosen)
    return CodeOutcome(records, interrupted)


def _unjudged(plan: CodePlan, number: int) -> Record:
    one = plan.build.mutants[number]
    return Record(one.name, "handwritten", one.operator, one.location, one.change, "unjudged")


_Signature: TypeAlias = tuple[tuple[str, str, str, str], str, tuple[str, str, str, str, str]]
"""The form of `Signature` in a file."""


class _Kept(msgspec.Struct, frozen=True):
    """The file of records: what they were judged with, the records by number, and what the unmutated code showed."""

    judged_with: tuple[str, ...]
    records: dict[int, Record]
    known: tuple[_Signature, ...]
    reached: tuple[dict[int, tuple[Requests, ...]], ...]


class KeptRecords:
    """Reads and writes the records of mutants that were judged, and what the search of the unmutated code showed.

    Without a file it keeps nothing.
    """

    def __init__(self, plan: CodePlan, file: Path | None) -> None:
        self._file, self._trial = file, plan.trial
        trial = plan.trial
        gates = (f"part {spec.gates_text}" for spec in trial.parts)
        names = (f"seed {trial.seed}", f"{trial.cases} cases", *(f"kind {kind}" for kind in trial.kinds))
        self._judged_with = (trial.binary.parent.name, *gates, *names)

    def read(self) -> tuple[CodeTrial, dict[int, Record]]:
        """Return the trial with what the unmutated code showed, and the records: as planned and none without a file.

        Raises: UsageError if they were judged with something else.
        """
        if self._file is None or not self._file.exists():
            return self._trial, {}
        try:
            kept = msgspec.json.decode(read_bounded(self._file), type=_Kept)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            raise UsageError(f"{self._file} has no kept results: {error}\n  fix: name another file") from None
        differences = sorted(set(kept.judged_with) ^ set(self._judged_with))
        if differences:
            raise UsageError(
                f"{self._file} has results of something else: {', '.join(differences)}\n"
                "  fix: use the options of that run, or name another file"
            )
        return replace(self._trial, known=frozenset(kept.known), reached=kept.reached), dict(kept.records)

    def write(self, trial: CodeTrial, records: dict[int, Record]) -> None:
        """Keep what the unmutated code showed, and records. Raises: UsageError."""
        if self._file is None:
            return
        reached = tuple(dict(one) for one in trial.reached)
        kept = _Kept(self._judged_with, records, tuple(sorted(trial.known)), reached)
        try:
            write_atomically(self._file, msgspec.json.encode(kept))
        except OSError as error:
            raise UsageError(f"{self._file} cannot be written: {error.strerror or error}") from None
