"""The program that is a release's API server with its etcd: its Go source, and what it shares with other workers.

It is linked with the release as the worker of the validators is, changed file included, so that Go takes nearly all
packages from what that worker left in its build cache.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from harness.targets.crd import build as crds
from harness.targets.kubernetes import build
from harness.targets.kubernetes.build import Program, generation_files
from harness.targets.kubernetes.madeerrors import MADE_ERRORS

WORKER = Path(__file__).parent / "worker"
_SHARED = ("common/serving.go", "common/parents.go")
"""The files of the worker of the validators that flip the gate of the migration, and that make the object of which a
scale is a part."""

_SETTINGS = ("beta.go", "takeover.go")
"""Those that name the gate and its settings: a generation has one of them."""

_LONGEST = 60
"""The longest path of a folder for sockets below it: systems take about a hundred bytes for the path of a socket."""


def server_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for what a server stores and its sockets; one in /tmp if that for temporary files is too long."""
    place = tempfile.gettempdir()
    return tempfile.TemporaryDirectory(
        prefix="live-", dir=place if len(os.fsencode(place)) <= _LONGEST else "/tmp", ignore_cleanup_errors=True
    )


def _own() -> list[Path]:
    return [path for path in sorted(WORKER.glob("*.go")) if not path.name.endswith("_test.go")]


def _all(generation: str) -> list[Path]:
    shared = [*crds.shared(), *(build.WORKER / name for name in _SHARED)]
    settings = [path for path in generation_files(generation, "") if path.name in _SETTINGS]
    return [*_own(), *shared, *settings, *generation_files(generation, "_path")]


# Clients refuse a server whose version they cannot read.
SERVERS = Program(
    "live-",
    lambda: _all("*"),
    _all,
    # It asks no constructor who called it; with the hook its packages are those of the worker, compiled once for both.
    hooks=(MADE_ERRORS._replace(connection="package main\n"),),
    modules=("go.etcd.io/etcd/server/v3",),
    variables=lambda release: {"k8s.io/component-base/version.gitVersion": release.version},
)
