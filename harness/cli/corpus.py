"""`harness corpus`: make a corpus for `harness run --corpus` of what a release's own tests give to its validators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click

from harness.case import Case
from harness.cli.options import FOLDER
from harness.cli.searching import Seconds
from harness.cli.targets import EVERY_GATE
from harness.diagnostics import HarnessError, TargetError, UsageError
from harness.fuzzers.corpus import MAX_FOLDER_BYTES, content_name, keep
from harness.report.escaping import count, lines, visible
from harness.subject import SubjectSpec, open_subject
from harness.targets.kubernetes.gotests.cases import cases_of
from harness.targets.kubernetes.gotests.testrun import RecordedPackage, run_go_tests
from harness.targets.kubernetes.gotests.thinning import thin
from harness.targets.kubernetes.release import find_release

DEFAULT_SECONDS = 900.0
"""The time for compiling and running the tests. Units: seconds."""


@click.command("corpus")
@click.option("--from-tests", is_flag=True, required=True, help="Run the release's own tests of validators.")
@click.option(
    "--kubernetes", required=True, metavar="RELEASE|CHECKOUT", help="A release such as 1.37.1, or a checkout."
)
@click.option("--output", type=FOLDER, required=True, metavar="DIR", help="The corpus; cases are added to it.")
@click.option(
    "--max-time", type=Seconds(), default=DEFAULT_SECONDS, show_default=True, metavar="SECONDS",
    help="Stop compiling and testing after this time, and keep what was recorded.",
)  # fmt: skip
@click.option("--whole", is_flag=True, help="Keep the cases too that reach no code of handwritten validators alone.")
@click.option("--package", default="*", metavar="PATTERN", help='Only these packages, such as "pkg/apis/apps/*".')
def command(from_tests: bool, kubernetes: str, output: Path, max_time: float, whole: bool, package: str) -> int:
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

    packages = run_go_tests(find_release(kubernetes), max_time, note, package)
    for tested in packages:
        note(_line_of(tested))
    records = [record for one in packages for record in one.records if not record.left]
    if not records:
        raise HarnessError("no test gave an object to a validator\n  fix: a larger --max-time; see the lines above")
    with open_subject(SubjectSpec("kubernetes", kubernetes), note) as subject:
        kinds = subject.target.info.kinds
    cases = {content_name(case): case for record in records for case in cases_of(record, kinds)}
    kept = cases if whole else _thin(kubernetes, cases, note)
    for case in kept.values():
        keep(output, case, problems.append)
    if problems:
        raise UsageError(f"{problems[0]}\n  fix: name a folder that you can write")
    objects, validators = sum(one.objects for one in packages), {name for one in packages for name in one.asked}
    click.echo(visible(
        f"{output}: {count(len(kept), 'case')} of {len(cases):,}, of {count(objects, 'object')} that tests of "
        f"{count(len(packages), 'package')} give to {count(len(validators), 'validator')}"
    ))  # fmt: skip
    if sum(path.stat().st_size for path in output.glob("*.json")) > MAX_FOLDER_BYTES:
        note(f"{output} has more than {MAX_FOLDER_BYTES:,} bytes, of which a run reads no more")
    return 0


def _thin(kubernetes: str, cases: Mapping[str, Case], note: Callable[[str], None]) -> dict[str, Case]:
    """Return the cases that reach code alone, with the default gates or with every gate enabled.

    All, if no worker that counts code can be built.
    """
    kept: dict[str, Case] = {}
    for gates in ({}, EVERY_GATE):
        try:
            opened = open_subject(SubjectSpec("kubernetes", kubernetes, gates=gates, counts_blocks=True), note)
        except TargetError as error:
            note(f"every case is kept, because code cannot be counted: {error}")
            return dict(cases)
        with opened as subject:
            kept |= {content_name(case): case for case in thin(cases.values(), subject.target)}
    return kept


def _line_of(package: RecordedPackage) -> str:
    """Return what came of one package, and what is left out of it and why."""
    of = f"{len(package.asked)} of {count(len(package.validators), 'validator')}"
    text = f"{package.folder}: {of if package.validators else count(len(package.asked), 'validator')}, "
    text += count(package.objects, "object") + (f"; {package.problem}" if package.problem else "")
    left = sorted(f"{function.rpartition('.')[2]}: {reason}" for function, reason in package.left.items())
    return text + (f" (left out: {', '.join(left)})" if left else "")
