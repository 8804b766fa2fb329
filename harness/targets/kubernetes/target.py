"""Runs the validators of a Kubernetes release or checkout as a target, in a Go worker that is built on first use."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from harness.case import Gates, TargetInfo, Vocabulary
from harness.diagnostics import TargetError, near_miss
from harness.field import ErrorType
from harness.targets.kubernetes.build import COVERED, worker_for
from harness.targets.kubernetes.release import KubernetesSource, find_release
from harness.targets.limits import Limits
from harness.targets.process import WorkerProcess

_START_TIMEOUT = 120.0
"""Time until the greeting. It takes less than a second, but a busy machine may read the 100 MB of the worker slowly.
Units: seconds."""
_LIMITS = Limits(start=_START_TIMEOUT)

GO = Vocabulary(
    mark=".MarkCoveredByDeclarative()",
    origin='.WithOrigin("<origin>")',
    calls={
        ErrorType.REQUIRED: "field.Required(...)",
        ErrorType.FORBIDDEN: "field.Forbidden(...)",
        ErrorType.INVALID: "field.Invalid(...)",
        ErrorType.TYPE_INVALID: "field.TypeInvalid(...)",
        ErrorType.DUPLICATE: "field.Duplicate(...)",
        ErrorType.NOT_SUPPORTED: "field.NotSupported(...)",
        ErrorType.NOT_FOUND: "field.NotFound(...)",
        ErrorType.TOO_LONG: "field.TooLongCharacters(...)",
        f"{ErrorType.TOO_LONG} in bytes": "field.TooLong(...)",
        ErrorType.TOO_SHORT: "field.TooShort(...)",
        ErrorType.TOO_MANY: "field.TooMany(...)",
        ErrorType.TOO_FEW: "field.TooFew(...)",
    },
    stop="set ShortCircuitMismatch for the kind",
    generate="hack/update-codegen.sh validation",
)
"""How handwritten validators of Kubernetes make errors. Source: apimachinery pkg/util/validation/field (2026-11)."""


class KubernetesTarget(WorkerProcess):
    """The handwritten and the declarative validators of one release, under one configuration of feature gates.

    `location` is a release number (`1.37.1`) or the folder of a checkout. `gates` are feature gates by name, including
    AllAlpha and AllBeta; gates are global in a Go process, so each configuration has a worker of its own. `jobs` limits
    the worker's threads (None: one per core). `measure` fills `Answer.nanoseconds`. `blocks` takes a worker with
    counters in its handwritten code, which has one thread, because they are those of the whole process. `binary` is
    a worker that runs in place of the usual one, with more variables of its `environment`; it has one thread too.
    `note` is called with a message when the worker is built or restarted.
    `build` is the name of the worker in the cache: a hash of all that it was built from, and the version of Go.

    Raises: TargetError if the worker cannot be built or started, or a gate is unknown or locked.
    """

    def __init__(
        self,
        location: str | Path,
        *,
        gates: Gates | None = None,
        jobs: int | None = None,
        measure: bool = False,
        blocks: bool = False,
        binary: Path | None = None,
        environment: Mapping[str, str] = MappingProxyType({}),
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        release = find_release(location)
        alone = blocks or binary is not None
        if binary is None:
            binary = _worker_with_counters(release, note) if blocks else worker_for(release, note)
        self.build = binary.parent.name
        argv = [str(binary), "-release", release.name]
        if gates:
            check_gates(binary, gates, release.name)
            argv += ["-gates", render_gates(gates)]
        if measure:
            argv.append("-nanoseconds")
        super().__init__(
            argv, env={**worker_environment(1 if alone else jobs), **environment}, limits=_LIMITS, note=note
        )

    @property
    def info(self) -> TargetInfo:
        """The worker's description of itself, with the calls of Go that its handwritten validators make."""
        return msgspec.structs.replace(self._info, vocabulary=GO)


def _worker_with_counters(release: KubernetesSource, note: Callable[[str], None]) -> Path:
    """Return the worker that counts its code, or else the one that does not: the search is worth as much without."""
    try:
        return worker_for(release, note, COVERED)
    except TargetError as error:
        note(f"the code of handwritten validators is not counted: {error}")
        return worker_for(release, note)


def render_gates(gates: Gates) -> str:
    """Write gates in the syntax of --feature-gates: `A=true,B=false`."""
    return ",".join(f"{name}={'true' if enabled else 'false'}" for name, enabled in sorted(gates.items()))


def worker_environment(jobs: int | None) -> Mapping[str, str]:
    """Return the environment of the worker, which has settings for Go's garbage collector.

    GOGC makes collections rare, because cases create many short-lived objects. GOMEMLIMIT makes them more frequent
    above its limit: it was measured to halve a worker's memory for at most a tenth more time.
    """
    environment = {"GOGC": "400", "GOMEMLIMIT": "96MiB", **os.environ}
    if jobs is not None:
        environment["GOMAXPROCS"] = str(max(1, jobs))
    return environment


def check_gates(binary: Path, gates: Gates, release: str) -> None:
    """Check that the release has these gates and allows these values. Raises: TargetError."""
    command = [str(binary), "-check-gates", "-gates", render_gates(gates)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_START_TIMEOUT)
        output = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        message = f"the worker of {release} does not run"
        raise TargetError(message, why=str(error), fix=f"delete {binary.parent}: it is built again") from error
    known = tuple(output["gates"])
    unknown = [name for name in gates if name not in known]
    if unknown:
        hints = [f"{name}: {near_miss(name, known) or 'nothing has a similar name'}" for name in unknown]
        raise TargetError(
            f"Kubernetes {release} has no feature gate {', '.join(unknown)}",
            why="; ".join(hints),
            fix="use the names that kube-apiserver of this release accepts in --feature-gates",
        )
    if output["error"]:
        raise TargetError(
            f"Kubernetes {release} rejects these feature gates",
            why=output["error"],
            fix="omit gates that are locked to their default, and set a gate together with those that it depends on",
        )
