"""`harness render`: print a saved report, or write it in other formats."""

from __future__ import annotations

import sys

import click
from rich.text import Text

from harness.cli.progress import verbosity, verbosity_options
from harness.cli.publishing import Files, form_options, write_forms
from harness.diagnostics import UsageError
from harness.report.formats.terminal.lines import show
from harness.report.formats.terminal.screen import cost_screen, summary
from harness.report.model.reading import read_report
from harness.report.text.finding import describe_fully

COULD_NOT_WRITE = 2


@click.command("render")
@click.argument("report", metavar="REPORT.json")
@form_options
@click.option("--all", "everything", is_flag=True, help="Print every finding in full.")
@verbosity_options
def command(report: str, files: Files, everything: bool) -> int:
    """Print a saved report, or write it in other formats.

    Exit codes: 0 whatever the verdict, 2 the report cannot be read or a file cannot be written.
    """
    document = read_report(report)
    wanted = files.wanted()
    if everything and wanted:
        raise UsageError(
            "--all prints to the terminal and cannot be combined with output files\n  fix: omit one of them"
        )
    written = write_forms(document, wanted.items())
    for path in written.paths:
        click.echo(f"written: {path}", err=files.uses_stdout)
    if everything:
        for finding in document.findings:
            show(describe_fully(finding))
    elif not wanted:
        show(summary(document, verbosity=verbosity()), sys.stdout)
        if document.cost is not None:
            show([Text(), *cost_screen(document.cost)], sys.stdout)
    return COULD_NOT_WRITE if written.failed else 0
