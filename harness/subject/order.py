"""The configuration that a suite's process receives when it starts, and the fork server that starts it."""

from __future__ import annotations

import os
import signal
import sys
from typing import Literal

import msgspec

from harness.targets.forkserver import BROKEN, ForkServer, exchange

MEMORY = 2 << 30
"""Memory limit of the process of a suite. Units: bytes of address space."""
PATIENCE = 5.0
"""Time limit of the first case that does not end. Units: seconds."""

SERVER = ForkServer("harness.subject.worker")


class SuiteOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """The task of a suite's process: describe the suite, or answer cases.

    `gates` override the gates of the suite. `careful` makes it write every answer at once instead of in batches, so
    that the case that kills the process is known. `cwd`, `path` and `environment` are those of the caller.
    """

    action: Literal["describe", "serve"]
    folder: str
    gates: dict[str, bool] = {}
    careful: bool = False
    memory: int = MEMORY
    patience: float = PATIENCE
    cwd: str = ""
    path: tuple[str, ...] = ()
    environment: dict[str, str] = {}

    def line(self) -> bytes:
        """Encode it as one line, with the folder, `sys.path` and environment of this process."""
        environment = {name: value for name, value in os.environ.items() if _is_text(name) and _is_text(value)}
        path = tuple(one for one in sys.path if isinstance(one, str) and _is_text(one))
        order = msgspec.structs.replace(self, cwd=os.getcwd(), path=path, environment=environment)
        return msgspec.json.encode(order) + b"\n"


def ask_once(order: SuiteOrder, seconds: float, most: int) -> tuple[bytes, str, str]:
    """Start a process, read its output until it ends, and kill it if it does not. Raises: TargetError.

    Returns: its output, the last line of its stderr, and the error of the process itself.
    """
    process = SERVER.start()
    out, stderr, why = exchange(process, order.line(), seconds, most)
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    last = next((line for line in lines if line.startswith("Fatal Python error")), lines[-1] if lines else "")[:300]
    code = process.returncode
    if not why and code is not None and code != 0 and code != BROKEN:
        why = f"ended its process ({_ending(code)})"
    elif not why and code == 0 and not out:
        why = "ended its process (exit code 0)"
    elif not why and code is None:
        why = "left processes that hold its output"
    return out, last, why


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
