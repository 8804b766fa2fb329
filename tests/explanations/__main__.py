"""Measure what fixes are worth: `python -m tests.explanations --every 1 --jobs 2`."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.explanations.population import NAMES, Outcome, explain_suite


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the results as a table of Markdown."""
    mechanical = [one for one in outcomes if one.sort]
    rows = ["| Of | Findings | Share |", "|---|---:|---:|"]
    rows.append(_row("fixes that name the field and the rule", [one.named for one in outcomes]))
    rows.append(_row("mechanical fixes after which the finding is gone", [one.made == "gone" for one in mechanical]))
    for sort in sorted({one.sort for one in mechanical}):
        rows.append(_row(f"of these, {sort}", [one.made == "gone" for one in mechanical if one.sort == sort]))
    rows.append(
        _row("explanations without a sentence that is contradicted", [not one.contradicted for one in outcomes])
    )
    return "\n".join(rows)


def _row(words: str, results: Sequence[bool]) -> str:
    share = f"{100 * sum(results) / len(results):.1f} %" if results else "none"
    return f"| {words} | {sum(results)} of {len(results)} | {share} |"


def main() -> None:
    """Print the table, and what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.explanations", description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="explain every Nth mutant only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write every outcome to a file")
    given = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        parts = pool.starmap(explain_suite, [(name, given.every, given.seed) for name in NAMES], chunksize=1)
    outcomes = [one for part in parts for one in part]
    if given.json is not None:
        given.json.write_text(json.dumps([one._asdict() for one in outcomes], indent=1), encoding="utf-8")
    sys.stdout.write(f"{table(outcomes)}\n")
    for one in outcomes:
        if not one.named or one.contradicted or (one.sort and one.made != "gone"):
            words = f"{one.suite}: {one.mutant}\n    {one.cause}: {one.fix}\n    {one.sort} {one.made}"
            words += "".join(f"\n    {contradicted}" for contradicted in one.contradicted)
            sys.stdout.write(f"{words.rstrip()}\n")


if __name__ == "__main__":
    main()
