"""A Kubernetes release or checkout as a target: its own validators, in a worker that is built on first use."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from harness.case import Gates
from harness.diagnostics import TargetError, near_miss
from harness.targets.kubernetes.build import worker_for
from harness.targets.kubernetes.release import find_release
from harness.targets.limits import Limits
from harness.targets.process import WorkerProcess

_START_TIMEOUT = 120.0
"""Seconds. The worker greets within a second; a busy machine that reads 100 MB from a cold disk may need more."""
_LIMITS = Limits(start=_START_TIMEOUT)


class KubernetesTarget(WorkerProcess):
    """The real handwritten and declarative validators of one release, under one configuration of feature gates.

    `location` is a release number (`1.37.1`) or the folder of a checkout. `gates` are feature gates by name, AllAlpha
    and AllBeta included; gates are global in the worker, so each configuration is a worker of its own. `jobs` limits
    the worker's threads (None: one per core). `measure` fills `Answer.nanoseconds`. `note` hears of building and of
    restarts.

    Raises: TargetError when the worker cannot be built or started, or a gate is unknown or locked.
    """

    def __init__(
        self,
        location: str | Path,
        *,
        gates: Gates | None = None,
        jobs: int | None = None,
        measure: bool = False,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        release = find_release(location)
        binary = worker_for(release, note)
        argv = [str(binary), "-release", release.name]
        if gates:
            check_gates(binary, gates, release.name)
            argv += ["-gates", render_gates(gates)]
        if measure:
            argv.append("-nanoseconds")
        super().__init__(argv, env=_environment(jobs), limits=_LIMITS, note=note)


def render_gates(gates: Gates) -> str:
    """Write gates as Kubernetes programs take them: `A=true,B=false`."""
    return ",".join(f"{name}={'true' if enabled else 'false'}" for name, enabled in sorted(gates.items()))


def _environment(jobs: int | None) -> Mapping[str, str]:
    """Return our environment, with more room between garbage collections: cases are many and short-lived.

    The limit lets a worker collect more often before it takes more, so that a run stays small however many there are:
    with it a worker needs a tenth more time at most and half of the memory.
    """
    environment = {"GOGC": "400", "GOMEMLIMIT": "96MiB", **os.environ}
    if jobs is not None:
        environment["GOMAXPROCS"] = str(max(1, jobs))
    return environment


def check_gates(binary: Path, gates: Gates, release: str) -> None:
    """Ask the release whether it knows these gates and lets them be set. Raises: TargetError when it does not."""
    command = [str(binary), "-check-gates", "-gates", render_gates(gates)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_START_TIMEOUT)
        said = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        message = f"the worker of {release} does not run"
        raise TargetError(message, why=str(error), fix=f"delete {binary.parent}: it is built again") from error
    known = tuple(said["gates"])
    unknown = [name for name in gates if name not in known]
    if unknown:
        hints = [f"{name}: {near_miss(name, known) or 'nothing has a similar name'}" for name in unknown]
        raise TargetError(
            f"Kubernetes {release} has no feature gate {', '.join(unknown)}",
            why="; ".join(hints),
            fix="use the names that kube-apiserver of this release takes in --feature-gates",
        )
    if said["error"]:
        raise TargetError(
            f"Kubernetes {release} does not take these feature gates",
            why=said["error"],
            fix="leave out gates that are locked to their default",
        )
