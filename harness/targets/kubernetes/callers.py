"""Says why no request reaches some functions of validators: nothing calls them, or only what validates no request.

The Go files of the release are read, without its tests. A function that is handed on as a value counts as called, and a
function whose callers all have a reason has one too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import re2

from harness.diagnostics import InputError
from harness.gotypes.branches import GoSource
from harness.limits import read_checkout

_TOP = "k8s.io/kubernetes"
_FOLDERS = ("pkg", "plugin", "cmd")
_REQUESTS = ("pkg/apis/", "pkg/api/", "pkg/registry/")
"""The folders whose code is run for a request."""
_WARNINGS = "Warnings"
"""How methods of strategies begin that warn about an object and validate nothing."""


class GoFunction(NamedTuple):
    """A function by its folder in the release, and its name; empty for a variable of the package."""

    folder: str
    name: str

    @property
    def text(self) -> str:
        """The function, for a sentence."""
        return f"{self.name or 'a variable'} ({self.folder})"


def unreachable_functions(root: Path, functions: Collection[GoFunction]) -> dict[GoFunction, str]:
    """Return the reason of each of these functions that no request can reach, as far as the sources show one."""
    callers: dict[GoFunction, set[GoFunction]] = {one: set() for one in functions}
    for called, caller in _calls(root, functions):
        callers[called].add(caller)
    found: dict[GoFunction, str] = {}
    while more := {
        one: reason
        for one, own in callers.items()
        if one not in found and (reason := _reason_of(sorted(own - {one}), found))
    }:
        found |= more
    return found


def _reason_of(callers: list[GoFunction], known: dict[GoFunction, str]) -> str:
    if not callers:
        return "no code of the release calls it"
    if not all(one in known or _is_no_validation(one) for one in callers):
        return ""
    told = callers[0].text + (f" and {len(callers) - 1} more call it" if len(callers) > 1 else " calls it")
    if any(one in known for one in callers):
        return f"only {told}, which no request reaches"
    return f"only {told}, which {'warns' if _is_of_requests(callers[0]) else 'is no validation of requests'}"


def _is_of_requests(caller: GoFunction) -> bool:
    return f"{caller.folder}/".startswith(_REQUESTS)


def _is_no_validation(caller: GoFunction) -> bool:
    return not _is_of_requests(caller) or (caller.folder.startswith("pkg/registry/") and _WARNINGS in caller.name)


def _calls(root: Path, functions: Collection[GoFunction]) -> Iterator[tuple[GoFunction, GoFunction]]:
    """Yield each use of a function, with the function that uses it."""
    names = "|".join(sorted({one.name for one in functions}))
    words = re2.compile(rf"\b(?:{names})\b".encode())  # `re` tries hundreds of names at each letter of 28 MB
    for path in _sources(root) if functions else ():
        try:
            data = read_checkout(path)
        except (OSError, InputError):
            continue
        folder = path.parent.relative_to(root).as_posix()
        named = {word.decode() for word in words.findall(data)}
        source = GoSource(data)
        for one in functions:
            imported = "" if one.folder == folder else f"{_TOP}/{one.folder}"
            if one.name in named and (not imported or f'"{imported}"'.encode() in data):
                for mention in source.mentions(one.name, imported):
                    yield one, GoFunction(folder, mention.function)


def _sources(root: Path) -> Iterator[Path]:
    for folder in _FOLDERS:
        yield from (path for path in sorted((root / folder).rglob("*.go")) if not path.name.endswith("_test.go"))
