"""`harness record`: record cases with their handwritten errors, to test the rules after that code is deleted."""

from __future__ import annotations

from pathlib import Path

import click

from harness import engine
from harness.cli.coverage import rule_observers
from harness.cli.options import FILE
from harness.cli.progress import Live, verbosity_options
from harness.cli.searching import budget_of, cores, example_option, search_options, seed_of, selection_options
from harness.cli.targets import TargetChoice, arguments_of, target_options
from harness.diagnostics import HarnessError, UsageError
from harness.engine import RunConfig
from harness.errormatch.trusted import own_wordings
from harness.events import LOST
from harness.files import check_writable
from harness.record import NAME, Keeper, keep
from harness.report.escaping import count, visible
from harness.subject import Example, load_suite
from harness.subject.validatorsuite import ValidatorSuite


@click.command("record")
@click.argument("suites", nargs=-1, metavar="[SUITE]")
@target_options
@click.option("--output", type=FILE, required=True, metavar="FILE", help="The recording to write.")
@search_options("Cases to record.")
@example_option
@selection_options
@verbosity_options
def command(
    suites: tuple[str, ...], target: TargetChoice, output: Path, seed: str, max_time: float | None,
    max_cases: int | None, jobs: int | None, kinds: tuple[str, ...], operations: tuple[str, ...],
    examples: tuple[Example, ...],
) -> int:  # fmt: skip
    """Search like `harness run`, and record every case with its handwritten errors.

    Once the handwritten code is deleted, `harness run --handwritten FILE` compares the rules with the recording.

    Exit codes: 0 recorded, 2 could not record, 130 interrupted, with the cases so far.
    """
    spec = target.one(suites)
    if spec.kind == "suite" and isinstance(load_suite(spec.location), ValidatorSuite):
        raise UsageError(
            "a recording stands for handwritten errors beside tags of types.go, and this suite has none\n"
            "  fix: keep the old validator as the `old` of the suite"
        )
    if spec.declarative != "target":
        raise UsageError("a recording cannot be made with --declarative\n  fix: omit it")
    try:
        check_writable(output)
    except OSError as error:
        raise UsageError(
            f"--output {output} cannot be written: {error.strerror or error}\n  fix: name a file in a writable folder"
        ) from None
    with Live(f"recording {Path(spec.location).name}") as live:
        result = engine.run(
            spec,
            RunConfig(
                seed=seed_of(seed),
                budget=budget_of([spec], max_time, max_cases),
                jobs=jobs or cores(),
                kinds=kinds,
                operations=operations,
                examples=examples,
                trusted=own_wordings(),
                observers={**rule_observers(spec), NAME: Keeper(spec.mode)},
            ),
            on_event=live,
        )
    try:
        head = keep(output, result)
    except OSError as error:
        raise HarnessError(f"{output} cannot be written: {error.strerror or error}") from None
    if not head.cases:
        raise HarnessError(
            f"nothing was recorded: {result.stopped_detail or 'no case was answered by both validators'}"
        )
    requests = count(len(head.requests), "kind and operation", "kinds and operations")
    lost = f"; {count(head.skipped, 'panic')} not kept" if head.skipped else ""
    size = f"{output.stat().st_size / 1e6:,.1f} MB"
    summary = f"{output}: {count(head.cases, 'case')} of {head.subject}, {requests}, {size}{lost}"
    click.echo(visible(summary))
    click.echo(f"again: harness run {visible(arguments_of(spec))} --handwritten {visible(str(output))}")
    return 130 if result.stopped == "interrupted" else 2 if result.stopped in LOST else 0
