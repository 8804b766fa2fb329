"""`harness lint`: what in the tags of an API is wrong, does nothing, or is not what was meant."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from harness.cli.options import api_options
from harness.collector import collector_at_rest
from harness.diagnostics import UsageError, near_miss
from harness.explain import all_pages
from harness.lint.fix import FileFix, plan
from harness.lint.rule import LintFinding, Severity
from harness.lint.rules import BY_CODE, RULES
from harness.lint.run import lint, unique
from harness.lint.shown import ShownFinding, document, is_cached, path_of, prepare, results, rules_of, text
from harness.reporting.annotations import commands
from harness.reporting.sarif import sarif
from harness.reporting.text import count, lines, visible
from harness.subject.api import open_api

_ORDER: tuple[Severity, ...] = ("note", "warning", "error")
_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is asked for. `files` are the only ones whose findings count; empty for all."""

    places: tuple[str, ...]
    files: frozenset[str]
    kubernetes: str
    release: str
    only: frozenset[str]
    ignore: frozenset[str]
    least: str


@dataclass(frozen=True, slots=True)
class _LintedSource:
    """What was found, and in what."""

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
    # Types are many small objects that live to the end: looking for garbage among them takes time and finds none.
    with collector_at_rest():
        found = _find(wanted)
    if fix:
        found = _repair(wanted, found, quiet=form != "text")
    elif diff:
        changes = plan(one.edit for one in found.findings if one.edit)
        _show(changes)
        left = sum(len(change.left) for change in changes)
        click.echo(f"{count(sum(c.made for c in changes), 'repair')}, {left} more after these", err=True)
    if not diff:
        _write(form, prepare(found.findings, [Path(path) for path in paths]), found)
    return int(_fails(found.findings, fail_on))


def _check_code(code: str) -> None:
    known = [*BY_CODE, *(page.code for page in all_pages()["diagnostics"])]
    if code not in known:
        raise UsageError(f"no rule is called {code!r}\n  fix: {near_miss(code, known) or 'harness explain lists them'}")


def _folder_of(path: str) -> str:
    """A file is linted as part of its package."""
    return str(Path(path).parent) if path.endswith(".go") and Path(path).is_file() else path


def _find(wanted: _Wanted) -> _LintedSource:
    if wanted.kubernetes or not wanted.places:
        place = next(iter(wanted.places), "")
        apis = [open_api(place, kubernetes=wanted.kubernetes, release=wanted.release)]
    else:
        apis = [open_api(place, release=wanted.release) for place in wanted.places]
    found = unique(one for api in apis for one in lint(api, only=wanted.only, ignore=wanted.ignore))
    kept = [one for one in found if _ORDER.index(one.severity) >= _ORDER.index(_severity(wanted.least))]
    if wanted.files:
        kept = [one for one in kept if one.diagnostic.position.file in wanted.files]
    names = ", ".join(dict.fromkeys(api.name for api in apis))
    packages = len({package.path for api in apis for package in api.packages})
    return _LintedSource(kept, names, apis[0].release, packages)


def _severity(word: str) -> Severity:
    return next(one for one in _ORDER if one == word)


def _repair(wanted: _Wanted, found: _LintedSource, *, quiet: bool) -> _LintedSource:
    """Make repairs until none is left: one may open the way for another on the same line."""
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
        click.echo("downloaded modules are left as they are: copy what you want to repair", err=True)
    click.echo(f"{count(made, 'repair')} made", err=quiet)
    return found


def _show(changes: Sequence[FileFix], err: bool = False) -> None:
    for change in changes:
        if change.made:
            click.echo(lines(change.diff(visible(path_of(change.file, Path())))), nl=False, err=err)


def _write(form: str, shown: list[ShownFinding], found: _LintedSource) -> None:
    if form == "text":
        click.echo("\n".join(text(shown, found.packages)))
    elif form == "json":
        click.echo(json.dumps(document(shown, found.name, found.release, found.packages), indent=2))
    elif form == "sarif":
        click.echo(json.dumps(sarif(rules_of(RULES, shown), results(shown)), indent=2))
    else:
        for line in commands(results(shown)):
            click.echo(line)


def _fails(findings: Sequence[LintFinding], fail_on: str) -> bool:
    return fail_on != "never" and any(
        _ORDER.index(one.severity) >= _ORDER.index(_severity(fail_on)) for one in findings
    )
