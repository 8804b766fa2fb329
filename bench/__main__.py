"""`python -m bench`: prints cases a second by target, where the time goes, and the peers beside it."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import click
import msgspec
from rich.console import Console

try:
    from bench import (
        campaign,
        compiling,
        crds,
        exchange,
        generators,
        holding,
        kills,
        ledger,
        page,
        recording,
        reduction,
        scaling,
        tuning,
        upgrade,
        upstream,
        validation,
        validators,
    )
except ModuleNotFoundError as error:
    # Imported for all benchmarks: numbers without the peers of the same run would say nothing.
    if (error.name or "").partition(".")[0] not in ("jsonschema", "jsonschema_rs", "pydantic"):
        raise
    print(f"{error.name} is not installed\n  why: peers are measured in the same run", file=sys.stderr)
    print("  fix: pip install '.[bench]'", file=sys.stderr)
    sys.exit(2)
from bench.record import Document, show
from harness.subject import SubjectSpec

QUESTIONS = ("exchange", "generators", "validators", "compiling", "recording", "run", "reduction", "upstream")

ALONE = ("page", "validation", "memory", "tuning", "upgrade", "crds", "ledger", "kills", "scaling")
"""Questions that are asked only by name, since they want more than Python, or time."""


@click.command()
@click.option("--seconds", default=3.0, show_default=True, help="How long each line is measured.")
@click.option("--seed", default=1, show_default=True)
@click.option(
    "--suite", type=click.Path(exists=True, file_okay=False, path_type=Path), default=campaign.SUITES / "workload_v1"
)
@click.option("--kubernetes", metavar="RELEASE", help="Measure a release too; its worker is built on first use.")
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Processes of the release's second line.")
@click.option("--command", "commands", multiple=True, metavar="PROGRAM", help="Measure a program that speaks the wire.")
@click.option("--only", type=click.Choice((*QUESTIONS, *ALONE)), multiple=True, help="Ask only this; may be repeated.")
@click.option("--json", "file", type=click.Path(dir_okay=False, path_type=Path), help="Write the numbers here too.")
def main(
    seconds: float,
    seed: int,
    suite: Path,
    kubernetes: str | None,
    jobs: int,
    commands: tuple[str, ...],
    only: tuple[str, ...],
    file: Path | None,
) -> None:
    """Measure, on this machine and in one run, the harness and its peers."""
    asked = only or QUESTIONS
    sections = []
    if "exchange" in asked:
        sections.append(exchange.measure(seconds))
    if "generators" in asked:
        sections.append(generators.measure(suite, seconds, seed))
    if "validators" in asked:
        sections += validators.measure(seconds)
    if "compiling" in asked:
        sections.append(compiling.measure(suite, kubernetes, seconds))
    if "recording" in asked:
        sections.append(recording.measure())
    if "run" in asked:
        sections.append(campaign.measure(campaign.targets(suite, kubernetes, commands, jobs), seconds, seed))
    if "reduction" in asked and kubernetes:
        sections.append(reduction.measure(kubernetes, seconds, seed))
    if "upstream" in asked and kubernetes:
        sections.append(upstream.measure(kubernetes, seconds, seed, jobs))
    if "page" in asked:
        sections.append(page.measure())
    if "validation" in asked and kubernetes:
        sections += validation.measure(kubernetes, seconds)
    if "memory" in asked and kubernetes:
        sections += holding.measure(kubernetes, seconds, seed)
    if "tuning" in asked:
        sections.append(tuning.measure(SubjectSpec("suite", str(suite)), kubernetes, seed))
    if "upgrade" in asked and kubernetes:
        sections.append(upgrade.measure(kubernetes, seconds, seed, jobs))
    if "ledger" in asked:
        sections.append(ledger.measure(seconds))
    if "kills" in asked and kubernetes:
        sections.append(kills.measure(kubernetes, seconds, seed))
    if "scaling" in asked and kubernetes:
        sections.append(scaling.measure(kubernetes))
    if "crds" in asked:
        sections.append(crds.measure(seconds, seed))
    document = Document(platform.python_version(), os.cpu_count() or 1, seconds, tuple(sections))
    show(document, Console() if sys.stdout.isatty() else Console(width=150))
    if file is not None:
        file.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


if __name__ == "__main__":
    main()
