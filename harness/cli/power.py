"""`harness power`: mutation testing. Mutates one rule at a time, and lists the mutants that no search kills."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import msgspec

from harness.cli import COULD_NOT_RUN, INTERRUPTED, completion
from harness.cli.coverage import rule_observers
from harness.cli.progress import Live, Steps, verbosity_options
from harness.cli.searching import cores, example_option, kind_option, search_options, seed_of
from harness.cli.targets import TargetChoice, embedded_suites, target_options
from harness.diagnostics import HarnessError, UsageError
from harness.engine import RunConfig
from harness.errormatch.trusted import own_wordings
from harness.events import LOST, Budget
from harness.files import write_atomically
from harness.fuzzers.budget import Clock
from harness.power import known as lists
from harness.power.document import Document, Part, Uncompiled, document_of, rows_of, stale_of
from harness.power.handwritten import CodeTrial
from harness.power.judge import SuiteTrial, require_finished
from harness.power.mutant import Record
from harness.power.releases import build_trial, draw_mutants, examine_code
from harness.power.suites import JudgingProgress, examine
from harness.power.targets import find_unfired, run_filters
from harness.power.view import lines_of
from harness.report.escaping import count, encode_json, visible
from harness.report.saving import save
from harness.rulecov.observed import NAME, RuleObserverFactory
from harness.subject import Example, SubjectSpec, load_suite
from harness.subject.openers.kubernetes import KUBERNETES
from harness.subject.opening import kind_of
from harness.subject.validatorsuite import ValidatorSuite
from harness.suite import Suite

DEFAULT_CASES = 20_000
"""The number of cases for the search of each mutant of a suite if no budget is given."""
DEFAULT_SECONDS = 120.0
"""The time for the run against a release or a program if no budget is given. Units: seconds."""
DEFAULT_CODE_CASES = 4_000
"""The number of cases for the search of each mutant of Go code if no budget is given."""
SURVIVED = 1
"""The exit code if a mutant survived that is not known, or a known one is stale."""


def known_option(help: str) -> Callable[[Any], Any]:
    """Return the option that names the file of known surviving mutants."""
    return click.option("--known", type=click.Path(path_type=Path), metavar="FILE", help=help)


def require_known(known: Path | None) -> None:
    """Require that the file of known surviving mutants is there, if one is named. Raises: UsageError."""
    if known is not None and not known.is_file():
        raise UsageError(f"there is no {known}\n  fix: --known FILE, or omit --known")


@click.command("power")
@click.argument("suites", nargs=-1, metavar="[SUITE]...", shell_complete=completion.suites)
@target_options
@search_options("Cases per search.")
@example_option
@click.option("--every", type=click.IntRange(min=1), default=1, metavar="N", help="Test one mutant in N.")
@click.option(
    "--again",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Search surviving mutants that are not listed as equivalent with N more seeds.",
)
@click.option(
    "--mutants",
    type=click.IntRange(min=1),
    metavar="N",
    help="Of a release or checkout: edit its handwritten Go code, in N ways.",
)
@click.option(
    "--near-marks", is_flag=True, help="With --mutants: only functions that mark errors as covered by a rule."
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="With --mutants: keep results in a file as they come, and go on from it.",
)
@kind_option
@known_option("Known surviving mutants. Default: power.yaml of a suite.")
@click.option("--update-ratchet", is_flag=True, help="Remove stale entries from the list of known surviving mutants.")
@click.option(
    "--json",
    "json_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the document, with the result of every mutant.",
)
@verbosity_options
def command(
    suites: tuple[str, ...], target: TargetChoice, seed: str, max_time: float | None, max_cases: int | None,
    every: int, again: int, jobs: int | None, kinds: tuple[str, ...], known: Path | None, update_ratchet: bool,
    json_file: Path | None, examples: tuple[Example, ...], mutants: int | None, near_marks: bool,
    keep: Path | None,
) -> int:  # fmt: skip
    """Run mutation testing: break one rule at a time, and list the mutants that survive a search.

    Each mutant of a suite is searched with --max-cases. A release or a program is not changed: there one run
    evaluates mutants on the answers of the target. With --mutants, a worker of a release is built that has mutants of
    its handwritten validators, and each is searched. Surviving mutants are listed.
    """
    specs = target.specs(suites) or [spec for spec in target.specs(embedded_suites()) if _has_tags(spec)]
    if not specs:
        raise UsageError("there is no suite in ./suites\n  fix: name a suite folder, or --kubernetes RELEASE")
    require_known(known)
    clock = Clock(max_time)
    request = _PowerRequest(
        seed_of(seed), max_time, max_cases, every, again, jobs or cores(), kinds, known, clock, target.parts,
        update_ratchet, examples, mutants, near_marks, keep,
    )  # fmt: skip
    _check_code_options(specs, request)
    document = document_of(request.judge_subject(spec) for spec in specs)
    for line in lines_of(document):
        click.echo(line)
    return _publish(document, json_file)


def _check_code_options(specs: Sequence[SubjectSpec], request: _PowerRequest) -> None:
    """Raises: UsageError for options of mutants of Go code where they mean nothing."""
    if request.mutants is None:
        for given, name in ((request.keep is not None, "--keep"), (request.near_marks, "--near-marks")):
            if given:
                raise UsageError(f"{name} is for mutants of Go code\n  fix: add --mutants N, or leave {name} out")
    if request.mutants is not None and any(spec.kind != KUBERNETES.name or spec.against for spec in specs):
        raise UsageError(
            "--mutants edits the handwritten Go code of a release or checkout\n"
            "  fix: --kubernetes RELEASE|CHECKOUT, or leave --mutants out"
        )
    if request.mutants is not None and request.again:
        raise UsageError("--again is for suites\n  fix: leave --again out, and run again with another --seed")


def _has_tags(spec: SubjectSpec) -> bool:
    """Whether an embedded suite has tags to break. Says so of one that has none."""
    suite = load_suite(spec.location)
    if isinstance(suite, ValidatorSuite):
        click.echo(
            f"{suite.name} is left out: it compares two validators of Python, and has no tags to break", err=True
        )
    return not isinstance(suite, ValidatorSuite)


def _publish(document: Document, json_file: Path | None) -> int:
    """Write the document to a file, if one is named, and return the exit code."""
    if json_file is not None:
        saved = save(json_file, msgspec.json.format(encode_json(document), indent=1) + b"\n")
        click.echo(f"{saved.error}; " * bool(saved.error) + f"written: {saved.path or 'nothing'}", err=True)
        if saved.error:
            return COULD_NOT_RUN
    if any(part.interrupted for part in document.parts):
        return INTERRUPTED
    if not any(record.state != "unjudged" for part in document.parts for record in part.mutants):
        raise HarnessError("no mutant was tested\n  fix: a larger --max-time, or a --kind that has rules")
    return SURVIVED if any(part.surviving or part.stale for part in document.parts) else 0


@dataclass(frozen=True, slots=True)
class _PowerRequest:
    """The options of the command. `parts_of` returns the parts of a run against a target."""

    seed: int
    max_time: float | None
    max_cases: int | None
    every: int
    again: int
    jobs: int
    kinds: tuple[str, ...]
    known: Path | None
    clock: Clock
    parts_of: Callable[[SubjectSpec], Sequence[SubjectSpec]]
    update: bool = False
    examples: tuple[Example, ...] = ()
    mutants: int | None = None
    near_marks: bool = False
    keep: Path | None = None

    def judge_subject(self, spec: SubjectSpec) -> Part:
        """Test the mutants of one subject, and return its part of the document."""
        if self.mutants is not None:
            return self._judge_code(spec, self.mutants)
        if spec.kind == "suite":
            suite = load_suite(spec.location)
            if isinstance(suite, Suite):
                return self._judge_suite(spec, suite)
            if isinstance(suite, ValidatorSuite):
                raise UsageError(
                    f"{suite.name} compares two validators of Python, and mutation testing breaks tags of types.go\n"
                    "  fix: name a suite with types.go; here break a rule of the model, and see `harness run` find it"
                )
            gates = {**suite.gates, **spec.gates}
            spec = replace(spec, kind="kubernetes", location=suite.release, gates=gates)
        return self._judge_target(spec)

    def _judge_suite(self, spec: SubjectSpec, suite: Suite) -> Part:
        """Search each mutant of a suite."""
        cases = self.max_cases or DEFAULT_CASES
        trusted = own_wordings()
        file = self.known or suite.folder / lists.NAME
        equivalent = tuple(entry for entry in lists.load(file) if entry.state == "equivalent")
        trial = SuiteTrial(
            spec, self.seed, cases, self.kinds, trusted, self.again, equivalent, observers=rule_observers(spec),
            examples=self.examples,
        )  # fmt: skip
        before = self.clock.seconds
        with Judging(suite.name) as judging:
            outcome = examine(trial, jobs=self.jobs, every=self.every, clock=self.clock, on_progress=judging)
        records = tuple(outcome.records().values())
        asked = sum(record.cases for record in records)
        budget = Budget(self.max_time, cases)
        return self._make_part(suite.name, budget, before, asked, records, file, outcome.interrupted)

    def _judge_code(self, spec: SubjectSpec, count: int) -> Part:
        """Search mutants of the handwritten Go code of a release."""
        cases = self.max_cases or DEFAULT_CODE_CASES
        trial = CodeTrial(
            tuple(self.parts_of(spec)),
            self.seed,
            cases,
            self.kinds,
            rule_observers(spec),
            own_wordings(),
            self.examples,
        )
        with Judging(kind_of(spec.kind).title_of(spec.location)) as judging:
            drawn = draw_mutants(trial, count, judging.note, near=self.near_marks)
            plan = build_trial(trial, drawn, self.every, judging.note)
            before = self.clock.seconds
            outcome = examine_code(plan, jobs=self.jobs, clock=self.clock, keep=self.keep, on_progress=judging)
        asked = sum(record.cases for record in outcome.records)
        budget = Budget(self.max_time, cases)
        part = self._make_part(
            f"kubernetes {spec.location}", budget, before, asked, outcome.records, self.known, outcome.interrupted
        )
        left_out = tuple(Uncompiled(one.name, message) for one, message in plan.build.left_out.values())
        return msgspec.structs.replace(part, left_out=left_out)

    def _judge_target(self, spec: SubjectSpec) -> Part:
        """Evaluate the mutants of a target, which cannot be changed, on the answers of one run."""
        budget = Budget(self.max_time, self.max_cases)
        if self.max_time is None and self.max_cases is None:
            budget = Budget(DEFAULT_SECONDS, None)
        before = self.clock.seconds
        observers = rule_observers(spec)
        config = RunConfig(
            seed=self.seed, budget=budget, jobs=self.jobs, kinds=self.kinds, trusted=own_wordings(),
            observers=observers, examples=self.examples,
        )  # fmt: skip
        with Live(kind_of(spec.kind).title_of(spec.location)) as live:
            results, seen = run_filters(self.parts_of(spec), config, live)
        for result in results:
            if result.stopped in LOST:
                raise HarnessError(f"the target was lost: {result.stopped_detail}")
            require_finished(result)
        rules = observers.get(NAME)
        declared = rules.inventory.rules if isinstance(rules, RuleObserverFactory) else ()
        records = (*seen, *find_unfired(declared, results, seen))
        interrupted = any(result.stopped == "interrupted" for result in results)
        seconds = sum(result.seconds for result in results if not result.beside)
        self.clock.started = self.clock.now() - before - seconds  # the time to build a worker is not counted
        cases = sum(result.cases for result in results)
        return self._make_part(results[0].subject, budget, before, cases, records, self.known, interrupted)

    def _make_part(
        self, subject: str, budget: Budget, before: float, cases: int, records: tuple[Record, ...], file: Path | None,
        interrupted: bool,
    ) -> Part:  # fmt: skip
        entries = lists.load(file) if file is not None else ()
        marked, stale = lists.apply(records, entries)
        # Only a run over all mutants shows that an entry is not needed.
        stale = () if interrupted or self.kinds or self.every > 1 else stale
        if stale and self.update and file is not None:
            _remove_entries(file, stale)
            stale = ()
        return Part(
            subject, self.seed, budget.max_cases, budget.max_time, self.every, round(self.clock.seconds - before, 3),
            cases, rows_of(marked), marked, stale_of(stale), interrupted,
        )  # fmt: skip


def _remove_entries(file: Path, stale: tuple[lists.Known, ...]) -> None:
    """Remove entries from the list of known surviving mutants, and print their names. Raises: HarnessError."""
    try:
        text = lists.without(file, stale)
        if text is None:
            raise HarnessError(f"{file} cannot be changed\n  fix: begin each entry in a line of its own with `- `")
        write_atomically(file, text.encode())
    except OSError as error:
        raise HarnessError(f"{file} cannot be written: {error.strerror or error}") from None
    for entry in stale:
        click.echo(visible(f"removed from {file}: {entry.mutant}"))


class Judging(Steps):
    """Shows the progress of testing the mutants of a suite."""

    def __init__(self, name: str, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(name, now)
        self._name = name

    def __call__(self, progress: JudgingProgress) -> None:
        """Show the state after another mutant was tested."""
        text = f"{self._name}: {progress.judged:,} of {count(progress.made, 'mutant')}, {progress.killed:,} killed"
        self.show(progress.judged, progress.made, text)
