"""How many cases a second does a whole run do on each target, and where does the time go?"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.record import Measured, Section
from harness.diagnostics import HarnessError
from harness.engine import run
from harness.events import Budget, Noted, Result, Timings
from harness.subject import SubjectSpec, open_subject

SUITES = Path(__file__).parent.parent / "suites"


@dataclass(frozen=True, slots=True)
class Asked:
    """A target to run against."""

    name: str
    spec: SubjectSpec
    jobs: int = 1


def targets(suite: Path, kubernetes: str | None, commands: tuple[str, ...], jobs: int) -> list[Asked]:
    """List what is measured: a suite in this process, the same behind a pipe, and what was asked for besides."""
    program = shlex.join([sys.executable, str(Path(__file__).with_name("suite_worker.py")), str(suite)])
    asked = [
        Asked(f"python: {suite.name}", SubjectSpec("suite", str(suite))),
        Asked(f"command: {suite.name} behind a pipe", SubjectSpec("command", program, types=_types(suite))),
    ]
    asked += [Asked(f"command: {command}", SubjectSpec("command", command)) for command in commands]
    if kubernetes:
        asked += [
            Asked(f"kubernetes: {kubernetes}, {count} job{'s' if count > 1 else ''}", spec, count)
            for spec in [SubjectSpec("kubernetes", kubernetes)]
            for count in sorted({1, jobs})
        ]
    return asked


def _types(suite: Path) -> str | None:
    """The import path of a one-package suite's types, with its folder."""
    with open_subject(SubjectSpec("suite", str(suite))) as subject:
        packages = {kind.type.rpartition(".")[0] for kind in subject.target.info.kinds if kind.type}
    own = sorted(package for package in packages if not package.startswith("k8s.io/"))
    return f"{own[0]}={suite}" if len(own) == 1 else None


def measure(asked: list[Asked], seconds: float, seed: int) -> Section:
    """Run against each target. What cannot be opened is left out with its reason."""
    lines, left_out = [], []
    for one in asked:
        notes: list[str] = []
        try:
            result = _run(one, seconds, seed, notes)
        except HarnessError as error:
            left_out.append(f"{one.name}: {error}")
            continue
        if result.stopped == "target-lost":
            left_out.append(f"{one.name}: stopped early: {result.stopped_detail}")
        lines.append(_line(one, result))
        left_out += [f"{one.name}: {report.kind.name}: {report.error}" for report in result.kinds if report.error]
    return Section("How many cases a second, and where does the time go?", "cases", tuple(lines), tuple(left_out))


def _run(one: Asked, seconds: float, seed: int, notes: list[str]) -> Result:
    return run(
        one.spec,
        seed=seed,
        budget=Budget(max_time=seconds),
        jobs=one.jobs,
        on_event=lambda event: notes.append(event.text) if isinstance(event, Noted) else None,
    )


def _line(one: Asked, result: Result) -> Measured:
    bases = sum(report.base for report in result.kinds)
    more: dict[str, int | str] = {
        "compared": result.compared,
        "findings": len(result.findings),
        "bases": f"{bases}/{len(result.kinds)}",
    }
    timings = result.timings
    if one.spec.kind == "suite":
        # In this process a batch is answered where it is submitted: that is the target's work, nothing is encoded.
        timings = Timings(timings.generate, 0.0, timings.encode + timings.wait, timings.compare)
    return Measured(one.name, result.cases, result.seconds, timings, one.jobs, more)
