"""`harness kinds`: list the kinds that a target serves, and those that it excludes, with the reason."""

from __future__ import annotations

import click
import msgspec

from harness.case import KindInfo, TargetInfo
from harness.cli import completion
from harness.cli.targets import TargetChoice, pair_options, target_options
from harness.report.escaping import count, encode_json, lines, visible
from harness.subject import open_subject


@click.command("kinds")
@click.argument("suites", nargs=-1, metavar="[SUITE]", shell_complete=completion.suites)
@target_options
@pair_options
@click.option("--json", "as_json", is_flag=True, help="Print the target's description as JSON.")
def command(suites: tuple[str, ...], target: TargetChoice, as_json: bool) -> int:
    """List the groups, versions, kinds and subresources that a target serves, and those it excludes."""
    with open_subject(target.one(suites), lambda text: click.echo(lines(text), err=True)) as subject:
        info = subject.target.info
    if as_json:
        click.echo(msgspec.json.format(encode_json(info), indent=1).decode())
    else:
        click.echo("\n".join(table(info)))
    return 0 if info.kinds else 2


def table(info: TargetInfo) -> list[str]:
    """Return the rows of the served kinds, of the excluded kinds, and the totals."""
    head = ("NAME", "KIND", "OPERATIONS", "RULES", "STORAGE", "COMPOSITION", "SERVED", "OTHER VERSIONS")
    rows = [head, *(_row(kind) for kind in info.kinds)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    if info.excluded:
        lines += ["", "EXCLUDED"]
        lines += [visible(f"{_name(e.group, e.version, e.resource)}: {e.reason}") for e in info.excluded]
    return [*lines, "", *_sums(info)]


def _row(kind: KindInfo) -> tuple[str, ...]:
    operations = ",".join(str(operation) for operation in kind.operations)
    own = kind.api_version in ("", _version(kind))
    cells = (
        kind.name, kind.kind if own else f"{kind.api_version} {kind.kind}", operations,
        "yes" if kind.rules else "-", "yes" if kind.storage else "-", kind.composition,
        f"no: asked through {kind.through}" if kind.through else "yes", ",".join(kind.versions),
    )  # fmt: skip
    return tuple(visible(cell) for cell in cells)


def _version(kind: KindInfo) -> str:
    return f"{kind.group}/{kind.version}" if kind.group else kind.version


def _name(group: str, version: str, resource: str) -> str:
    return f"{group}/{version} {resource}" if group else f"{version} {resource}"


def _sums(info: TargetInfo) -> list[str]:
    storage = {kind.key[:3] for kind in info.kinds if kind.storage}
    resources = {kind.key[:3] for kind in info.kinds}
    rules = sum(kind.rules for kind in info.kinds)
    unserved = sum(not kind.served for kind in info.kinds)
    subresources = sum(bool(kind.subresource) for kind in info.kinds)
    where = visible(info.name if info.release in info.name else f"{info.name} {info.release}")
    return [
        f"{where}: {count(len(info.kinds), 'entry', 'entries')}: {count(len(resources), 'resource')} "
        f"({len(storage)} with storage), {count(subresources, 'subresource')}; {rules} with declarative rules, "
        + (f"{unserved} not served, " if unserved else "")
        + f"{len(info.excluded)} excluded"
    ]
