"""Additions to an object: its absent members with likely values. Also changes of present values, for updates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from harness.case import Json
from harness.fuzzers.insertions import second_items
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import shape_at, walk_paths
from harness.fuzzers.typepaths import MAX_NESTING, members_of, nesting_of
from harness.fuzzers.values import alternatives, common_values, sparse_value
from harness.jsonpath import ABSENT, Edit, JsonPath, apply_all, look
from harness.objectmodel import HEADER, NAMING, is_in_metadata


@dataclass(slots=True)
class Addition:
    """A path to add to an object, and all edits that adding it needs."""

    path: JsonPath
    edits: list[Edit]

    @classmethod
    def of_value(cls, path: JsonPath, value: Json) -> Addition:
        """Return the addition of a value that needs no other edit."""
        return cls(path, [Edit(path, value)])

    def apply(self, obj: Json) -> Json:
        """Return the changed copy."""
        return apply_all(self.edits, obj)


def absent_members(obj: Json, shape: Shape, focus: JsonPath, wanted: Callable[[JsonPath], bool]) -> list[Addition]:
    """Return additions of absent members and items at a path and inside it, in first items only, shallow ones first.

    Each has the value of another path of the same type, or a new value where there is none.
    """
    focus_shape, focus_value = shape_at(shape, focus), look(obj, focus)
    found = [Addition.of_value(focus, {})] if focus_value is ABSENT and wanted(focus) else []
    paths = [(focus, focus_shape, focus_value), *walk_paths(focus_value, focus_shape, focus)]
    values = _ValuesByType(obj, shape)
    for path, path_shape, value in sorted(paths, key=lambda entry: len(entry[0])):
        if not all(part == 0 for part in path if isinstance(part, int)):
            continue
        if path_shape.kind == "struct" and isinstance(value, dict):
            absent = [name for name, _ in members_of(path_shape) if value.get(name) is None and wanted((*path, name))]
            if absent and nesting_of(path, shape) <= MAX_NESTING:
                found += [Addition.of_value((*path, name), values.value(path, path_shape, name)) for name in absent]
        elif path_shape.kind == "list" and value == [] and wanted((*path, 0)):
            found.append(Addition.of_value((*path, 0), sparse_value(path_shape.elem)))
    return found


@dataclass(slots=True)
class _ValuesByType:
    """The values of an object by their types; collected when one is first needed."""

    obj: Json
    shape: Shape
    _known: dict[tuple[str, str], list[tuple[JsonPath, Json]]] | None = None

    def value(self, path: JsonPath, parent: Shape, name: str) -> Json:
        """Return the likeliest value of an absent member."""
        shape = parent.child(name)
        if shape.kind == "struct" or (shape.kind == "list" and shape.elem.kind == "struct"):
            member_path = (*path, name)
            for other_path, value in self._of_type(shape):
                if other_path != member_path[: len(other_path)]:
                    return [next(second_items(value[0], shape.elem))] if shape.kind == "list" else value
        return next(islice(alternatives(parent.by_name[name]), 1), sparse_value(shape))

    def _of_type(self, shape: Shape) -> list[tuple[JsonPath, Json]]:
        if self._known is None:
            self._known = {}
            for path, other, value in walk_paths(self.obj, self.shape):
                if value and other.kind in ("struct", "list"):
                    self._known.setdefault(_type(other), []).append((path, value))
        return self._known.get(_type(shape), [])


def _type(shape: Shape) -> tuple[str, str]:
    return shape.kind, shape.elem.type if shape.kind == "list" else shape.type


def copy_to_alike_paths(change: Addition, other_additions: list[Addition]) -> Iterator[Addition]:
    """Yield the same change at other paths of the same type, without its edits outside of the parent.

    The object has those already, because `change` was accepted before.
    """
    depth = len(change.path) - 1
    inner = [(path[depth:], value) for path, value in change.edits if path[:depth] == change.path[:depth]]
    for other in other_additions:
        yield Addition(other.path, [Edit(other.path[:-1] + path, value) for path, value in inner] or other.edits)


def possible_changes(obj: Json, shape: Shape) -> list[Addition]:
    """Return a change for every scalar and every absent member, those outside of the metadata first.

    Paths that identify the object stay. No change is inside the path of another, so that all can be applied together.
    """
    found: list[Addition] = []
    for path, path_shape, value in ((), shape, obj), *walk_paths(obj, shape):
        if not all(part == 0 for part in path if isinstance(part, int)) or _identifies_object(path):
            continue
        if path_shape.kind == "struct" and isinstance(value, dict):
            for name, member in members_of(path_shape):
                member_path = (*path, name)
                if value.get(name) is None and not _identifies_object(member_path) and path:
                    first = next(islice(alternatives(path_shape.by_name[name]), 1), ABSENT)
                    if first is not ABSENT and member.kind not in ("struct", "list"):
                        found.append(Addition.of_value(member_path, first))
        elif path_shape.kind not in ("list", "map", "struct") and path:
            other = next(
                (one for one in common_values(path_shape) if one != value and one.__class__ is value.__class__), ABSENT
            )
            if other is not ABSENT:
                found.append(Addition.of_value(path, other))
    return sorted(found, key=lambda change: (is_in_metadata(change.path), len(change.path)))


def _identifies_object(path: JsonPath) -> bool:
    return path in HEADER or (len(path) == 2 and is_in_metadata(path) and path[1] in NAMING)
