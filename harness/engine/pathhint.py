"""Says what a wrong path of an error may have meant: a field of the type, or the same path in another version.

A wrong guess sends a reader to the wrong field, so that a name is suggested only if it differs by its letters' case, or
if it is the only one that is near.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from difflib import get_close_matches

from harness.fuzzers.shape import Shape
from harness.jsonpath import join, pattern_of
from harness.objectmodel import METADATA

MEANT = "did you mean"
_NEAR = 0.8
_LONG = 8  # characters of a name that others end with: `persistentDisk` of `gcePersistentDisk`
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
