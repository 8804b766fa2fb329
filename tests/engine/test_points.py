"""Where cases are drawn from: accepted objects, and those that showed something new."""

from __future__ import annotations

from random import Random

from harness import tuning
from harness.case import Json
from harness.engine.points import Point, Points
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.repair import SeedObject
from tests.fuzzers.toys import widget_shape

WIDGET: Json = {
    "metadata": {"name": "a"},
    "spec": {"mode": "Fast", "ports": [{"name": "x", "number": 1}, {"name": "y", "number": 2}], "labels": {"a": "b"}},
}


def test_a_part_that_has_nothing_left_is_left_for_the_whole_object() -> None:
    """Draws that came before too often at one focus give way to edits anywhere in the object."""
    points, point = Points(Random(1), widget_shape(), Harvest()), Point(WIDGET, ("spec", "title"))
    assert [("spec", "title")] == [site.path for site in points.sites_at(point)]
    for _ in range(tuning.EXHAUSTED):
        assert point.focus == ("spec", "title")
        points.note_repeat(point)
    assert {("spec", "title"), ("spec", "ports")} <= {site.path for site in points.sites_at(point)}


def test_an_object_that_is_among_the_bases_is_not_started_from_twice() -> None:
    """Equal objects ask equal questions; one that is edited at more paths, or anew, is another one."""
    points, other = Points(Random(1), widget_shape(), Harvest()), {**WIDGET, "spec": {}}
    for base in (
        SeedObject(WIDGET, ("spec",)),
        SeedObject(dict(WIDGET), ("spec", "title")),
        SeedObject(WIDGET),
        SeedObject(other),
    ):
        points.add_seed(base)
    assert [("spec",), (), ()] == [base.focus for base in points.seeds]
    points.set_grown([SeedObject(dict(other))], [SeedObject({})])
    assert [other, WIDGET, WIDGET, {}] == [base.obj for base in points.seeds]


def test_a_base_gives_way_to_a_slim_one_where_it_stood() -> None:
    """The first one stays the fullest, the last one the plain one, and what was kept stays."""
    points = Points(Random(1), widget_shape(), Harvest())
    plain: Json = {"spec": {}}
    full, fat, bare = SeedObject(WIDGET), SeedObject({**WIDGET, "x": 1}, ("x",)), SeedObject(plain)
    points.set_seeds([full, fat, bare])
    points.keep({"kept": True})
    slim, part = SeedObject({"x": 1}, ("x",)), SeedObject({"spec": {"mode": "Fast"}}, ("spec",))
    points.replace({id(fat): slim}, [part])
    assert [full, part, slim, bare] == points.seeds
    assert [WIDGET, part.obj, slim.obj, plain, {"kept": True}] == [point.obj for point in points.points]
