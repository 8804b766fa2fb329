"""Hypothesis strategies over shapes: the door for people who want objects and pairs in tests of their own.

    @given(objects_of(shape, examples=[accepted]))
    @given(pairs_of(shape, examples=[accepted]))

The only module that imports Hypothesis. The engine does not use it: seeds do not shrink, objects do. Values at edges
are those of the engine's own probes, so both doors lead to the same rooms.
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
from harness.fuzzers.places import places
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.values import LIMITS, beyond, fits, pool
from harness.jsonpath import ABSENT, Edit, look, put, remove
from harness.objectmodel import HEADER

Lean: TypeAlias = Literal["any", "valid", "boundary"]
"""What is drawn most: a little of everything, what both sides accept, or what lies at the limits of rules."""

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]

_MOST_MEMBERS = 4
_MOST_ITEMS = 2
_EDITS = (12, 7, 4)
_SOME = (16, 6, 4)
_FEW = (3, 2)
_MOST_CUTS = 40
_LARGE = 1_000_000
_DEPTH = 5
_TEXT = st.text(max_size=20)
_SMALL = st.integers(0, 15)


def objects_of(
    shape: Shape,
    *,
    examples: Sequence[Json] = (),
    probes: Iterable[Edit] = (),
    accepted: Iterable[Edit] = (),
    header: Mapping[str, Json] | None = None,
    lean: Lean = "any",
) -> st.SearchStrategy[Json]:
    """Objects of a shape: parts of the examples with up to three edits, or built from the shape alone.

    `examples` should be objects that both sides accept; without them, few objects get past the first check. `probes`
    are put at their places now and then, `accepted` are changes of the first example that leave it accepted. `header`
    are members that every object has, such as apiVersion and kind; those of an example are never cut off or edited
    either. With `lean="valid"` examples stay whole and only accepted changes are made, with `lean="boundary"` at least
    one edit is made, most of them probes.
    Shrinks towards: the empty object, then the first example with as much cut off as possible and no edit; words
    become shorter and numbers smaller. With `lean="valid"`, the first example.
    """
    return _objects(_ObjectSource(shape, tuple(examples), tuple(probes), tuple(accepted), dict(header or {}), lean))


def pairs_of(
    shape: Shape,
    *,
    examples: Sequence[Json] = (),
    probes: Iterable[Edit] = (),
    accepted: Iterable[Edit] = (),
    header: Mapping[str, Json] | None = None,
    lean: Lean = "any",
) -> st.SearchStrategy[tuple[Json, Json]]:
    """Old and new that have an object in common, from which each is at most three edits away. Arguments as above.

    So an accepted object is edited, a wrong one stays or is changed elsewhere, becomes wrong in another way, or right.
    Shrinks towards: one object twice, as small as it can be; then one edit of the new one, then one of the old one.
    """
    return _pairs(_ObjectSource(shape, tuple(examples), tuple(probes), tuple(accepted), dict(header or {}), lean))


def edits_of(shape: Shape, obj: Json) -> st.SearchStrategy[Json]:
    """Copies of an object with one thing changed.

    Shrinks towards: the first member taken away.
    """
    return _edited(_ObjectSource(shape), obj)


@dataclass(frozen=True)
class _ObjectSource:
    """What objects are made from."""

    shape: Shape
    examples: tuple[Json, ...] = ()
    probes: tuple[Edit, ...] = ()
    accepted: tuple[Edit, ...] = ()
    header: Mapping[str, Json] = field(default_factory=dict)
    lean: Lean = "any"

    @cached_property
    def sites(self) -> list[Site]:
        """Every place of an example; the same list whatever becomes of an object, or shrinking would go astray."""
        found = (site for example in self.examples for site in sites_of(example, self.shape, skip=HEADER))
        return list({site.place: site for site in found}.values())

    def headed(self, obj: Json) -> Json:
        """The object with the members that every object has."""
        return {**self.header, **obj, **self.header} if self.header and isinstance(obj, dict) else obj


@st.composite
def _objects(draw: Draw, source: _ObjectSource) -> Json:
    if source.lean == "valid" and source.examples:
        return _changed(draw, source, source.examples[_index(draw, len(source.examples))], _EDITS)
    most = _SOME if source.lean == "boundary" else _EDITS
    return source.headed(_changed(draw, source, _unedited(draw, source), most))


@st.composite
def _pairs(draw: Draw, source: _ObjectSource) -> tuple[Json, Json]:
    common = draw(_objects(source))
    # Drawn before the old one's: an edit of the new object is what is kept when one of both will do.
    new = source.headed(_changed(draw, source, common, _EDITS))
    return source.headed(_changed(draw, source, common, _FEW)), new


def _unedited(draw: Draw, source: _ObjectSource) -> Json:
    if not source.examples or draw(_SMALL) == 0:
        return _value(draw, source.shape, _DEPTH)
    return _cut(draw, source.examples[_index(draw, len(source.examples))])


@st.composite
def _edited(draw: Draw, source: _ObjectSource, obj: Json) -> Json:
    return _edit(draw, source, obj)


def _index(draw: Draw, length: int) -> int:
    """A place in a sequence; the first is the simplest."""
    return int(draw(st.integers(0, length - 1))) if length > 1 else 0


def _cut(draw: Draw, example: Json) -> Json:
    """Take parts of an example away; rarely when drawn, wherever it can be done when shrunk."""
    cuttable = [place for place, _, _ in places(example) if len(place) <= 3 and place not in HEADER]
    # Drawn for all of them, those within others too: shrinking goes astray where one draw decides on the next ones.
    gone = [place for place in cuttable[:_MOST_CUTS] if draw(_SMALL) == 0]
    for place in reversed(gone):  # from behind, so that indices stay true
        example = remove(example, place)
    return example


def _changed(draw: Draw, source: _ObjectSource, obj: Json, chances: tuple[int, ...]) -> Json:
    """Make an edit, or none, for every chance. Each is drawn alone, so that shrinking can leave out any of them."""
    for chance in chances:
        obj = draw(_maybe_edited(source, obj, chance))
    return obj


@st.composite
def _maybe_edited(draw: Draw, source: _ObjectSource, obj: Json, chance: int) -> Json:
    if draw(_SMALL) < 16 - chance:
        return obj
    if source.lean != "valid":
        return _edit(draw, source, obj)
    return source.accepted[_index(draw, len(source.accepted))].apply(obj) if source.accepted else obj


def _edit(draw: Draw, source: _ObjectSource, obj: Json) -> Json:
    if source.probes and draw(_SMALL) > (3 if source.lean == "boundary" else 8):
        place, value = source.probes[_index(draw, len(source.probes))]
        return put(obj, place, _shorter(draw, value))
    sites = source.sites
    if not sites or not isinstance(obj, dict):
        sites = sites_of(obj, source.shape, skip=HEADER)
        sites += [] if isinstance(obj, dict) else [Site((), source.shape, obj)]
    if not sites:
        return obj
    site = sites[_index(draw, len(sites))]
    return _edit_at(draw, site, look(obj, site.place)).apply(obj)


def _edit_at(draw: Draw, site: Site, value: Json) -> Edit:
    """Unset, probe, work on the structure, or fill with something new. The probes are those of the example's value."""
    kind = _index(draw, 6)
    if kind == 0 and value is not ABSENT and site.place:
        return Edit(site.place, ABSENT)
    if kind == 1:
        values = site.values(Harvest())
        if values:
            return Edit(site.place, _shorter(draw, values[_index(draw, len(values))]))
    if kind <= 4 and value:
        if isinstance(value, list):
            return Edit(site.place, _rearranged(draw, value))
        if isinstance(value, dict) and site.shape.kind == "map":
            return Edit(site.place, _renamed(draw, value))
    if site.shape.kind == "list" and isinstance(value, list):
        return Edit(site.place, [*value, _value(draw, site.shape.elem, 2)])
    return Edit(site.place, _value(draw, site.shape, 2, site.member))


def _rearranged(draw: Draw, items: list[Json]) -> list[Json]:
    """Take an item away, repeat it, or turn the list around it."""
    at, kind = _index(draw, len(items)), _index(draw, 3)
    if kind == 0:
        return items[:at] + items[at + 1 :]
    return [*items, items[at]] if kind == 1 else items[at:][::-1] + items[:at]


def _renamed(draw: Draw, members: dict[str, Json]) -> dict[str, Json]:
    names = list(members)
    name = names[_index(draw, len(names))]
    kept = {key: value for key, value in members.items() if key != name}
    return {**kept, _scalar(draw, _KEY): members[name]}


_KEY = Shape("string", "string")


def _value(draw: Draw, shape: Shape, depth: int, member: FieldShape | None = None) -> Json:
    """A value of a shape. Structs have a few of their members, lists no item twice."""
    if shape.kind == "struct":
        return _struct(draw, shape, depth) if depth > 0 and shape.fields else {}
    if shape.kind == "list":
        items: list[Json] = draw(_items(shape, depth)) if depth > 0 else []
        return [item for at, item in enumerate(items) if item not in items[:at]]
    if shape.kind == "map":
        return dict(draw(_entries(shape, depth))) if depth > 0 else {}
    if member is not None and member.hints and draw(_SMALL) > 11:
        hints = [hint for hint in member.hints if fits(hint, shape)]
        if hints:
            return hints[_index(draw, len(hints))]
    return _scalar(draw, shape)


def _struct(draw: Draw, shape: Shape, depth: int) -> dict[str, Json]:
    """Some members; of a name drawn twice the first counts."""
    drawn: list[tuple[str, Json]] = draw(_members(shape, depth))
    return dict(reversed(drawn))


# Lists of Hypothesis, not loops over draws: it knows how to take an item out of the middle of one.
@lru_cache(maxsize=4096)
def _members(shape: Shape, depth: int) -> st.SearchStrategy[list[tuple[str, Json]]]:
    return st.lists(_one_member(shape, depth), max_size=min(_MOST_MEMBERS, depth))


@st.composite
def _one_member(draw: Draw, shape: Shape, depth: int) -> tuple[str, Json]:
    member = shape.fields[_index(draw, len(shape.fields))]
    return member.name, _value(draw, member.shape, depth - 1, member)


@lru_cache(maxsize=4096)
def _items(shape: Shape, depth: int) -> st.SearchStrategy[list[Json]]:
    return st.lists(_one_value(shape.elem, depth - 1), max_size=_MOST_ITEMS)


@lru_cache(maxsize=4096)
def _entries(shape: Shape, depth: int) -> st.SearchStrategy[list[tuple[str, Json]]]:
    return st.lists(_one_entry(shape, depth), max_size=_MOST_ITEMS)


@st.composite
def _one_entry(draw: Draw, shape: Shape, depth: int) -> tuple[str, Json]:
    return str(_scalar(draw, shape.key)), _value(draw, shape.elem, depth - 1)


@st.composite
def _one_value(draw: Draw, shape: Shape, depth: int) -> Json:
    return _value(draw, shape, depth)


def _scalar(draw: Draw, shape: Shape) -> Json:
    """Mostly something that programs accept, then something at an edge, then anything of the kind."""
    roll = draw(_SMALL)
    if shape.choices and roll <= 6:
        return shape.choices[_index(draw, len(shape.choices))]
    if roll > 13 and shape.kind == "string":
        return draw(_TEXT)
    if roll > 13 and shape.kind == "int":
        low, high = LIMITS.get(shape.bits, LIMITS[64])
        return draw(st.integers(low, high) if shape.signed else st.integers(0, 2 * high + 1))
    likely, edgy = pool(shape), beyond(shape)
    values = likely if roll <= 9 and likely else edgy or likely
    return _shorter(draw, values[_index(draw, len(values))]) if values else {}


def _shorter(draw: Draw, value: Json) -> Json:
    """Nearly always the value as it is; in shrinking a word as short, a number as small as the property allows."""
    if isinstance(value, str) and len(value) > 1:
        return value[: int(draw(st.integers(0, 16 * len(value))))]
    if isinstance(value, int) and not isinstance(value, bool) and 2 < abs(value) <= _LARGE:
        size = min(abs(value), int(draw(st.integers(0, 16 * abs(value)))))
        return size if value > 0 else -size
    return value
