"""`harness merge`: bring the reports of shards together, and judge them as one run."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from harness.cli.progress import verbosity_options
from harness.cli.publishing import EXCEPTIONS, Files, exceptions_in, publish, replay_command, report_options
from harness.cli.ratchets import Ratchets, ratchet_options
from harness.cli.trust import is_own_file
from harness.report.model.document import Report
from harness.report.model.merging import merge
from harness.report.model.reading import read_report
from harness.report.model.tolerance import tolerate


@click.command("merge")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT.json...")
@report_options
@ratchet_options
@verbosity_options
def command(
    reports: tuple[str, ...], files: Files, exceptions: Path | None, ratchet_file: Path | None, update_ratchet: bool,
    code_ratchet: Path | None,
) -> int:  # fmt: skip
    """Merge the reports of `harness run --shard 1/N` to `N/N`.

    The result has the findings, counts and verdict of one run with the same seed and number of cases. Exceptions are
    applied to all findings together, so that only the merged report lists unused ones.
    """
    entries = exceptions_in(exceptions)
    own = all(map(is_own_file, reports))
    merged = merge([(name, read_report(name)) for name in reports])
    judged = tolerate(merged, entries, str(exceptions or EXCEPTIONS))
    ratchets = Ratchets(ratchet_file, update_ratchet, code_ratchet)
    judged = ratchets.compare_code(ratchets.compare(judged))
    return publish(_with_replay_commands(judged, files), files, is_own=own)


def _with_replay_commands(report: Report, files: Files) -> Report:
    findings = tuple(
        msgspec.structs.replace(f, replay=f.replay and replay_command(files, f.fingerprint)) for f in report.findings
    )
    return msgspec.structs.replace(report, findings=findings)
