"""Which parts of an object each lane takes. What a server puts aside, nobody validates, whatever a request says there.

A status is written through its own subresource, a specification through the resource itself: asking every lane about
every place would waste most of the questions. One question for each lane tells, where the target shows what it
validated; what is not known is asked about everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.case import Answer, Json, Operation
from harness.engine.asker import UnitAsker
from harness.engine.plan import Search
from harness.engine.units import Lane, LaneKey
from harness.fuzzers.additions import changes_of
from harness.fuzzers.shape import Shape
from harness.fuzzers.spoiling import changed
from harness.fuzzers.values import rich
from harness.jsonpath import ABSENT, JsonPath, look, put
from harness.objectmodel import TYPE_META, is_in_metadata, stored


class WritableParts:
    """What the lanes of one search put aside: members of the root, or members of these; never of the metadata."""

    def __init__(self, search: UnitAsker) -> None:
        self.search = search
        self._aside: dict[LaneKey, frozenset[JsonPath]] = {}

    def has(self, lane: Lane, place: JsonPath) -> bool:
        """Whether an edit at a place may reach the validators through a lane."""
        aside = self._aside.get(lane.key)
        return not aside or (place[:1] not in aside and place[:2] not in aside)

    def learn(self, base: Json) -> Search:
        """Ask every lane once about an object in which every part is there, and another than before."""
        shape = self.search.plan.shape
        if not isinstance(base, dict) or not self.search.plan.abilities.validated:
            return
        full = _full(shape, base)
        other = _other(shape, full)
        before = stored(full)
        for key, state in self.search.ledger.states.items():
            old = None if state.lane.operation is Operation.CREATE else before
            answers = yield from self.search.reveal(state.lane, full if old is None else stored(other), old)
            for answer in answers:
                self._aside[key] = _aside(answer, shape, full if old is None else other, old)


def _parts(shape: Shape, obj: Json) -> Iterator[tuple[JsonPath, Shape]]:
    """Yield the parts of an object: members of members that are structs, and other members, but those of metadata."""
    for member in shape.fields:
        held = obj.get(member.name) if isinstance(obj, dict) else None
        if member.shape.is_object_meta or member.name in TYPE_META or held is None:
            continue
        if member.shape.kind == "struct" and isinstance(held, dict):
            yield from (((member.name, name), member.shape.child(name)) for name in held)
        else:
            yield (member.name,), member.shape


def _full(shape: Shape, base: dict[str, Json]) -> Json:
    """Return a copy of an object with every part: what it has not, whatever it is worth."""
    full = dict(base)
    for member in shape.fields:
        if member.shape.is_object_meta or member.name in TYPE_META:
            continue
        held, made = base.get(member.name), rich(member.shape)
        full[member.name] = {**made, **held} if isinstance(made, dict) and isinstance(held, dict) else held or made
    return full


def _other(shape: Shape, full: Json) -> Json:
    """Return a copy with another value for every part: every scalar changes, because defaults make good for some."""
    other = full
    for change in changes_of(full, shape):
        if not is_in_metadata(change.place):
            other = change.apply(other)
    for place, below in _parts(shape, full):
        if look(other, place) == look(full, place):
            other = put(other, place, next(changed(below, look(full, place), None), ABSENT))
    return other


def _aside(answer: Answer, shape: Shape, sent: Json, old: Json) -> frozenset[JsonPath]:
    """Return which parts did not reach the validators: those not given, or given as they were before."""
    seen = next(iter(answer.validated.values()), None)
    if seen is None:
        return frozenset()
    parts = [place for place, _ in _parts(shape, sent) if look(sent, place)]
    aside = {place for place in parts if look(seen.object, place) == (ABSENT if old is None else look(seen.old, place))}
    tops = {place[:1] for place in parts}
    return frozenset(aside | {top for top in tops if all(place in aside for place in parts if place[:1] == top)})
