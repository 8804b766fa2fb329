"""From the location of an error, as each library writes it, to a field path in the object."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from harness.case import Json
from harness.jsonpath import ABSENT, index_of, path_of, write

Location = Sequence[str | int]


def locate(
    location: Location, obj: Json, *, names_variants: bool = False, is_missing: bool = False
) -> tuple[str, Json]:
    """Return the field path of a location, and the value there, ABSENT where there is none.

    `names_variants`: a part that the object does not have is the name of a variant of a union or of a function, as
    pydantic writes them between the parts of the path. The last part of an error that `is_missing` is a field.
    """
    path: list[str | int] = []
    value, last = obj, len(location) - 1
    for number, part in enumerate(location):
        if value.__class__ is list:
            index = part if part.__class__ is int else index_of(str(part))
            if isinstance(index, int) and index >= 0:
                path.append(index)
                value = value[index] if index < len(value) else ABSENT
                continue
        elif value.__class__ is dict and str(part) in value:
            path.append(str(part))
            value = value[str(part)]
            continue
        if not names_variants or (is_missing and number == last):
            path.append(part)
            value = ABSENT
    return _write(tuple(path)), value


@lru_cache(maxsize=4096)
def _write(path: tuple[str | int, ...]) -> str:
    return write(path)


def parts_of(location: object) -> Location:
    """Read a location that somebody wrote: a tuple, `lines[0].sku`, `lines.0.sku`, `$.lines[0].sku`, `/lines/0/sku`."""
    if isinstance(location, str):
        if location.startswith("/"):
            return [part.replace("~1", "/").replace("~0", "~") for part in location[1:].split("/")]
        return path_of(location.removeprefix("$").removeprefix("."))
    if isinstance(location, Iterable):
        return [part if part.__class__ is int or part.__class__ is str else str(part) for part in location]
    return [location] if isinstance(location, int) else []
