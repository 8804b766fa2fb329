"""`harness campaign`: many runs after one plan, computed by many processes, and kept in a ledger that survives them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

import click
import msgspec
from rich.table import Table

from harness.campaign.claim import claimed
from harness.campaign.corpora import CampaignCorpus, read_corpus
from harness.campaign.execution import Tally, connected, execute
from harness.campaign.ledger import CampaignLedger
from harness.campaign.plan import DEFAULT_CASES, CampaignPlan, check_settings, read_plan
from harness.campaign.plancheck import CheckedPlan, check_plan
from harness.campaign.result import MergedSetting, merge_settings
from harness.campaign.workercheck import check_workers
from harness.cli import COULD_NOT_RUN, campaignresults
from harness.cli.options import FOLDER
from harness.cli.progress import verbosity_options
from harness.cli.publishing import EXCEPTIONS, Files, exceptions_in, policy_options, publish, replay_command
from harness.cli.searching import cores
from harness.diagnostics import InputError, UsageError
from harness.errormatch.exceptionfile import ExceptionFile
from harness.files import code_digest
from harness.report.escaping import count, lines, visible
from harness.report.formats.terminal.lines import console
from harness.report.model.document import Policy, Report
from harness.report.model.tolerance import tolerate

F = TypeVar("F", bound=Callable[..., Any])

MOST_SHOWN_FAILURES = 10


@click.group("campaign")
def command() -> None:
    """Run many searches after one plan, with many processes, and go on after whatever dies.

    A plan is cut into units; each is a run of one shard under one setting of feature gates with one seed. The result
    is the same whoever computes them, in which order, and however often.
    """


for _one in (campaignresults.corpus, campaignresults.changes, campaignresults.site):
    command.add_command(_one)


def _execution_options(function: F) -> F:
    """Add --scheduler, --workers and --folder."""
    for option in (
        click.option(
            "--folder", type=FOLDER, default=Path(), help="The folder that paths of the plan are relative to."
        ),
        click.option(
            "--workers", type=click.IntRange(1, 512), metavar="N", help="Processes of the embedded scheduler."
        ),
        click.option("--scheduler", metavar="tcp://HOST:PORT", help="A Dask scheduler. Default: an embedded one."),
    ):
        function = option(function)
    return function


def _judging_options(function: F) -> F:
    """Add --report, --exceptions and the policy."""

    @wraps(function)
    def wrapped(*args: Any, report_folder: Path | None, **others: Any) -> Any:
        return function(*args, folder_of_reports=report_folder, **others)

    words = "Write the merged report of each setting in all formats to a folder."
    added = click.option("--report", "report_folder", type=FOLDER, metavar="DIR", help=words)(wrapped)
    exceptions = click.option(
        "--exceptions", type=click.Path(path_type=Path), metavar="FILE",
        help="Exceptions file: tolerated findings. Default: equivalence_exceptions.yaml, if it exists.",
    )  # fmt: skip
    return cast(F, verbosity_options(policy_options(exceptions(added))))


_ledger = click.argument("ledger", metavar="LEDGER")


@command.command("run")
@click.argument("plan", required=False, type=click.Path(path_type=Path), metavar="[PLAN.yaml]")
@click.option(
    "--ledger", required=True, metavar="DIR|URL", help="Where units are kept: a folder, or s3://... by fsspec."
)
@click.option(
    "--kubernetes", "releases", multiple=True, metavar="RELEASE|CHECKOUT", help="Instead of a plan; repeatable."
)
@click.option("--gates", multiple=True, metavar="A=true,B=false", help="A setting of feature gates; repeatable.")
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="How many seeds, from 1 on.")
@click.option("--max-cases", type=click.IntRange(min=1), default=DEFAULT_CASES, show_default=True, metavar="N",
              help="Cases of each target, setting and seed.")  # fmt: skip
@click.option("--shards", type=click.IntRange(1, 10_000), default=8, show_default=True, help="Units of each of these.")
@click.option("--corpus", type=FOLDER, metavar="DIR", help="A corpus that every unit starts from; it is not changed.")
@_execution_options
@_judging_options
def run(
    plan: Path | None, ledger: str, releases: tuple[str, ...], gates: tuple[str, ...], seeds: int, max_cases: int,
    shards: int, corpus: Path | None, scheduler: str | None, workers: int | None, folder: Path,
    folder_of_reports: Path | None, exceptions: Path | None, policy: Policy,
) -> int:  # fmt: skip
    """Compute the units of a plan, merge their reports, and judge each setting.

    \b
    harness campaign run plan.yaml --ledger nightly --report out
    harness campaign run --kubernetes 1.37.1 --gates default --gates AllAlpha=true,AllBeta=true --ledger nightly

    Exit codes: 0 no findings beyond the exceptions, 1 findings, 2 units are missing or could not be computed.
    """
    if (plan is None) == (not releases):
        raise UsageError("a campaign is named by a plan or by --kubernetes\n  fix: name one of both")
    if plan is not None:
        what = read_plan(plan)
    else:
        if problems := check_settings("--gates", gates):
            raise InputError(problems)
        targets = tuple(("--kubernetes", release) for release in releases)
        what = CampaignPlan(targets, gates or ("default",), tuple(range(1, seeds + 1)), max_cases, shards)
    entries = exceptions_in(exceptions)
    kept = CampaignLedger(ledger)
    kept.check_place()
    found = None if corpus is None else _corpus_of(corpus)
    if found is not None:
        what = msgspec.structs.replace(what, corpus=found.digest)
    with _connected(scheduler, workers) as client:
        checked = check_plan(client, what, str(folder.absolute()), code_digest(), str(plan or "--kubernetes"))
        kept.create()
        with claimed(kept):
            _keep_targets(kept, checked)
            if found is not None:
                kept.keep_corpus(found.digest, found)
            kept.add_plan(what)
            check_workers(client, kept)
            tally = _execute(kept, client, folder)
    return _judge(kept, tally, folder_of_reports, entries, exceptions, policy)


@command.command("resume")
@_ledger
@_execution_options
@_judging_options
def resume(
    ledger: str, scheduler: str | None, workers: int | None, folder: Path, folder_of_reports: Path | None,
    exceptions: Path | None, policy: Policy,
) -> int:  # fmt: skip
    """Go on with the plans of a ledger: compute the units that have no report, then merge and judge.

    Exit codes as of `campaign run`.
    """
    entries = exceptions_in(exceptions)
    kept = CampaignLedger(ledger)
    kept.check()
    with _connected(scheduler, workers) as client, claimed(kept):
        for plan in kept.plans():
            _keep_targets(kept, check_plan(client, plan, str(folder.absolute()), code_digest(), kept.url))
        check_workers(client, kept)
        tally = _execute(kept, client, folder)
    return _judge(kept, tally, folder_of_reports, entries, exceptions, policy)


@command.command("status")
@_ledger
def status(ledger: str) -> int:
    """Show how far the plans of a ledger are.

    Exit codes: 0 all units are done, 2 some are missing, or the ledger cannot be read.
    """
    kept = CampaignLedger(ledger)
    kept.check_layout()
    units, done = list(kept.units()), kept.done()
    table = Table("target and gates", "units", "done", box=None, header_style="bold")
    for setting in dict.fromkeys(unit.setting for unit in units):
        own = [unit for unit in units if unit.setting == setting]
        words = " ".join(setting[0]) + (f" --gates {setting[1]}" if setting[1] else "")
        table.add_row(visible(words), f"{len(own):,}", f"{sum(unit.digest in done for unit in own):,}")
    console().print(table)
    missing = sum(unit.digest not in done for unit in units)
    click.echo(f"{count(len(units), 'unit')}, {missing:,} missing")
    return COULD_NOT_RUN if missing else 0


@command.command("report")
@_ledger
@_judging_options
def report(ledger: str, folder_of_reports: Path | None, exceptions: Path | None, policy: Policy) -> int:
    """Merge the reports that a ledger has, and judge each setting.

    Exit codes as of `campaign run`.
    """
    entries = exceptions_in(exceptions)
    kept = CampaignLedger(ledger)
    kept.check_layout()
    return _judge(kept, None, folder_of_reports, entries, exceptions, policy)


def _keep_targets(ledger: CampaignLedger, checked: CheckedPlan) -> None:
    """Keep the Go and the files that units of a plan are of. Raises: HarnessError if there are units of others."""
    ledger.keep_go(checked.go)
    for target, content in checked.contents:
        ledger.keep_content(target, content)


def _corpus_of(folder: Path) -> CampaignCorpus:
    """Read the corpus of a folder. Raises: UsageError if it has none."""
    problems: list[str] = []
    corpus = read_corpus(folder, problems.append)
    for problem in problems:
        click.echo(f"harness: {lines(problem)}", err=True)
    if not corpus.cases and not corpus.seeds:
        raise UsageError(f"{folder} has no corpus\n  fix: harness campaign corpus LEDGER --output {folder}")
    return corpus


@contextmanager
def _connected(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    with connected(scheduler, workers or cores()) as client:
        if scheduler is None and find_spec("bokeh") is None:
            click.echo("dashboard: Dask shows one at this place if its package is there: pip install bokeh", err=True)
        else:
            click.echo(f"dashboard: {client.dashboard_link}", err=True)
        yield client


def _execute(ledger: CampaignLedger, client: Any, folder: Path) -> Tally:
    with closing(_Progress()) as progress:
        return execute(ledger, client, folder.absolute(), progress, say=lambda words: click.echo(words, err=True))


class _Progress:
    """Prints how far a campaign is: at most every ten seconds, and in the end."""

    EVERY = 10.0

    def __init__(self) -> None:
        self._last = -self.EVERY
        self._tally: Tally | None = None

    def __call__(self, tally: Tally) -> None:
        self._tally = tally
        if tally.seconds - self._last >= self.EVERY:
            self._last = tally.seconds
            self._print(tally)

    def close(self) -> None:
        """Print the last state."""
        if self._tally is not None:
            self._print(self._tally)

    def _print(self, tally: Tally) -> None:
        done = tally.before + tally.done
        words = f"{done:,} of {count(tally.units, 'unit')}, {count(tally.cases, 'case')} now"
        if tally.failed:
            words += f", {len(tally.failed):,} failed"
        if (left := tally.seconds_left) is not None and done < tally.units:
            words += f", about {timedelta(seconds=round(left))} left"
        click.echo(words, err=True)


def _judge(
    ledger: CampaignLedger, tally: Tally | None, folder: Path | None, entries: ExceptionFile | None,
    exceptions: Path | None, policy: Policy,
) -> int:  # fmt: skip
    """Publish the merged report of each setting, and return the worst exit code."""
    codes = [0]
    rows: list[tuple[MergedSetting, Report]] = []
    for number, merged in enumerate(merge_settings(ledger), 1):
        files = Files({}, folder / f"{number}-{_slug(merged.name)}" if folder is not None else None)
        findings = tuple(
            msgspec.structs.replace(finding, replay=finding.replay and replay_command(files, finding.fingerprint))
            for finding in merged.report.findings
        )
        with_replays = msgspec.structs.replace(merged.report, findings=findings, policy=policy)
        judged = tolerate(with_replays, entries, str(exceptions or EXCEPTIONS))
        click.echo(f"\n{visible(merged.name)}")
        codes.append(publish(judged, files))
        if merged.missing:
            codes.append(COULD_NOT_RUN)
        rows.append((merged, judged))
    _show_settings(rows)
    failed = list(tally.failed.items()) if tally is not None else []
    for name, why in failed[:MOST_SHOWN_FAILURES]:
        click.echo(f"harness: {lines(name)}: {lines(why)}", err=True)
    if len(failed) > MOST_SHOWN_FAILURES:
        click.echo(f"harness: {count(len(failed) - MOST_SHOWN_FAILURES, 'more unit')} failed", err=True)
    done = ledger.done()
    missing = sum(unit.digest not in done for unit in ledger.units())
    if missing:
        click.echo(f"{count(missing, 'unit')} missing\n  fix: harness campaign resume {ledger.url}", err=True)
        codes.append(COULD_NOT_RUN)
    return max(codes)


def _show_settings(rows: Sequence[tuple[MergedSetting, Report]]) -> None:
    """Show what each setting found, and what no setting before it did."""
    table = Table(
        "target and gates", "cases", "findings", "of these new", "mutants killed", "missing units", box=None,
        header_style="bold",
    )  # fmt: skip
    seen: set[str] = set()
    for merged, judged in rows:
        found = {finding.fingerprint for finding in judged.findings}
        table.add_row(
            visible(merged.name), f"{judged.cases:,}", f"{len(found):,}", f"{len(found - seen):,}",
            f"{merged.mutants.killed:,} of {merged.mutants.tested:,}" if merged.mutants.tested else "not tested",
            f"{len(merged.missing):,}",
        )  # fmt: skip
        seen |= found
    console().print(table)


def _slug(name: str) -> str:
    return re.sub(r"[^0-9A-Za-z.]+", "-", name).strip("-")[:80]
