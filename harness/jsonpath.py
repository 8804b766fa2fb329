"""Parses, writes, canonicalises and compares paths in objects, and reads and replaces the values at them.

No other module implements these operations. A path has three forms:

* A *field path* is the text in an error, in the format of apimachinery: `spec.ports[0].name`, `metadata.labels[app]`,
  `<nil>` for the root.
* A *canonical path* has `[*]` for every index and key, and is empty for the root.
* A *JSON path* is a tuple: `("spec", "ports", 0, "name")`.

A field path does not distinguish an index from a key, so a number as text selects an item of a list, or a member of an
object. Keys are not quoted or escaped, so `labels[a]b]` and `labels[a.b]` are ambiguous. A subscript ends at the first
closing bracket that is followed by `.`, `[` or the end of the path, and without such a bracket at the first one.

Objects are never changed: an edit returns a copy that shares all unchanged values. Paths that depend on types are in
`gotypes.paths` and `fuzzers.shapepaths`; validators build their paths with `field.Path`.
Source: apimachinery pkg/util/validation/field/path.go (2026-07), which writes `[%s]`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from harness.case import Json

JsonPath: TypeAlias = tuple[str | int, ...]
"""The path of a value in an object: `("spec", "ports", 0, "name")`."""

ITEMS: Final = "[*]"
"""The subscript of a canonical path, for every index and key."""

_ROOTS = frozenset({"", "<nil>"})
_END = re.compile(r"\](?=[.\[]|\Z)")
_NAME = re.compile(r"[\w$-]+")
_MAX_CACHED_PATHS = 1 << 14
_MAX_INDEX_DIGITS = 9
"""At most this many digits are read as an index, because a target may report any number."""


class PathStep(NamedTuple):
    """One step of a field path: the name of a member, or the text between two brackets."""

    text: str
    is_subscript: bool


# Field paths and canonical paths


def _subscripts(path: str) -> list[tuple[int, int]]:
    """Return the start and end of each subscript of a path, brackets included."""
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


def closings(path: str, begin: int) -> Iterator[int]:
    """Yield each possible end of a subscript that begins at an index, for callers that know the types."""
    return (found.end() for found in _END.finditer(path, begin))


@lru_cache(maxsize=_MAX_CACHED_PATHS)
def parse(path: str) -> tuple[PathStep, ...]:
    """Split a field path into steps. The root has no steps; unclosed brackets are ignored."""
    if path in _ROOTS:
        return ()
    steps: list[PathStep] = []
    at = 0
    for begin, end in _subscripts(path):
        steps += _names(path[at:begin])
        steps.append(PathStep(path[begin + 1 : end - 1], True))
        at = end
    return (*steps, *_names(path[at:]))


def _names(text: str) -> list[PathStep]:
    return [PathStep(name, False) for name in text.replace("[", ".").split(".") if name]


@lru_cache(maxsize=_MAX_CACHED_PATHS)
def path_of(path: str) -> tuple[str, ...]:
    """Convert a field path to names, indices and keys, all as text."""
    return tuple(step.text for step in parse(path))


@lru_cache(maxsize=_MAX_CACHED_PATHS)
def pattern_of(path: str) -> tuple[str, ...]:
    """Split a path into names of members, and `[*]` for indices and keys."""
    return tuple(ITEMS if step.is_subscript else step.text for step in parse(path))


@lru_cache(maxsize=_MAX_CACHED_PATHS)
def canonical_path(path: str) -> str:
    """Replace every subscript by `[*]`; the root path `<nil>` becomes the empty string (semantics.md#9.2)."""
    if path in _ROOTS:
        return ""
    spans = _subscripts(path)
    if not spans:
        return path
    between = zip([0, *(end for _, end in spans)], [*(begin for begin, _ in spans), len(path)], strict=True)
    return ITEMS.join(path[begin:end] for begin, end in between)


def is_regular(path: str) -> bool:
    """Whether joining the steps of a field path results in the same path, as for those that validators write."""
    again = "".join(f"[{step.text}]" if step.is_subscript else f".{step.text}" for step in parse(path))
    return path in _ROOTS or again.removeprefix(".") == path


def join(path: str, step: str) -> str:
    """Append names of members, or a subscript in brackets, to a field path."""
    return f"{path}.{step}" if path and step and step[0] != "[" else path + step


def write(path: Iterable[str | int]) -> str:
    """Format a JSON path as a field path. Without types, a key that looks like a member is written as one."""
    text = ""
    for step in path:
        is_name = isinstance(step, str) and not step.isdecimal() and _NAME.fullmatch(step)
        text = join(text, str(step) if is_name else f"[{step}]")
    return text


def leads_to(field: str, path: JsonPath) -> bool:
    """Whether the field path of an error denotes a JSON path."""
    return path_of(field) == tuple(map(str, path))


def segments(path: str) -> list[str]:
    """Split a field path into members, each with its subscripts: `spec`, `ports[0]`, `name`."""
    spans = _subscripts(path)
    dots = [at for at, char in enumerate(path) if char == "." and not any(begin < at < end for begin, end in spans)]
    return [path[begin:end] for begin, end in zip([0, *(at + 1 for at in dots)], [*dots, len(path)], strict=True)]


def parent_of(path: str) -> str:
    """Return the path of the struct, list or map that contains a value; empty for a member of the root."""
    spans = _subscripts(path)
    begin, end = spans[-1] if spans else (0, 0)
    if spans and end == len(path):
        return path[:begin]
    cut = path.rfind(".", end)
    return path[: max(cut, end)]


def struct_of(path: str) -> str:
    """Return the path of the struct that declares a field: `spec` for `spec.ports` and `spec.ports[*]`."""
    return ".".join(segments(path)[:-1])


def without_subscripts(path: str) -> str:
    """Return the names of a path, without indices and keys."""
    return ".".join(step.text for step in parse(path) if not step.is_subscript)


def first_items(path: str) -> str:
    """Replace `[*]` by `[0]`, which makes a canonical path a field path."""
    return path.replace(ITEMS, "[0]")


def is_below(path: str, parent: str) -> bool:
    """Whether a path is a child of another: `a.b` and `a[0]` are children of `a`, `ab` is not; the root has none.

    The texts are compared, as in error_matcher.go of apimachinery.
    """
    return bool(parent) and len(path) > len(parent) and path.startswith(parent) and path[len(parent)] in ".["


def is_within(path: str, parent: str) -> bool:
    """Whether a path is equal to or below another; every path is within the root."""
    return not parent or path == parent or is_below(path, parent)


# Values at JSON paths


class _Absent:
    """The value of a path that does not exist in an object."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = _Absent()


def look(obj: Json, path: JsonPath) -> Json:
    """Return the value at a path, `ABSENT` when there is none."""
    for step in path:
        if isinstance(obj, dict):
            obj = obj.get(step, ABSENT)
        elif isinstance(obj, list):
            index = step if isinstance(step, int) else index_of(step)
            if not 0 <= index < len(obj):
                return ABSENT
            obj = obj[index]
        else:
            return ABSENT
    return obj


def index_of(text: str) -> int:
    """Convert a text to a list index; -1 when it is not one."""
    return int(text) if len(text) <= _MAX_INDEX_DIGITS and text.isdecimal() else -1


def values_at(obj: Json, path: JsonPath) -> Iterator[Json]:
    """Yield the values at a path with any index, because items may move within a list."""
    if not path:
        yield obj
    elif isinstance(obj, list):
        for item in obj:
            yield from values_at(item, path[1:])
    elif isinstance(obj, dict) and path[0] in obj:
        yield from values_at(obj[path[0]], path[1:])


def find(obj: Json, pattern: Sequence[str], at: str = "") -> Iterator[tuple[str, Json]]:
    """Yield the field paths in an object that match a pattern, with their values.

    The last member is `ABSENT` when only its parent exists.
    """
    if not pattern:
        yield at, obj
        return
    step, rest = pattern[0], pattern[1:]
    if step == ITEMS:
        held = obj.items() if isinstance(obj, dict) else enumerate(obj) if isinstance(obj, list) else ()
        for key, value in held:
            yield from find(value, rest, f"{at}[{key}]")
    elif isinstance(obj, dict):
        if step in obj:
            yield from find(obj[step], rest, join(at, step))
        elif not rest:
            yield join(at, step), ABSENT


def walk(obj: Json, at: JsonPath = ()) -> Iterator[tuple[JsonPath, Json]]:
    """Yield the path and value of everything in an object, parents before children, without the root."""
    for step, value in obj.items() if isinstance(obj, dict) else enumerate(obj) if isinstance(obj, list) else ():
        path = (*at, step)
        yield path, value
        yield from walk(value, path)


# Copies that differ


def put(obj: Json, path: JsonPath, value: Json) -> Json:
    """Return a copy with a value at a path, creating missing parents; `ABSENT` removes the value.

    A list index past the end appends. A parent of another type is replaced.
    """
    return _put(obj, path, 0, value) if path else value


def _put(obj: Json, path: JsonPath, at: int, value: Json) -> Json:
    step = path[at]
    at += 1
    if isinstance(step, int):
        return _put_item(obj, step, path, at, value)
    if isinstance(obj, dict):
        members = obj.copy()
    elif isinstance(obj, list) and (index := index_of(step)) >= 0:
        return _put_item(obj, index, path, at, value)
    else:
        members = {}
    is_last = at == len(path)
    if value is ABSENT:
        if step not in members:
            return members if is_last else obj
        if is_last:
            del members[step]
            return members
    members[step] = value if is_last else _put(members.get(step), path, at, value)
    return members


def _put_item(obj: Json, index: int, path: JsonPath, at: int, value: Json) -> Json:
    items = obj.copy() if isinstance(obj, list) else []
    is_last = at == len(path)
    if index < len(items):
        if is_last and value is ABSENT:
            del items[index]
        else:
            items[index] = value if is_last else _put(items[index], path, at, value)
    elif value is not ABSENT:
        items.append(value if is_last else _put(None, path, at, value))
    return items


def remove(obj: Json, path: JsonPath) -> Json:
    """Return a copy without the value at a path; the object itself when it has none there, and for the root."""
    return put(obj, path, ABSENT) if path and look(obj, path) is not ABSENT else obj


def insert(obj: Json, path: JsonPath, value: Json) -> Json:
    """Return a copy with an item inserted into a list, before the index that ends the path."""
    items = list(look(obj, path[:-1]) or ())
    items.insert(int(path[-1]), value)
    return put(obj, path[:-1], items)


class Edit(NamedTuple):
    """An edit that puts a value at a path; `ABSENT` removes it."""

    path: JsonPath
    value: Json

    def apply(self, obj: Json) -> Json:
        """Return the changed copy."""
        return put(obj, self.path, self.value)


def apply_all(edits: Iterable[Edit], obj: Json) -> Json:
    """Return a copy after applying edits in order."""
    for path, value in edits:
        obj = put(obj, path, value)
    return obj


def edits_to(new: Json, old: Json) -> list[Edit]:
    """Return the edits that turn the old object into the new one."""
    return [Edit(path, look(new, path)) for path in differences(new, old)]


def later_first(edits: Iterable[Edit]) -> list[Edit]:
    """Sort edits so that removing a list item does not shift the items of later edits.

    Edits below a path come before that of the path itself.
    """
    return sorted(edits, key=_order, reverse=True)


def _order(edit: Edit) -> list[tuple[bool, str | int]]:
    """Return the sort key of an edit. Indices sort as numbers, also when they are text."""
    return [
        (False, step) if isinstance(step, int) else (False, index_of(step)) if step.isdecimal() else (True, step)
        for step in edit[0]
    ]


# Differences


def count_differences(new: Json, old: Json) -> int:
    """Count the paths that `differences` yields, in a third of its time."""
    if new is old or (new == old and type(new) is type(old)):
        return 0
    if isinstance(new, dict) and isinstance(old, dict):
        pairs = [(value, old.get(name, ABSENT)) for name, value in new.items()]
        return sum(count_differences(*pair) for pair in pairs if pair[0] is not pair[1]) + len(old.keys() - new.keys())
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        return sum(count_differences(*pair) for pair in zip(new, old, strict=True) if pair[0] is not pair[1])
    return 1


def differences(new: Json, old: Json, at: JsonPath = ()) -> Iterator[JsonPath]:
    """Yield the paths at which two objects differ, as deep as both have parents of the same type."""
    if new is old or (new == old and type(new) is type(old)):
        return
    if isinstance(new, dict) and isinstance(old, dict):
        for name in dict.fromkeys((*new, *old)):
            yield from differences(new.get(name, ABSENT), old.get(name, ABSENT), (*at, name))
    elif isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        for index, (one, other) in enumerate(zip(new, old, strict=True)):
            yield from differences(one, other, (*at, index))
    else:
        yield at
