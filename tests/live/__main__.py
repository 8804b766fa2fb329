"""Compare what we say is served with a running server: `python -m tests.live --cases 20000 [--gates AllAlpha=true]`."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import cast

import click
import msgspec

from harness.cli.configuration import parse_gates
from harness.compare.confirmation import HANDLER
from harness.targets.kubernetes import KubernetesTarget
from harness.targets.live.target import LiveTarget
from harness.targets.target import Target
from tests.live.sample import compare, draw

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--release", default="1.37.1")
parser.add_argument("--cases", type=int, default=20_000)
parser.add_argument("--seed", type=int, default=1, help="of the search: parts of a sample have one each")
parser.add_argument("--gates", action="append", default=[])
parser.add_argument("--findings", action="store_true", help="ask about the findings of the search instead")
parser.add_argument(
    "--keep", type=Path, help="write the cases that are contradicted, or refused by a handler, to this file"
)
options = parser.parse_args()
gates = parse_gates(options.gates)
cases, findings = draw(options.release, gates, options.cases, options.seed)
cases = findings if options.findings else cases
click.echo(f"{len(cases):,} different cases are drawn")
outcomes: Counter[tuple[str, str]] = Counter()
kept = []
with (
    KubernetesTarget(options.release, gates=gates, note=click.echo) as validators,
    LiveTarget(options.release, gates=gates, note=click.echo) as server,
):
    for case, answer, found in compare(cases, cast(Target, validators), cast(Target, server)):
        outcomes[found.outcome, found.reason.partition(":")[0][:60] if found.outcome != "contradicted" else ""] += 1
        if found.outcome == "contradicted" or found.reason.startswith(HANDLER):
            kept.append({"case": case, "answer": answer, "found": found})
for (outcome, reason), number in outcomes.most_common():
    click.echo(f"{number:>7,} {outcome:<12} {reason}")
if options.keep is not None:
    options.keep.write_bytes(msgspec.json.encode(kept))
