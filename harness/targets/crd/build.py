"""The program that judges custom resources with the code of a release's API server: its Go source, and what it shares.

It is built and cached as the worker of the release's own validators is (`harness.targets.kubernetes.build`), of which
it takes the wire protocol, the loop that answers and the path from a prepared object to its errors.
"""

from __future__ import annotations

from pathlib import Path

from harness.targets.crd import keptschemas
from harness.targets.kubernetes import build
from harness.targets.kubernetes.build import Program, generation_files

WORKER = Path(__file__).parent / "worker"
_SHARED = (
    "encode.go", "gates.go", "loop.go", "metadata.go", "pipes_linux.go", "pipes_other.go", "present.go", "scan.go",
    "wire.go",
)  # fmt: skip
"""The files of the other worker that have nothing to do with the validators of a release."""


def _own() -> list[Path]:
    return [path for path in sorted(WORKER.glob("*.go")) if not path.name.endswith("_test.go")]


def shared() -> list[Path]:
    """List the files of the other worker."""
    return [build.WORKER / "common" / name for name in _SHARED]


def _parts(generation: str) -> list[Path]:
    return [*_own(), *shared(), *generation_files(generation, "_path")]


def _sources() -> list[Path]:
    return [*_own(), *shared(), *generation_files("*", "_path"), Path(keptschemas.__file__)]


CRDS = Program("crd-", _sources, _parts, hooks=(keptschemas.KEPT_SCHEMAS,))
