"""`harness bench`: measure the cost of handwritten and declarative validation inside the target."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import click
import msgspec
from rich.text import Text

from harness.cli import COULD_NOT_RUN, INTERRUPTED
from harness.cli.progress import Live, Steps, verbosity_options
from harness.cli.publishing import Files, form_options, write_forms
from harness.cli.searching import cores, search_options, seed_of, selection_options
from harness.cli.targets import TargetChoice, embedded_suites, reach_of, target_options
from harness.cost.run import CostOutcome, CostRequest, busy_now, cost_of, measure
from harness.diagnostics import HarnessError, UsageError
from harness.events import Budget
from harness.report.escaping import count, lines, visible
from harness.report.formats.terminal.lines import show
from harness.report.formats.terminal.screen import cost_screen
from harness.report.model.assembly import build_report
from harness.report.model.document import Policy, Reach
from harness.subject import SubjectSpec
from harness.subject.opening import kind_of

DEFAULT_SECONDS = 120.0
"""Seconds for a release or a program, and for all suites together, when no budget is given."""


@click.command("bench")
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@target_options
@search_options("Cases to draw for each suite to find objects.", jobs="Processes of the search for objects.")
@selection_options
@click.option("--corpus", type=click.Path(path_type=Path), metavar="DIR", help="Objects of an earlier run, used first.")
@form_options
@verbosity_options
def command(
    suites: tuple[str, ...], target: TargetChoice, seed: str, max_time: float | None, max_cases: int | None,
    jobs: int | None, kinds: tuple[str, ...], operations: tuple[str, ...], corpus: Path | None, files: Files,
) -> int:  # fmt: skip
    """Measure time and allocations of handwritten validation, declarative validation, and both.

    A search finds valid and invalid objects of small, typical and large size for every kind with rules. The target
    itself measures both sides on each object, in turn. Differences are not reported; use `harness run`.
    """
    specs = target.specs(suites) or target.specs(embedded_suites())
    if not specs:
        raise UsageError("there is no suite in ./suites\n  fix: name a suite folder, or --kubernetes RELEASE")
    if max_time is None and max_cases is None:
        max_time = DEFAULT_SECONDS
    budget = Budget(max_time / len(specs) if max_time else None, max_cases)
    wanted = CostRequest(seed_of(seed), budget, jobs or cores(), kinds, operations, corpus)
    bench = _Bench(wanted)
    busy = busy_now()
    for spec in specs:
        bench.measure_subject(spec)
        if bench.is_interrupted:
            break
    return _publish(bench, busy, files)


@dataclass(slots=True)
class _Bench:
    """Measures one subject after the other. The error of a subject is reported, and the others are still measured."""

    wanted: CostRequest
    outcomes: list[CostOutcome] = field(default_factory=list)
    reaches: dict[str, Reach] = field(default_factory=dict)
    errors: list[HarnessError] = field(default_factory=list)

    @property
    def is_interrupted(self) -> bool:
        """Whether the user interrupted a measurement."""
        return any(outcome.interrupted for outcome in self.outcomes)

    def measure_subject(self, spec: SubjectSpec) -> None:
        """Measure one subject, and show the progress."""
        name = kind_of(spec.kind).title_of(spec.location)
        with Live(f"{name}: looking for objects") as live, Steps(f"{name}: measuring") as steps:

            def show_progress(done: int, total: int) -> None:
                if done == 1:
                    live.stop()
                steps.show(done, total, f"{name}: {done:,} of {count(total, 'measurement')}")

            try:
                outcome = measure(spec, self.wanted, live, show_progress, live.note)
            except HarnessError as error:
                self.errors.append(error)
                return
        self.outcomes.append(outcome)
        self.reaches[outcome.result.part or outcome.result.subject] = reach_of(spec)


def _publish(bench: _Bench, busy: float, files: Files) -> int:
    """Write the files, print the cost of validation on one screen, and return the exit code."""
    if not any(outcome.rows for outcome in bench.outcomes):
        if bench.is_interrupted:
            raise KeyboardInterrupt
        why = "\n".join(str(error) for error in bench.errors)
        raise HarnessError(why or "nothing was measured\n  fix: a larger --max-time, or a --kind that has rules")
    for error in bench.errors:
        click.echo(f"harness: {lines(str(error))}", err=True)
    results = [outcome.result for outcome in bench.outcomes]
    # No verdict is reported: a kind without accepted objects is listed as not measured.
    report = build_report(results, reaches=bench.reaches, policy=Policy(allow_incomplete=("*",)))
    report = msgspec.structs.replace(report, cost=cost_of(bench.outcomes, (busy, busy_now())))
    assert report.cost is not None
    written = write_forms(report, files.wanted().items())
    paths = [Text(f"written: {visible(path)}") for path in written.paths]
    show([*cost_screen(report.cost), *paths], sys.stderr if files.uses_stdout else None)
    if bench.is_interrupted:
        return INTERRUPTED
    return COULD_NOT_RUN if bench.errors or written.failed else 0
