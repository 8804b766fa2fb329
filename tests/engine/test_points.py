"""Where cases are drawn from: accepted objects, and those that showed something new."""

from __future__ import annotations

from random import Random

from harness.case import Operation
from harness.engine.points import Points
from harness.engine.units import Lane
from harness.fuzzers.bases import Base
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.pairs import stored
from tests.fuzzers.toys import WIDGETS, widget_shape


def test_updates_of_one_base_start_from_the_very_same_object() -> None:
    """Targets know an old object by its identity: one that was read for one draw is known in the next."""
    points = Points(Random(1), widget_shape(), Harvest())
    base = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"title": "t"}}
    points.found([Base(base)])
    drawn = [points.draw(Lane(WIDGETS, Operation.UPDATE)) for _ in range(50)]
    olds = [old for _, _, old, _ in drawn if old == stored(base)]
    assert len(olds) > 10
    assert {id(olds[0])} == {id(old) for old in olds}
