"""Puts lists of errors in a form that may be compared: exactly, but for the order in which Go walks maps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from harness.field import FieldError
from harness.fuzzers.shape import Shape


def in_order(errors: Sequence[FieldError], shape: Shape) -> list[tuple[Any, ...]]:
    """Return errors in a form that may be compared, exactly, but for what Go leaves open.

    Go walks maps in random order. A run of errors below one map is therefore put in the order of the map's keys, which
    keeps the order of all errors of one key; a run of errors of one rule at the map itself (rules for keys report
    there) in the order of the keys that they show. Nothing else moves: not across other errors, not in lists.
    """
    rows = [(e.field, e.type, e.detail, e.origin, e.level, e.short_circuit, e.value) for e in errors]
    maps = [map_above(shape, e.field) for e in errors]
    out: list[tuple[Any, ...]] = []
    start = 0
    while start < len(rows):
        top = maps[start]
        end = start + 1
        if top is None:
            out.append(rows[start])
            start = end
            continue
        at_map = rows[start][0] == top
        while end < len(rows) and maps[end] == top and (rows[end][0] == top) == at_map:
            if at_map and rows[end][3] != rows[start][3]:
                break
            end += 1
        length = len(top)
        run = rows[start:end]
        out += sorted(run, key=lambda r: r[6]) if at_map else sorted(run, key=lambda r: _key_after(r[0], length))
        start = end
    return out


def _key_after(path: str, start: int) -> str:
    return path[start:].partition("]")[0]


def map_above(shape: Shape, path: str) -> str | None:
    """Return the path of the outermost map on the way to a place, None when there is none."""
    if path == "<nil>":
        return None
    at = 0
    for part in re.finditer(r"\.?([^.\[\]]+)|\[(\d+)\]", path):
        if part.start() != at:
            return None
        at = part.end()
        shape = shape.child(int(part[2]) if part[2] else part[1])
        if shape.kind == "map":
            return path[:at]
    return None
