"""`harness lint`: find tags of an API that are invalid, have no effect, or are misleading."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from harness.cli.options import api_options
from harness.collector import paused_collector
from harness.diagnostics import UsageError, near_miss
from harness.explain import all_pages
from harness.lint.fix import FileFix, plan
from harness.lint.output import (
    LocatedFinding,
    display_path,
    is_cached,
    locate,
    render_text,
    to_alert_rules,
    to_alerts,
    to_json,
)
from harness.lint.rule import LintFinding, Severity
from harness.lint.rules import RULES
from harness.lint.run import lint, sort_unique
from harness.report.escaping import count, lines, visible
from harness.report.formats.annotations import workflow_commands
from harness.report.formats.sarif import build_log
from harness.subject.api import open_api

_ORDER: tuple[Severity, ...] = ("note", "warning", "error")
_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The options of the command. Only findings in `files` are shown; empty for all."""

    places: tuple[str, ...]
    files: frozenset[str]
    kubernetes: str
    release: str
    only: frozenset[str]
    ignore: frozenset[str]
    least: str


@dataclass(frozen=True, slots=True)
class _LintedSource:
    """The findings, with the name of the linted API."""

    findings: list[LintFinding]
    name: str
    release: str
    packages: int


@click.command("lint")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@api_options
@click.option("--rule", "only", multiple=True, metavar="CODE", help="Show only findings with this code; repeatable.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Hide findings with this code; repeatable.")
@click.option(
    "--min-severity",
    type=click.Choice(_ORDER),
    default="note",
    show_default=True,
    help="Hide findings below this severity.",
)
@click.option(
    "--fail-on", type=click.Choice((*_ORDER, "never")), default="warning", show_default=True,
    help="Exit with 1 on findings of this severity or above.",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(("text", "json", "sarif", "github")), default="text", show_default=True,
    help="Output format; github writes annotations.",
)  # fmt: skip
@click.option("--fix", is_flag=True, help="Apply and show safe fixes.")
@click.option("--diff", is_flag=True, help="Show safe fixes without applying them.")
def command(
    paths: tuple[str, ...],
    kubernetes: str,
    release: str,
    only: tuple[str, ...],
    ignore: tuple[str, ...],
    min_severity: str,
    fail_on: str,
    form: str,
    fix: bool,
    diff: bool,
) -> int:
    """Find tags that are invalid, have no effect, or are misleading.

    PATH is a folder with types.go, one above several, or one file; or name a release with --kubernetes.
    """
    if fix and diff:
        raise UsageError("--fix and --diff are mutually exclusive\n  fix: omit one of them")
    for code in (*only, *ignore):
        _check_code(code)
    folders = tuple(dict.fromkeys(_folder_of(path) for path in paths))
    whole = {path for path in paths if not path.endswith(".go")}
    files = frozenset() if whole else frozenset(str(Path(path).resolve()) for path in paths)
    wanted = _Wanted(folders, files, kubernetes, release, frozenset(only), frozenset(ignore), min_severity)
    # Types are many small objects that live until the end, so garbage collection would take time and free nothing.
    with paused_collector():
        found = _find(wanted)
    if fix:
        found = _repair(wanted, found, quiet=form != "text")
    elif diff:
        changes = plan(one.edit for one in found.findings if one.edit)
        _show(changes)
        left = sum(len(change.left) for change in changes)
        click.echo(f"{count(sum(c.made for c in changes), 'repair')}, {left} more after these", err=True)
    if not diff:
        _write(form, locate(found.findings, [Path(path) for path in paths]), found)
    return int(_fails(found.findings, fail_on))


def _check_code(code: str) -> None:
    known = [*(rule.code for rule in RULES), *(page.code for page in all_pages()["diagnostics"])]
    if code not in known:
        raise UsageError(
            f"there is no lint rule {code!r}\n  fix: {near_miss(code, known) or 'harness explain lists them'}"
        )


def _folder_of(path: str) -> str:
    """Return the folder of a file, because a file is linted as part of its package."""
    return str(Path(path).parent) if path.endswith(".go") and Path(path).is_file() else path


def _find(wanted: _Wanted) -> _LintedSource:
    if wanted.kubernetes or not wanted.places:
        place = next(iter(wanted.places), "")
        apis = [open_api(place, kubernetes=wanted.kubernetes, release=wanted.release)]
    else:
        apis = [open_api(place, release=wanted.release) for place in wanted.places]
    found = sort_unique(one for api in apis for one in lint(api, only=wanted.only, ignore=wanted.ignore))
    kept = [one for one in found if _ORDER.index(one.severity) >= _ORDER.index(_severity(wanted.least))]
    if wanted.files:
        kept = [one for one in kept if one.diagnostic.position.file in wanted.files]
    names = ", ".join(dict.fromkeys(api.name for api in apis))
    packages = len({package.path for api in apis for package in api.packages})
    return _LintedSource(kept, names, apis[0].release, packages)


def _severity(word: str) -> Severity:
    return next(one for one in _ORDER if one == word)


def _repair(wanted: _Wanted, found: _LintedSource, *, quiet: bool) -> _LintedSource:
    """Apply fixes until none is left, because fixes on the same line are applied one per round."""
    made = 0
    for _ in range(_ROUNDS):
        edits = [one.edit for one in found.findings if one.edit and not is_cached(one.edit.file)]
        changes = [change for change in plan(edits) if change.made]
        written = [change for change in changes if change.write()]
        if not written:
            break
        _show(written, err=quiet)
        made += sum(change.made for change in written)
        found = _find(wanted)
    if any(one.edit and is_cached(one.edit.file) for one in found.findings):
        click.echo("downloaded modules are not fixed: copy their files to fix them", err=True)
    click.echo(f"{count(made, 'repair')} made", err=quiet)
    return found


def _show(changes: Sequence[FileFix], err: bool = False) -> None:
    for change in changes:
        if change.made:
            click.echo(lines(change.diff(visible(display_path(change.file, Path())))), nl=False, err=err)


def _write(form: str, shown: list[LocatedFinding], found: _LintedSource) -> None:
    if form == "text":
        click.echo("\n".join(render_text(shown, found.packages)))
    elif form == "json":
        click.echo(json.dumps(to_json(shown, found.name, found.release, found.packages), indent=2))
    elif form == "sarif":
        click.echo(json.dumps(build_log(to_alert_rules(RULES, shown), to_alerts(shown)), indent=2))
    else:
        for line in workflow_commands(to_alerts(shown)):
            click.echo(line)


def _fails(findings: Sequence[LintFinding], fail_on: str) -> bool:
    return fail_on != "never" and any(
        _ORDER.index(one.severity) >= _ORDER.index(_severity(fail_on)) for one in findings
    )
