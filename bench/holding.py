"""How much memory does a run hold, and does that grow with its length?"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.memory import family, proportional
from bench.record import Measured, Section

_EVERY = 0.5
_PARTS = 6
"""How many lines the time of a run is told in."""


def measure(release: str, seconds: float, seed: int) -> list[Section]:
    """Run a release under its own and all gates, then beside itself, each as a command of its own.

    Units: MiB of all processes of the command together; what they share counts once.
    """
    sections = []
    for name, more in (("two parts", ()), ("against itself", ("--against", release))):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            options = ("--kubernetes", release, *more, "--max-time", f"{seconds:g}", "--seed", str(seed))
            held = watched([sys.executable, "-m", "harness", "run", *options, "--json", str(report)])
            question = f"How much memory does a run of {release} hold, {name}?"
            if report.is_file():
                cases = int(json.loads(report.read_text(encoding="utf-8"))["cases"])
                sections.append(Section(question, "cases", lines(held, cases)))
            else:
                sections.append(Section(question, "cases", (), (f"{name}: there is no report",)))
    return sections


def watched(argv: list[str]) -> list[tuple[float, int]]:
    """Run a command and look at its processes twice a second. Returns: seconds since the start, and bytes."""
    started, held = time.monotonic(), []
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            time.sleep(_EVERY)
            held.append((time.monotonic() - started, sum(proportional(pid) for pid in family(process.pid))))
    return held


def lines(held: list[tuple[float, int]], cases: int) -> tuple[Measured, ...]:
    """Tell the most that was held in each part of the time, then in all of it. `cases` is told of the whole."""
    whole = held[-1][0] if held else 0.0
    found = []
    for number in range(_PARTS):
        begin, end = whole * number / _PARTS, whole * (number + 1) / _PARTS
        most = max((size for age, size in held if begin < age <= end), default=0)
        found.append(Measured(f"{begin:.0f} to {end:.0f} s", 0, end - begin, more={"MiB": most >> 20}))
    most = max((size for _, size in held), default=0)
    return (*found, Measured("the whole run", cases, whole, more={"MiB": most >> 20}))
