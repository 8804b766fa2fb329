"""`harness graduate`: a certificate for each rule: may it become standard, and its handwritten check be deleted?"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import click
import msgspec
from rich.console import Console

from harness.cli import COULD_NOT_RUN, INTERRUPTED
from harness.cli.code import block_observers, counting
from harness.cli.configuration import DEFAULT_GATES
from harness.cli.coverage import rule_observers
from harness.cli.options import STDOUT
from harness.cli.power import DEFAULT_CASES, DEFAULT_CODE_CASES, known_option, require_known
from harness.cli.progress import Live, verbosity_options
from harness.cli.rulecalls import RuleCalls
from harness.cli.searching import cores, example_option, search_options, seed_of
from harness.cli.standardtests import StandardTests
from harness.cli.targets import TargetChoice, arguments_of, is_suite, target_options
from harness.diagnostics import HarnessError, UsageError
from harness.engine import RunConfig
from harness.errormatch.trusted import own_wordings
from harness.events import LOST, Budget
from harness.files import write_atomically
from harness.graduate.chosen import LEVELS, RuleChoice, require_levels
from harness.graduate.conclusions import prove_rules
from harness.graduate.cuts import cut_checks
from harness.graduate.document import Certificates, make_document
from harness.graduate.markers import Marker, markers_of, markers_of_rules, tag_on_line
from harness.graduate.mutation import MutantSearch, ReleaseMutants, SuiteMutants
from harness.graduate.page import render_page
from harness.graduate.patch import Patch, PatchWriter
from harness.graduate.proof import load_solver
from harness.graduate.run import Graduation, certify, judge_markers
from harness.graduate.servermetrics import read_metrics
from harness.graduate.view import headline, lines_of, lines_of_patch, lines_of_servers, markdown_of, summary_table
from harness.power import known as lists
from harness.power.handwritten import CodeTrial
from harness.power.judge import SuiteTrial
from harness.report.escaping import encode_json, lines
from harness.rulecov.inventory import Inventory, inventory_of
from harness.subject import Example, SubjectSpec, load_suite
from harness.subject.openers.crd import CRD
from harness.subject.openers.policy import POLICY
from harness.subject.opening import api_of, kind_of
from harness.suite import Suite
from harness.targets.kubernetes.release import code_folder

CHANGES, UNKNOWN = 1, 2
"""The exit codes if a rule changes something for users, and if none does but one is unknown."""


@click.command("graduate")
@click.argument("arguments", nargs=-1, metavar="[SUITE] [KIND.FIELD]...")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help='Only rules of this tag, such as "maxItems".')
@click.option("--level", "levels", multiple=True, type=click.Choice(LEVELS), help="Only rules of this level.")
@target_options
@search_options("Cases of the search. Default: 10,000 for each resource and subresource searched.")
@example_option
@click.option("--prove", is_flag=True, help="Prove from the sources of a release what holds for all created objects.")
@click.option(
    "--branches", is_flag=True, help="Ask whether all handwritten calls were reached that report a rule's error."
)
@click.option("--mutants", is_flag=True, help="Ask whether mutants of each rule and of its check would be noticed.")
@click.option(
    "--mutant-cases",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --mutants: cases of the search of each. Default: 20,000 of a suite, 4,000 of a release.",
)
@known_option("With --mutants: known surviving mutants. Default: power.yaml of a suite.")
@click.option(
    "--metrics",
    multiple=True,
    metavar="FILE",
    help="What an API server says at /metrics. Repeatable.",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the document.")
@click.option("--markdown", type=click.Path(path_type=Path), metavar="FILE", help="Write a block for the pull request.")
@click.option("--html", "html_file", type=click.Path(path_type=Path), metavar="FILE", help="Write one HTML page.")
@click.option(
    "--write",
    "patch_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a patch that makes safe rules standard.",
)
@verbosity_options
def command(
    arguments: tuple[str, ...], target: TargetChoice, tags: tuple[str, ...], levels: tuple[str, ...], seed: str,
    max_time: float | None, max_cases: int | None, jobs: int | None, json_file: Path | None, markdown: Path | None,
    examples: tuple[Example, ...], prove: bool, patch_file: Path | None, mutants: bool, mutant_cases: int | None,
    known: Path | None, metrics: tuple[str, ...], html_file: Path | None, branches: bool,
) -> int:  # fmt: skip
    """Certify rules: may each become standard, and its handwritten check be deleted?

    \b
    harness graduate ResourceClaim.spec.devices.requests --kubernetes 1.37.1
    harness graduate --tag maxItems --level beta --kubernetes 1.37.1
    harness graduate suites/claim_v1 --level beta
    harness graduate --tag maxItems --level beta --kubernetes 1.37.1 --prove
    harness graduate --level beta --kubernetes ~/kubernetes --write standard.patch

    Searches the kinds that hold the chosen rules, and gives each rule one verdict: safe, changes (with the object that
    shows what changes for users) or unknown (with what is missing).

    Exit codes: 0 all are safe, 1 one changes something, 2 none does and one is unknown or nothing ran, 130 interrupted.
    """
    files = (json_file, markdown, html_file, patch_file)
    if files.count(STDOUT) > 1:
        raise UsageError(
            "--json, --markdown, --html and --write cannot share standard output\n  fix: give one of them a file"
        )
    suites = [one for one in arguments if is_suite(one)]
    fields = tuple(one for one in arguments if one not in suites)
    spec = _spec_of(target, suites, fields)
    servers = tuple(map(read_metrics, dict.fromkeys(metrics)))
    solves = False
    if prove:
        _require_sources(spec, "--prove")
        solves = _has_solver()
    if patch_file is not None:
        _require_sources(spec, "--write")
    if branches:
        _require_sources(spec, "--branches")
    if not mutants and (mutant_cases is not None or known is not None):
        raise UsageError("--mutant-cases and --known are for mutants\n  fix: add --mutants, or leave them out")
    api = api_of(spec)
    if api is None:
        raise UsageError("the types of the target are not known\n  fix: add --types DIR")
    require_levels(api)
    inventory = inventory_of(api)
    markers = markers_of(api)
    by_rule = markers_of_rules(markers)
    rules = RuleChoice(fields, tags, levels).choose(inventory.rules, api.name, lambda one: tag_on_line(one, by_rule))
    config = RunConfig(
        seed=seed_of(seed), jobs=jobs or cores(), trusted=own_wordings(), observers=rule_observers(spec),
        examples=examples,
    )  # fmt: skip
    parts = target.parts(spec)
    search = _mutants(spec, parts, config, mutant_cases, known) if mutants else None
    if branches:
        parts = [counting(part) for part in parts]
        config = replace(config, observers={**config.observers, **block_observers(parts[0])})
    with Live(kind_of(spec.kind).title_of(spec.location)) as live:
        done = certify(
            parts, config, Budget(max_time, max_cases), rules, inventory, markers, live,
            (lambda rules, kinds: prove_rules(spec.location, rules, kinds, live.note)) if prove and solves else None,
            search, live.note, servers, RuleCalls(parts, live.note).reach if branches else None,
        )  # fmt: skip
    chosen = levels or tuple(sorted({known.rule.level for known in rules}))
    whole = not fields and not tags
    first = done.results[0]
    command_line = shlex.join(
        [
            "harness",
            "graduate",
            *fields,
            *_options(tags, levels, prove),
            *(["--branches"] if branches else []),
            *_mutant_options(mutants, mutant_cases),
        ]
    )
    asked = arguments_of(spec) + ("" if target.every_gate or spec.gates else f" --gates {DEFAULT_GATES}")
    document = make_document(
        subject=first.subject, release=first.target.release, seed=config.seed, max_cases=done.budget.max_cases,
        max_time=done.budget.max_time, jobs=config.jobs, cases=sum(one.cases for one in done.results),
        seconds=round(sum(one.seconds for one in done.results if not one.beside), 3), stopped=first.stopped,
        command=f"{command_line} {asked} --seed {config.seed}{_budget_text(done.budget)}",
        rules=done.certificates,
        markers=judge_markers(markers, done.certificates, chosen) if whole else (), servers=servers,
    )  # fmt: skip
    patch = _patch(parts[0], markers, inventory, done, live.note) if patch_file is not None else None
    _print(document, patch, err=STDOUT in files)
    _write(json_file, msgspec.json.format(encode_json(document), indent=1) + b"\n")
    _write(markdown, markdown_of(document).encode("utf-8", "backslashreplace"))
    _write(html_file, render_page(document))
    _write(patch_file, patch.text.encode("utf-8", "surrogateescape") if patch is not None else b"")
    return _exit_code(document, done)


def _spec_of(target: TargetChoice, suites: Sequence[str], fields: Sequence[str]) -> SubjectSpec:
    for name in fields:
        if "/" in name and "." not in name.rpartition("/")[2]:
            raise UsageError(f"{name!r} is no suite and names no field\n  fix: KIND.FIELD, or a folder with suite.py")
    spec = target.one(suites)
    if spec.kind in (CRD.name, POLICY.name):
        raise UsageError("CRDs and policies have no levels\n  fix: name a suite with types.go, or a release")
    if spec.kind == "suite":
        suite = load_suite(spec.location)
        if not isinstance(suite, Suite):
            raise UsageError(
                f"{suite.name} has no types.go, and so no tags with levels\n"
                "  fix: name a suite with types.go, or a release"
            )
    return spec


def _require_sources(spec: SubjectSpec, option: str) -> None:
    """Require a target with Go sources to read. Raises: UsageError."""
    if spec.kind != "kubernetes":
        raise UsageError(
            f"{option} reads the Go sources of a release\n  fix: add --kubernetes RELEASE, or leave it out"
        )


def _has_solver() -> bool:
    """Whether rules can be proved here; if not, says what to install, and the search goes on without."""
    try:
        load_solver()
    except UsageError as error:
        click.echo(f"harness: {lines(str(error))}\n  without it nothing is proved; the search goes on", err=True)
        return False
    return True


def _options(tags: Sequence[str], levels: Sequence[str], prove: bool) -> list[str]:
    chosen = [*(f"--tag={tag}" for tag in tags), *(f"--level={level}" for level in levels)]
    return [*chosen, "--prove"] if prove else chosen


def _mutant_options(mutants: bool, cases: int | None) -> list[str]:
    return ["--mutants", *([f"--mutant-cases={cases}"] if cases is not None else [])] if mutants else []


def _mutants(
    spec: SubjectSpec, parts: Sequence[SubjectSpec], config: RunConfig, cases: int | None, known: Path | None
) -> MutantSearch:
    """Return what judges the mutants of a target. Raises: UsageError, InputError."""
    require_known(known)
    if spec.kind == "suite":
        suite = load_suite(spec.location)
        assert isinstance(suite, Suite)  # see _spec_of
        entries = lists.load(known or suite.folder / lists.NAME)
        equivalent = tuple(entry for entry in entries if entry.state == "equivalent")
        trial = SuiteTrial(
            spec, config.seed, cases or DEFAULT_CASES, (), config.trusted, equivalent=equivalent,
            observers=config.observers, examples=tuple(config.examples),
        )  # fmt: skip
        return SuiteMutants(trial, suite.folder, entries, config.jobs)
    _require_sources(spec, "--mutants")
    code = CodeTrial(
        tuple(parts),
        config.seed,
        cases or DEFAULT_CODE_CASES,
        (),
        config.observers,
        config.trusted,
        tuple(config.examples),
    )
    return ReleaseMutants(code, lists.load(known) if known is not None else (), config.jobs)


def _budget_text(budget: Budget) -> str:
    cases = f" --max-cases {budget.max_cases}" if budget.max_cases is not None else ""
    return f"{cases} --max-time {budget.max_time:g}" if budget.max_time is not None else cases


def _patch(
    spec: SubjectSpec, markers: Sequence[Marker], inventory: Inventory, done: Graduation, note: Callable[[str], None]
) -> Patch:
    """Write the patch of the safe rules."""
    writer = PatchWriter(
        code_folder(spec.location), markers, inventory.rules, done.results[-1].target.kinds,
        lambda calls: cut_checks(spec.location, calls, note), StandardTests(spec, inventory, note).make,
    )  # fmt: skip
    return writer.write(done.rules, done.certificates)


def _print(document: Certificates, patch: Patch | None, err: bool) -> None:
    console = Console(stderr=err, markup=False, emoji=False, highlight=False)
    console.print(headline(document), soft_wrap=True)
    console.print(summary_table(document))
    for line in (
        *lines_of_servers(document),
        *lines_of(document),
        *(lines_of_patch(patch) if patch is not None else ()),
    ):
        console.print(line, soft_wrap=True)


def _write(file: Path | None, data: bytes) -> None:
    """Write a file, or to standard output. Raises: HarnessError."""
    if file is None:
        return
    if file == STDOUT:
        sys.stdout.buffer.write(data)
        return
    try:
        write_atomically(file, data)
    except OSError as error:
        raise HarnessError(f"{file} cannot be written: {error.strerror or error}\n  fix: another file") from None


def _exit_code(document: Certificates, done: Graduation) -> int:
    stopped = {one.stopped for one in done.results}
    if "interrupted" in stopped or done.interrupted:
        return INTERRUPTED
    if stopped & LOST:
        return COULD_NOT_RUN
    totals = document.totals
    return CHANGES if totals["changes"] else UNKNOWN if totals["unknown"] else 0
