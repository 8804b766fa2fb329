"""A release's API server as a target: the server itself runs, with its etcd, in a process built on first use."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from harness.case import Gates
from harness.targets.kubernetes.build import worker_for
from harness.targets.kubernetes.release import find_release
from harness.targets.kubernetes.target import check_gates, render_gates
from harness.targets.limits import Limits
from harness.targets.live.access import Access, read_kubeconfig
from harness.targets.live.build import SERVERS, server_folder
from harness.targets.process import WorkerProcess

_LIMITS = Limits(start=240.0, case=60.0)
"""A server is ready in 3 to 9 seconds on an idle machine. Units: seconds."""


class LiveTarget(WorkerProcess):
    """The API server of a release, with its etcd, under one configuration of feature gates.

    It answers with the lists that a client gets under each setting of the migration's gates: type, field and text, the
    whole of which is in `detail`; where validation does not answer, with the status. Whatever is stored is in `folder`,
    which `close` removes.

    Raises: TargetError if the server cannot be built or started, or a gate is unknown or locked.
    """

    def __init__(
        self,
        location: str | Path,
        *,
        gates: Gates | None = None,
        jobs: int | None = None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        release = find_release(location)
        binary = worker_for(release, note, SERVERS)
        if gates:
            check_gates(binary, gates, release.name)
        with ExitStack() as stack:
            folder = stack.enter_context(server_folder())
            self.folder = Path(folder)
            self._kubeconfig = self.folder / "kubeconfig"
            argv = [str(binary), "-release", release.name, "-folder", folder, "-kubeconfig", str(self._kubeconfig)]
            argv += ["-gates", render_gates(gates)] if gates else []
            super().__init__(argv, env=server_environment(jobs), limits=_LIMITS, note=note)
            self._removed = stack.pop_all()

    @property
    def access(self) -> Access:
        """How another client reaches the server, such as for its metrics."""
        return read_kubeconfig(self._kubeconfig)

    def close(self) -> None:
        """Stop the server, and remove what it stored."""
        super().close()
        self._removed.close()


def server_environment(jobs: int | None) -> Mapping[str, str]:
    """Return the environment of a server: it takes 300 MB, and collects garbage rarely below its limit."""
    environment = {"GOGC": "400", "GOMEMLIMIT": "1GiB", **os.environ}
    if jobs is not None:
        environment["GOMAXPROCS"] = str(max(1, jobs))
    return environment
