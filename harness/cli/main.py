"""The entry point of the command line: finds the command, and turns every error into a message and an exit code.

Exit codes: 0 no findings beyond the tolerated ones, 1 findings, 2 could not run, 130 interrupted. No traceback is
printed: an unexpected Python exception is a bug in the harness, its traceback is saved to a file and the path printed.
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
from harness.cli.streams import install_safe_streams
from harness.diagnostics import HarnessError, near_miss

COMMANDS_WITHOUT_CONFIG = ("config", "completion", "explain")
"""Commands that read no settings, and so work while the settings file is invalid."""
SLOW_COMMANDS = ("run", "verify", "record", "bench", "power", "graduate")
"""Commands that import the search engine, which takes about a second, and longer on a busy machine."""
MAX_FILE_NAME = 200
"""At most so many characters of a file's name are printed in an error; ENAMETOOLONG comes with thousands."""


ENVIRONMENT_ERRNOS = frozenset({
    errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR,
    errno.EISDIR, errno.EIO, errno.EMFILE, errno.ENFILE,
})  # fmt: skip
"""Error numbers of files that the user or the machine is responsible for (permissions, disk space, name length).

With one of them an OSError is reported as an error message wherever it is raised, any other OSError as a crash.
"""


class LazyGroup(click.Group):
    """A group of commands, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in reading order."""
        return [name for name, _, _ in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command; None when there is no such command."""
        for name, module, _ in COMMANDS:
            if name == cmd_name:
                with _starting_line(name):
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
def _starting_line(name: str) -> Iterator[None]:
    """Print "starting" on a terminal while a slow command is imported, and erase the line afterwards."""
    on_terminal = sys.stderr is not None and sys.stderr.isatty()
    shown = name in SLOW_COMMANDS and on_terminal and "_HARNESS_COMPLETE" not in os.environ
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
    if no_config or name is None or name in COMMANDS_WITHOUT_CONFIG or not isinstance(group, click.Group):
        return
    from harness.cli.configuration import defaults_of, find_configuration

    found = find_configuration(Path.cwd(), config)
    if found is not None:
        context.default_map = defaults_of(found, group, (name,))


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit the process."""
    try:
        # A CI job that is cancelled at its time limit still writes its report, and stops what it has started.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        out = install_safe_streams()
        code = run(argv)
        if out.error:
            code = code if code == INTERRUPTED else COULD_NOT_RUN
            _print_error(f"standard output could not be written: {out.error}\n  fix: redirect it to a writable file")
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
        _print_error(str(error))
        return COULD_NOT_RUN
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except OSError as error:
        if error.errno in ENVIRONMENT_ERRNOS and error.filename is not None:
            _report_environment_error(error)
        else:
            _report_crash(error)
        return COULD_NOT_RUN
    except MemoryError:
        _print_error("out of memory\n  fix: reduce the work: --jobs 1, fewer kinds, smaller files")
        return COULD_NOT_RUN
    except SystemExit as leave:
        if "_HARNESS_COMPLETE" in os.environ:  # click exits like this after printing completions for the shell
            return leave.code if isinstance(leave.code, int) else COULD_NOT_RUN
        _report_crash(leave)
        return COULD_NOT_RUN
    except BaseException as error:  # the last resort: Python would print a traceback
        _report_crash(error)
        return COULD_NOT_RUN


def _print_error(message: str) -> None:
    from harness.report.escaping import lines  # imported on an error only, because it costs start-up time

    click.echo(f"harness: {lines(message)}", err=True)


def _report_environment_error(error: OSError) -> None:
    from harness.report.escaping import cut

    name = cut(str(error.filename), MAX_FILE_NAME)
    _print_error(f"{name}: {error.strerror}\n  fix: choose another file, or free disk space")


def _report_crash(error: BaseException) -> None:
    """Save the traceback of a bug in the harness, and print how to report it."""
    from harness.cli.crashreport import save_traceback
    from harness.report.escaping import cut

    where = f"it is saved in {saved}" if (saved := save_traceback(error)) else "it could not be saved"
    _print_error(
        f"sorry, this is a bug in the harness: {type(error).__name__}: {cut(str(error), 1000)}\n"
        f"  the traceback: {where}\n"
        "  please report it with that file and the command you ran"
    )
