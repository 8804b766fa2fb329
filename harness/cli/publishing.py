"""Writes the report of a command: reads the exceptions file, writes the wanted formats, and prints the summary."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click
import msgspec

from harness.cli.crashreport import save_traceback
from harness.cli.options import FOLDER, STDOUT
from harness.cli.progress import verbosity
from harness.cli.trust import remember
from harness.compare.finding import CAUSE_CODES, SEVERITIES, Severity
from harness.diagnostics import HarnessError, UsageError
from harness.errormatch.exceptionfile import ExceptionFile, load_exceptions
from harness.report import FORMATS
from harness.report.escaping import lines
from harness.report.formats.json import encode
from harness.report.formats.terminal.lines import show
from harness.report.formats.terminal.screen import summary
from harness.report.model.document import Policy, Report
from harness.report.model.grouping import find_group
from harness.report.model.reading import read_data, read_report
from harness.report.saving import Saved, append, save

F = TypeVar("F", bound=Callable[..., Any])

EXCEPTIONS = Path("equivalence_exceptions.yaml")
MAX_KEPT_REPORTS = 20
"""At most so many reports are kept in the user's cache folder; older ones are deleted."""
_ID = re.compile("g[0-9a-f]{3,8}|[0-9a-f]{4,12}")
"""The ID of a group or the fingerprint of a finding, in full or shortened."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files to write: paths by format, and a folder for every format without a path.

    `stdout_used` says that another option writes to standard output.
    """

    paths: dict[str, Path]
    folder: Path | None = None
    stdout_used: bool = False

    def wanted(self) -> dict[str, Path]:
        """Return the paths by format, in reading order."""
        chosen = {form.name: self.paths.get(form.name) for form in FORMATS}
        if self.folder is not None:
            chosen = {form.name: chosen[form.name] or self.folder / form.file for form in FORMATS}
        return {name: path for name, path in chosen.items() if path is not None}

    @property
    def document(self) -> Path | None:
        """The path of the report document, None when it is not written to a file."""
        path = self.wanted().get("json")
        return None if path == STDOUT else path

    @property
    def uses_stdout(self) -> bool:
        """Whether standard output is used for a report or events, so that the summary goes to standard error."""
        return self.stdout_used or STDOUT in self.paths.values()


def form_options(function: F) -> F:
    """Add an option for every report format; the command gets them as `files: Files`."""

    @wraps(function)  # copies the click options of the decorators below
    def wrapped(*args: Any, report_folder: Path | None, **others: Any) -> Any:
        given = {form.name: others.pop(f"{form.name}_file") for form in FORMATS}
        files = Files({name: path for name, path in given.items() if path is not None}, report_folder)
        printed = [f"--{name}" for name, path in files.paths.items() if path == STDOUT]
        if len(printed) > 1:
            raise UsageError(f"{' and '.join(printed)} cannot share standard output\n  fix: give all but one a file")
        return function(*args, files=files, **others)

    file = click.Path(path_type=Path)
    words = "Write the report in all formats to a folder."
    added = click.option("--report", "report_folder", type=FOLDER, metavar="DIR", help=words)(wrapped)
    for form in reversed(FORMATS):
        words = f"Write {form.summary}; - for standard output."
        added = click.option(f"--{form.name}", f"{form.name}_file", type=file, metavar="FILE", help=words)(added)
    return cast(F, added)


def report_options(function: F) -> F:
    """Add the options for the report files, and --exceptions."""
    exceptions = click.option(
        "--exceptions", type=click.Path(path_type=Path), metavar="FILE",
        help="Exceptions file: tolerated findings. Default: equivalence_exceptions.yaml, if it exists.",
    )  # fmt: skip
    return form_options(exceptions(function))


def policy_options(function: F) -> F:
    """Add --fail-on and --allow-incomplete; the command gets them as `policy: Policy`."""

    @wraps(function)
    def wrapped(*args: Any, fail_on: str, allow_incomplete: tuple[str, ...], **others: Any) -> Any:
        return function(*args, policy=Policy(cast(Severity, fail_on), allow_incomplete), **others)

    fail_on = click.option(
        "--fail-on", type=click.Choice(SEVERITIES), default=SEVERITIES[-1], show_default=True,
        help="Fail on findings of this severity or above; only show others.",
    )  # fmt: skip
    return cast(F, fail_on(allow_option(wrapped)))


def allow_option(function: F) -> F:
    """Add --allow-incomplete, as `allow_incomplete`."""
    words = "Do not fail when no accepted object is found for these kinds."
    return click.option("--allow-incomplete", multiple=True, metavar="PATTERN", help=words)(function)


def exceptions_in(file: Path | None) -> ExceptionFile | None:
    """Read the named exceptions file, else the default one if it exists. Raises: InputError."""
    if file is None and not EXCEPTIONS.exists():
        return None
    entries = load_exceptions(file or EXCEPTIONS, date.today(), CAUSE_CODES)
    for note in entries.notes:
        click.echo(f"harness: {lines(str(note))}", err=True)
    return entries


def kept_path(started: str) -> Path:
    """Return the path in the cache of a report for which no file is asked, so that its findings can be replayed."""
    import platformdirs

    stamp = re.sub(r"[^0-9A-Za-z]", "", started)[:15]
    return platformdirs.user_cache_path("equivalence-harness") / "reports" / f"{stamp}-{os.getpid()}.json"


def replay_command(files: Files, fingerprint: str) -> str:
    """Write the replay command of a finding. A kept report is not named: `replay` finds it by the fingerprint."""
    report = f"{shlex.quote(str(files.document))} " if files.document is not None else ""
    return f"harness replay {report}{fingerprint}"


def newest_kept() -> Path:
    """Return the newest kept report. Raises: UsageError when there is none."""
    kept = sorted(kept_path("").parent.glob("*.json"))
    if not kept:
        raise UsageError("no report is kept on this machine\n  fix: --report FILE, written by harness run --json FILE")
    return kept[-1]


def name_kept_report(arguments: Sequence[str]) -> Sequence[str]:
    """Insert the newest kept report with a finding or group before its ID, unless a report is named.

    Raises: UsageError when none of them has it.
    """
    name = arguments[0] if arguments else ""
    if not _ID.fullmatch(name) or Path(name).exists():
        return arguments
    for path in sorted(kept_path("").parent.glob("*.json"), reverse=True):
        if f'"{name}'.encode() in read_data(path) or (name.startswith("g") and _has_group(path, name)):
            return [str(path), *arguments]
    raise UsageError(f"no report kept on this machine has {name}\n  fix: name the report before it")


def _has_group(path: Path, name: str) -> bool:
    with suppress(HarnessError):  # a report of another release of the harness
        return find_group(read_report(path).findings, name) is not None
    return False


def publish(report: Report, files: Files, is_own: bool = True) -> int:
    """Write the report files, print the summary, and return the exit code.

    When no file can be written, the document is printed to standard output, so that no finding is lost. `is_own` says
    that the whole run was on this machine, so that replaying the report does not need --trust.
    """
    wanted = list(files.wanted().items())
    replays = [finding.replay for finding in report.findings if finding.replay]
    if report.verification is not None:
        replays += [change.replay for change in report.verification.changes]
    if files.document is None and replays:
        # The replay commands need a report document: keep one in the cache when no file is asked for.
        path = kept_path(report.started)
        wanted.insert(0, ("json", path))
        with contextlib.suppress(OSError):  # a read-only cache keeps its old reports
            _delete_old(path.parent)
    written = write_forms(report, wanted, is_own)
    report = written.report
    try:
        show(summary(report, written.paths, verbosity()), sys.stderr if files.uses_stdout else None)
    finally:
        if written.lost:
            click.echo("harness: the report could not be written to a file; it is printed to standard output", err=True)
            click.echo(encode(report).decode())
    return 2 if written.failed and report.exit_code != 130 else report.exit_code


@dataclass(slots=True)
class Written:
    """The written files: their paths, whether one could not be written as wanted, and whether the document is lost."""

    report: Report
    paths: list[str] = field(default_factory=list)
    failed: bool = False
    lost: bool = False


def write_forms(report: Report, wanted: Iterable[tuple[str, Path]], is_own: bool = False) -> Written:
    """Write a report in every wanted format, and print an error for each file that could not be written as wanted."""
    written = Written(report)
    for name, path in wanted:
        data = _render(written.report, name, path)
        if data is None:
            written.failed, written.lost = True, written.lost or name == "json"
            continue
        if is_own and name == "json":
            remember(data)
        if path == STDOUT:
            click.echo(data, nl=False)
            continue
        saved = _save(name, path, data)
        written.failed = written.failed or bool(saved.error)
        if saved.path is not None:
            written.paths.append(str(saved.path))
            if name == "json" and saved.path != path:
                written.report = _with_replay_path(written.report, saved.path)
        elif name == "json":
            written.lost = True
    return written


def _save(name: str, path: Path, data: bytes) -> Saved:
    """Write one file, or append to it when it is the job summary of GitHub Actions."""
    saved = append(path, data) if name == "markdown" and is_step_summary(path) else save(path, data)
    if saved.error:
        fix = f"\n  fix: use the copy instead: it is in {saved.path}" if saved.path else ""
        click.echo(f"harness: {saved.error}{fix}", err=True)
    return saved


def _render(report: Report, name: str, path: Path) -> bytes | None:
    """Render one format. Returns: None when that raises, a bug in the harness that must not cost the other formats."""
    try:
        return _render_format(report, name, path)
    except Exception as error:
        traceback = save_traceback(error)
        saved = f"it is saved in {traceback}" if traceback else "it could not be saved"
        words = f"sorry, this is a bug in the harness: --{name} could not be rendered: {type(error).__name__}: {error}"
        click.echo(f"harness: {lines(words)}\n  the traceback: {saved}\n  please report it with that file", err=True)
        return None


def _render_format(report: Report, name: str, path: Path) -> bytes:
    if name == "markdown" and is_step_summary(path):
        # GitHub limits the size of the whole file, including what earlier commands of the step wrote.
        from harness.report.formats.markdown import LIMIT, render_markdown

        return render_markdown(report, LIMIT - (path.stat().st_size if path.is_file() else 0)).encode()
    return next(form for form in FORMATS if form.name == name).render(report)


def is_step_summary(path: Path) -> bool:
    """Whether a file is the job summary of GitHub Actions, to which earlier commands may have written."""
    collected = os.environ.get("GITHUB_STEP_SUMMARY", "")
    return bool(collected) and path.absolute() == Path(collected).absolute()


def _with_replay_path(report: Report, path: Path) -> Report:
    """Return a report whose replay commands name the path where it was written."""
    findings = tuple(
        msgspec.structs.replace(f, replay=f.replay and f"harness replay {shlex.quote(str(path))} {f.fingerprint}")
        for f in report.findings
    )
    return msgspec.structs.replace(report, findings=findings)


def _delete_old(folder: Path) -> None:
    for old in sorted(folder.glob("*.json"))[: -MAX_KEPT_REPORTS + 1]:
        old.unlink(missing_ok=True)
