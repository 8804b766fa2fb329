"""How many objects of a real CRD with many rules does the server's own code judge in a second?

The CRDs are those of the Gateway API v1.0.0, fetched when this runs: 69 constraints and rules of an HTTPRoute.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess

from bench.record import Measured, Section
from harness.diagnostics import HarnessError
from harness.engine import RunConfig, run
from harness.events import Budget
from harness.subject import SubjectSpec
from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.release import find_toolchain

_MODULE = "sigs.k8s.io/gateway-api@v1.0.0"
_KIND = "gateway.networking.k8s.io/v1 httproutes"
_QUESTION = "How many HTTPRoutes does the API server's code judge?"


def measure(seconds: float, seed: int) -> Section:
    """Draw HTTPRoutes and have them judged, with one processor and with all, and by two definitions side by side."""
    try:
        crds = _fetch()
    except (HarnessError, OSError, subprocess.CalledProcessError) as error:
        return Section(_QUESTION, "objects", (), (f"{_MODULE}: {error}",))
    alone = SubjectSpec("crd", crds)
    beside = SubjectSpec("crd", crds, against=f"without-cel:{crds}")
    every = os.cpu_count() or 1
    asked = [
        ("one job", alone, 1),
        (f"{every} jobs", alone, every),
        (f"with and without CEL, {every} jobs", beside, every),
    ]
    lines, left_out = [], []
    for name, spec, jobs in asked:
        try:
            lines.append(_measure(name, spec, jobs, seconds, seed))
        except HarnessError as error:
            left_out.append(f"{name}: {error}")
    return Section(_QUESTION, "objects", tuple(lines), tuple(left_out))


def _measure(name: str, spec: SubjectSpec, jobs: int, seconds: float, seed: int) -> Measured:
    before = _processor_seconds()
    result = run(spec, RunConfig(seed=seed, budget=Budget(max_time=seconds), jobs=jobs, kinds=[_KIND]))
    spent = _processor_seconds() - before
    judged = result.cases * (2 if spec.against else 1)
    # The time of processors is the same on a machine that others use; a run starts workers, which is in it.
    more: dict[str, int | str] = {"processor µs": round(1e6 * spent / judged) if judged else 0}
    return Measured(name, judged, result.seconds, result.timings, jobs, more)


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _fetch() -> str:
    """Download the module. Returns: the folder of its CRDs."""
    command = [str(find_toolchain().go), "mod", "download", "-json", _MODULE]
    done = subprocess.run(command, cwd="/", env=go_environment(), capture_output=True, text=True, check=True)
    return f"{json.loads(done.stdout)['Dir']}/config/crd/standard"
