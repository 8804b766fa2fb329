"""Finds and removes what a reported path names in a JSON object. Never changes an object in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from harness.case import Json
from harness.field.path import steps_of

Steps: TypeAlias = tuple[str, ...]
"""A path taken apart: field names, indexes and map keys, all as text."""

MISSING = object()
"""What a path leads to when nothing is there."""


def steps(path: str) -> Steps:
    """Take a path apart. The root has no steps."""
    return tuple(step.text for step in steps_of(path))


def written(path: Steps) -> str:
    """Write steps for people, indexes in brackets."""
    text = ""
    for step in path:
        text += f"[{step}]" if step.isdecimal() else f".{step}" if text else step
    return text


def value_at(value: Json, path: Steps) -> Json:
    """Return what stands at a path, MISSING when nothing does."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step, MISSING)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value


def values_at(value: Json, path: Steps) -> Iterator[Json]:
    """Yield everything that stands at a path when an index may be any: items move, and only keys know them."""
    if not path:
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from values_at(item, path[1:])
    elif isinstance(value, dict) and path[0] in value:
        yield from values_at(value[path[0]], path[1:])


def ways(value: Json, above: Steps = ()) -> Iterator[Steps]:
    """Yield the steps to everything that stands in a value, what is outside first."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        way = (*above, str(step))
        yield way
        yield from ways(item, way)


def without(value: Json, path: Steps) -> Json:
    """Return a copy that lacks what stands at a path; the value itself when nothing does."""
    if not path or value_at(value, path) is MISSING:
        return value
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        index = int(step)
        changed = [without(value[index], rest)] if rest else []
        return [*value[:index], *changed, *value[index + 1 :]]
    if not rest:
        return {key: item for key, item in value.items() if key != step}
    return {**value, step: without(value[step], rest)}


def replaced(value: Json, path: Steps, new: Json) -> Json:
    """Return a copy with another value at a path that exists."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        index = int(step)
        return [*value[:index], replaced(value[index], rest, new), *value[index + 1 :]]
    return {**value, step: replaced(value[step], rest, new)}


def put(value: Json, path: Steps, new: Json) -> Json:
    """Return a copy with a value at a path whose parent exists; MISSING when it does not."""
    parent = value_at(value, path[:-1]) if path else MISSING
    if isinstance(parent, dict):
        return replaced(value, path[:-1], {**parent, path[-1]: new})
    return MISSING if value_at(value, path) is MISSING else replaced(value, path, new)
