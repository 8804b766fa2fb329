"""The process of one unit: `harness run`, ended with all that it started when the process that waits for it is gone.

A killed worker of the scheduler leaves no run behind that nobody reads.
"""

from __future__ import annotations

import os
import runpy
import signal
import threading
import time

_SECONDS = 0.5
"""How often the parent is looked for. Units: seconds."""


def main() -> None:
    """Run the command line of the harness with this process's arguments, in a session of its own."""
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    runpy.run_module("harness", run_name="__main__", alter_sys=True)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
