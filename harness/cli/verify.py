"""`harness verify`: verify that the fields a change in git touches stay equivalent, and list what changes for users."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.configuration import parse_gates
from harness.cli.eventlog import EventLog, events_option, reserve_stdout
from harness.cli.progress import verbosity_options
from harness.cli.publishing import Files, allow_option, exceptions_in, report_options
from harness.cli.searching import cores, example_option, search_options, seed_of
from harness.cli.targets import validator_of, validator_options
from harness.cli.verifying import VerifyOptions, VerifyRun, print_note, show_touched
from harness.diagnostics import UsageError
from harness.git import Repository
from harness.subject import Example
from harness.verify.building import checkout_of, default_base
from harness.verify.crdchange import read_crd_change
from harness.verify.read import read_change


@click.command("verify")
@click.argument("checkout", default=".", type=click.Path(path_type=Path))
@click.option("--base", metavar="REV", help="Revision to compare with. Default: the branch of upstream or origin.")
@click.option("--head", metavar="REV", help="Revision to verify. Default: the work tree.")
@click.option("--crd", "crds", metavar="DIR|FILE", help="Verify the CRDs there, in a checkout of any project.")
@validator_options
@click.option("--field", "fields", multiple=True, metavar="PATH", help='Only this field, such as "spec.replicas".')
@click.option("--dry-run", is_flag=True, help="Only list what the change touches; do not build or search.")
@search_options("Cases per search.", "Total budget of the searches, without building. Default: 120.")
@example_option
@click.option("--gates", metavar="A=true,B=false", multiple=True, help="Only these feature gate settings.")
@report_options
@allow_option
@events_option
@verbosity_options
def command(
    checkout: Path, base: str | None, head: str | None, crds: str | None, fields: tuple[str, ...], dry_run: bool,
    max_time: float | None, max_cases: int | None, seed: str, jobs: int | None, gates: tuple[str, ...],
    files: Files, exceptions: Path | None, events: Path | None, allow_incomplete: tuple[str, ...],
    examples: tuple[Example, ...], webhook: str | None, webhook_at: str | None, ca: str | None, callee: str | None,
    validator: str | None,
) -> int:  # fmt: skip
    """Verify that the fields a change touches are equivalent, and list what changes for users.

    CHECKOUT is a git checkout of Kubernetes, or of a project with suites or with CRDs; by default the current one.

    \b
    harness verify                                  the work tree against its base branch
    harness verify --base origin/master --field spec.replicas
    harness verify --base v1.37.1 --head my-branch --report out
    harness verify --crd config/crd                 the CRDs of a project

    Exit codes: 0 equivalent as far as tried or nothing touched, 1 new findings, newly accepted or rejected objects,
    stale generated code or lint errors, 2 could not run, or a field could not be tried, 130 interrupted.
    """
    files = reserve_stdout(files, events)
    behind = validator_of(webhook, webhook_at, ca, callee, validator)
    if behind is not None and crds is None:
        raise UsageError("a webhook or a function stands behind CRDs\n  fix: name them with --crd, or leave it out")
    options = VerifyOptions(
        max_time, max_cases, seed_of(seed), jobs or cores(), parse_gates(gates), files, exceptions,
        exceptions_in(exceptions), allow_incomplete, examples, behind,
    )  # fmt: skip
    repository = Repository.at(checkout)
    base = base or default_base(repository)
    folder = checkout_of(repository, head, print_note) if head else checkout
    begin = repository.commit(base) if head else base
    if crds is None:
        change = read_change(folder, begin, fields)
    else:
        change = read_crd_change(folder, begin, crds, fields, has_validator=behind is not None)
    if dry_run:
        return show_touched(change)
    with EventLog(events) as log:
        return VerifyRun(change, Repository.at(folder), options, base, head, log).run()
