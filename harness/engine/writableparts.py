"""Learns which parts of an object each request can write; the server resets the others before validation.

A status is written through its own subresource, a spec through the resource itself, so most cases that edit every path
through every request would be wasted. One case for each request shows this, if the target reports the object that its
validators received. Without that, every path is edited through every request.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.case import Answer, Json, Operation
from harness.engine.asker import UnitAsker
from harness.engine.plan import Search
from harness.engine.units import RequestKey, RequestKind
from harness.fuzzers.additions import possible_changes
from harness.fuzzers.invalidvalues import changed_values
from harness.fuzzers.shape import Shape
from harness.fuzzers.values import full_value
from harness.jsonpath import ABSENT, JsonPath, look, put
from harness.objectmodel import TYPE_META, is_in_metadata, stored


class WritableParts:
    """The parts that each request of a search resets: members of the root, or members of these; never metadata."""

    def __init__(self, search: UnitAsker) -> None:
        self.search = search
        self._reset_parts: dict[RequestKey, frozenset[JsonPath]] = {}

    def has(self, request: RequestKind, path: JsonPath) -> bool:
        """Whether a request may be able to write a path, so that an edit there reaches the validators."""
        reset = self._reset_parts.get(request.key)
        return not reset or (path[:1] not in reset and path[:2] not in reset)

    def learn(self, base: Json) -> Search:
        """Ask every request once with an object in which every part is set, and in an update changed."""
        shape = self.search.plan.shape
        if not isinstance(base, dict) or not self.search.plan.abilities.validated:
            return
        full = _full(shape, base)
        other = _other(shape, full)
        before = stored(full)
        for key, state in self.search.ledger.states.items():
            old = None if state.request.operation is Operation.CREATE else before
            answers = yield from self.search.reveal(state.request, full if old is None else stored(other), old)
            for answer in answers:
                self._reset_parts[key] = _find_reset_parts(answer, shape, full if old is None else other, old)


def _parts(shape: Shape, obj: Json) -> Iterator[tuple[JsonPath, Shape]]:
    """Yield the parts of an object: the members of struct members, and other members; metadata is left out."""
    for member in shape.fields:
        value = obj.get(member.name) if isinstance(obj, dict) else None
        if member.shape.is_object_meta or member.name in TYPE_META or value is None:
            continue
        if member.shape.kind == "struct" and isinstance(value, dict):
            yield from (((member.name, name), member.shape.child(name)) for name in value)
        else:
            yield (member.name,), member.shape


def _full(shape: Shape, base: dict[str, Json]) -> Json:
    """Return a copy of an object with every part set; missing ones get any value of their type, valid or not."""
    full = dict(base)
    for member in shape.fields:
        if member.shape.is_object_meta or member.name in TYPE_META:
            continue
        value, generated = base.get(member.name), full_value(member.shape)
        if isinstance(generated, dict) and isinstance(value, dict):
            full[member.name] = {**generated, **value}
        else:
            full[member.name] = value or generated
    return full


def _other(shape: Shape, full: Json) -> Json:
    """Return a copy with every part changed: every scalar, because defaulting may undo the change of one."""
    other = full
    for change in possible_changes(full, shape):
        if not is_in_metadata(change.path):
            other = change.apply(other)
    for path, part_shape in _parts(shape, full):
        if look(other, path) == look(full, path):
            other = put(other, path, next(changed_values(part_shape, look(full, path), None), ABSENT))
    return other


def _find_reset_parts(answer: Answer, shape: Shape, sent: Json, old: Json) -> frozenset[JsonPath]:
    """Return the parts that did not reach the validators: those that they received unset, or unchanged."""
    validated = next(iter(answer.validated.values()), None)
    if validated is None:
        return frozenset()
    parts = [path for path, _ in _parts(shape, sent) if look(sent, path)]
    reset = {
        path for path in parts if look(validated.object, path) == (ABSENT if old is None else look(validated.old, path))
    }
    roots = {path[:1] for path in parts}
    return frozenset(reset | {root for root in roots if all(path in reset for path in parts if path[:1] == root)})
