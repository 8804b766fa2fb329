"""The program that evaluates admission policies with the code of a release's API server: its Go source, and what it
shares with the programs for CRDs and for the release's own validators.
"""

from __future__ import annotations

from pathlib import Path

from harness.targets.crd import build as crds
from harness.targets.kubernetes.build import Program, generation_files

WORKER = Path(__file__).parent / "worker"
_OF_CRDS = ("reasons.go", "reply.go")
"""The files of the program for CRDs that word why something is refused, and answer a line."""


def _own() -> list[Path]:
    return [path for path in sorted(WORKER.glob("*.go")) if not path.name.endswith("_test.go")]


def _all(generation: str) -> list[Path]:
    return [*_own(), *(crds.WORKER / name for name in _OF_CRDS), *crds.shared(), *generation_files(generation, "_path")]


POLICIES = Program("policy-", lambda: _all("*"), _all, oldest=(1, 36))
