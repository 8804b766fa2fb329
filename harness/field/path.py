"""The field path that validators build, as upstream's `field.Path`. Paths are read by `harness.jsonpath` alone."""

from __future__ import annotations

import msgspec


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
