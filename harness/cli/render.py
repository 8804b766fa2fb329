"""`harness render`: write a saved report in other forms. Every rendering reads the document and nothing else."""

from __future__ import annotations

import sys

import click
from rich.text import Text

from harness.cli.live import loudness, loudness_options
from harness.cli.publishing import Files, form_options, write_forms
from harness.diagnostics import UsageError
from harness.reporting.costtable import cost_screen
from harness.reporting.document import read_report
from harness.reporting.terminal import full, show, summary

COULD_NOT_WRITE = 2


@click.command("render")
@click.argument("report", metavar="REPORT.json")
@form_options
@click.option("--all", "everything", is_flag=True, help="Print every finding in full.")
@loudness_options
def command(report: str, files: Files, everything: bool) -> int:
    """Print a saved report, or write it in other formats.

    Exit codes: 0 whatever the verdict, 2 the report cannot be read or a file cannot be written.
    """
    document = read_report(report)
    wanted = files.wanted()
    if everything and wanted:
        raise UsageError("--all prints; it says nothing about files\n  fix: leave it out")
    written = write_forms(document, wanted.items())
    for place in written.places:
        click.echo(f"written: {place}", err=files.aside)
    if everything:
        for finding in document.findings:
            show(full(finding))
    elif not wanted:
        show(summary(document, loudness=loudness()), sys.stdout)
        if document.cost is not None:
            show([Text(), *cost_screen(document.cost)], sys.stdout)
    return COULD_NOT_WRITE if written.failed else 0
