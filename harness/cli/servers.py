"""Defines the options that name a server of the user's own, which is asked by dry run and by nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from harness.diagnostics import UsageError
from harness.targets.live.address import ServerAddress

F = TypeVar("F", bound=Callable[..., Any])


def server_options(function: F) -> F:
    """Add --server, --kubeconfig, --context and --allow-exec, which `named_server` reads."""
    server = click.option("--server", metavar="URL", help="Ask this server, by dry run; its token is in HARNESS_TOKEN.")
    kubeconfig = click.option(
        "--kubeconfig", type=click.Path(path_type=Path), metavar="FILE",
        help="Ask the server of a kubeconfig, by dry run.",
    )  # fmt: skip
    context = click.option("--context", metavar="NAME", help="Its context; the current one by default.")
    execute = click.option(
        "--allow-exec", is_flag=True, help="Run the program that a kubeconfig names for credentials."
    )
    return server(kubeconfig(context(execute(function))))


def named_server(server: str | None, kubeconfig: Path | None, context: str, allow_exec: bool) -> ServerAddress | None:
    """Return where the named server is; None where none is named. Raises: UsageError."""
    if server is not None and kubeconfig is not None:
        raise UsageError("two servers are named\n  fix: leave out --server or --kubeconfig")
    if kubeconfig is not None:
        if "#" in str(kubeconfig) or str(kubeconfig).startswith(("http://", "https://")):
            raise UsageError(f"{kubeconfig} cannot be named in a report\n  fix: give the kubeconfig another name")
        return ServerAddress(str(kubeconfig), context)
    if context or allow_exec:
        raise UsageError("--context and --allow-exec are about a kubeconfig\n  fix: add --kubeconfig FILE")
    if server is not None and not server.startswith(("http://", "https://")):
        raise UsageError(f"{server!r} is no URL of a server\n  fix: --server https://HOST:PORT, or --kubeconfig FILE")
    return None if server is None else ServerAddress(server)
