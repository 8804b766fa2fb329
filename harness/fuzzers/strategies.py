"""Hypothesis strategies for objects and updates of a shape, for tests outside of the engine.

    @given(objects_of(shape, examples=[accepted]))
    @given(pairs_of(shape, examples=[accepted]))

The engine does not use them: it reduces objects (see `reduce`), where Hypothesis shrinks draws. Boundary values are the
engine's own probes, so that strategies and runs cover the same values. "Both sides" are the handwritten and the
declarative validator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias

from hypothesis import strategies as st

from harness.case import Json
from harness.fuzzers.edits import Site, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.shapepaths import walk_paths
from harness.fuzzers.values import LIMITS, boundary_values, common_values, fits
from harness.jsonpath import ABSENT, Edit, JsonPath, look, put, remove
from harness.objectmodel import HEADER

Bias: TypeAlias = Literal["any", "valid", "boundary"]
"""Which objects are drawn most: a mix of all, objects that both sides accept, or boundary values of rules."""

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]

_MAX_MEMBERS = 4
"""At most this many members of a struct that is built from its shape alone."""
_MAX_ITEMS = 2
"""At most this many items or entries of a list or map that is built from its shape alone."""
_EDIT_CHANCES, _BOUNDARY_CHANCES, _OLD_CHANCES = (12, 7, 4), (16, 6, 4), (3, 2)
"""The chance of each edit in sixteenths: usually, with bias `boundary` (one edit is certain), and of old objects."""
_MAX_CUTS = 40
"""At most this many parts of an example may be removed."""
_MAX_SHRUNK_NUMBER = 1_000_000
"""Numbers beyond it are not made smaller by shrinking."""
_MAX_DEPTH = 5
_TEXT = st.text(max_size=20)
_ROLL = st.integers(0, 15)


def objects_of(
    shape: Shape,
    *,
    examples: Sequence[Json] = (),
    probes: Iterable[Edit] = (),
    accepted_edits: Iterable[Edit] = (),
    header: Mapping[str, Json] | None = None,
    bias: Bias = "any",
) -> st.SearchStrategy[Json]:
    """Draw objects of a shape: parts of the examples with up to three edits, or objects built from the shape alone.

    `examples` should be objects that both sides accept; without them few objects get past the first check. `probes` are
    edits to boundary values. `accepted_edits` leave the first example accepted. `header` are members that every object
    has, such as apiVersion and kind; in examples these are never removed or edited. With `bias="valid"` examples stay
    whole and get accepted edits only; with `bias="boundary"` there is at least one edit, mostly of a probe.
    Shrinks towards: the empty object, then the first example with as much removed as possible and no edit; strings
    become shorter and numbers smaller. With `bias="valid"`, the first example.
    """
    return _objects(
        _ObjectSource(shape, tuple(examples), tuple(probes), tuple(accepted_edits), dict(header or {}), bias)
    )


def pairs_of(
    shape: Shape,
    *,
    examples: Sequence[Json] = (),
    probes: Iterable[Edit] = (),
    accepted_edits: Iterable[Edit] = (),
    header: Mapping[str, Json] | None = None,
    bias: Bias = "any",
) -> st.SearchStrategy[tuple[Json, Json]]:
    """Draw updates (old, new): two copies of one object, each with up to three edits. Arguments as for `objects_of`.

    Shrinks towards: one object twice, as small as possible; then one edit of the new one, then one of the old one.
    """
    return _pairs(_ObjectSource(shape, tuple(examples), tuple(probes), tuple(accepted_edits), dict(header or {}), bias))


@dataclass(frozen=True)
class _ObjectSource:
    """The arguments of a strategy."""

    shape: Shape
    examples: tuple[Json, ...] = ()
    probes: tuple[Edit, ...] = ()
    accepted_edits: tuple[Edit, ...] = ()
    header: Mapping[str, Json] = field(default_factory=dict)
    bias: Bias = "any"

    @property
    def header_paths(self) -> frozenset[JsonPath]:
        """The paths that say what an object is, and that are never edited."""
        return frozenset() if self.shape.is_plain else HEADER

    @cached_property
    def sites(self) -> list[Site]:
        """Every path of the examples.

        Not of the edited object: one draw must mean the same path whatever the other draws are, or shrinking fails.
        """
        found = (site for example in self.examples for site in sites_of(example, self.shape, skip=self.header_paths))
        return list({site.path: site for site in found}.values())

    def with_header(self, obj: Json) -> Json:
        """Return the object with the members that every object has."""
        return {**self.header, **obj, **self.header} if self.header and isinstance(obj, dict) else obj


@st.composite
def _objects(draw: Draw, source: _ObjectSource) -> Json:
    if source.bias == "valid" and source.examples:
        return _apply_edits(draw, source, source.examples[_index(draw, len(source.examples))], _EDIT_CHANCES)
    most = _BOUNDARY_CHANCES if source.bias == "boundary" else _EDIT_CHANCES
    return source.with_header(_apply_edits(draw, source, _base_object(draw, source), most))


@st.composite
def _pairs(draw: Draw, source: _ObjectSource) -> tuple[Json, Json]:
    common = draw(_objects(source))
    # Drawn before the edits of old: where one edit is enough, shrinking then keeps that of new.
    new = source.with_header(_apply_edits(draw, source, common, _EDIT_CHANCES))
    return source.with_header(_apply_edits(draw, source, common, _OLD_CHANCES)), new


def _base_object(draw: Draw, source: _ObjectSource) -> Json:
    if not source.examples or draw(_ROLL) == 0:
        return _value(draw, source.shape, _MAX_DEPTH)
    return _remove_parts(draw, source.examples[_index(draw, len(source.examples))], source.header_paths)


def _index(draw: Draw, length: int) -> int:
    """Draw an index of a sequence; the first is the simplest."""
    return int(draw(st.integers(0, length - 1))) if length > 1 else 0


def _remove_parts(draw: Draw, example: Json, kept: frozenset[JsonPath]) -> Json:
    """Remove parts of an example: few when drawn, as many as possible when shrunk."""
    removable = [path for path, _, _ in walk_paths(example) if len(path) <= 3 and path not in kept]
    # One draw for each, also inside of removed ones: shrinking fails where one draw decides whether others happen.
    removed = [path for path in removable[:_MAX_CUTS] if draw(_ROLL) == 0]
    for path in reversed(removed):  # the last first, so that indices stay valid
        example = remove(example, path)
    return example


def _apply_edits(draw: Draw, source: _ObjectSource, obj: Json, chances: tuple[int, ...]) -> Json:
    """Apply an edit, or none, for every chance. Each is one draw, so that shrinking can leave out any of them."""
    for chance in chances:
        obj = draw(_perhaps_edit(source, obj, chance))
    return obj


@st.composite
def _perhaps_edit(draw: Draw, source: _ObjectSource, obj: Json, chance: int) -> Json:
    if draw(_ROLL) < 16 - chance:
        return obj
    if source.bias != "valid":
        return _edit(draw, source, obj)
    return source.accepted_edits[_index(draw, len(source.accepted_edits))].apply(obj) if source.accepted_edits else obj


def _edit(draw: Draw, source: _ObjectSource, obj: Json) -> Json:
    if source.probes and draw(_ROLL) > (3 if source.bias == "boundary" else 8):
        path, value = source.probes[_index(draw, len(source.probes))]
        return put(obj, path, _shorter(draw, value))
    sites = source.sites
    if not sites or not isinstance(obj, dict):
        sites = sites_of(obj, source.shape, skip=source.header_paths)
        sites += [] if isinstance(obj, dict) else [Site((), source.shape, obj)]
    if not sites:
        return obj
    site = sites[_index(draw, len(sites))]
    return _edit_at(draw, site, look(obj, site.path)).apply(obj)


def _edit_at(draw: Draw, site: Site, value: Json) -> Edit:
    """Remove the value, replace it by a probe of the example's value, rearrange it, or draw a new one."""
    kind = _index(draw, 6)
    if kind == 0 and value is not ABSENT and site.path:
        return Edit(site.path, ABSENT)
    if kind == 1:
        values = site.values(Harvest())
        if values:
            return Edit(site.path, _shorter(draw, values[_index(draw, len(values))]))
    if kind <= 4 and value:
        if isinstance(value, list):
            return Edit(site.path, _rearrange(draw, value))
        if isinstance(value, dict) and site.shape.kind == "map":
            return Edit(site.path, _rename_key(draw, value))
    if site.shape.kind == "list" and isinstance(value, list):
        return Edit(site.path, [*value, _value(draw, site.shape.elem, 2)])
    return Edit(site.path, _value(draw, site.shape, 2, site.member))


def _rearrange(draw: Draw, items: list[Json]) -> list[Json]:
    """Remove an item, repeat it, or reverse the list from it on and put that part first."""
    index, kind = _index(draw, len(items)), _index(draw, 3)
    if kind == 0:
        return items[:index] + items[index + 1 :]
    return [*items, items[index]] if kind == 1 else items[index:][::-1] + items[:index]


def _rename_key(draw: Draw, members: dict[str, Json]) -> dict[str, Json]:
    names = list(members)
    name = names[_index(draw, len(names))]
    kept = {key: value for key, value in members.items() if key != name}
    return {**kept, _scalar(draw, _KEY): members[name]}


_KEY = Shape("string", "string")


def _value(draw: Draw, shape: Shape, depth: int, member: FieldShape | None = None) -> Json:
    """Draw a value of a shape. Structs have a few of their members, lists no item twice."""
    if shape.kind == "struct":
        return _struct(draw, shape, depth) if depth > 0 and shape.fields else {}
    if shape.kind == "list":
        items: list[Json] = draw(_items(shape, depth)) if depth > 0 else []
        return [item for index, item in enumerate(items) if item not in items[:index]]
    if shape.kind == "map":
        return dict(draw(_entries(shape, depth))) if depth > 0 else {}
    if member is not None and member.hints and draw(_ROLL) > 11:
        hints = [hint for hint in member.hints if fits(hint, shape)]
        if hints:
            return hints[_index(draw, len(hints))]
    return _scalar(draw, shape)


def _struct(draw: Draw, shape: Shape, depth: int) -> dict[str, Json]:
    """Draw some members; when a name is drawn twice its first value is kept."""
    drawn: list[tuple[str, Json]] = draw(_members(shape, depth))
    return dict(reversed(drawn))


# `st.lists`, not loops over draws: Hypothesis can remove an item from the middle of its own lists.
@lru_cache(maxsize=4096)
def _members(shape: Shape, depth: int) -> st.SearchStrategy[list[tuple[str, Json]]]:
    return st.lists(_one_member(shape, depth), max_size=min(_MAX_MEMBERS, depth))


@st.composite
def _one_member(draw: Draw, shape: Shape, depth: int) -> tuple[str, Json]:
    member = shape.fields[_index(draw, len(shape.fields))]
    return member.name, _value(draw, member.shape, depth - 1, member)


@lru_cache(maxsize=4096)
def _items(shape: Shape, depth: int) -> st.SearchStrategy[list[Json]]:
    return st.lists(_one_value(shape.elem, depth - 1), max_size=_MAX_ITEMS)


@lru_cache(maxsize=4096)
def _entries(shape: Shape, depth: int) -> st.SearchStrategy[list[tuple[str, Json]]]:
    return st.lists(_one_entry(shape, depth), max_size=_MAX_ITEMS)


@st.composite
def _one_entry(draw: Draw, shape: Shape, depth: int) -> tuple[str, Json]:
    return str(_scalar(draw, shape.key)), _value(draw, shape.elem, depth - 1)


@st.composite
def _one_value(draw: Draw, shape: Shape, depth: int) -> Json:
    return _value(draw, shape, depth)


def _scalar(draw: Draw, shape: Shape) -> Json:
    """Draw a common value mostly, a boundary value sometimes, any value of the kind rarely."""
    roll = draw(_ROLL)
    if shape.choices and roll <= 6:
        return shape.choices[_index(draw, len(shape.choices))]
    if roll > 13 and shape.kind == "string":
        return draw(_TEXT)
    if roll > 13 and shape.kind == "int":
        low, high = LIMITS.get(shape.bits, LIMITS[64])
        return draw(st.integers(low, high) if shape.signed else st.integers(0, 2 * high + 1))
    common, boundary = common_values(shape), boundary_values(shape)
    values = common if roll <= 9 and common else boundary or common
    return _shorter(draw, values[_index(draw, len(values))]) if values else {}


def _shorter(draw: Draw, value: Json) -> Json:
    """Draw the value itself nearly always; shrinking makes strings as short and numbers as small as the test allows."""
    if isinstance(value, str) and len(value) > 1:
        return value[: int(draw(st.integers(0, 16 * len(value))))]
    if isinstance(value, int) and not isinstance(value, bool) and 2 < abs(value) <= _MAX_SHRUNK_NUMBER:
        size = min(abs(value), int(draw(st.integers(0, 16 * abs(value)))))
        return size if value > 0 else -size
    return value
