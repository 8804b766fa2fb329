"""What `run` and `merge` share: exceptions are applied, files are written, and one screen tells the rest."""

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

from harness.cli.apology import save_traceback
from harness.cli.live import loudness
from harness.cli.options import FOLDER, STDOUT
from harness.cli.trust import remember
from harness.compare.finding import SEVERITIES, Severity
from harness.diagnostics import HarnessError, UsageError
from harness.errormatch.exceptionfile import ExceptionFile, load_exceptions
from harness.reporting import REPORTS
from harness.reporting.document import Policy, Report, encode, read_data, read_report
from harness.reporting.grouping import named_group
from harness.reporting.saving import Saved, append, save
from harness.reporting.terminal import show, summary
from harness.reporting.text import lines

F = TypeVar("F", bound=Callable[..., Any])

EXCEPTIONS = Path("equivalence_exceptions.yaml")
KEPT_REPORTS = 20
_ID = re.compile("g[0-9a-f]{3,8}|[0-9a-f]{4,12}")
"""What names a group or a finding, whole or shortened."""


@dataclass(frozen=True, slots=True)
class Files:
    """What to write: places by form, and a folder for all forms that have no place of their own.

    `taken` says that something else goes to standard output.
    """

    places: dict[str, Path]
    folder: Path | None = None
    taken: bool = False

    def wanted(self) -> dict[str, Path]:
        """The places by form, in reading order."""
        named = {form.name: self.places.get(form.name) for form in REPORTS}
        if self.folder is not None:
            named = {form.name: named[form.name] or self.folder / form.file for form in REPORTS}
        return {name: place for name, place in named.items() if place is not None}

    @property
    def document(self) -> Path | None:
        """Where the document is written as a file, None when nowhere."""
        place = self.wanted().get("json")
        return None if place == STDOUT else place

    @property
    def aside(self) -> bool:
        """Whether standard output is no place for people."""
        return self.taken or STDOUT in self.places.values()


def form_options(function: F) -> F:
    """Add an option for every form of a report; the command gets them as `files: Files`."""

    @wraps(function)  # which carries the options that were added before
    def wrapped(*args: Any, report_folder: Path | None, **others: Any) -> Any:
        given = {form.name: others.pop(f"{form.name}_file") for form in REPORTS}
        files = Files({name: place for name, place in given.items() if place is not None}, report_folder)
        aside = [f"--{name}" for name, place in files.places.items() if place == STDOUT]
        if len(aside) > 1:
            raise UsageError(f"standard output cannot take {' and '.join(aside)}\n  fix: give all but one a file")
        return function(*args, files=files, **others)

    file = click.Path(path_type=Path)
    words = "Write the report in all formats to a folder."
    added = click.option("--report", "report_folder", type=FOLDER, metavar="DIR", help=words)(wrapped)
    for form in reversed(REPORTS):
        words = f"Write {form.summary}; - for standard output."
        added = click.option(f"--{form.name}", f"{form.name}_file", type=file, metavar="FILE", help=words)(added)
    return cast(F, added)


def report_options(function: F) -> F:
    """Add the options that say what to write, and which findings are tolerated."""
    exceptions = click.option(
        "--exceptions", type=click.Path(path_type=Path), metavar="FILE",
        help="Exceptions. Default: equivalence_exceptions.yaml, if it exists.",
    )  # fmt: skip
    return form_options(exceptions(function))


def policy_options(function: F) -> F:
    """Add --fail-on and --allow-incomplete; the command gets them as `policy: Policy`."""

    @wraps(function)
    def wrapped(*args: Any, fail_on: str, allow_incomplete: tuple[str, ...], **others: Any) -> Any:
        return function(*args, policy=Policy(cast(Severity, fail_on), allow_incomplete), **others)

    fail_on = click.option(
        "--fail-on", type=click.Choice(SEVERITIES), default=SEVERITIES[-1], show_default=True,
        help="Fail on findings of this severity or above; show the others.",
    )  # fmt: skip
    return cast(F, fail_on(allow_option(wrapped)))


def allow_option(function: F) -> F:
    """Add --allow-incomplete, as `allow_incomplete`."""
    words = "Kinds, as for --kind, that may lack an accepted object."
    return click.option("--allow-incomplete", multiple=True, metavar="PATTERN", help=words)(function)


def exceptions_in(file: Path | None) -> ExceptionFile | None:
    """Read the exceptions: the named file, or the usual one where it is. Raises: InputError."""
    if file is None and not EXCEPTIONS.exists():
        return None
    entries = load_exceptions(file or EXCEPTIONS, date.today())
    for note in entries.notes:
        click.echo(f"harness: {lines(str(note))}", err=True)
    return entries


def kept_place(started: str) -> Path:
    """Where a report with findings is kept when none was asked for, so that its replay commands work."""
    import platformdirs

    stamp = re.sub(r"[^0-9A-Za-z]", "", started)[:15]
    return platformdirs.user_cache_path("equivalence-harness") / "reports" / f"{stamp}-{os.getpid()}.json"


def replay_command(files: Files, fingerprint: str) -> str:
    """Write the command that shows a finding again. A report that is kept need not be named: it is found by the id."""
    place = f"{shlex.quote(str(files.document))} " if files.document is not None else ""
    return f"harness replay {place}{fingerprint}"


def newest_kept() -> Path:
    """Return the newest report that was kept. Raises: UsageError when there is none."""
    kept = sorted(kept_place("").parent.glob("*.json"))
    if not kept:
        raise UsageError("no report was kept here\n  fix: --report FILE, written by harness run --json FILE")
    return kept[-1]


def with_kept(arguments: Sequence[str]) -> Sequence[str]:
    """Put the newest kept report that has a finding or a group before its id, where no report is named.

    Raises: UsageError when none of them has it.
    """
    name = arguments[0] if arguments else ""
    if not _ID.fullmatch(name) or Path(name).exists():
        return arguments
    for place in sorted(kept_place("").parent.glob("*.json"), reverse=True):
        if f'"{name}'.encode() in read_data(place) or (name.startswith("g") and _has_group(place, name)):
            return [str(place), *arguments]
    raise UsageError(f"no report that was kept here has {name}\n  fix: name the report before it")


def _has_group(place: Path, name: str) -> bool:
    with suppress(HarnessError):  # of another release
        return named_group(read_report(place).findings, name) is not None
    return False


def publish(report: Report, files: Files, is_own: bool = True) -> int:
    """Write the files, tell the run on one screen, and return the exit code. Nothing found is lost on the way.

    `is_own` says that all of it was seen here, so that the report opens its targets by itself.
    """
    wanted = list(files.wanted().items())
    replays = [finding.replay for finding in report.findings if finding.replay]
    if report.verification is not None:
        replays += [change.replay for change in report.verification.changes]
    if files.document is None and replays:
        # Every replay command names a document: one is kept where no file was asked for.
        place = kept_place(report.started)
        wanted.insert(0, ("json", place))
        with contextlib.suppress(OSError):  # a cache that may only be read keeps what it has
            _forget_old(place.parent)
    written = write_forms(report, wanted, is_own)
    report = written.report
    try:
        show(summary(report, written.places, loudness()), sys.stderr if files.aside else None)
    finally:
        if written.lost:
            click.echo("harness: the report could be written nowhere; here it is, on standard output", err=True)
            click.echo(encode(report).decode())
    return 2 if written.failed and report.exit_code != 130 else report.exit_code


@dataclass(slots=True)
class Written:
    """What became of the files: where they are, whether one is not where it was wanted, whether no document is."""

    report: Report
    places: list[str] = field(default_factory=list)
    failed: bool = False
    lost: bool = False


def write_forms(report: Report, wanted: Iterable[tuple[str, Path]], is_own: bool = False) -> Written:
    """Write a report in every wanted form, and say at once what could not be written in its place."""
    told = Written(report)
    for name, place in wanted:
        data = _rendered(told.report, name, place)
        if data is None:
            told.failed, told.lost = True, told.lost or name == "json"
            continue
        if is_own and name == "json":
            remember(data)
        if place == STDOUT:
            click.echo(data, nl=False)
            continue
        saved = _saved(name, place, data)
        told.failed = told.failed or bool(saved.trouble)
        if saved.path is not None:
            told.places.append(str(saved.path))
            if name == "json" and saved.path != place:
                told.report = _replayed_from(told.report, saved.path)
        elif name == "json":
            told.lost = True
    return told


def _saved(name: str, place: Path, data: bytes) -> Saved:
    """Write one file, or add to it where a CI job collects what its steps say of themselves."""
    saved = append(place, data) if name == "markdown" and is_step_summary(place) else save(place, data)
    if saved.trouble:
        fix = f"\n  fix: it is in {saved.path}" if saved.path else ""
        click.echo(f"harness: {saved.trouble}{fix}", err=True)
    return saved


def _rendered(report: Report, name: str, place: Path) -> bytes | None:
    """Write one form; None for one that cannot be made, which is our bug and costs no other form."""
    try:
        return _made(report, name, place)
    except Exception as error:
        where = save_traceback(error)
        saved = f"it is saved in {where}" if where else "it could not be saved"
        words = f"sorry, this is a bug of the harness: --{name} could not be made: {type(error).__name__}: {error}"
        click.echo(f"harness: {lines(words)}\n  the traceback: {saved}\n  please report it with that file", err=True)
        return None


def _made(report: Report, name: str, place: Path) -> bytes:
    if name == "markdown" and is_step_summary(place):
        # The limit is that of the whole file, whoever wrote the rest of it.
        from harness.reporting.markdown import LIMIT, render_markdown

        return render_markdown(report, LIMIT - (place.stat().st_size if place.is_file() else 0)).encode()
    return next(form for form in REPORTS if form.name == name).render(report)


def is_step_summary(place: Path) -> bool:
    """Whether a file is the one that GitHub shows on the page of the job: commands before may have written there."""
    collected = os.environ.get("GITHUB_STEP_SUMMARY", "")
    return bool(collected) and place.absolute() == Path(collected).absolute()


def _replayed_from(report: Report, place: Path) -> Report:
    """Let replay commands name the place where the report really is."""
    findings = tuple(
        msgspec.structs.replace(f, replay=f.replay and f"harness replay {shlex.quote(str(place))} {f.fingerprint}")
        for f in report.findings
    )
    return msgspec.structs.replace(report, findings=findings)


def _forget_old(folder: Path) -> None:
    for old in sorted(folder.glob("*.json"))[: -KEPT_REPORTS + 1]:
        old.unlink(missing_ok=True)
