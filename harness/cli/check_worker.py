"""`harness check-worker`: test whether a program implements the wire protocol, for authors of workers."""

from __future__ import annotations

import shlex

import click

from harness.cli.searching import Seconds
from harness.diagnostics import UsageError
from harness.report.escaping import count, visible
from harness.targets.conformance import check_worker


@click.command("check-worker")
@click.argument("program", nargs=-1, required=True, metavar="PROGRAM [ARGUMENT]...")
@click.option(
    "--timeout",
    type=Seconds(),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for an answer.",
)
def command(program: tuple[str, ...], timeout: float) -> int:
    """Test whether a program implements the wire protocol.

    PROGRAM is one quoted command line, or a program and its arguments after `--`.
    Exit codes: 0 all checks pass, 1 a check fails, 2 the program could not be started.
    """
    try:
        argv = shlex.split(program[0]) if len(program) == 1 else list(program)
    except ValueError as error:
        raise UsageError(f"{program[0]!r} is not a valid command line: {error}\n  fix: close the quotation") from None
    if not argv:
        raise UsageError("no program is named\n  fix: harness check-worker 'node worker.mjs'")
    try:
        results = check_worker(argv, timeout=timeout)
    except OSError as error:
        message = f"{argv[0]} cannot be started: {error.strerror}"
        raise UsageError(f"{message}\n  fix: name an executable program") from None
    for result in results:
        click.echo(f"{'ok  ' if result.ok else 'FAIL'}  {visible(result.name)}")
        if not result.ok:
            for label, text in (("saw", result.detail), ("fix", result.fix)):
                if text:
                    click.echo(f"      {label}: {visible(text)}")
    broken = sum(not result.ok for result in results)
    click.echo(f"{count(len(results) - broken, 'promise')} kept, {broken} broken")
    return 1 if broken or not results else 0
