"""Where cases are drawn from: accepted objects, and those that showed something new."""

from __future__ import annotations

from random import Random

from harness.case import Json
from harness.engine.points import EXHAUSTED, Point, Points
from harness.fuzzers.feedback import Harvest
from tests.fuzzers.toys import widget_shape

WIDGET: Json = {
    "metadata": {"name": "a"},
    "spec": {"mode": "Fast", "ports": [{"name": "x", "number": 1}, {"name": "y", "number": 2}], "labels": {"a": "b"}},
}


def test_a_part_that_has_nothing_left_is_left_for_the_whole_object() -> None:
    """Draws that came before too often at one focus give way to edits anywhere in the object."""
    points, point = Points(Random(1), widget_shape(), Harvest()), Point(WIDGET, ("spec", "title"))
    assert [("spec", "title")] == [site.place for site in points.sites_at(point)]
    for _ in range(EXHAUSTED):
        assert point.focus == ("spec", "title")
        points.repeated(point)
    assert {("spec", "title"), ("spec", "ports")} <= {site.place for site in points.sites_at(point)}
