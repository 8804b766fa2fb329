"""The validation of kinds as conditions on the object, as the Go program in `lowering` reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from harness.graduate.program import ask_program


class ErrorRead(msgspec.Struct, frozen=True):
    """An error that may be reported, and the number of the node that says when.

    `items` are the lists whose items `path` names. `unread` says what of it was not read; an error without a type may
    be any error there, and one that is `open` may be there or anywhere below. `at` is the file and line that make it.
    """

    path: str
    type: str
    origin: str
    covered: bool
    level: str
    when: int
    items: tuple[str, ...] | None
    open: bool
    unread: str
    at: str = ""

    def may_be(self, path: str, type_: str) -> bool:
        """Whether it may be an error of this type at this path."""
        if self.type and self.type != type_:
            return False
        if not self.open:
            return self.path == path
        return not self.path or path == self.path or path.startswith((f"{self.path}.", f"{self.path}["))


class SideRead(msgspec.Struct, frozen=True):
    """One side of a kind. `nodes` are (operator, name, arguments...); `reasons` say what stands behind unknowns.

    `facts` are pairs of an unknown and a condition that holds of it.
    """

    entry: str
    nodes: tuple[tuple[str | int, ...], ...] | None = None
    errors: tuple[ErrorRead, ...] | None = None
    facts: tuple[tuple[int, int], ...] | None = None
    reasons: dict[str, str] | None = None
    problem: str = ""


class KindRead(msgspec.Struct, frozen=True):
    """The two sides of a kind, as they validate an object that is created."""

    kind: str
    handwritten: SideRead
    declarative: SideRead


def read_kinds(
    location: str | Path, kinds: Iterable[str], note: Callable[[str], None], replaced: Mapping[str, str] | None = None
) -> dict[str, KindRead]:
    """Read the kinds with these Go types. `replaced` are files that are read in the place of others.

    Raises: TargetError if the sources are missing or the program fails.
    """
    request = {"kinds": list(kinds), "replaced": dict(replaced or {})}
    return {one.kind: one for one in ask_program(location, request, KindRead, note)}
