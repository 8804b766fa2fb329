"""A harness with an addition that nobody has written: a script makes it before the command line starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_THEN = """
from harness.__main__ import main

main()
"""


def run_extended(folder: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, in a process in which the script was run first."""
    file = folder / "extended.py"
    file.write_text(script + _THEN, encoding="utf-8")
    command = [sys.executable, str(file), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=folder)
