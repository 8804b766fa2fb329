"""How many cases a second does a whole run do on each target, and where does the time go?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.costs import FAST, fast_kinds
from bench.memory import Peak
from bench.record import Measured, Section
from harness.diagnostics import HarnessError
from harness.engine import RunConfig, run
from harness.events import Budget, Result, Timings
from harness.subject import SubjectSpec

SUITES = Path(__file__).parent.parent / "suites"


@dataclass(frozen=True, slots=True)
class Asked:
    """A target to run against."""

    name: str
    spec: SubjectSpec
    jobs: int = 1
    fast_only: bool = False


def targets(suite: Path, kubernetes: str | None, commands: tuple[str, ...], jobs: int) -> list[Asked]:
    """List what is measured: a suite, the same in this process, the other suites, and what was asked for.

    A release is asked about all its kinds, and about those alone whose validators are fast: one slow kind may take
    more time than a hundred others.
    """
    asked = [
        Asked(f"python: {suite.name}", SubjectSpec("suite", str(suite))),
        Asked(f"python: {suite.name} in this process", SubjectSpec("suite", str(suite), in_process=True)),
    ]
    others = sorted(path.parent for path in SUITES.glob("*/suite.py") if path.parent.name != "kubernetes")
    asked += [Asked(f"python: {one.name}", SubjectSpec("suite", str(one))) for one in others if one.name != suite.name]
    asked += [Asked(f"command: {command}", SubjectSpec("command", command)) for command in commands]
    if kubernetes:
        spec = SubjectSpec("kubernetes", kubernetes)
        asked += [
            Asked(f"kubernetes: {kubernetes}, {which} kinds, {count} job{'s' if count > 1 else ''}", spec, count, fast)
            for which, fast in (("all", False), ("fast", True))
            for count in sorted({1, jobs})
        ]
    return asked


def measure(asked: list[Asked], seconds: float, seed: int) -> Section:
    """Run against each target. What cannot be opened is left out with its reason."""
    lines, left_out = [], []
    for one in asked:
        try:
            kinds, slow = fast_kinds(one.spec, seconds, seed, one.jobs) if one.fast_only else ([], [])
            with Peak() as peak:
                result = run(
                    one.spec, RunConfig(seed=seed, budget=Budget(max_time=seconds), jobs=one.jobs, kinds=kinds)
                )
        except HarnessError as error:
            left_out.append(f"{one.name}: {error}")
            continue
        if result.stopped == "target-lost":
            left_out.append(f"{one.name}: stopped early: {result.stopped_detail}")
        if slow:
            left_out.append(f"{one.name}: validators take over {1000 * FAST:g} ms: {', '.join(slow)}")
        lines.append(_line(one, result, peak))
        left_out += [f"{one.name}: {report.kind.name}: {report.error}" for report in result.kinds if report.error]
    return Section("How many cases a second, and where does the time go?", "cases", tuple(lines), tuple(left_out))


def _line(one: Asked, result: Result, peak: Peak) -> Measured:
    seeds = sum(report.has_seed for report in result.kinds)
    more: dict[str, int | str] = {
        "compared": result.compared,
        "findings": len(result.findings),
        "seeds": f"{seeds}/{len(result.kinds)}",
        "MiB": peak.bytes >> 20,
    }
    timings = result.timings
    if one.spec.in_process:
        # In this process a batch is answered where it is submitted: that is the target's work, nothing is encoded.
        timings = Timings(timings.generate, 0.0, timings.encode + timings.wait, timings.compare)
    return Measured(one.name, result.cases, result.seconds, timings, one.jobs, more)
