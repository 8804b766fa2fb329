"""`harness export`: write findings, or boundary tests for the rules of a field, as a Go table test or a pytest module.

A Go test can be written directly into a checkout of Kubernetes, beside the existing tests of the kind.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from harness.case import Mode
from harness.cli import COULD_NOT_RUN
from harness.cli.options import STDOUT
from harness.cli.publishing import name_kept_report
from harness.cli.targets import TargetChoice, arguments_of, is_suite, spec_of, target_options
from harness.cli.trust import check_trust, trust_option
from harness.diagnostics import Diagnostic, InputError, Position, UsageError, near_miss
from harness.export.asker import find_resource
from harness.export.expected import RuleLevels
from harness.export.found import tabulate_findings
from harness.export.gotest import GoTest, render_go
from harness.export.gotree import Tree
from harness.export.pytests import render_findings, render_rows
from harness.export.rows import Missing
from harness.export.rowsearch import tabulate_rules
from harness.files import write_atomically
from harness.report.escaping import count, lines, visible
from harness.report.model.document import ReportedFinding
from harness.report.model.grouping import find_by_id
from harness.report.model.reading import decode, read_data
from harness.rulecov.inventory import inventory_of
from harness.subject import Subject, SubjectSpec, open_subject
from harness.subject.opening import api_of

FORMATS = ("go", "pytest")
MAX_MISSING = 20
"""At most so many rules and rows that are not in the file are listed on the terminal; the file lists all of them."""
EXPECTED_ERRS_NOTE = (
    "expectedErrs assumes that declarative validation returns every handwritten error that is marked as covered, and "
    "that each declarative error is intended. If you fix the finding by removing the mark or the rule instead, or "
    "change the level of the rule, adapt expectedErrs."
)
"""The comment above a Go test of findings, for whoever finds the test failing."""


@click.command("export")
@click.argument("arguments", nargs=-1, metavar="[REPORT] FINDING... | SUITE")
@target_options
@trust_option
@click.option(
    "--kind", metavar="PATTERN", help='Write tests for the rules of this kind: "deployments", "apps/deployments".'
)
@click.option(
    "--field",
    metavar="PATH",
    default="",
    help="With --kind: only rules of this field and its subfields.",
)
@click.option("--format", "format_", type=click.Choice(FORMATS), help="Default: go for releases, pytest otherwise.")
@click.option(
    "--output",
    metavar="FILE|CHECKOUT",
    help="Write to this file, to - (standard output), or into a checkout, beside the tests of the kind.",
)
def command(
    arguments: tuple[str, ...], target: TargetChoice, kind: str | None, field: str, format_: str | None,
    output: str | None, trust: bool,
) -> int:  # fmt: skip
    """Export a finding, or boundary tests for a field, as Go or pytest.

    \b
    harness export report.json 1f2e3d4c5b6a
    harness export --kubernetes 1.37.1 --kind deployments --field spec.template
    harness export suites/claim_v1 --kind claims --field spec.size

    FINDING is the fingerprint of a finding, or the ID of a group of findings; without REPORT it is looked up in the
    reports kept on this machine. The test fails until the finding is fixed.

    With --kind, boundary tests are written for every rule of the kind or field, in every version. The expected errors
    are those that both validators returned. SUITE is the folder of a suite.

    A report that you did not write on this machine opens its target only with --trust, or when you name the target.

    Exit codes: 0 written, 2 nothing could be written.
    """
    path = Path(output) if output and output != str(STDOUT) else None
    if kind is None:
        if field:
            raise UsageError("--field requires --kind\n  fix: add --kind KIND")
        return _export_findings(arguments, target, format_, path, trust)
    with open_subject(target.one(arguments), _print_note) as subject:
        return _export_rules(subject, kind, field, _choose_format(format_, subject.spec), path)


def _print_note(text: str) -> None:
    click.echo(lines(text), err=True)


def _print_progress(text: str) -> None:
    """Replace the progress line, when standard error is a terminal."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{visible(text)[:100]}", err=True, nl=False)


def _choose_format(wanted: str | None, spec: SubjectSpec) -> str:
    if wanted == "go" and spec.kind != "kubernetes":
        raise UsageError("Go tests can only be written for a Kubernetes release\n  fix: --format pytest")
    if wanted == "go" and (spec.against or spec.declarative != "target"):
        raise UsageError("a Go test cannot use --against or --declarative\n  fix: omit them")
    return wanted or ("go" if spec.kind == "kubernetes" else "pytest")


# Rules


def _export_rules(subject: Subject, kind: str, field: str, format_: str, output: Path | None) -> int:
    """Export boundary tests for the rules of a kind, or of one of its fields."""
    infos = find_resource(subject, kind)
    api = api_of(subject.spec)
    if api is None:
        raise UsageError(
            "the Go types of this target are unknown, and its rules are declared in them\n  fix: add --types DIR"
        )
    inventory = inventory_of(api)
    tables = []
    tree = Tree.of(subject.spec.location) if format_ == "go" else None
    if tree is not None:
        tree.check(infos[0])
    for info in infos[:1] if format_ == "go" else infos:
        tables.append(tabulate_rules(subject, inventory, info, field, _mode(format_, subject.spec), _print_progress))
    _print_progress("")
    command_line = f"harness export {arguments_of(subject.spec)} --kind {kind}" + (f" --field {field}" if field else "")
    notes = [f"Written by `{command_line} --format {format_}`: every expectation is what both validators answered."]
    if tree is not None:
        levels = RuleLevels(inventory.rules, infos[0])
        test = render_go(tree, tables[0], notes, field, level_of=levels.level_of, gates=subject.spec.gates)
        return _write_go(test, output)
    text = render_rows(subject, tables, notes, output)
    rows = sum(len(table.rows) for table in tables)
    missing = [entry for table in tables for entry in table.missing]
    return _write(text, output, f"{count(rows, 'row')} of {tables[0].info.kind}", missing)


def _mode(format_: str, spec: SubjectSpec) -> Mode:
    return "given" if format_ == "go" else spec.mode


# Findings


def _export_findings(
    arguments: Sequence[str], target: TargetChoice, wanted_format: str | None, output: Path | None, trust: bool
) -> int:
    arguments = name_kept_report(arguments)
    if arguments and is_suite(arguments[0]):
        raise UsageError(f"no kind of {arguments[0]} is named\n  fix: add --kind KIND; `harness kinds` lists them")
    suites = [argument for argument in arguments[1:] if is_suite(argument)]
    ids = [argument for argument in arguments[1:] if argument not in suites]
    if not ids:
        fix = "add --kind KIND" if target.specs([]) else "name a report and a fingerprint, or a target and --kind"
        raise UsageError(f"nothing to export\n  fix: {fix}")
    name = arguments[0]
    data = read_data(name)
    report = decode(data, name)
    findings = [finding for id_ in ids for finding in _find(report.findings, id_, name)]
    target_specs = {part.subject: part.reach for part in report.parts}
    subjects = {finding.subject for finding in findings}
    if len(subjects) > 1:
        raise UsageError(
            f"the findings belong to several targets: {', '.join(sorted(subjects))}\n  fix: export them one at a time"
        )
    reported = target_specs.get(findings[0].subject)
    named = [target.one(suites)] if suites else target.specs([])
    if not named and (reported is None or not reported.kind):
        message = f"does not record how to open {findings[0].subject}"
        raise InputError([Diagnostic(Position(name), "report-unreadable", message, fix="name the target")])
    if not named and reported is not None:
        check_trust(reported, name, data, trust)  # before any file or program that the report names is opened
    spec = named[0] if named else spec_of(reported, target.in_process) if reported is not None else target.one([])
    format_ = _choose_format(wanted_format, spec)
    with open_subject(spec, _print_note) as subject:
        return _write_findings(subject, findings, format_, output)


def _find(findings: Sequence[ReportedFinding], id_: str, name: str) -> list[ReportedFinding]:
    """Return the findings of an id. Raises: UsageError when there is none, or one that no test can show."""
    found = find_by_id(findings, id_)
    if not found:
        known = [finding.fingerprint for finding in findings]
        hint = near_miss(id_, known) or (f"it has {known[0]}, ..." if known else "it has none")
        raise UsageError(f"{name} has no finding {id_!r}\n  fix: {hint}")
    for finding in found:
        if finding.case.object is None:
            raise UsageError(
                f"{finding.fingerprint} cannot be exported: it is about a normalization rule, not about an object\n"
                "  fix: leave it out"
            )
    return found


def _write_findings(subject: Subject, findings: Sequence[ReportedFinding], format_: str, output: Path | None) -> int:
    names = " ".join(finding.fingerprint for finding in findings)
    notes = [f"Written by `harness export REPORT {names} --format {format_}`."]
    notes += [f"{it.fingerprint}: {it.cause}: {it.detail}".split("\n")[0] for it in findings]
    if format_ == "pytest":
        text = render_findings(subject, findings, notes, output)
        return _write(text, output, count(len(findings), "finding"), [])
    table = tabulate_findings(subject, findings, f"finding {names}")
    if not table.rows:
        _print_missing(table.missing)
        return COULD_NOT_RUN
    notes.append(EXPECTED_ERRS_NOTE)
    api = api_of(subject.spec)
    levels = RuleLevels(inventory_of(api).rules if api is not None else (), table.info)
    test = render_go(
        Tree.of(subject.spec.location), table, notes, f"finding {names}", level_of=levels.level_of, skips=False,
        gates=subject.spec.gates,
    )  # fmt: skip
    if not test.differing:
        _print_note("upstream's test helper does not detect this difference: the test passes today")
    return _write_go(test, output)


# Writing


def _write_go(test: GoTest, output: Path | None) -> int:
    """Write a Go test to a file, or into a checkout at the path of the kind's tests."""
    if output is not None and output.is_dir():
        if not (output / "go.mod").is_file():
            raise UsageError(f"{output} is a folder without a go.mod\n  fix: name a file, or the root of a checkout")
        output = output / test.path
    elif output is None or output.name != Path(test.path).name:
        _print_note(f"in a checkout, this file belongs at {test.path}")
    if test.note:
        _print_note(test.note)
    summary = count(test.rows, "row") + (f", {test.differing} of which differ today" if test.differing else "")
    return _write(test.text, output, summary, test.missing)


def _write(text: str, output: Path | None, summary: str, missing: Sequence[Missing]) -> int:
    if output is None:
        click.echo(text, nl=False)
    else:
        try:
            write_atomically(output, text.encode())
        except OSError as error:
            message = f"{output} cannot be written: {error.strerror}\n  fix: choose another output file"
            raise UsageError(message) from error
        _print_note(f"{output}: {summary}")
    _print_missing(missing)
    return 0


def _print_missing(missing: Sequence[Missing]) -> None:
    """List the rules and rows that are not in the file."""
    for entry in missing[:MAX_MISSING]:
        _print_note(f"not shown: {entry}")
    if len(missing) > MAX_MISSING:
        _print_note(f"not shown: {len(missing) - MAX_MISSING} more, listed in the file")
