"""Go programs that benchmarks need: compiled once, in the user's cache."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import platformdirs

from harness.files import locked


def compiled(name: str, compile_in: Callable[[Path, Path], None]) -> Path:
    """Return the program of this name; unless it is there, compile it: `compile_in(folder, program)`, the folder empty.

    The name holds a digest of all sources. Raises: what compiling raises.
    """
    cache = platformdirs.user_cache_path("equivalence-harness") / "bench"
    cache.mkdir(parents=True, exist_ok=True)
    program = cache / name
    with locked(cache / f"{name}.lock", lambda: print(f"another process compiles {name}")):
        if not program.is_file():
            folder = Path(tempfile.mkdtemp(dir=cache))
            try:
                compile_in(folder, program)
            finally:
                rmtree(folder, ignore_errors=True)
    return program
