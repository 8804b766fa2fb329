"""`harness upgrade`: ask two releases about the objects of a cluster, and report which of them change their verdict."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import click

from harness.cli.configuration import parse_gates
from harness.cli.options import STDOUT
from harness.cli.progress import ProgressBar, verbosity, verbosity_options
from harness.cli.publishing import allow_option
from harness.cli.searching import kind_option
from harness.cli.servers import named_server, server_options
from harness.diagnostics import Diagnostic, UsageError
from harness.report.escaping import count, lines
from harness.report.formats.terminal.lines import show
from harness.report.formats.terminal.screen import Verbosity
from harness.report.saving import save
from harness.stored.dumps import read_audit_logs, read_dumps
from harness.stored.snapshot import read_snapshots
from harness.stored.storedobject import Reading
from harness.subject import SubjectSpec
from harness.subject.openers.kubernetes import KUBERNETES
from harness.subject.openers.server import SERVER
from harness.targets.live.address import ServerAddress
from harness.upgrade.document import Upgrade, encode
from harness.upgrade.page import render_page
from harness.upgrade.run import UpgradeRequest, check_upgrade
from harness.upgrade.text import screen

_FILE = click.Path(path_type=Path)
_ALL = 1 << 30


@click.command("upgrade")
@click.option(
    "--objects", multiple=True, type=_FILE, metavar="FILE|DIR",
    help="Objects as `kubectl get -o yaml` writes them, - for standard input; repeatable.",
)  # fmt: skip
@click.option(
    "--audit-log", "audit_logs", multiple=True, type=_FILE, metavar="FILE",
    help="Creates, updates and patches as an audit log of level RequestResponse has them; repeatable.",
)  # fmt: skip
@click.option(
    "--etcd-snapshot", "snapshots", multiple=True, type=_FILE, metavar="FILE",
    help="A snapshot of etcd, read with the types of --from; repeatable.",
)  # fmt: skip
@click.option("--from", "before", metavar="RELEASE", help="The release of the cluster, such as 1.36.3.")
@click.option("--to", "after", required=True, metavar="RELEASE", help="The release that it moves to, such as 1.37.1.")
@server_options
@click.option("--gates", metavar="A=true,B=false", multiple=True, help="Feature gates of both releases.")
@kind_option
@allow_option
@click.option(
    "--fail-on", type=click.Choice(["verdict", "visible"]), default="visible", show_default=True,
    help="Fail on changes of this severity or above; only show others.",
)  # fmt: skip
@click.option("--json", "json_file", type=_FILE, metavar="FILE", help="Write the result; - for standard output.")
@click.option("--html", "html_file", type=_FILE, metavar="FILE", help="Write one self-contained HTML page.")
@verbosity_options
def command(
    objects: tuple[Path, ...], audit_logs: tuple[Path, ...], snapshots: tuple[Path, ...], before: str | None,
    after: str, server: str | None, kubeconfig: Path | None, context: str | None, allow_exec: bool,
    gates: tuple[str, ...], kinds: tuple[str, ...], allow_incomplete: tuple[str, ...], fail_on: str,
    json_file: Path | None, html_file: Path | None,
) -> int:  # fmt: skip
    """Check which objects of a cluster change their verdict under another release, or can no longer be updated.

    \b
    kubectl get all,cm,secrets,ingress -A -o yaml > dump.yaml
    harness upgrade --objects dump.yaml --from 1.36.3 --to 1.37.1 --html upgrade.html

    Each object is asked of both releases: an update that changes nothing, one that changes an annotation, one of its
    status, and a create. With --kubeconfig or --server, a server of your own is asked by dry run in place of --from,
    and the objects are those that it stores. Values of Secrets and ConfigMaps are replaced when they are read.

    Exit codes: 0 nothing changes, 1 something changes, 2 objects could not be read or judged.
    """
    address = named_server(server, kubeconfig, context or "", allow_exec)
    _check(before, address, bool(objects or audit_logs or snapshots))
    if (json_file, html_file).count(STDOUT) > 1:
        raise UsageError("--json and --html cannot share standard output\n  fix: give one a file")
    reading = Reading(_tell)
    spec = SubjectSpec(KUBERNETES.name, after, parse_gates(gates), against=before)
    own = SubjectSpec(SERVER.name, str(address), release=after, allow_exec=allow_exec) if address is not None else None
    wanted = UpgradeRequest(
        spec,
        tuple(str(one) for one in (*objects, *audit_logs, *snapshots, *([address] if address is not None else []))),
        kinds,
        allow_incomplete,
        verdicts_only=fail_on == "verdict",
        server=own,
    )
    with ProgressBar(f"{before or address} to {after}") as bar:

        def progress(read: int, changes: int) -> None:
            if read % 100 == 0:
                bar.update(None, [count(read, "object"), f"{count(changes, 'group')} of changes"])

        found = chain(
            read_dumps(objects, reading),
            read_audit_logs(audit_logs, reading),
            read_snapshots(snapshots, before or "", reading, bar.note),
        )
        document = check_upgrade(wanted, found, reading, bar.note, progress)
    return _publish(document, json_file, html_file)


def _check(before: str | None, address: ServerAddress | None, has_files: bool) -> None:
    """See that the release before and the objects are named, once. Raises: UsageError."""
    if address is not None and (before is not None or has_files):
        raise UsageError("a server has its release and its objects\n  fix: leave --from and files of objects out")
    if address is None and before is None:
        raise UsageError("the release of the cluster is not named\n  fix: --from RELEASE, or --kubeconfig FILE")
    if address is None and not has_files:
        raise UsageError("no objects are named\n  fix: --objects dump.yaml, from kubectl get ... -A -o yaml")


def _tell(problem: Diagnostic) -> None:
    click.echo(f"harness: {lines(str(problem))}", err=True)


def _publish(document: Upgrade, json_file: Path | None, html_file: Path | None) -> int:
    """Write the files, print the screen, and return the exit code."""
    written, failed = list[str](), False
    for path, data in ((json_file, encode), (html_file, render_page)):
        if path == STDOUT:
            sys.stdout.buffer.write(data(document))
        elif path is not None:
            saved = save(path, data(document))
            if saved.error:
                click.echo(f"harness: {saved.error}", err=True)
            failed = failed or bool(saved.error)
            written += [str(saved.path)] if saved.path is not None else []
    names, groups = _sizes()
    stream = sys.stderr if STDOUT in (json_file, html_file) else None
    show(screen(document, written, names, groups), stream)
    return 2 if failed else document.exit_code


def _sizes() -> Sequence[int]:
    """Return how many objects of a group and groups of an effect are shown."""
    return {Verbosity.QUIET: (0, 5), Verbosity.NORMAL: (5, 12), Verbosity.VERBOSE: (_ALL, _ALL)}[verbosity()]
