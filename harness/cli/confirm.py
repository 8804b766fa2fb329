"""`harness confirm`: ask a running API server whether it answers what a report says."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from harness.cli.confirmation import check_reach, confirm_report
from harness.cli.progress import verbosity, verbosity_options
from harness.cli.publishing import Files, form_options, newest_kept, write_forms
from harness.cli.servers import named_server, server_options
from harness.cli.trust import check_trust, is_own, trust_option
from harness.diagnostics import Diagnostic, InputError, Position, UsageError, near_miss
from harness.report.formats.terminal.confirmation import confirmation_screen
from harness.report.formats.terminal.lines import show
from harness.report.model.grouping import find_by_id
from harness.report.model.reading import decode, read_data


@click.command("confirm")
@click.argument("report", required=False, metavar="[REPORT.json]")
@click.argument("ids", nargs=-1, metavar="[FINDING]...")
@trust_option
@server_options
@form_options
@verbosity_options
def command(
    report: str | None, ids: tuple[str, ...], trust: bool, server: str | None, kubeconfig: Path | None,
    context: str | None, allow_exec: bool, files: Files,
) -> int:  # fmt: skip
    """Ask a running API server whether it answers what a report says.

    The kube-apiserver of the report's release is built, once, and started with its etcd, under each configuration of
    feature gates of the run. It gets the case of every finding, or of those that FINDING names: fingerprints, or IDs of
    groups. Without REPORT, the newest report that is kept on this machine is read.

    With --server or --kubeconfig, that server is asked instead, if it is of the same release: creates alone, by dry run
    and by nothing else, under the gates that it has.

    \b
    harness confirm report.json
    harness confirm report.json 1f2e3d4c5b6a --json confirmed.json

    Exit codes: 0 the server answers what the report says, 1 it contradicts a finding, which is a defect of the harness,
    2 it could not be asked.
    """
    address = named_server(server, kubeconfig, context or "", allow_exec)
    access = address.access(allow_exec) if address is not None else None
    name = report or str(newest_kept())
    data = read_data(name)
    document = decode(data, name)
    findings = list(document.findings)
    for prefix in ids:
        if not find_by_id(findings, prefix):
            hint = near_miss(prefix, [one.fingerprint for one in findings]) or "name a fingerprint of the report"
            raise UsageError(f"{name} has no finding {prefix!r}\n  fix: {hint}")
    if ids:
        chosen = {(one.subject, one.fingerprint) for prefix in ids for one in find_by_id(findings, prefix)}
        findings = [one for one in findings if (one.subject, one.fingerprint) in chosen]
    if not findings:
        raise UsageError(f"{name} has no findings to confirm")
    reaches = {part.subject: part.reach for part in document.parts}
    for subject in dict.fromkeys(one.subject for one in findings):
        if subject not in reaches:
            message, fix = f"does not contain how to open {subject}", "run again instead"
            raise InputError([Diagnostic(Position(name), "report-unreadable", message, fix=fix)])
        check_reach(reaches[subject])
        if access is None:
            check_trust(reaches[subject], name, data, trust)  # before any code that the report names is built
    confirmed = confirm_report(document, findings, access)
    written = write_forms(confirmed, files.wanted().items(), is_own(data))
    show(confirmation_screen(confirmed, verbosity()), sys.stderr if files.uses_stdout else None)
    for path in written.paths:
        click.echo(f"written: {path}", err=files.uses_stdout)
    if written.failed or all(one.outcome in (None, "not-asked") for one in confirmed.findings):
        return 2
    return 1 if confirmed.contradicted else 0
