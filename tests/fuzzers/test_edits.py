from __future__ import annotations

from random import Random

import pytest

from harness.case import Json
from harness.fuzzers import feedback
from harness.fuzzers.edits import Site, SiteIndex, random_edit, sites_of
from harness.fuzzers.feedback import Harvest, names_of, numbers_of, words_of
from harness.fuzzers.pairs import follow_ups
from harness.fuzzers.probes import probes_of
from harness.jsonpath import ABSENT
from harness.memory import Room
from harness.objectmodel import stored
from tests.fuzzers.toys import error, widget_shape

WIDGET: Json = {
    "metadata": {"name": "a"},
    "spec": {"mode": "Fast", "ports": [{"name": "x", "number": 1}, {"name": "y", "number": 2}], "labels": {"a": "b"}},
}


def test_every_present_and_absent_place_is_a_site() -> None:
    """An object can be edited wherever its type has a member, present or not."""
    found = {site.path: site.value for site in sites_of(WIDGET, widget_shape())}
    assert found["spec", "mode"] == "Fast"
    assert ABSENT is found["spec", "replicas"]
    assert found["spec", "ports", 1, "number"] == 2


def test_remembered_lists_are_what_would_be_listed() -> None:
    """Objects that share parts with one another have the sites that they have alone, also when little is remembered."""
    shape, random, skip = widget_shape(), Random(2), frozenset({("metadata",), ("spec", "title")})
    sites, harvest = sites_of(WIDGET, shape), Harvest()
    edited = [random_edit(random, sites, harvest, WIDGET).apply(WIDGET) for _ in range(200)]
    for listed in (SiteIndex(), SiteIndex(Room(20))):
        for obj in edited:
            assert sites_of(obj, shape, (), skip) == sites_of(obj, shape, (), skip, listed)
            assert sites_of(obj, shape, ("spec",), skip) == sites_of(obj, shape, ("spec",), skip, listed)


def test_edits_change_an_object_in_every_way() -> None:
    """A thousand draws set, unset, insert, delete, duplicate, reorder, rename and swap, and never touch the object."""
    sites, random, before = sites_of(WIDGET, widget_shape()), Random(1), repr(WIDGET)
    made = [random_edit(random, sites, Harvest(), WIDGET).apply(WIDGET) for _ in range(1000)]
    specs = [obj["spec"] for obj in made if isinstance(obj, dict) and isinstance(obj.get("spec"), dict)]
    ports = [spec["ports"] for spec in specs if isinstance(spec.get("ports"), list)]
    x, y = WIDGET["spec"]["ports"]
    assert {"replicas", "selector", "title"} <= {name for spec in specs for name in spec}
    assert any("mode" not in spec for spec in specs)
    assert any([x] == items or [y] == items for items in ports)
    assert [x, y, x] in ports
    assert [y, x] in ports
    assert any(spec.get("labels") == {"ab": "b"} for spec in specs)
    assert before == repr(WIDGET)


def test_the_same_seed_draws_the_same_edits() -> None:
    """Draws depend on the random numbers alone."""
    sites = sites_of(WIDGET, widget_shape())
    first, second = ([random_edit(r, sites, Harvest(), WIDGET) for _ in range(50)] for r in (Random(3), Random(3)))
    assert first == second


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("mode", ["", "Fast", "Slow", ABSENT, "fAST"]),
        ("title", ["", "x" * 63, "x" * 64, "x" * 253, "x" * 254, "é"]),
        ("replicas", [-1, 0, 2**31 - 1, -(2**31), 41, 42, 43]),
        ("labels", [{}, None]),
    ],
)
def test_probes_stand_at_edges(name: str, wanted: list[Json]) -> None:
    """Empty and absent, constants and near misses, lengths, widths, and numbers that messages named."""
    harvest = Harvest()
    harvest.learn([error("Invalid", "spec.replicas", "must be less than 42")])
    member = widget_shape().child("spec").by_name[name]
    found = probes_of(
        member.shape, {"a": "b"} if name == "labels" else 5 if name == "replicas" else "v", member, harvest
    )
    assert [probe for probe in wanted if probe not in found] == []


def test_lists_are_probed_with_equal_items() -> None:
    """A list is tried empty, with an item twice, and reversed."""
    ports = WIDGET["spec"]["ports"]
    found = probes_of(widget_shape().child("spec").child("ports"), ports, None, Harvest())
    assert [] in found
    assert [*ports, ports[0]] in found
    assert ports[::-1] in found


def test_long_lists_are_probed_too_and_none_twice() -> None:
    """Equal items and different ones, up to 257; made when they are asked for, the same each time."""
    ports = WIDGET["spec"]["ports"]
    found = probes_of(widget_shape().child("spec").child("ports"), ports, None, Harvest())
    texts = [repr(probe) for probe in found]
    assert [ports[0]] * 257 in found
    assert len(set(texts)) == len(texts)
    assert [found[number] for number in range(len(found))] == list(found) == found[:]


def test_refused_edits_lead_to_unchanged_repaired_and_touched_pairs() -> None:
    """What was refused is asked about again as the stored object."""
    assert follow_ups(1, 2, lambda obj: obj + 1) == [(2, 2), (1, 2), (3, 2)]


def test_a_stored_object_can_be_named_by_an_update() -> None:
    """It has a uid and a resource version, unless it says its own."""
    assert stored({"metadata": {"name": "a"}})["metadata"] == {"name": "a", "resourceVersion": "1", "uid": "a"}
    assert stored({"metadata": {"resourceVersion": "9"}})["metadata"]["resourceVersion"] == "9"
    assert stored({"x": 1}) == {"x": 1}


def test_messages_teach_words_numbers_and_names() -> None:
    """Quotes of every sort, whole numbers and bare names are read out of a detail."""
    detail = "must be `a`, \"b\" or 'c' (e.g. 'my.name'), don't; between -1 and 65535; see matchLabels, v1"
    assert words_of(detail) == ("a", "b", "c", "my.name")
    assert numbers_of(detail) == (-1, 65535)
    assert "matchLabels" in names_of(detail)


def test_sites_that_look_alike_share_their_probes_and_few_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of probes is made once for equal values of one type; what is remembered has a bound for all searches."""
    monkeypatch.setattr(feedback, "LESSON_ROOM", Room(1000))
    shape, harvest = widget_shape().by_name["spec"].shape.by_name["title"].shape, Harvest()
    one, same, other = (Site(("spec", "title"), shape, value) for value in ("a", "a", "b"))
    assert one.values(harvest) is same.values(harvest)
    assert list(one.values(harvest)) != list(other.values(harvest))
    assert one.values(Harvest()) is not one.values(harvest)
    searches = [Harvest() for _ in range(10)]
    for number in range(300):
        probes = Site(("spec", "title"), shape, str(number)).values(searches[number % 10])
    assert 0 < sum(len(search.lesson().computed) for search in searches) * len(probes) < 2500


def test_a_number_is_learnt_at_once_and_words_by_the_dozen() -> None:
    """What is made of messages is made again for a new number, which may be a limit, and not for every word."""
    harvest = Harvest()
    first = harvest.lesson()
    harvest.learn([error("Invalid", "spec.title", detail='must be "one"')])
    assert harvest.lesson() is first
    harvest.learn([error("Invalid", "spec.title", detail="must be at most 17")])
    assert harvest.lesson().numbers == (17,)
    assert harvest.lesson().words == ("one",)


def test_all_searches_together_remember_so_many_sites() -> None:
    """Each search lists the paths of hundreds of objects; what all of them remember has one bound."""
    room, shape, random = Room(300), widget_shape(), Random(3)
    searches = [SiteIndex(room) for _ in range(8)]
    sites = sites_of(WIDGET, shape)
    for number in range(400):
        obj = random_edit(random, sites, Harvest(), WIDGET).apply(WIDGET)
        sites_of(obj, shape, index=searches[number % 8])
    assert 0 < sum(len(memory) for memory in room.memories) < 300
