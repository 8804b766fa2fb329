"""`python -m bench.paths REPORT`: how full accepted objects were, type by type, and what kept them from it.

Reads the JSON report of `harness run`: JSON paths of each type, those that occur in an accepted object, and the errors
that rejected the outermost of the others, most frequent first with their values left out.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import click

from harness.report.model.document import KindEntry
from harness.report.model.reading import read_report

_VALUE = re.compile(r"\"[^\"]*\"|\[[^\]]*\]|\{[^}]*\}|\d+")


def lines(kinds: tuple[KindEntry, ...]) -> list[str]:
    """Say for each type how many paths were accepted, those with the most left first."""
    told = sorted((kind for kind in kinds if kind.paths), key=lambda kind: kind.accepted_paths - kind.paths)
    return [f"{kind.accepted_paths:6,} of {kind.paths:6,}  {kind.subject}: {kind.name}" for kind in told]


def errors(kinds: tuple[KindEntry, ...]) -> list[tuple[str, int]]:
    """Count what rejected paths, without paths and values."""
    told = [error.partition(": ")[2] or error or "never tried" for kind in kinds for _, error in _unaccepted(kind)]
    return Counter(_VALUE.sub("…", error) for error in told).most_common()


def _unaccepted(kind: KindEntry) -> list[tuple[str, str]]:
    return [(one.path, one.error) for one in kind.unaccepted_paths]


@click.command()
@click.argument("report", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--top", default=40, show_default=True, help="How many types and errors to show.")
def main(report: Path, top: int) -> None:
    """Show what of each type occurs in an accepted object, and what rejected the rest."""
    kinds = read_report(report).kinds
    paths, accepted = sum(kind.paths for kind in kinds), sum(kind.accepted_paths for kind in kinds)
    seeds = sum(kind.has_seed for kind in kinds)
    click.echo(f"{accepted:,} of {paths:,} paths, {seeds} of {len(kinds)} with an object")
    click.echo("\n".join(lines(kinds)[:top]))
    click.echo("\n".join(f"{count:6,}  {error}" for error, count in errors(kinds)[:top]))


if __name__ == "__main__":
    sys.exit(main())
