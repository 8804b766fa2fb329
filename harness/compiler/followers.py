"""Separates errors of tags and types from errors that may only be consequences of invalid Go.

Tags may refer to members that a syntax error removed from their struct. Reporting these would point to the wrong line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from harness.diagnostics import Diagnostic, Position
from harness.gotypes.model import Package, Struct, Typedef, TypeRef
from harness.gotypes.packages import BROKEN

_PLAIN = frozenset({"tag-syntax", "tag-argument", "tag-payload", "tag-release", "tag-nesting", "unknown-tag"})
"""Diagnostics about the text of a tag, which are never consequences of invalid Go."""


def independent_errors(package: Package, errors: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the errors that are not consequences of the package's own; all of them if its files are valid Go."""
    broken = [one.position for one in package.diagnostics if one.code in BROKEN]
    if not broken:
        return list(errors)
    declared: list[Struct | Typedef] = [*package.structs.values(), *package.typedefs.values()]
    begins = sorted((_first_line(one), one.name) for one in declared)
    doubtful = {_type_at(begins, position) for position in broken}
    known = {one.qualified for one in declared}
    for _ in range(2):  # a list of a typedef of a broken struct
        doubtful |= {one.name for one in declared if any(_is_doubtful(n, known, doubtful) for n in _names(one))}
    return [one for one in errors if one.code in _PLAIN or _type_at(begins, one.position) not in doubtful]


def _first_line(declared: Struct | Typedef) -> Position:
    """Return the first line of a declaration and its comments."""
    comments = (*declared.second_comments, *declared.comments)
    return min((declared.position, *(line.position for line in comments)))


def _type_at(begins: list[tuple[Position, str]], position: Position) -> str:
    """Return the name of the type that a position belongs to; empty before the first type of its file."""
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
