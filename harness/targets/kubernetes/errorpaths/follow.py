"""Follows the paths of errors through the sources of a release, with the Go program in this folder.

It starts at `Validate` and `ValidateUpdate` of each strategy of a kind, or at the function that a storage calls by
itself, and reads the code in which a path is given names, indices and keys. Conditions are not read, but for constants:
a call that no object reaches is told too. What is not followed is told as `open`, and nothing is guessed of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness.targets.kubernetes.sourceprogram import UnreadSources, ask_program, run_program, source_program

PROGRAM = source_program("errorpaths", Path(__file__).parent)
_UNREAD = UnreadSources("the fields at which errors are reported", "leave out --branches")
_SITE = re.compile(r"^(?P<file>.+):(?P<line>\d+):(?P<column>\d+)$")
UNKNOWN = "?"
"""Stands for a name in a path, and for an origin, that is not known."""


class CallPlace(NamedTuple):
    """A call: its file, which begins with the import path of its package, and its line and column in bytes, from 1."""

    file: str
    line: int
    column: int

    @property
    def text(self) -> str:
        """The line of the call, without the folder of its file."""
        return f"{self.file.rpartition('/')[2]}:{self.line}"


class FollowedError(msgspec.Struct, frozen=True):
    """An error that a function may make: the number of the function, and that of the site of the call.

    A name in the path that is not known is `?`; of a `vague` one nothing is known.
    """

    node: int
    site: int
    type: str
    path: str
    vague: bool = False
    origin: str = ""
    covered: bool = False

    def is_at(self, path: str, type_: str) -> bool:
        """Whether it may be an error of this type at this path."""
        return self.type == type_ and (self.vague or _matches(self.path, path))


class OpenCall(msgspec.Struct, frozen=True):
    """A call that may report errors at a path or below it, and is not followed. `why` says what was not known."""

    node: int
    site: int
    path: str
    why: str

    def may_report(self, path: str) -> bool:
        """Whether it may report an error at this path."""
        return not self.path or path == self.path or path.startswith((f"{self.path}.", f"{self.path}["))


class FollowedKind(msgspec.Struct, frozen=True):
    """What is known of a kind with a Go type, whose internal type is `internal`. Its validation begins with `entries`.

    `calls` are (function, site, calling function), each function with what it is given; 0 calls the entries.
    """

    kind: str
    internal: str
    entries: tuple[str, ...] | None
    sites: tuple[str, ...] | None
    calls: tuple[tuple[int, int, int], ...] | None
    errors: tuple[FollowedError, ...] | None
    open: tuple[OpenCall, ...] | None
    problem: str = ""

    def site(self, number: int) -> CallPlace:
        """Return the site with a number."""
        found = _SITE.match((self.sites or ())[number])
        assert found is not None
        return CallPlace(found["file"], int(found["line"]), int(found["column"]))


def follow_errors(location: str | Path, kinds: Sequence[str], note: Callable[[str], None]) -> list[FollowedKind]:
    """Follow the errors of kinds with these Go types, in order.

    Raises: TargetError if the sources are missing or the program fails.
    """
    return _shared(ask_program(PROGRAM, location, {"kinds": list(kinds)}, FollowedKind, note, _UNREAD))


def run_follower(binary: Path, go: Path, folder: Path, kinds: Sequence[str]) -> list[FollowedKind]:
    """Run the built program on the sources that a module in a folder requires. Raises: TargetError if it fails."""
    request = {"kinds": list(kinds), "go": str(go), "folder": str(folder)}
    return _shared(run_program(binary, request, FollowedKind, _UNREAD))


def _shared(told: Sequence[FollowedKind]) -> list[FollowedKind]:
    """Return kinds, each with what is known of its internal type, which is told of the first alone."""
    first: dict[str, FollowedKind] = {}
    return [msgspec.structs.replace(first.setdefault(one.internal, one), kind=one.kind) for one in told]


def _matches(pattern: str, path: str) -> bool:
    if UNKNOWN not in pattern:
        return pattern == path
    steps = re.split(r"(?<!\w)\?", pattern)
    return re.fullmatch(r"[^.]+".join(map(re.escape, steps)), path) is not None
