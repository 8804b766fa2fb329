"""Which places of a type no accepted object has, and what refused them."""

from __future__ import annotations

from random import Random

import pytest

from harness.engine import reach as reach_module
from harness.engine.reach import MOST_TOLD, TypeReach
from harness.fuzzers.census import census
from harness.fuzzers.shape import ANY
from harness.jsonpath import parent_of
from tests.fuzzers.toys import widget_shape

EVERY = tuple(census(widget_shape()))
DOTTED = ("a", "a.b.c", "a.b.c[*]", "a.b.c[1]", "d")
"""A JSON name may hold a dot: there is no place `a.b`."""


@pytest.mark.parametrize("places", [EVERY, DOTTED])
def test_an_unreached_place_has_the_error_at_it_or_around_it(
    places: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest one counts, whether what is around it was reached or not; only the outermost places are told."""
    monkeypatch.setattr(reach_module, "census", lambda shape: dict.fromkeys(places))
    random = Random(1)
    for _ in range(20):
        reach = TypeReach(ANY)
        reach.reached = {place for place in places if random.random() < 0.3}
        reach.refused = {place: f"error at {place}" for place in places if random.random() < 0.3}
        reach.tell()
        left = {place: _around(place, reach.refused) for place in places if place not in reach.reached}
        assert reach.unreached() == left
        assert reach.known_errors == sum(map(bool, left.values()))
        assert len(places) == reach.places
        outermost = [one for one in left.items() if parent_of(one[0]) not in left]
        assert list(reach.told) == outermost[:MOST_TOLD]


def _around(place: str, refused: dict[str, str]) -> str:
    while place and place not in refused:
        place = parent_of(place)
    return refused.get(place, "")
