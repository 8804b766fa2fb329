"""`harness merge`: bring the reports of shards together, and judge them as one run."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import msgspec

from harness.cli.publishing import EXCEPTIONS, Files, exceptions_in, exceptions_of, kept_place, publish, report_options
from harness.cli.ratchets import Ratchets, ratchet_options
from harness.errormatch.exceptionfile import ExceptionFile
from harness.reporting.document import Exceptions, Report, read_report, sums_of, worst_first
from harness.reporting.merging import merge


@click.command("merge")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT.json...")
@report_options
@ratchet_options
def command(
    reports: tuple[str, ...], json_file: Path | None, junit_file: Path | None, html_file: Path | None,
    report_folder: Path | None, exceptions: Path | None, ratchet_file: Path | None, update_ratchet: bool,
) -> int:  # fmt: skip
    """Merge the reports that `harness run --shard 1/N` to `N/N` wrote into one.

    The same findings, counts and verdict as one run with the same seed and number of cases. Exceptions are applied
    here, to all findings together; a shard alone cannot say that one is not needed.
    """
    files = Files(json_file, junit_file, html_file, report_folder)
    entries = exceptions_in(exceptions)
    merged = merge([(name, read_report(name)) for name in reports])
    judged = _judged(merged, entries, exceptions or EXCEPTIONS)
    judged = Ratchets(ratchet_file, update_ratchet).hold(judged)
    return publish(_replayed(judged, files), files)


def _judged(report: Report, entries: ExceptionFile | None, file: Path) -> Report:
    """Apply the exceptions to what the shards found together."""
    if entries is None:
        return report
    outcomes = [
        entries.apply([f for f in report.findings if f.subject == part.subject], part.subject) for part in report.parts
    ]
    findings = tuple(sorted((f for outcome in outcomes for f in outcome.findings), key=worst_first))
    partial = any(part.shard or part.stopped in ("interrupted", "target-lost") for part in report.parts)
    exceptions: Exceptions = exceptions_of(outcomes, findings, file, partial)
    return msgspec.structs.replace(report, **sums_of(report.parts, report.kinds, findings, exceptions))


def _replayed(report: Report, files: Files) -> Report:
    place = shlex.quote(str(files.wanted().get("json") or kept_place(report.started)))
    findings = tuple(
        msgspec.structs.replace(f, replay=f.replay and f"harness replay {place} {f.fingerprint}")
        for f in report.findings
    )
    return msgspec.structs.replace(report, findings=findings)
