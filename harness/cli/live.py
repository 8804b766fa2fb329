"""`harness live`: start the API server of a release for people and their tools."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.configuration import DEFAULT_GATES, parse_gates
from harness.diagnostics import UsageError
from harness.report.escaping import lines
from harness.subject.openers.kubernetes import KUBERNETES
from harness.targets.live.held import hold_server


@click.command("live")
@click.option("--kubernetes", "location", metavar=KUBERNETES.metavar, required=True, help=KUBERNETES.help)
@click.option("--gates", metavar="A=true,B=false", multiple=True, help='Feature gates of the server, or "default".')
@click.option(
    "--write-kubeconfig", "kubeconfig", type=click.Path(path_type=Path), default=Path("live.kubeconfig"),
    show_default=True, metavar="FILE", help="Where to write how to reach it; removed in the end.",
)  # fmt: skip
@click.option("--listen", metavar="HOST:PORT", default="127.0.0.1:0", show_default=True, help="Port 0 is any free one.")
def command(location: str, gates: tuple[str, ...], kubeconfig: Path, listen: str) -> int:
    """Start the API server of a release, with its etcd, until Ctrl-C.

    The server is built on first use. It admits everything and has no controllers, and what is stored in it is lost in
    the end. Whoever has the token in the kubeconfig may do anything with it.

    \b
    harness live --kubernetes 1.37.1
    kubectl --kubeconfig live.kubeconfig apply --dry-run=server -f my.yaml

    Exit codes: 0 it was stopped, 2 it could not be started, or ended by itself.
    """
    if kubeconfig.exists():
        raise UsageError(f"{kubeconfig} exists, and would be overwritten\n  fix: delete it, or --write-kubeconfig FILE")
    if not kubeconfig.absolute().parent.is_dir():
        raise UsageError(f"the folder of {kubeconfig} does not exist\n  fix: make it, or name another file")
    chosen = parse_gates([text for text in gates if text != DEFAULT_GATES])

    def note(text: str) -> None:
        click.echo(lines(text), err=True)

    with hold_server(location, kubeconfig, chosen, listen, note) as server:
        try:
            click.echo(f"kube-apiserver {server.name} is ready at {server.address}")
            click.echo(f"  kubectl --kubeconfig {kubeconfig} api-resources")
            click.echo("Ctrl-C stops it, and what is stored in it is lost")
            server.wait()
        except KeyboardInterrupt:
            click.echo("stopped", err=True)
    return 0
