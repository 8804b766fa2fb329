"""`harness corpus`: make a corpus for `harness run --corpus` of what a release's own tests give to its validators."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.options import FOLDER
from harness.cli.searching import Seconds
from harness.diagnostics import HarnessError, UsageError
from harness.fuzzers.corpus import MAX_FOLDER_BYTES, content_name, keep
from harness.report.escaping import count, lines, visible
from harness.subject import SubjectSpec, open_subject
from harness.targets.kubernetes.gotests.cases import cases_of, count_objects
from harness.targets.kubernetes.gotests.testrun import TestedPackage, run_go_tests
from harness.targets.kubernetes.release import find_release

DEFAULT_SECONDS = 900.0
"""The time for compiling and running the tests. Units: seconds."""


@click.command("corpus")
@click.option("--from-tests", is_flag=True, required=True, help="Run the release's own tests of validators.")
@click.option("--kubernetes", required=True, metavar="RELEASE|CHECKOUT", help="A release such as 1.37.1, or a checkout.")
@click.option("--output", type=FOLDER, required=True, metavar="DIR", help="The corpus; cases are added to it.")
@click.option(
    "--max-time", type=Seconds(), default=DEFAULT_SECONDS, show_default=True, metavar="SECONDS",
    help="Stop compiling and testing after this time, and keep what was recorded.",
)  # fmt: skip
def command(from_tests: bool, kubernetes: str, output: Path, max_time: float) -> int:
    """Run `go test` of a release's validators, and keep the objects that its tests give to them as a corpus.

    \b
    harness corpus --from-tests --kubernetes 1.37.1 --output seeds
    harness run --kubernetes 1.37.1 --corpus seeds

    Exit codes: 0 written, 2 nothing could be recorded.
    """
    del from_tests  # it is required: the command makes no corpus of anything else
    problems: list[str] = []

    def note(text: str) -> None:
        click.echo(lines(text), err=True)

    packages = run_go_tests(find_release(kubernetes), max_time, note)
    for package in packages:
        note(_line_of(package))
    records = [record for package in packages for record in package.records if not record.left]
    if not records:
        raise HarnessError("no test gave an object to a validator\n  fix: a larger --max-time; see the lines above")
    with open_subject(SubjectSpec("kubernetes", kubernetes), note) as subject:
        kinds = subject.target.info.kinds
    cases = {content_name(case): case for record in records for case in cases_of(record, kinds)}
    for case in cases.values():
        keep(output, case, problems.append)
    if problems:
        raise UsageError(f"{problems[0]}\n  fix: name a folder that you can write")
    validators = {record.function for record in records}
    unasked = sum(not any(cases_of(record, kinds)) for record in records)
    click.echo(visible(
        f"{output}: {count(len(cases), 'case')} of {count(count_objects(records), 'object')} "
        f"that tests of {count(len(packages), 'package')} give to {count(len(validators), 'validator')}; "
        f"{count(unasked, 'object')} in a version that no request has"
    ))  # fmt: skip
    if sum(path.stat().st_size for path in output.glob("*.json")) > MAX_FOLDER_BYTES:
        note(f"{output} has more than {MAX_FOLDER_BYTES:,} bytes, of which a run reads no more")
    return 0


def _line_of(package: TestedPackage) -> str:
    """Return what came of one package, and what is left out of it and why."""
    asked = {record.function for record in package.records if not record.left}
    left = sorted({f"{record.function.rpartition('.')[2]}: {record.left}" for record in package.records if record.left})
    text = f"{package.folder}: {len(asked)} of {count(len(package.validators), 'validator')}, "
    text += count(count_objects(package.records), "object")
    text += f"; {package.problem}" if package.problem else ""
    return text + (f" (left out: {', '.join(left)})" if left else "")
