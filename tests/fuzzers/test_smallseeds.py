"""Small seeds: parts of a full object by themselves, in the plain one."""

from __future__ import annotations

from harness.case import Json
from harness.fuzzers.repair import SeedObject
from harness.fuzzers.smallseeds import encoded_size, seeds_of_parts, smaller_seeds, smallest_first
from harness.jsonpath import look

LONG = {"kind": "x" * 40, "size": "y" * 40}
PLAIN: Json = {"metadata": {"name": "a"}, "spec": {"mode": "Fast", "ports": [{"name": "p"}]}}
VOLUMES = [{"name": "v", "disk": LONG}, {"name": "w"}]
PORTS = [{"name": "p", "probe": LONG}]
FULL: Json = {
    "metadata": {"name": "a", "labels": {"b": "c"}, "annotations": {str(number): "x" * 40 for number in range(9)}},
    "spec": {"mode": "Slow", "ports": PORTS, "volumes": VOLUMES, "limit": 3},
}


def test_small_parts_go_together_and_each_large_one_alone() -> None:
    """Every part of the full object stands in one of them, and none has two large ones."""
    found = seeds_of_parts(FULL, PLAIN)
    assert [("spec", "ports", 0, "probe"), ("spec", "volumes"), ()] == [base.focus for base in found]
    probe, volumes, small = (base.obj for base in found)
    assert probe == {**PLAIN, "spec": {"mode": "Fast", "ports": [{"name": "p", "probe": LONG}]}}
    assert volumes == {**PLAIN, "spec": {**PLAIN["spec"], "volumes": VOLUMES}}
    labels = {"name": "a", "labels": {"b": "c"}}
    assert small == {"metadata": labels, "spec": {"mode": "Slow", "ports": [{"name": "p"}], "limit": 3}}


def test_an_object_that_adds_nothing_has_no_parts() -> None:
    """Equal objects, and one that lacks something, add nothing."""
    assert [] == seeds_of_parts(PLAIN, PLAIN)
    assert [] == seeds_of_parts({"metadata": {"name": "a"}}, PLAIN)


def test_a_slim_base_has_its_focus_where_it_stands_now() -> None:
    """The item of a list that the plain object does not have comes first in its own, and the focus follows it."""
    variant = {**FULL, "spec": {**FULL["spec"], "volumes": [{"name": "v", "disk": LONG}, {"name": "w", "share": "s"}]}}
    base = SeedObject(variant, ("spec", "volumes", 1, "share"))
    share, item, *_ = smaller_seeds(base, PLAIN)
    assert share == SeedObject(
        {**PLAIN, "spec": {**PLAIN["spec"], "volumes": [{"share": "s"}]}}, ("spec", "volumes", 0, "share")
    )
    assert look(item.obj, item.focus) == "s"
    assert item.obj["spec"]["volumes"] == [{"name": "w", "share": "s"}]


def test_what_is_hardly_smaller_is_no_slim_base() -> None:
    """Only what is at most half as large is worth a question."""
    base = SeedObject(FULL, ("spec", "limit"))
    assert all(2 * encoded_size(one.obj) <= encoded_size(FULL) for one in smaller_seeds(base, PLAIN))
    assert [] == list(smaller_seeds(SeedObject({**PLAIN, "x": LONG}, ("x",)), PLAIN))


def test_the_smallest_base_comes_first() -> None:
    """Equal ones stay as they were."""
    one, other = SeedObject(PLAIN), SeedObject(dict(PLAIN), ("spec",))
    assert [one, other, SeedObject(FULL)] == smallest_first([SeedObject(FULL), one, other])
