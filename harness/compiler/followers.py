"""Tells errors of tags and types that stand on their own from those that may only follow from broken Go.

A struct that lost members to a syntax error has tags that miss them; saying so would send people to the wrong place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from harness.diagnostics import Diagnostic, Position
from harness.gotypes.model import Package, Struct, Typedef, TypeRef
from harness.gotypes.packages import BROKEN

_PLAIN = frozenset({"tag-syntax", "tag-argument", "tag-payload", "tag-release", "tag-nesting", "unknown-tag"})
"""What is wrong with the text of a tag, wherever it stands."""


def standing(package: Package, errors: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the errors that do not follow from the package's own: all of them when its files are Go."""
    broken = [one.position for one in package.diagnostics if one.code in BROKEN]
    if not broken:
        return list(errors)
    declared: list[Struct | Typedef] = [*package.structs.values(), *package.typedefs.values()]
    begins = sorted((_begin(one), one.name) for one in declared)
    doubtful = {_home(begins, position) for position in broken}
    known = {one.qualified for one in declared}
    for _ in range(2):  # a list of a typedef of a broken struct
        doubtful |= {one.name for one in declared if any(_is_doubtful(n, known, doubtful) for n in _names(one))}
    return [one for one in errors if one.code in _PLAIN or _home(begins, one.position) not in doubtful]


def _begin(declared: Struct | Typedef) -> Position:
    """Return where a declaration begins, with the comments above it."""
    comments = (*declared.second_comments, *declared.comments)
    return min((declared.position, *(line.position for line in comments)))


def _home(begins: list[tuple[Position, str]], position: Position) -> str:
    """Return the name of the type that a place belongs to; empty before the first type of its file."""
    at = bisect_right(begins, position, key=lambda begin: begin[0]) - 1
    return begins[at][1] if at >= 0 and begins[at][0].file == position.file else ""


def _is_doubtful(name: str, known: set[str], doubtful: set[str]) -> bool:
    package, _, short = name.rpartition(".")
    own = any(one.rpartition(".")[0] == package for one in known)
    return own and (name not in known or short in doubtful)


def _names(declared: Struct | Typedef) -> Iterator[str]:
    """Yield the names of the types that a declaration uses directly."""
    waiting: list[TypeRef | None]
    waiting = [one.type for one in declared.fields] if isinstance(declared, Struct) else [declared.underlying]
    while waiting:
        ref = waiting.pop()
        if ref is not None:
            waiting += [ref.elem, ref.key, *(one.type for one in ref.fields)]
            if ref.kind == "named":
                yield ref.name
