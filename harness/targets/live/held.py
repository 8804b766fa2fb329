"""A release's API server for people and their tools: it runs until it is told to stop, and stores nothing for long."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.case import Gates
from harness.diagnostics import TargetError
from harness.targets.kubernetes.build import worker_for
from harness.targets.kubernetes.release import find_release
from harness.targets.kubernetes.target import check_gates, render_gates
from harness.targets.live.build import SERVERS, server_folder
from harness.targets.live.target import server_environment

READY_SECONDS = 240.0
"""Time until the server is ready: 4 to 8 seconds on an idle machine."""
_END_SECONDS = 10.0


class HeldServer:
    """A server that runs. `address` is its URL, `name` that of its release."""

    def __init__(self, process: subprocess.Popen[bytes], address: str, name: str) -> None:
        self._process, self.address, self.name = process, address, name

    def wait(self) -> None:
        """Wait until the server ends by itself. Raises: TargetError, because it should not."""
        code = self._process.wait()
        raise TargetError(f"the server of {self.name} ended", f"exit code {code}", "start it again")


@contextmanager
def hold_server(
    location: str | Path, kubeconfig: Path, gates: Gates, listen: str, note: Callable[[str], None]
) -> Iterator[HeldServer]:
    """Start the server of a release, and stop it in the end. `kubeconfig` is written once it is ready, and removed.

    Raises: TargetError if it cannot be built or started.
    """
    release = find_release(location)
    binary = worker_for(release, note, SERVERS)
    if gates:
        check_gates(binary, gates, release.name)
    argv = [str(binary), "-hold", "-kubeconfig", str(kubeconfig.absolute()), "-listen", listen]
    argv += ["-gates", render_gates(gates)] if gates else []
    with server_folder() as folder:
        errors = Path(folder, "errors")
        with errors.open("wb") as stderr:
            process = subprocess.Popen(
                [*argv, "-folder", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
                env=server_environment(None), start_new_session=True,
            )  # fmt: skip
        try:
            address = _read_address(process)
            if not address:
                why = " ".join(errors.read_text(errors="replace").splitlines()[-1:]) or "it says nothing"
                raise TargetError(f"the server of {release.name} did not start", why, "see whether --listen is free")
            yield HeldServer(process, address, release.name)
        finally:
            _stop(process)
            kubeconfig.unlink(missing_ok=True)


def _read_address(process: subprocess.Popen[bytes]) -> str:
    """Return the line that the server prints when it is ready; empty if it ends before, or takes too long."""
    assert process.stdout is not None
    killer = threading.Timer(READY_SECONDS, process.kill)
    killer.start()
    try:
        return process.stdout.readline().decode().strip()
    finally:
        killer.cancel()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the server: it removes what it stored when its input ends."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    assert process.stdout is not None
    process.stdout.close()
