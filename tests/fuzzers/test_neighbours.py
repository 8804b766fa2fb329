from __future__ import annotations

from harness.case import Json
from harness.fuzzers.neighbours import (
    neighbours,
    updates_of_set_member,
    updates_with_duplicate_item,
    variants_of_siblings,
)
from tests.fuzzers.toys import widget_shape

ONE: Json = {"spec": {"mode": "Fast", "ports": [{"name": "x", "number": 0}], "title": "t"}}


def specs(obj: Json, *path: str | int) -> list[Json]:
    """The new specs of all pairs around a path; old is always the refused object itself."""
    pairs = list(neighbours(widget_shape(), obj, path))
    assert all(old == obj for _, old in pairs)
    return [new["spec"] for new, _ in pairs]


def test_a_refused_value_goes_away_again() -> None:
    """Set and removed: what was stored before a rule came may be cleaned up."""
    assert {"mode": "Fast", "ports": ONE["spec"]["ports"]} in specs(ONE, "spec", "title")


def test_a_whole_object_never_goes_away() -> None:
    """What is refused as a whole is changed within: nothing can be asked about no object."""
    pairs = list(neighbours(widget_shape(), ONE, ()))
    assert pairs
    assert all(isinstance(new, dict) for new, _ in pairs)


def test_a_refused_value_stays_while_its_sibling_changes() -> None:
    """The value is the same, its struct is not."""
    made = specs(ONE, "spec", "title")
    assert any(spec["title"] == "t" and spec["mode"] == "Slow" for spec in made if "title" in spec)


def test_a_refused_item_moves_and_takes_another_name() -> None:
    """The item is the same behind another one, and with another key."""
    bad = {"name": "x", "number": 0}
    lists = [spec["ports"] for spec in specs(ONE, "spec", "ports", 0, "number")]
    assert any(len(ports) == 2 and ports[1] == bad and ports[0] != bad for ports in lists)
    assert any(len(ports) == 1 and ports[0]["name"] not in ("x", "") for ports in lists)


def test_the_first_of_several_goes_behind_the_last_and_another_to_the_front() -> None:
    """With more items nothing is added: they only change paths."""
    two: Json = {"spec": {"ports": [{"name": "x"}, {"name": "y"}]}}
    assert [{"name": "y"}, {"name": "x"}] in [spec["ports"] for spec in specs(two, "spec", "ports", 0)]
    assert [{"name": "y"}, {"name": "x"}] in [spec["ports"] for spec in specs(two, "spec", "ports", 1)]


def test_a_refused_value_stays_while_everything_around_it_changes() -> None:
    """All its siblings at once, and a sibling of the struct around it."""
    obj: Json = {"spec": {"mode": "Fast", "title": "t", "parent": {"mode": "Fast", "replicas": 1, "title": "bad"}}}
    made = [spec for spec in specs(obj, "spec", "parent", "title") if "title" in spec["parent"]]
    assert any(
        spec["parent"]["title"] == "bad" and spec["parent"]["mode"] != "Fast" and spec["parent"].get("replicas") != 1
        for spec in made
    )
    assert any(spec["parent"] == obj["spec"]["parent"] and spec["mode"] == "Slow" for spec in made)


def test_a_refused_entry_of_a_map_takes_another_key() -> None:
    """The value is the same under another name, at the same path among the entries."""
    obj: Json = {"spec": {"labels": {"a": "bad", "c": "d"}}}
    assert {"ab": "bad", "c": "d"} in [spec.get("labels") for spec in specs(obj, "spec", "labels", "a")]


def test_what_may_be_absent_is_unset_and_changed_after_it_was_set() -> None:
    """Set to unset, and set to another value, both from the object that has it."""
    obj: Json = {"spec": {"mode": "Fast", "title": "t"}}
    unset, other = updates_of_set_member(widget_shape(), obj, ("spec", "title"))
    assert unset == ({"spec": {"mode": "Fast"}}, obj)
    assert other[1] is obj
    assert other[0]["spec"]["title"] not in ("t", None)


def test_a_refused_value_stays_while_something_new_comes_beside_it() -> None:
    """Members that are not there yet come too, one at a time."""
    made = specs(ONE, "spec", "title")
    assert any("replicas" in spec and spec["mode"] == "Fast" for spec in made if spec.get("title") == "t")


def test_a_refused_item_stays_while_the_one_beside_it_changes() -> None:
    """The list has changed, and the bad item stands where it stood."""
    two: Json = {"spec": {"ports": [{"name": "x"}, {"name": "y"}]}}
    lists = [spec["ports"] for spec in specs(two, "spec", "ports", 1)]
    assert any(ports[1] == {"name": "y"} and ports[0] != {"name": "x"} for ports in lists if len(ports) == 2)


def test_a_refused_struct_stays_while_its_members_change() -> None:
    """What is wrong with its members together stays wrong, whatever one of them becomes."""
    made = specs(ONE, "spec", "ports", 0)
    ports = [spec["ports"][0] for spec in made if spec.get("ports")]
    assert any(port["number"] == 0 and port["name"] not in ("x", "") for port in ports if "name" in port)
    assert any(port["name"] == "x" and port["number"] != 0 for port in ports if "number" in port)


def test_a_refused_item_stands_behind_what_it_was() -> None:
    """The list stays, with both, and something beside it changes; at last the second one comes."""
    base: Json = {"spec": {"mode": "Fast", "ports": [{"name": "x", "number": 1}]}}
    *kept, new = updates_with_duplicate_item(widget_shape(), base, ONE, ("spec", "ports", 0, "number"))
    both = [{"name": "x", "number": 1}, {"name": "x", "number": 0}]
    assert kept
    assert all(old["spec"]["ports"] == both == one["spec"]["ports"] for one, old in kept)
    assert any(one["spec"]["mode"] != old["spec"]["mode"] for one, old in kept)
    assert (both, base) == (new[0]["spec"]["ports"], new[1])


def test_only_items_of_lists_have_twins() -> None:
    """Neither do items that were not there before, nor whole items."""
    none: Json = {"spec": {"mode": "Fast", "ports": []}}
    assert [] == list(updates_with_duplicate_item(widget_shape(), ONE, ONE, ("spec", "title")))
    assert [] == list(updates_with_duplicate_item(widget_shape(), none, ONE, ("spec", "ports", 0, "name")))
    assert [] == list(updates_with_duplicate_item(widget_shape(), ONE, ONE, ("spec", "ports", 0)))


def test_a_refused_value_is_seen_with_other_members_beside_it() -> None:
    """With all of them, with each discriminator at other constants, without one that is there; the value stays."""
    made = [obj["spec"] for obj in variants_of_siblings(widget_shape(), ONE, ("spec", "title"))]
    assert all(spec["title"] == "t" for spec in made)
    assert made[0].keys() == widget_shape().by_name["spec"].shape.by_name.keys()
    assert any(spec.get("mode") == "Slow" for spec in made)
    assert any("mode" not in spec for spec in made)


def test_what_is_no_member_of_a_struct_has_no_company() -> None:
    """An item of a list, and the whole."""
    assert not list(variants_of_siblings(widget_shape(), ONE, ("spec", "ports", 0)))
    assert not list(variants_of_siblings(widget_shape(), ONE, ()))
