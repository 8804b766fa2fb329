"""`harness verify`: is what a change in git touches still equivalent, and what changes for users?"""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.configuration import parse_gates
from harness.cli.eventlog import EventLog, beside_events, events_option
from harness.cli.live import loudness_options
from harness.cli.publishing import Files, allow_option, exceptions_in, report_options
from harness.cli.searching import cores, example_option, search_options, seed_of, sigterm_interrupts
from harness.cli.verifying import Verifying, VerifyOptions, note, show_touched
from harness.subject import Example
from harness.verify.building import checkout_of, default_base
from harness.verify.git import Repository
from harness.verify.read import read_change


@click.command("verify")
@click.argument("checkout", default=".", type=click.Path(path_type=Path))
@click.option("--base", metavar="REV", help="The merge target. Default: the branch of upstream or origin.")
@click.option("--head", metavar="REV", help="Verify this commit. Default: the work tree.")
@click.option("--field", "fields", multiple=True, metavar="PATH", help='Only this field, such as "spec.replicas".')
@click.option("--dry-run", is_flag=True, help="Only list what the change touches; do not build or search.")
@search_options("Cases per search.", "Total budget of the searches, without building. Default: 120.")
@example_option
@click.option("--gates", metavar="A=true,B=false", multiple=True, help="Only these feature gate settings.")
@report_options
@allow_option
@events_option
@loudness_options
def command(
    checkout: Path, base: str | None, head: str | None, fields: tuple[str, ...], dry_run: bool,
    max_time: float | None, max_cases: int | None, seed: str, jobs: int | None, gates: tuple[str, ...],
    files: Files, exceptions: Path | None, events: Path | None, allow_incomplete: tuple[str, ...],
    examples: tuple[Example, ...],
) -> int:  # fmt: skip
    """Verify a change: which fields does it touch, are they equivalent, and what changes for users?

    CHECKOUT is a git checkout of Kubernetes, or of a project with suites; by default the current one.

    \b
    harness verify                                  the work tree against its base branch
    harness verify --base origin/master --field spec.replicas
    harness verify --base v1.37.1 --head my-branch --report out

    Exit codes: 0 equivalent as far as tried or nothing touched, 1 new findings, newly accepted or rejected objects,
    stale generated code or lint errors, 2 could not run, or a field could not be tried, 130 interrupted.
    """
    files = beside_events(files, events)
    options = VerifyOptions(
        max_time, max_cases, seed_of(seed), jobs or cores(), parse_gates(gates), files, exceptions,
        exceptions_in(exceptions), allow_incomplete, examples,
    )  # fmt: skip
    repository = Repository.at(checkout)
    base = base or default_base(repository)
    place = checkout_of(repository, head, note) if head else checkout
    change = read_change(place, repository.commit(base) if head else base, fields)
    if dry_run:
        return show_touched(change)
    with sigterm_interrupts(), EventLog(events) as log:
        return Verifying(change, Repository.at(place), options, base, head, log).run()
