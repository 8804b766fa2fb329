"""Finds who calls a function in the Python files of a suite's folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from harness.diagnostics import InputError
from harness.limits import read_checkout
from harness.subject.callsites import CallSite, CallSites
from harness.subject.pythonsource import PythonSource

_MOST_FILES = 200


class PythonCallSites(CallSites):
    """The calls in the Python files below a folder. A function is known by its name, whichever file declares it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._uses = lru_cache(maxsize=1024)(self._find_uses)
        self._read = lru_cache(maxsize=_MOST_FILES)(self._read_file)

    def source(self, file: str) -> PythonSource:
        """Return a file as findings name it; an empty one if it cannot be read, or is not of the folder."""
        return self._read(file) if file in self._files else PythonSource(b"")

    def calls_of(self, file: str, function: str, most: int = 0) -> Sequence[CallSite]:
        """Return the uses of a function in all files."""
        return self._uses(function)

    @cached_property
    def _files(self) -> Sequence[str]:
        found = sorted(one.relative_to(self._folder).as_posix() for one in self._folder.rglob("*.py"))
        return tuple(found[:_MOST_FILES])

    def _read_file(self, file: str) -> PythonSource:
        try:
            return PythonSource(read_checkout(self._folder / file))
        except (OSError, InputError):
            return PythonSource(b"")

    def _find_uses(self, function: str) -> tuple[CallSite, ...]:
        return tuple(
            CallSite(use.function, file, use.line, use.offset, use.members)
            for file in self._files
            for use in self._read(file).uses(function)
        )
