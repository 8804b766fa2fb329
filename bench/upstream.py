"""How fast does the release's own fuzz test go, how many of the declared rules does it fire, and what do we beside it?

The test is TestVersionedValidationByFuzzing: it fills objects at random and compares what the versions of a kind say,
the declarative side with itself. It is compiled from the release's sources in the user's cache, with a watcher of ours
beside it, and runs over and over until the time is up. What counts as fired is judged alike for both.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from bench.programs import compiled
from bench.record import Measured, Section
from harness.cli.targets import EVERY_GATE
from harness.diagnostics import HarnessError, TargetError
from harness.engine import RunConfig, run_parts
from harness.events import Budget
from harness.jsonpath import canonical_path
from harness.rulecov.inventory import Inventory, inventory_of
from harness.rulecov.observed import FIRED, NAME, RuleObserverFactory
from harness.subject import SubjectSpec
from harness.subject.api import open_api
from harness.targets.kubernetes.gomodule import go_mod
from harness.targets.kubernetes.release import KubernetesSource, find_release, find_toolchain, module_folder, wanted_go

TEST = "TestVersionedValidationByFuzzing"
FOLDER = "pkg/api/testing"
WATCHER = Path(__file__).with_name("upstream_watch_test.go")
_PASSES = 1_000_000
"""More passes than any time allows: the watcher ends the process."""


class Error(msgspec.Struct, frozen=True):
    """An error that a type's generated validator reported."""

    path: str
    type: str
    origin: str


class Watched(msgspec.Struct, frozen=True):
    """What was seen of one Go type."""

    calls: int
    errors: tuple[Error, ...]


class Heard(msgspec.Struct, frozen=True):
    """What the watcher of one process tells."""

    seconds: float
    types: dict[str, Watched]


def measure(release: str, seconds: float, seed: int, jobs: int) -> Section:
    """Run both for the same time with as many processes, one after the other."""
    question = f"How many of the declared rules of {release} fire, and how fast?"
    try:
        inventory = inventory_of(open_api("", kubernetes=release))
        heard = listen(build(find_release(release)), seconds, jobs)
        lines = (upstream_line(heard, inventory), _ours(release, inventory, seconds, seed, jobs))
    except HarnessError as error:
        return Section(question, "comparisons", (), (str(error),))
    return Section(question, "comparisons", lines)


def build(release: KubernetesSource) -> Path:
    """Compile the release's test with our watcher, unless that was done before, and return the program.

    Raises: TargetError without a toolchain, when the release has no such test, or when the compiler refuses.
    """
    name = f"{release.name}-{hashlib.sha256(WATCHER.read_bytes()).hexdigest()[:12]}.test"
    return compiled(name, lambda folder, program: _compile(folder, release, program))


def _compile(folder: Path, release: KubernetesSource, program: Path) -> None:
    toolchain = find_toolchain()
    top = module_folder(release, "k8s.io/kubernetes", toolchain)
    upstream = (top / "go.mod").read_text()
    toolchain = find_toolchain(wanted_go(upstream))
    (folder / "go.mod").write_text(go_mod(release, upstream))
    for name, text in sources(top / FOLDER).items():
        (folder / name).write_text(text)
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOWORK": "off", "GO111MODULE": "on", "CGO_ENABLED": "0"}
    command = [str(toolchain.go), "test", "-vet=off", "-c", "-o", "fuzz.test", "."]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise TargetError(f"the fuzz test of {release.name} could not be compiled", why=done.stderr[-2000:])
    os.replace(folder / "fuzz.test", program)


def sources(folder: Path) -> dict[str, str]:
    """Return what is compiled: the package of the test, that test alone, and the watcher. Raises: TargetError."""
    files = {path.name: path.read_text() for path in sorted(folder.glob("*.go"))}
    tests = {name: text for name, text in files.items() if name.endswith("_test.go") and f"func {TEST}(" in text}
    if not tests:
        raise TargetError(
            f"there is no {TEST} in {folder}",
            why="this release tries its versions in another way",
            fix="name 1.36 or newer",
        )
    package = {name: text for name, text in files.items() if not name.endswith("_test.go")}
    return {**package, **tests, WATCHER.name: WATCHER.read_text()}


def listen(program: Path, seconds: float, jobs: int) -> list[Heard]:
    """Run the test in so many processes for so long, and return what each tells. Raises: TargetError."""
    with tempfile.TemporaryDirectory(prefix="harness-bench-") as folder:
        files = [Path(folder, f"{job}.json") for job in range(jobs)]
        running = [
            subprocess.Popen(
                [str(program), "-test.run", f"^{TEST}$", "-test.count", str(_PASSES)],
                env={**os.environ, "HARNESS_BENCH_TIME": f"{seconds}s", "HARNESS_BENCH_FILE": str(file)},
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder,
            )
            for file in files
        ]  # fmt: skip
        said = [process.communicate()[1].decode(errors="replace") for process in running]
        if not all(file.is_file() for file in files):
            raise TargetError("the fuzz test ended without a word of the watcher", why="\n".join(said)[-2000:])
        return [msgspec.json.decode(file.read_bytes(), type=Heard) for file in files]


def upstream_line(heard: Sequence[Heard], inventory: Inventory) -> Measured:
    """Add up what all processes saw."""
    seen = {
        (name, canonical_path(error.path), error.type, error.origin)
        for one in heard
        for name, watched in one.types.items()
        for error in watched.errors
    }
    fired = sum(
        any((known.type, place, known.rule.type, known.rule.origin) in seen for place in known.places)
        for known in inventory.rules
    )
    calls: defaultdict[str, int] = defaultdict(int)
    for one in heard:
        for name, watched in one.types.items():
            calls[name] += watched.calls
    seconds = max(one.seconds for one in heard)
    return _line("the release's own fuzz test", comparisons(calls, inventory), seconds, fired, inventory, len(heard))


def comparisons(calls: Mapping[str, int], inventory: Inventory) -> int:
    """Count comparisons by calls of validators: one comparison asks each version of the kind once."""
    kinds = {known.type: (known.rule.group, known.rule.kind) for known in inventory.rules}
    families: defaultdict[object, list[int]] = defaultdict(list)
    for name, count in calls.items():
        if count:
            families[kinds.get(name, name)].append(count)
    return sum(sum(counts) // len(counts) for counts in families.values())


def _ours(release: str, inventory: Inventory, seconds: float, seed: int, jobs: int) -> Measured:
    """Search the release as `harness run` does: under its own gates, and with all of them on."""
    spec = SubjectSpec("kubernetes", release)
    parts = run_parts(
        [spec, replace(spec, gates=EVERY_GATE)],
        RunConfig(
            seed=seed, budget=Budget(max_time=seconds), jobs=jobs, observers={NAME: RuleObserverFactory(inventory)}
        ),
    )
    fired = {
        (one.type, number)
        for part in parts
        for one in part.observed[NAME]
        for number, sight in one.rules.items()
        if sight.seen & FIRED
    }
    spent = [part.seconds for part in parts]
    beside = any(part.beside for part in parts)
    compared = sum(part.compared for part in parts)
    return _line("harness run", compared, max(spent) if beside else sum(spent), len(fired), inventory, jobs)


def _line(name: str, count: int, seconds: float, fired: int, inventory: Inventory, jobs: int) -> Measured:
    declared = len(inventory.rules)
    share = f"{fired:,} of {declared:,} ({100 * fired / max(1, declared):.1f} %)"
    return Measured(name, count, seconds, processes=jobs, more={"rules fired": share})
