"""What `run` and `merge` share: exceptions are applied, files are written, and one screen tells the rest."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from harness.diagnostics import UsageError
from harness.errormatch.exceptionfile import ExceptionFile, load_exceptions
from harness.reporting.document import Report, encode
from harness.reporting.html import render_html
from harness.reporting.junit import render_junit
from harness.reporting.saving import save
from harness.reporting.terminal import show, summary

F = TypeVar("F", bound=Callable[..., Any])

EXCEPTIONS = Path("equivalence_exceptions.yaml")
KEPT_REPORTS = 20
RENDERINGS: dict[str, Callable[[Report], bytes]] = {
    "json": encode,
    "junit": lambda report: render_junit(report).encode(),
    "html": lambda report: render_html(report).encode(),
}
"""What a report can be written as."""


@dataclass(frozen=True, slots=True)
class Files:
    """What to write."""

    json: Path | None
    junit: Path | None
    html: Path | None
    report: Path | None

    def wanted(self) -> dict[str, Path]:
        """The places by form; `--report DIR` stands for all three."""
        places = {"json": self.json, "junit": self.junit, "html": self.html}
        if self.report is not None:
            names = {"json": "report.json", "junit": "junit.xml", "html": "report.html"}
            places = {form: place or self.report / names[form] for form, place in places.items()}
        return {form: place for form, place in places.items() if place is not None}


def report_options(function: F) -> F:
    """Add the options that say what to write, and which findings are tolerated."""
    file = click.Path(path_type=Path)
    for add in (
        click.option(
            "--exceptions", type=file, metavar="FILE", help="Tolerated. Default: equivalence_exceptions.yaml, if there."
        ),
        click.option("--report", "report_folder", type=file, metavar="DIR", help="Write all three there."),
        click.option("--html", "html_file", type=file, metavar="FILE", help="Write one self-contained page."),
        click.option("--junit", "junit_file", type=file, metavar="FILE", help="Write JUnit XML."),
        click.option("--json", "json_file", type=file, metavar="FILE", help="Write the report document."),
    ):
        function = add(function)
    return function


def exceptions_in(file: Path | None) -> ExceptionFile | None:
    """Read the exceptions: the named file, or the usual one where it is. Raises: InputError."""
    if file is None and not EXCEPTIONS.exists():
        return None
    return load_exceptions(file or EXCEPTIONS, date.today())


def kept_place(started: str) -> Path:
    """Where a report with findings is kept when none was asked for, so that its replay commands work."""
    import platformdirs

    stamp = re.sub(r"[^0-9A-Za-z]", "", started)[:15]
    return platformdirs.user_cache_path("equivalence-harness") / "reports" / f"{stamp}-{os.getpid()}.json"


def newest_kept() -> Path:
    """Return the newest report that was kept. Raises: UsageError when there is none."""
    kept = sorted(kept_place("").parent.glob("*.json"))
    if not kept:
        raise UsageError("no report was kept here\n  fix: --report FILE, written by harness run --json FILE")
    return kept[-1]


def publish(report: Report, files: Files) -> int:
    """Write the files, tell the run on one screen, and return the exit code. Nothing found is lost on the way."""
    wanted = files.wanted()
    replays = [finding.replay for finding in report.findings if finding.replay]
    if "json" not in wanted and replays:
        place = Path(shlex.split(replays[0])[2])
        _forget_old(place.parent)
        wanted["json"] = place
    written, lost, failed = [], False, False
    for form, place in wanted.items():
        saved = save(place, RENDERINGS[form](report))
        failed = failed or bool(saved.trouble)
        if saved.trouble:
            click.echo(
                f"harness: {saved.trouble}" + (f"\n  fix: it is in {saved.path}" if saved.path else ""), err=True
            )
        if saved.path is not None:
            written.append(str(saved.path))
            if form == "json" and saved.path != place:
                report = _replayed_from(report, saved.path)
        elif form == "json":
            lost = True
    show(summary(report, written))
    if lost:
        click.echo("harness: the report could be written nowhere; here it is, on standard output", err=True)
        click.echo(encode(report).decode())
    return 2 if failed and report.exit_code != 130 else report.exit_code


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
