"""The way in: finds the command, and turns whatever goes wrong into a message and an exit code.

Exit codes: 0 nothing beyond the exceptions, 1 findings, 2 could not run, 130 interrupted. No traceback reaches a user:
an unexpected exception is our bug, its traceback is saved and its place is printed.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from harness import __version__
from harness.cli import COMMANDS, COULD_NOT_RUN, INTERRUPTED
from harness.cli.streams import steady_streams
from harness.diagnostics import HarnessError, near_miss

UNSET = ("config", "completion", "explain")
"""Commands that need no settings, and must work while these are broken."""
SEARCHING = ("run", "verify", "record", "bench", "power")
"""Commands that load everything that searches."""


OF_THE_SYSTEM = frozenset({
    errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR,
    errno.EISDIR, errno.EIO, errno.EMFILE, errno.ENFILE,
})  # fmt: skip
"""What a system says of a file that somebody named: no bug of ours, wherever it comes up."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in reading order."""
        return [name for name, _, _ in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command; None when there is no such command."""
        for name, module, _ in COMMANDS:
            if name == cmd_name:
                with _starting(name):
                    command = importlib.import_module(f"harness.cli.{module}").command
                assert isinstance(command, click.Command)
                return command
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and suggest one for a misspelt name."""
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            hint = near_miss(args[0], self.list_commands(ctx))
            raise click.UsageError(f"no such command: {args[0]!r}. {hint}".rstrip(), ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names of commands without importing them."""
        names = [CompletionItem(name, help=summary) for name, _, summary in COMMANDS if name.startswith(incomplete)]
        return names if incomplete[:1] != "-" else super().shell_complete(ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List commands by their one-line help, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, _, summary in COMMANDS])


@contextlib.contextmanager
def _starting(name: str) -> Iterator[None]:
    """Say on a terminal that a command starts: what searches takes a moment to load, on a busy machine a long one."""
    shown = (
        name in SEARCHING and sys.stderr is not None and sys.stderr.isatty() and "_HARNESS_COMPLETE" not in os.environ
    )
    if shown:
        sys.stderr.write(f"harness {name}: starting\r")
        sys.stderr.flush()
    try:
        yield
    finally:
        if shown:
            sys.stderr.write(" " * len(f"harness {name}: starting") + "\r")
            sys.stderr.flush()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="harness")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Read settings from this file.")
@click.option("--no-config", is_flag=True, help="Ignore settings files.")
@click.pass_context
def cli(context: click.Context, config: Path | None, no_config: bool) -> None:
    """Test whether handwritten and declarative validation are equivalent.

    \b
    harness run                          search all suites in ./suites
    harness run suites/widgets_v1        search one suite
    harness run --kubernetes 1.37.1      search a Kubernetes release
    harness check suites/widgets_v1 my-widget.yaml

    Exit codes: 0 no findings beyond the exceptions, 1 findings, 2 could not run, 130 interrupted.
    """
    name = context.invoked_subcommand
    group = context.command
    if no_config or name is None or name in UNSET or not isinstance(group, click.Group):
        return
    from harness.cli.configuration import defaults_of, find_configuration

    found = find_configuration(Path.cwd(), config)
    if found is not None:
        context.default_map = defaults_of(found, group, (name,))


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process."""
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        out = steady_streams()
        code = run(argv)
        if out.trouble:
            code = code if code == INTERRUPTED else COULD_NOT_RUN
            _tell(f"standard output could not be written: {out.trouble}\n  fix: send it where it can be")
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(args=None if argv is None else list(argv), prog_name="harness", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        error.show()
        return COULD_NOT_RUN
    except HarnessError as error:
        return _tell(str(error))
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except OSError as error:
        if error.errno not in OF_THE_SYSTEM or error.filename is None:
            return _apologize(error)
        return _tell(f"{_cut(str(error.filename))}: {error.strerror}\n  fix: name another file, or make room for it")
    except MemoryError:
        return _tell("there is no memory left\n  fix: ask less at once: --jobs 1, fewer kinds, smaller files")
    except SystemExit as leave:
        if "_HARNESS_COMPLETE" in os.environ:  # so click leaves when a shell has its answer
            return leave.code if isinstance(leave.code, int) else COULD_NOT_RUN
        return _apologize(leave)
    except BaseException as error:  # the last resort: whatever it is, it is no traceback
        return _apologize(error)


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"


def _tell(message: str) -> int:
    from harness.reporting.text import lines

    click.echo(f"harness: {lines(message)}", err=True)
    return COULD_NOT_RUN


def _apologize(error: BaseException) -> int:
    """Say that the fault is ours and where the traceback is."""
    from harness.cli.apology import save_traceback
    from harness.reporting.text import cut

    where = f"it is saved in {saved}" if (saved := save_traceback(error)) else "it could not be saved"
    return _tell(
        f"sorry, this is a bug of the harness: {type(error).__name__}: {cut(str(error), 1000)}\n"
        f"  the traceback: {where}\n"
        "  please report it with that file and the command you ran"
    )
