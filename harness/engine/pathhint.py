"""Says what a wrong path of an error may have meant: a field of the type, or the same path in another version.

A wrong guess sends a reader to the wrong field, so that a name is suggested only if it differs by its letters' case, or
if it is the only one that is near.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple

from harness.fuzzers.shape import Shape
from harness.jsonpath import join, pattern_of
from harness.objectmodel import METADATA

MEANT = "did you mean"
PERHAPS = "perhaps the path is to be"
_NEAR = 0.8
_LONG = 8  # characters of a name that others end with: `persistentDisk` of `gcePersistentDisk`
_DEEP = 4  # structs, lists and maps between a struct and a member that is meant: `requestMappings[*].requestName`
_WHOLE = (METADATA, "spec")
"""Members whose own members are often named without them."""
_MAX_NAME = 100  # a longer name is no misspelling, and slow to compare


def hint_at(
    path: str,
    name: str,
    known: Sequence[str],
    others: Mapping[str, Shape],
    present: Container[str] = (),
    around: str = "",
) -> str:
    """Return a hint for a path whose first unknown name is `name`, in a struct of `known` names; empty without one.

    `known` may end with names of members of members, such as `metadata.labels`. `others` are the shapes of the other
    served versions; of several names that are near, the one that the object has (`present`) is meant. `around` is the
    path of the struct.
    """
    near = _near(name, known, present)
    lacking = " and ".join(version for version, shape in others.items() if not has_path(path, shape))
    verb = "have" if " and " in lacking else "has"
    near = join(around, near) if "." in near else near
    hints = (f"{MEANT} {near}?" if near else "", f"{lacking} {verb} no such field either" if lacking else "")
    return "; ".join(filter(None, hints))


class MendedPath(NamedTuple):
    """A path that the type has in place of a wrong one, and the names of that one that it does not have, with the
    paths that they end.
    """

    path: str
    wrong: Mapping[str, str]


def mend_path(path: str, shape: Shape, read: Container[str] = ()) -> MendedPath | None:
    """Return the path that a wrong one may have meant, of which several names may be wrong; None if there is none.

    Below a name that is wrong it may also be the member of a member that has the name, or the single one there is. A
    long name may be that of one member further down, and an index or key that of the only list or map, or of the only
    one whose name, in small letters, the check reads.
    """
    found, before, wrong = "", "", dict[str, str]()
    for step in pattern_of(path):
        before = join(before, step)
        if shape.kind in ("list", "map") and step == "[*]":
            found, shape = join(found, step), shape.elem
            continue
        if shape.kind != "struct":
            return None
        names = [step]
        if step == "[*]":
            names = [*_container(shape, read), step]
            wrong[step] = before
        elif step not in shape.by_name:
            known = (*shape.by_name, *members_below(shape))
            near = _near(step, known, ()) or _single(step, shape, bool(wrong)) or _further_down(step, shape)
            names = [*pattern_of(near)]
            wrong[step] = before
        for name in names or [""]:
            field = shape.by_name.get(name) if shape.kind == "struct" else None
            if field is None and (name != "[*]" or shape.kind not in ("list", "map")):
                return None
            found, shape = join(found, name), shape.elem if field is None else field.shape
    return MendedPath(found, wrong)


def _single(name: str, shape: Shape, is_below: bool) -> str:
    """Return the single member of a struct, or the one of a member that has a name; empty if there are others."""
    if len(shape.by_name) == 1:
        return next(iter(shape.by_name))
    ending = [one for one in members_below(shape) if one.endswith(f".{name}")]
    return ending[0] if is_below and len(ending) == 1 else ""


def _further_down(name: str, shape: Shape) -> str:
    """Return the one path below a struct that ends with a long name; empty if there are several or none."""
    found = list(islice(_paths_to(name, shape, "", _DEEP), 2)) if len(name) >= _LONG else []
    return found[0] if len(found) == 1 else ""


def _paths_to(name: str, shape: Shape, path: str, depth: int) -> Iterator[str]:
    if shape.kind == "struct" and depth:
        for member in shape.fields:
            at = join(path, member.name)
            if member.name == name and path:
                yield at
            yield from _paths_to(name, member.shape, at, depth - 1)
    elif shape.kind in ("list", "map") and depth:
        yield from _paths_to(name, shape.elem, join(path, "[*]"), depth - 1)


def _container(shape: Shape, read: Container[str]) -> list[str]:
    """Return the name of the list or map of a struct that an index or key without a name is of; none if unknown."""
    lists = [one.name for one in shape.fields if one.shape.kind in ("list", "map")]
    names = lists if len(lists) == 1 else [name for name in lists if name.lower() in read]
    return names if len(names) == 1 else []


def members_below(shape: Shape) -> Iterator[str]:
    """Yield the members of a struct's members that are structs, as in `metadata.labels`."""
    for member in shape.by_name.values():
        if member.shape.kind == "struct":
            yield from (f"{member.name}.{name}" for name in member.shape.by_name)


def versions_with(path: str, others: Mapping[str, Shape]) -> list[str]:
    """Return the versions whose types have every field of a path."""
    return [version for version, shape in others.items() if has_path(path, shape)]


def has_path(path: str, shape: Shape) -> bool:
    """Whether a type has every field of a path."""
    for step in pattern_of(path):
        if shape.kind == "struct":
            if step not in shape.by_name:
                return False
            shape = shape.by_name[step].shape
        elif shape.kind in ("list", "map"):
            shape = shape.elem
        else:
            return False
    return True


def _near(name: str, known: Sequence[str], present: Container[str]) -> str:
    """Return the one name that differs by case, else the only one that is near; empty if there are several or none."""
    same = [one for one in known if one.lower() == name.lower()]
    if len(same) == 1 or len(name) > _MAX_NAME:
        return same[0] if same else ""
    near = get_close_matches(name, known, n=2, cutoff=_NEAR)
    near = near or [one for one in known if len(name) >= _LONG and one.lower().endswith(name.lower())]
    near = near or [one for one in known if one.lower() == f"deprecated{name.lower()}"]
    near = near or [one for one in known if one in {f"{member}.{name}" for member in _WHOLE}]
    near = [one for one in near if one in present] or near
    return near[0] if len(near) == 1 else ""
