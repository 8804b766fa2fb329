"""`harness rules`: list the rules that an API declares, or their coverage in a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import groupby

import click
import msgspec

from harness.cli.coverage import inventory_of_crds, inventory_of_policies
from harness.cli.options import api_argument
from harness.diagnostics import UsageError, near_miss
from harness.report.escaping import count, encode_json, visible
from harness.report.model.coverage import RuleEntry, UncoveredEntry
from harness.report.model.document import Report
from harness.report.model.reading import read_report
from harness.report.text.code import code_rows, code_table, field_table
from harness.report.text.migration import migrated_table
from harness.report.text.rules import coverage_table, rule_rows
from harness.rulecov.declared import DeclaredRule, declared_rules
from harness.subject.api import open_api
from harness.subject.openers.crd import CRD
from harness.subject.openers.policy import POLICY
from harness.tags.registry import ALL_SPECS

LEVELS = ("alpha", "beta", "standard")


@click.command("rules")
@api_argument
@click.option("--crd", "crds", default="", metavar=CRD.metavar, help="Instead of types: the schemas of CRDs.")
@click.option("--policy", "policies", default="", metavar=POLICY.metavar, help="Instead of types: admission policies.")
@click.option("--kind", "kinds", multiple=True, metavar="PATTERN", help='Only kinds such as "Deployment", "apps/v1/*".')
@click.option(
    "--level", "levels", multiple=True, type=click.Choice(LEVELS), help="Only rules of this level; repeatable."
)
@click.option("--report", metavar="FILE", help="Show the rule coverage of a run, from its report.")
@click.option("--unseen", is_flag=True, help="With --report: only rules that are not fully covered.")
@click.option("--uncovered", is_flag=True, help="With --report: handwritten errors that no rule covers.")
@click.option("--migrated", is_flag=True, help="With --report: how many handwritten checks have a rule, by kind.")
@click.option("--code", is_flag=True, help="With --report of a run with --branches: handwritten code, by function.")
@click.option("--errors", is_flag=True, help="With --report of a run with --branches: calls that report, by field.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per rule.")
def command(
    path: str, kubernetes: str, release: str, crds: str, policies: str, kinds: tuple[str, ...],
    levels: tuple[str, ...], report: str | None, unseen: bool, uncovered: bool, migrated: bool, code: bool,
    errors: bool, as_json: bool,
) -> int:  # fmt: skip
    """List the errors that the declarative validators of an API can return: field path, type, origin and level.

    PATH is a folder with types.go, or one above several; or name a release with --kubernetes. These are the rules that
    upstream's generated coverage tests register for the same types. With --crd, they are the constraints and the CEL
    rules of CRDs, with --policy the validations of admission policies. With --report FILE, show their coverage in a
    run.
    """
    if report is not None and (code or errors):
        return print_code(report, kinds, by_field=errors, unseen=unseen, as_json=as_json)
    if report is not None and migrated:
        return print_migrated(report, kinds)
    if report is not None:
        return print_coverage(report, (path, kubernetes, crds, policies), kinds, levels, unseen, uncovered, as_json)
    if unseen or uncovered or migrated or code or errors:
        raise UsageError(
            "--unseen, --uncovered, --migrated, --code and --errors require a report\n  fix: add --report FILE"
        )
    if crds or policies:
        if path or release or (crds and policies):
            raise UsageError(
                "the rules of CRDs and of policies are in their own files\n"
                "  fix: name CRDs or policies, and leave out the path and --release"
            )
        inventory = inventory_of_crds(crds) if crds else inventory_of_policies(policies)
        name, every = crds or policies, tuple(known.rule for known in inventory.rules)
    else:
        api = open_api(path, kubernetes=kubernetes, release=release)
        name, every = api.name, declared_rules(api)
    chosen = [
        rule for rule in every if matches_kind(rule, kinds) and (not levels or (rule.level or "standard") in levels)
    ]
    if not chosen and every and kinds:
        hint = near_miss(kinds[0], sorted({rule.kind for rule in every}))
        raise UsageError(f"no kind with rules matches {', '.join(kinds)}\n  fix: {hint or 'leave out --kind'}")
    if as_json:
        click.echo(encode(chosen))
    else:
        click.echo("\n".join([*table(chosen), *_sums(name, chosen)]))
    return 0


def encode(rules: Sequence[DeclaredRule]) -> str:
    """Write rules as a JSON list; a rule without a level is `standard`."""
    rows = [
        {**msgspec.structs.asdict(rule), "level": rule.level or "standard", "tag": declaration(rule)} for rule in rules
    ]
    return msgspec.json.format(encode_json(rows), indent=1).decode()


def table(rules: Sequence[DeclaredRule]) -> Iterator[str]:
    """Return the rules by kind, in columns."""
    widths = [max((len(cell) for cell in column), default=0) for column in zip(*map(_row, rules), strict=True)]
    for name, own in groupby(rules, _name):
        yield visible(name)
        for rule in own:
            cells = (cell.ljust(width) for cell, width in zip(_row(rule), widths, strict=True))
            yield visible(f"  {'  '.join(cells)}".rstrip())
        yield ""


def _row(rule: DeclaredRule) -> tuple[str, ...]:
    kind_of_error = rule.type.removeprefix("FieldValue")
    return rule.path or "(the object)", kind_of_error, rule.origin or "-", rule.level or "standard", declaration(rule)


def declaration(rule: DeclaredRule) -> str:
    """Return what declares a rule: `+k8s:maxLength`, or the keyword or the CEL rule of a schema."""
    return f"+{rule.tag}" if rule.tag in ALL_SPECS else rule.tag


def _name(rule: DeclaredRule) -> str:
    return "/".join(filter(None, (rule.group, rule.version, rule.kind)))


def matches_kind(rule: DeclaredRule | RuleEntry | UncoveredEntry, patterns: Sequence[str]) -> bool:
    """Whether the kind of a rule matches one of the patterns, or there are none."""
    names = [rule.kind, f"{rule.group or 'core'}/{rule.version}", f"{rule.group or 'core'}/{rule.version}/{rule.kind}"]
    return not patterns or any(fnmatchcase(name.lower(), one.lower()) for name in names for one in patterns)


def _sums(name: str, rules: Sequence[DeclaredRule]) -> list[str]:
    levels = Counter[str](rule.level or "standard" for rule in rules)
    distinct = len({(_name(rule), rule.path, rule.type, rule.origin) for rule in rules})
    kinds = len({_name(rule) for rule in rules})
    twice = f" ({len(rules) - distinct} declared twice)" if distinct != len(rules) else ""
    by_level = ", ".join(f"{levels[level]:,} {level}" for level in LEVELS)
    return [visible(f"{name}: {count(distinct, 'rule')}{twice} of {count(kinds, 'kind')}: {by_level}")]


def print_code(file: str, kinds: Sequence[str], *, by_field: bool, unseen: bool, as_json: bool) -> int:
    """Print the handwritten code of a run by function, or its calls that report an error by field of these kinds."""
    report = read_report(file)
    if not report.code:
        raise UsageError(
            f"{file} has no code coverage\n"
            "  fix: run with --kubernetes RELEASE --branches, or with CRDs, --validator and --branches"
        )
    if as_json:
        found = report.fields if by_field and report.fields else report.code
        click.echo(msgspec.json.format(encode_json(found), indent=1).decode())
    else:
        table = field_table(report, kinds, unseen) if by_field else code_table(report.code, unseen)
        click.echo("\n".join([*table, *code_rows(report)]))
    return 0


def print_migrated(file: str, kinds: Sequence[str]) -> int:
    """Print how many handwritten checks of each category and kind have a rule."""
    report = read_with_rules(file)
    rules = [rule for rule in report.rules if matches_kind(rule, kinds)]
    click.echo("\n".join(migrated_table(rules, [one for one in report.uncovered if matches_kind(one, kinds)])))
    return 0


def read_with_rules(file: str) -> Report:
    """Read the report of a run whose rules are known. Raises: UsageError when they are not."""
    report = read_report(file)
    if report.coverage is None:
        raise UsageError(f"{file} has no rules: the Go types of its target were unknown\n  fix: run with --types DIR")
    return report


def print_coverage(
    file: str, api: Sequence[str], kinds: Sequence[str], levels: Sequence[str], unseen: bool, uncovered: bool,
    as_json: bool,
) -> int:  # fmt: skip
    """Print the rule coverage of a run, or the handwritten errors that no rule covers."""
    if any(api):
        raise UsageError(
            "--report has the rules of its run already\n  fix: leave out the path, --kubernetes, --crd and --policy"
        )
    report = read_with_rules(file)
    if uncovered:
        found: Sequence[RuleEntry | UncoveredEntry] = [one for one in report.uncovered if matches_kind(one, kinds)]
    else:
        found = [
            rule
            for rule in report.rules
            if matches_kind(rule, kinds)
            and (not levels or (rule.level or "standard") in levels)
            and not (unseen and rule.rejected and rule.accepted and rule.handwritten)
        ]
    if as_json:
        click.echo(msgspec.json.format(encode_json(found), indent=1).decode())
    else:
        click.echo("\n".join([*coverage_table(found), *([] if uncovered else rule_rows(report))]))
    return 0
