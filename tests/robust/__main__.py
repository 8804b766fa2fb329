"""Fuzzes for as long as one likes: `python -m tests.robust --seconds 600 --seed 1 --target compiler`.

`--target options --target files --target workers --target suites --faults 500` plays 2,000 hostile commands, and
`--part` shares them among processes. Each finding is written below `--findings` as a file that can be moved into the
corpus, with what it broke. Finding something is exit code 1.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import re
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from tests.robust import drawn, files, options, workers
from tests.robust.commands import Fault, Stage
from tests.robust.mutate import Mutator
from tests.robust.oracle import TARGETS
from tests.robust.run import SECONDS, failure_of, smaller
from tests.robust.seeds import seeds, words

FAULTS: dict[str, Callable[[int, Path], Iterator[Fault]]] = {
    "options": lambda seed, template: options.faults(seed),
    "files": files.faults,
    "workers": lambda seed, template: workers.faults(seed),
    "suites": lambda seed, template: drawn.faults(seed),
}
"""What plays whole commands, by name."""


def main() -> int:
    """Read the command line and fuzz."""
    parser = argparse.ArgumentParser(prog="python -m tests.robust", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long, for all targets together")
    parser.add_argument("--seed", type=int, default=None, help="of the random numbers; drawn when it is not given")
    parser.add_argument(
        "--target", action="append", choices=(*TARGETS, *FAULTS), help="repeat for several; all without"
    )
    parser.add_argument("--findings", type=Path, default=Path("reports/robust"), help="where to write what was found")
    parser.add_argument(
        "--faults", type=int, help="how many for each target that plays commands, however long it takes"
    )
    parser.add_argument("--part", default="1/1", help="I/N: one of N parts of the same faults")
    given = parser.parse_args()
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    targets = given.target or [*TARGETS, *FAULTS]
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.RLIM_INFINITY))
    faulthandler.enable()
    found = 0
    for target in targets:
        seconds = given.seconds / len(targets)
        if target in TARGETS:
            found += fuzz(target, seed, seconds, given.findings)
        else:
            part, parts = map(int, given.part.split("/"))
            found += play(target, seed, islice(_turns(given.faults, seconds), part - 1, None, parts), given.findings)
    return 1 if found else 0


def _turns(count: int | None, seconds: float) -> Iterator[int]:
    """Yield the numbers of faults, until there were so many or, without a number, time is up."""
    end = time.monotonic() + seconds
    for number in range(1 << 62 if count is None else count):
        if count is None and time.monotonic() > end:
            return
        yield number


def play(target: str, seed: int, turns: Iterator[int], folder: Path) -> int:
    """Play the hostile command lines of these numbers, and say what was found. Returns: how many different failures."""
    failures: Counter[str] = Counter()
    codes: Counter[object] = Counter()
    with tempfile.TemporaryDirectory() as place:
        stage, reached = Stage(Path(place)), -1
        faults = FAULTS[target](seed, stage.template)
        for turn in turns:
            fault = next(islice(faults, turn - reached - 1, None))
            reached = turn
            try:
                codes[stage.play(fault).code] += 1
            except AssertionError as error:
                key = re.sub(r"\d+|'[^']*'", "", str(error)[-200:])
                failures[key] += 1
                if failures[key] == 1:
                    _keep_fault(folder / target / f"{turn}", fault, str(error))
    count = sum(codes.values()) + sum(failures.values())
    told = ", ".join(f"{number} with code {code}" for code, number in sorted(codes.items(), key=str))
    print(f"{target}: seed {seed}: {count} faults: {told}; {sum(failures.values())} broke a promise", flush=True)
    return len(failures)


def _keep_fault(folder: Path, fault: Fault, said: str) -> None:
    """Write what a fault consists of, and what it broke."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "said.txt").write_text(f"{fault.argv!a}\n\n{said}\n", encoding="utf-8", errors="backslashreplace")
    for name, data in fault.files.items():
        (folder / name.replace("/", "_")).write_bytes(data)
    print(f"  {folder}: {said[:300]}", flush=True)


def fuzz(target: str, seed: int, seconds: float, folder: Path) -> int:
    """Fuzz one target and say what was found. Returns: how many different failures."""
    mutator = Mutator(seeds(target), words(target), random.Random(f"{target} {seed}"))
    failures: Counter[str] = Counter()
    outcomes: set[str] = set()
    slowest, count, end = 0.0, 0, time.monotonic() + seconds
    while time.monotonic() < end:
        data = mutator.draw()
        count += 1
        faulthandler.dump_traceback_later(6 * SECONDS, exit=True)
        begun = time.monotonic()
        failure, outcome = failure_of(target, data)
        slowest = max(slowest, time.monotonic() - begun)
        faulthandler.cancel_dump_traceback_later()
        if failure is None:
            if outcome not in outcomes and len(data) < 5000:  # another set of diagnostics: worth starting from
                outcomes.add(outcome)
                mutator.seeds.append(data)
            continue
        failures[failure.key] += 1
        if failures[failure.key] == 1:
            _keep(folder, target, len(failures), smaller(target, data, failure.key), failure.error)
    print(
        f"{target}: seed {seed}, {count} inputs, {len(outcomes)} kinds of outcome, slowest {slowest:.2f} s, "
        f"{len(failures)} failures",
        flush=True,
    )
    for key, times in failures.most_common():
        print(f"  {times} times {key}", flush=True)
    return len(failures)


def _keep(folder: Path, target: str, number: int, data: bytes, error: BaseException) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    name = folder / f"{target}-{number:02}"
    name.write_bytes(data)
    name.with_suffix(".txt").write_text("".join(traceback.format_exception(error)), encoding="utf-8", errors="replace")
    print(f"{name}: {type(error).__name__}: {ascii(str(error))[:300]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
