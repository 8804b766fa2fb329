"""`harness campaign corpus`, `changes` and `site`: what is made of ledgers once units are in them."""

from __future__ import annotations

from pathlib import Path

import click

from harness.campaign.changes import CampaignChanges, compare_campaigns
from harness.campaign.corpora import write_corpus
from harness.campaign.ledger import CampaignLedger
from harness.campaign.result import collect_corpus, merge_settings
from harness.campaign.site.history import gather, read_campaigns
from harness.campaign.site.pages import render_site
from harness.cli import COULD_NOT_RUN
from harness.cli.options import FOLDER
from harness.cli.publishing import EXCEPTIONS, exceptions_in
from harness.diagnostics import UsageError
from harness.export.gofuzz import write_go_seeds
from harness.files import write_atomically
from harness.report.escaping import count, lines, visible
from harness.report.model.tolerance import tolerate


@click.command("corpus")
@click.argument("ledger", metavar="LEDGER")
@click.option("--output", type=FOLDER, metavar="DIR", help="Write it to a folder, for --corpus.")
@click.option(
    "--go", "go_folder", type=FOLDER, metavar="DIR",
    help="Write seeds of native Go fuzz targets to the folder of their test, below testdata/fuzz.",
)  # fmt: skip
def corpus(ledger: str, output: Path | None, go_folder: Path | None) -> int:
    """Write the corpus of a ledger: what reaches a finding, a rule, handwritten code or a place that nothing else does.

    \b
    harness campaign corpus nightly --output corpus
    harness campaign run plan.yaml --ledger tomorrow --corpus corpus

    Exit codes: 0 written, 2 the ledger cannot be read, or a file not be written.
    """
    if output is None and go_folder is None:
        raise UsageError("no place for the corpus is named\n  fix: add --output DIR, --go DIR, or both")
    kept = CampaignLedger(ledger)
    kept.check_layout()
    found, problems = collect_corpus(kept), list[str]()
    if output is not None:
        write_corpus(found, output, problems.append)
        click.echo(
            f"{output}: {count(len(found.cases), 'case')} of findings, {found.reaching_cases:,} of rules and code, "
            f"{count(found.objects, 'seed object')}"
        )
    if go_folder is not None:
        objects = [seed.case for seeds in found.seeds.values() for seed in seeds.seeds]
        objects += [one.case for kept in found.reaching.values() for one in kept.cases]
        try:
            targets = write_go_seeds((*found.cases, *objects), go_folder)
        except OSError as error:
            raise UsageError(f"{go_folder} cannot be written: {error.strerror}\n  fix: name another folder") from error
        for name, number in targets.items():
            click.echo(f"{go_folder}/testdata/fuzz/{name}: {count(number, 'seed')}")
    for problem in problems:
        click.echo(f"harness: {lines(problem)}", err=True)
    return COULD_NOT_RUN if problems else 0


@click.command("changes")
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
def changes(before: str, after: str) -> int:
    """Show what is new since another campaign, by target, gates and API group.

    BEFORE and AFTER are ledgers. Findings came, went, or changed their severity; settings that only one of both has are
    named.

    Exit codes: 0 nothing came or became worse, 1 something did, 2 a ledger cannot be read or misses units.
    """
    ledgers = [CampaignLedger(before), CampaignLedger(after)]
    for one in ledgers:
        one.check_layout()
    found = compare_campaigns(*(merge_settings(one) for one in ledgers))
    _show_changes(found)
    missing = [one for one in ledgers if any(unit.digest not in one.done() for unit in one.units())]
    for one in missing:
        click.echo(f"{one.url} misses units: what went may only not have been asked", err=True)
        click.echo(f"  fix: harness campaign resume {one.url}", err=True)
    if any(group.is_worse for group in found.groups):
        return 1
    return COULD_NOT_RUN if missing else 0


@click.command("site")
@click.argument("urls", nargs=-1, required=True, metavar="LEDGER...")
@click.option("--output", required=True, type=FOLDER, metavar="DIR", help="Write the site to a folder.")
@click.option(
    "--exceptions", type=click.Path(path_type=Path), metavar="FILE",
    help="Exceptions file: tolerated findings. Default: equivalence_exceptions.yaml, if it exists.",
)  # fmt: skip
def site(urls: tuple[str, ...], output: Path, exceptions: Path | None) -> int:
    """Write a static site: a page for each release and API group, the history of coverage and findings, and badges.

    LEDGERs are campaigns, oldest first; a single one is shown as it was at the end of each day on which it grew. The
    site opens from its folder, and asks nothing of any network.

    \b
    harness campaign site monday tuesday --output site

    Exit codes: 0 written, 2 a ledger cannot be read, the folder not be written, or the last campaign misses units.
    """
    entries = exceptions_in(exceptions)
    ledgers = [CampaignLedger(url) for url in urls]
    for one in ledgers:
        one.check_layout()
    history = gather(read_campaigns(ledgers, lambda report: tolerate(report, entries, str(exceptions or EXCEPTIONS))))
    if history is None:
        raise UsageError("no unit of these campaigns is done\n  fix: harness campaign resume LEDGER")
    written = 0
    try:
        for name, data in render_site(history):
            write_atomically(output / name, data)
            written += 1
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}\n  fix: name another folder") from error
    click.echo(f"{output / 'index.html'}: {count(written, 'file')}, {count(len(history.points), 'campaign')}")
    if history.last.missing:
        click.echo(
            f"{count(history.last.missing, 'unit')} missing\n  fix: harness campaign resume {urls[-1]}", err=True
        )
        return COULD_NOT_RUN
    return 0


def _show_changes(found: CampaignChanges) -> None:
    for words, names in (("only before", found.only_before), ("only after", found.only_after)):
        for name in names:
            click.echo(f"{words}: {visible(name)}")
    for group in found.groups:
        click.echo(f"\n{visible(group.setting)}  {visible(group.group) or 'core'}")
        for sign, findings in (("+", group.came), ("-", group.went)):
            for one in findings:
                click.echo(
                    f"  {sign} {one.fingerprint}  {one.severity}  {one.cause}  {visible(f'{one.name} {one.path}')}"
                )
        for change in group.changed:
            it = change.after
            click.echo(
                f"  ! {it.fingerprint}  {change.before.severity} -> {it.severity}  {it.cause}  "
                f"{visible(f'{it.name} {it.path}')}"
            )
    came, went, changed = (
        sum(len(getattr(one, which)) for one in found.groups) for which in ("came", "went", "changed")
    )
    click.echo(f"{came:,} came, {went:,} went, {changed:,} changed their severity")
