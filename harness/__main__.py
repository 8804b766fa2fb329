"""`python -m harness`, and the command `harness`: the way in, quick enough that Ctrl-C is never a traceback."""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Run the command line and leave the process."""
    signal.signal(signal.SIGINT, _leave)  # while Python imports there is nothing to tell and nobody to catch it
    from harness.cli.main import main as command_line

    command_line()


def _leave(number: int, frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
