"""`harness render`: write a saved report in another form. Every rendering reads the document and nothing else."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.publishing import RENDERINGS
from harness.diagnostics import HarnessError, UsageError
from harness.reporting.document import read_report
from harness.reporting.saving import save
from harness.reporting.terminal import full, show, summary


@click.command("render")
@click.argument("report", metavar="REPORT.json")
@click.option("--html", type=click.Path(path_type=Path), help="Write one self-contained page.")
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML.")
@click.option("--all", "everything", is_flag=True, help="Print every finding at length.")
def command(report: str, html: Path | None, junit: Path | None, everything: bool) -> int:
    """Print a saved report, or write it as a page or as JUnit XML."""
    document = read_report(report)
    if everything and (html or junit):
        raise UsageError("--all prints; it says nothing about files\n  fix: leave it out")
    for form, place in (("html", html), ("junit", junit)):
        if place is not None:
            saved = save(place, RENDERINGS[form](document))
            if saved.trouble:
                raise HarnessError(saved.trouble + (f"\n  fix: it is in {saved.path}" if saved.path else ""))
            click.echo(f"written: {place}")
    if everything:
        for finding in document.findings:
            show(full(finding))
    elif not html and not junit:
        show(summary(document))
    return 0
