"""Field paths as validators write them: `spec.ports[0].name`, `metadata.labels[app]`, and `<nil>` for the root.

The only place that reads them: a key is written as it is, with nothing to mark what stands in it, so `labels[a]b]` and
`labels[a.b]` are read by a rule. A subscript begins at a bracket and ends at the first closing one behind which the
path goes on or ends; at the first closing one, where there is no such. Source: apimachinery
pkg/util/validation/field/path.go (2026-07), which writes `[%s]`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

import msgspec

_END = re.compile(r"\](?=[.\[]|\Z)")


class PathStep(NamedTuple):
    """One step of a path: the name of a member, or what stands between two brackets."""

    text: str
    is_subscript: bool


def subscripts(path: str) -> list[tuple[int, int]]:
    """Return where the subscripts of a path begin and end, brackets included."""
    found: list[tuple[int, int]] = []
    begin = path.find("[")
    ends = [match.start() for match in _END.finditer(path)] if begin >= 0 else []
    while begin >= 0:
        index = bisect_left(ends, begin)
        end = ends[index] if index < len(ends) else path.find("]", begin)
        if end < 0:
            break
        found.append((begin, end + 1))
        begin = path.find("[", end + 1)
    return found


@lru_cache(maxsize=1 << 14)
def steps_of(path: str) -> tuple[PathStep, ...]:
    """Take a path apart. The root has no steps; brackets that no other closes are part of nothing."""
    if path == "<nil>":
        return ()
    steps: list[PathStep] = []
    at = 0
    for begin, end in subscripts(path):
        steps += _names(path[at:begin])
        steps.append(PathStep(path[begin + 1 : end - 1], True))
        at = end
    return (*steps, *_names(path[at:]))


def _names(text: str) -> list[PathStep]:
    return [PathStep(name, False) for name in text.replace("[", ".").split(".") if name]


class Path(msgspec.Struct, frozen=True, eq=False, gc=False):
    """An immutable field path, rendered only when an error needs it.

    A part is written as it shows (`.name`, `[key]`), an index as a number. A root path renders as `<nil>`, as Go
    renders a nil path. Source: apimachinery pkg/util/validation/field/path.go
    (2026-07); semantics.md#2.4.
    """

    _parent: Path | None = None
    _part: str | int = ""

    def child(self, *names: str) -> Path:
        """Return the path of a field below this one."""
        path = self
        for name in names:
            path = Path(path, "." + name)
        return path

    def index(self, index: int) -> Path:
        """Return the path of a list item."""
        return Path(self, index)

    def key(self, key: str) -> Path:
        """Return the path of a map value. The key is not quoted."""
        return Path(self, f"[{key}]")

    @property
    def is_root(self) -> bool:
        """Whether this is the nil path."""
        return self._parent is None and self._part == ""

    def __str__(self) -> str:
        part, path = self._part, self._parent
        text = part if part.__class__ is str else f"[{part}]"
        while path is not None:
            part, path = path._part, path._parent
            text = part + text if part.__class__ is str else f"[{part}]{text}"
        # Every member is a part ".name", wherever it stands; the first one shows no dot.
        return (text[1:] if text[:1] == "." else text) or "<nil>"

    def __repr__(self) -> str:
        return f"Path({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Path) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))
