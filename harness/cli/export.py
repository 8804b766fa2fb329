"""`harness export`: a finding, or the rules of a field, as tests for the place where the change lives."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from harness.case import Mode
from harness.cli.options import STDOUT
from harness.cli.publishing import with_kept
from harness.cli.targets import TargetChoice, arguments_of, is_suite, spec_of, target_options
from harness.cli.trust import check_trust, trust_option
from harness.diagnostics import Diagnostic, InputError, Position, UsageError, near_miss
from harness.export.asker import choose
from harness.export.expected import Levels
from harness.export.found import table_of
from harness.export.gotest import GoTest, render_go
from harness.export.gotree import Tree
from harness.export.pytests import render_findings, render_rows
from harness.export.rows import Missing
from harness.export.rowsearch import table_of_rules
from harness.files import write_atomically
from harness.reporting.document import ReportedFinding, decode, read_data
from harness.reporting.grouping import named
from harness.reporting.text import count, lines, visible
from harness.rulecov.inventory import inventory_of
from harness.subject import Subject, SubjectSpec, open_subject
from harness.subject.opening import api_of

FORMATS = ("go", "pytest")
_MOST_TOLD = 20
_EXPECTS = (
    "What is marked as covered is expected of a rule, and what a rule says is expected. Change expectedErrs when the "
    "mark or the rule goes, or when the rule gets another level."
)


@click.command("export")
@click.argument("arguments", nargs=-1, metavar="[REPORT] FINGERPRINT|GROUP... | SUITE")
@target_options
@trust_option
@click.option("--kind", metavar="PATTERN", help='The kind whose rules are exported: "deployments", "apps/deployments".')
@click.option(
    "--field", metavar="PATH", default="", help="Only rules at or below this field path, such as spec.replicas."
)
@click.option("--format", "form", type=click.Choice(FORMATS), help="Default: go for releases, pytest otherwise.")
@click.option(
    "--output",
    metavar="FILE|CHECKOUT",
    help="Output file, - for standard output; a checkout for beside the tests of the kind.",
)
def command(
    arguments: tuple[str, ...], target: TargetChoice, kind: str | None, field: str, form: str | None,
    output: str | None, trust: bool,
) -> int:  # fmt: skip
    """Export a finding, or boundary tests for a field, as Go or pytest.

    \b
    harness export report.json 1f2e3d4c5b6a
    harness export --kubernetes 1.37.1 --kind deployments --field spec.template
    harness export suites/claim_v1 --kind claims --field spec.size

    The first writes a finding as a test that fails until the finding is fixed. The others write boundary tests for
    every rule of a field or kind, in every version. The expected errors are those that both validators returned.
    A report that you did not write on this machine opens its target only with --trust, or when you name the target.

    Exit codes: 0 written, 2 nothing could be written.
    """
    place = Path(output) if output and output != str(STDOUT) else None
    if kind is None:
        if field:
            raise UsageError("--field requires --kind\n  fix: add --kind KIND")
        return _findings(arguments, target, form, place, trust)
    with open_subject(target.one(arguments), _say) as subject:
        return _rules(subject, kind, field, _form(form, subject.spec), place)


def _say(text: str) -> None:
    click.echo(lines(text), err=True)


def _progress(text: str) -> None:
    """Tell how far it is, where somebody watches."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{visible(text)[:100]}", err=True, nl=False)


def _form(form: str | None, spec: SubjectSpec) -> str:
    if form == "go" and spec.kind != "kubernetes":
        raise UsageError("Go tests can only be written for a Kubernetes release\n  fix: --format pytest")
    if form == "go" and (spec.against or spec.declarative != "target"):
        raise UsageError("a Go test cannot use --against or --declarative\n  fix: omit them")
    return form or ("go" if spec.kind == "kubernetes" else "pytest")


# Rules


def _rules(subject: Subject, kind: str, field: str, form: str, output: Path | None) -> int:
    """Export the rules of a kind."""
    infos = choose(subject, kind)
    api = api_of(subject.spec)
    if api is None:
        raise UsageError("the types of this target are not known, and its rules are in them\n  fix: add --types DIR")
    inventory = inventory_of(api)
    wanted = infos[:1] if form == "go" else infos
    tree = Tree.of(subject.spec.location) if form == "go" else None
    if tree is not None:
        tree.check(infos[0])
    tables = []
    for info in wanted:
        tables.append(table_of_rules(subject, inventory, info, field, _mode(form, subject.spec), _progress))
    _progress("")
    words = f"harness export {arguments_of(subject.spec)} --kind {kind}" + (f" --field {field}" if field else "")
    notes = [f"Written by `{words} --format {form}`: every expectation is what both validators answered."]
    if tree is not None:
        levels = Levels(inventory.rules, infos[0])
        made = render_go(tree, tables[0], notes, field, level_of=levels, gates=subject.spec.gates)
        return _write_go(made, output)
    text = render_rows(subject, tables, notes, output)
    rows = sum(len(table.rows) for table in tables)
    return _write(
        text, output, f"{count(rows, 'row')} of {tables[0].info.kind}", [m for t in tables for m in t.missing]
    )


def _mode(form: str, spec: SubjectSpec) -> Mode:
    return "given" if form == "go" else spec.mode


# Findings


def _findings(
    arguments: Sequence[str], target: TargetChoice, form: str | None, output: Path | None, trust: bool
) -> int:
    arguments = with_kept(arguments)
    if arguments and is_suite(arguments[0]):
        raise UsageError(f"which rules of {arguments[0]}?\n  fix: add --kind KIND; `harness kinds` lists them")
    suites = [one for one in arguments[1:] if is_suite(one)]
    prefixes = [one for one in arguments[1:] if one not in suites]
    if not prefixes:
        fix = "add --kind KIND" if target.specs([]) else "name a report and a fingerprint, or a target and --kind"
        raise UsageError(f"nothing to export\n  fix: {fix}")
    name = arguments[0]
    data = read_data(name)
    report = decode(data, name)
    chosen = [finding for prefix in prefixes for finding in _chosen(report.findings, prefix, name)]
    reaches = {part.subject: part.reach for part in report.parts}
    subjects = {finding.subject for finding in chosen}
    if len(subjects) > 1:
        raise UsageError(f"the findings belong to several targets: {', '.join(sorted(subjects))}\n  fix: one at a time")
    reach = reaches.get(chosen[0].subject)
    given = [target.one(suites)] if suites else target.specs([])
    if not given and (reach is None or not reach.kind):
        message = f"does not say how to open {chosen[0].subject}"
        raise InputError([Diagnostic(Position(name), "report-unreadable", message, fix="name the target")])
    if not given and reach is not None:
        check_trust(reach, name, data, trust)  # before anything that it names is looked at
    spec = given[0] if given else spec_of(reach, target.in_process) if reach is not None else target.one([])
    form = _form(form, spec)
    with open_subject(spec, _say) as subject:
        return _write_findings(subject, chosen, form, output)


def _chosen(findings: Sequence[ReportedFinding], prefix: str, name: str) -> list[ReportedFinding]:
    fits = named(findings, prefix)
    if not fits:
        known = [finding.fingerprint for finding in findings]
        hint = near_miss(prefix, known) or (f"it has {known[0]}, ..." if known else "it has none")
        raise UsageError(f"{name} has no finding {prefix!r}\n  fix: {hint}")
    for finding in fits:
        if finding.case.object is None:
            raise UsageError(f"{finding.fingerprint} is about a rule, not about an object: no test shows it")
    return fits


def _write_findings(subject: Subject, findings: Sequence[ReportedFinding], form: str, output: Path | None) -> int:
    names = " ".join(finding.fingerprint for finding in findings)
    notes = [f"Written by `harness export REPORT {names} --format {form}`."]
    notes += [f"{one.fingerprint}: {one.cause}: {one.detail}".split("\n")[0] for one in findings]
    if form == "pytest":
        text = render_findings(subject, findings, notes, output)
        return _write(text, output, count(len(findings), "finding"), [])
    table = table_of(subject, findings, f"finding {names}")
    if not table.rows:
        _tell_missing(table.missing)
        return 2
    notes.append(_EXPECTS)
    api = api_of(subject.spec)
    levels = Levels(inventory_of(api).rules if api is not None else (), table.info)
    made = render_go(
        Tree.of(subject.spec.location), table, notes, f"finding {names}", level_of=levels, skips=False,
        gates=subject.spec.gates,
    )  # fmt: skip
    if not made.differing:
        _say("upstream's test helper does not see this difference: the test passes today")
    return _write_go(made, output)


# Writing


def _write_go(made: GoTest, output: Path | None) -> int:
    """Write a Go test: to a file, or into a checkout where it belongs."""
    if output is not None and output.is_dir():
        if not (output / "go.mod").is_file():
            raise UsageError(f"{output} is a folder without a go.mod\n  fix: name a file, or the top of a checkout")
        output = output / made.place
    elif output is None or output.name != Path(made.place).name:
        _say(f"this file belongs at {made.place}")
    if made.note:
        _say(made.note)
    said = count(made.rows, "row") + (f", {made.differing} of which differ today" if made.differing else "")
    return _write(made.text, output, said, made.missing)


def _write(text: str, output: Path | None, said: str, missing: Sequence[Missing]) -> int:
    if output is None:
        click.echo(text, nl=False)
    else:
        try:
            write_atomically(output, text.encode())
        except OSError as error:
            raise UsageError(f"{output} cannot be written: {error.strerror}\n  fix: name another place") from error
        _say(f"{output}: {said}")
    _tell_missing(missing)
    return 0


def _tell_missing(missing: Sequence[Missing]) -> None:
    """Say what is not in the file; all of it stands in the file too."""
    for one in missing[:_MOST_TOLD]:
        _say(f"not shown: {one}")
    if len(missing) > _MOST_TOLD:
        _say(f"not shown: {len(missing) - _MOST_TOLD} more, which the file lists")
