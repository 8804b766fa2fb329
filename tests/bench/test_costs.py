"""What a run costs besides time: memory of all its processes, and kinds that are slow by themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.costs import FAST, Costs, parted
from harness.case import Answer, Case, KindInfo, Operation
from harness.engine.units import RequestKind, Unit
from harness.subject import SubjectSpec, open_subject

HOLDS = "import sys; held = b'x' * (96 << 20); print(len(held), flush=True); sys.stdin.read()"
LOOKS = """
import os, subprocess, sys
from bench.memory import Peak, family

with Peak() as alone:
    pass
pipe = subprocess.PIPE
with Peak() as peak, subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=pipe, stdout=pipe) as child:
    child.stdout.readline()
    below = child.pid in family(os.getpid())
    peak.look()
    child.communicate(b"")
print(below, child.pid in family(os.getpid()), alone.bytes, peak.bytes)
"""

needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system has no /proc")


@needs_proc
def test_a_peak_counts_what_processes_below_hold() -> None:
    """A child takes 96 MiB and ends before the end: the peak has them, and this process besides.

    Looked at from a process that nobody else has started anything in.
    """
    command = [sys.executable, "-c", LOOKS, HOLDS]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=60, cwd=Path(__file__).parents[2]
    )
    during, after, alone, peak = done.stdout.split()
    assert ("True", "False") == (during, after)
    assert int(alone) > 1 << 20
    assert int(peak) - int(alone) > 90 << 20


def test_costs_are_those_of_the_validators_by_kind() -> None:
    """Time to decode is not the validators' own; cases that were not measured do not count."""
    infos = [KindInfo("g", "v1", "K", "ks", "g/v1", subresource=sub) for sub in ("", "status")]
    unit = Unit(0, tuple(RequestKind(info, Operation.UPDATE) for info in infos))
    with open_subject(SubjectSpec("suite", str(Path(__file__).parents[2] / "suites" / "claim_v1"))) as subject:
        watch = Costs().observer(subject, unit)
    cases = [Case(n, "g", "v1", "K", Operation.UPDATE, {}, {}, "ks", sub) for n, sub in enumerate(("", "", "status"))]
    spent: tuple[dict[str, int], ...] = ({"decode": 5, "handwritten": 30, "declarative": 4}, {}, {"handwritten": 7})
    watch.examine(cases, [Answer(case.id, nanoseconds=one) for case, one in zip(cases, spent, strict=True)], 0.0)
    assert watch.outcome() == {"g/v1 ks": (("g", "ks"), [34]), "g/v1 ks/status": (("g", "ks"), [7])}


def test_a_resource_is_slow_with_all_its_versions_and_subresources() -> None:
    """Their validators are the same ones; a case in a hundred may have waited for a processor."""
    slow, fast = int(2 * FAST * 1e9), int(FAST * 1e9 / 2)
    every = {
        "g/v1 ks": (("g", "ks"), [slow] * 90), "g/v1 ks/status": (("g", "ks"), [fast] * 10),
        "g/v1 ms": (("g", "ms"), [fast] * 99 + [1000 * slow]), "g/v2 ms": (("g", "ms"), [fast] * 100),
    }  # fmt: skip
    assert parted(every) == (["g/v1 ms", "g/v2 ms"], ["g/v1 ks", "g/v1 ks/status"])
