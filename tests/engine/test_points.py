"""Where cases are drawn from: accepted objects, and those that showed something new."""

from __future__ import annotations

from random import Random

from harness import tuning
from harness.case import Json
from harness.engine.points import Point, Points
from harness.fuzzers.bases import Base
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
    for _ in range(tuning.EXHAUSTED):
        assert point.focus == ("spec", "title")
        points.note_repeat(point)
    assert {("spec", "title"), ("spec", "ports")} <= {site.place for site in points.sites_at(point)}


def test_an_object_that_is_among_the_bases_is_not_started_from_twice() -> None:
    """Equal objects ask equal questions; one that is edited at more places, or anew, is another one."""
    points, other = Points(Random(1), widget_shape(), Harvest()), {**WIDGET, "spec": {}}
    for base in (Base(WIDGET, ("spec",)), Base(dict(WIDGET), ("spec", "title")), Base(WIDGET), Base(other)):
        points.add_base(base)
    assert [("spec",), (), ()] == [base.focus for base in points.bases]
    points.set_grown([Base(dict(other))], [Base({})])
    assert [other, WIDGET, WIDGET, {}] == [base.obj for base in points.bases]


def test_a_base_gives_way_to_a_slim_one_where_it_stood() -> None:
    """The first one stays the fullest, the last one the plain one, and what was kept stays."""
    points = Points(Random(1), widget_shape(), Harvest())
    plain: Json = {"spec": {}}
    full, fat, bare = Base(WIDGET), Base({**WIDGET, "x": 1}, ("x",)), Base(plain)
    points.set_seeds([full, fat, bare])
    points.keep({"kept": True})
    slim, part = Base({"x": 1}, ("x",)), Base({"spec": {"mode": "Fast"}}, ("spec",))
    points.replace({id(fat): slim}, [part])
    assert [full, part, slim, bare] == points.bases
    assert [WIDGET, part.obj, slim.obj, plain, {"kept": True}] == [point.obj for point in points.points]
