"""Does `harness bench` tell the truth? The parts of a case, measured by Go's own testing.B and by the worker.

The test is compiled from the sources of the worker and of the release, in the user's cache. testing.B chooses its own
number of runs; both tell what one thread computed for one run. A third line lets the garbage collector work meanwhile.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import msgspec

from bench.programs import compiled
from bench.record import Measured, Section
from harness.case import Case, Measure, Operation
from harness.diagnostics import HarnessError, TargetError
from harness.targets.kubernetes import KubernetesTarget
from harness.targets.kubernetes.build import WORKER, generation_files, source_hash
from harness.targets.kubernetes.gomodule import find_generation, generated, go_mod
from harness.targets.kubernetes.release import KubernetesSource, find_release, find_toolchain, module_folder, wanted_go

BENCHMARK = Path(__file__).with_name("cost_bench_test.go")
PARTS = ("read", "handwritten", "convert", "declarative", "both")
TURNS = 5
PEER, OURS, COLLECTING = "testing.B, collector at rest", "harness bench", "testing.B"
RESTING = {"GOGC": "off", "GOMEMLIMIT": "2GiB"}
Key: TypeAlias = tuple[str, str]
"""Kind and part."""
_LINE = re.compile(r"^BenchmarkParts/(\w+)/(\w+)\S*\s.*?([\d.]+) cpu-ns/op", re.M)


def _case(group: str, kind: str, resource: str, spec: dict[str, Any]) -> Case:
    body = {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": "a", "namespace": "default"}, "spec": spec}
    return Case(1, group, "v1", kind, Operation.CREATE, body, resource=resource)


CASES = (
    _case("apps", "Deployment", "deployments", {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    }),
    _case("resource.k8s.io", "ResourceClaim", "resourceclaims", {
        "devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}]},
    }),
)  # fmt: skip
"""Two kinds of a release: one with much handwritten code, one whose rules weigh more."""


def measure(release: str, seconds: float) -> list[Section]:
    """Compare both for every part of each case; `seconds` is the time of one benchmark."""
    found: dict[str, dict[Key, list[float]]] = {name: {} for name in (PEER, OURS, COLLECTING)}
    try:
        program = build(find_release(release))
        with KubernetesTarget(release) as target:
            for _ in range(TURNS):  # a busy machine is busy for all
                for name, times in (
                    (PEER, peers(program, seconds / TURNS, RESTING)),
                    (OURS, _ours(target, seconds / TURNS)),
                    (COLLECTING, peers(program, seconds / TURNS, {})),
                ):
                    for key, nanoseconds in times.items():
                        found[name].setdefault(key, []).append(nanoseconds)
    except HarnessError as error:
        return [Section(f"What does validation of {release} cost?", "runs", (), (str(error),))]
    return [
        Section(
            f"What does one run of {part!r} cost, of a new {kind} of {release}? (processor time)",
            "runs",
            tuple(_line(name, median(by_key[kind, part])) for name, by_key in found.items()),
        )
        for kind, part in found[OURS]
    ]


def _line(name: str, nanoseconds: float) -> Measured:
    return Measured(name, 1, nanoseconds / 1e9, more={"nanoseconds": round(nanoseconds)})


def build(release: KubernetesSource) -> Path:
    """Compile the benchmark, unless that was done before. Raises: TargetError."""
    digest = hashlib.sha256(BENCHMARK.read_bytes() + source_hash(release).encode()).hexdigest()[:12]
    return compiled(f"cost-{release.name}-{digest}.test", lambda folder, program: _compile(folder, release, program))


def _compile(folder: Path, release: KubernetesSource, program: Path) -> None:
    toolchain = find_toolchain()
    top = module_folder(release, "k8s.io/kubernetes", toolchain)
    upstream = (top / "go.mod").read_text()
    toolchain = find_toolchain(wanted_go(upstream))
    generation = find_generation(module_folder(release, "k8s.io/apiserver", toolchain))
    (folder / "go.mod").write_text(go_mod(release, upstream))
    (folder / "generated.go").write_text(generated(top, generation))
    for source in (*sorted((WORKER / "common").glob("*.go")), *generation_files(generation), BENCHMARK):
        (folder / source.name).write_bytes(source.read_bytes())
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOWORK": "off", "GO111MODULE": "on", "CGO_ENABLED": "0"}
    command = [str(toolchain.go), "test", "-vet=off", "-c", "-ldflags=-s -w", "-o", "cost.test", "."]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise TargetError(f"the benchmark of {release.name} could not be compiled", why=done.stderr[-2000:])
    os.replace(folder / "cost.test", program)


def peers(program: Path, seconds: float, more: Mapping[str, str]) -> dict[Key, float]:
    """Run the benchmark, with `more` in its environment.

    Returns: nanoseconds of a run by kind and part. Raises: TargetError.
    """
    with tempfile.TemporaryDirectory(prefix="harness-bench-") as folder:
        cases = Path(folder, "cases.ndjson")
        cases.write_bytes(b"".join(msgspec.json.encode(case) + b"\n" for case in CASES))
        options = ["-test.run=^$", "-test.bench=.", f"-test.benchtime={min(seconds, 0.2):.2f}s"]
        environment = {**os.environ, "CASES": str(cases), **more}
        done = subprocess.run(
            [str(program), *options, "-test.cpu=1"], cwd=folder, env=environment, capture_output=True, text=True
        )
    found = {(kind, part): float(nanoseconds) for kind, part, nanoseconds in _LINE.findall(done.stdout)}
    if not found:
        raise TargetError("the benchmark told nothing", why=(done.stderr or done.stdout)[-2000:])
    return found


def _ours(target: KubernetesTarget, seconds: float) -> dict[Key, float]:
    wanted = Measure(max(5, int(seconds / 0.02)), 200_000)
    answers = target.ask([msgspec.structs.replace(case, measure=wanted) for case in CASES])
    return {
        (case.kind, part): median(answer.cost.parts[part].nanoseconds)
        for case, answer in zip(CASES, answers, strict=True)
        if answer.cost is not None
        for part in PARTS
        if part in answer.cost.parts
    }
