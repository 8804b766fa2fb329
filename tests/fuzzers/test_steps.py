"""Steps of a reduction: few paths, listed without making the pairs, and brought together."""

from __future__ import annotations

from harness.case import Json
from harness.fuzzers.pairs import Pair
from harness.fuzzers.shape import ANY
from harness.fuzzers.steps import (
    Step,
    apply_steps,
    equalizations,
    estimate_gain,
    other_scalars,
    plainest_values,
    removals,
    reverts,
    shorter_keys,
    simpler_values,
)
from harness.jsonpath import ABSENT, Edit
from tests.fuzzers.toys import widget_shape

NOTHING = frozenset[tuple[str | int, ...]]()


def drop(*path: str | int) -> Step:
    """Make the removal of a path from new."""
    return Step(path, "new", (Edit(path, ABSENT),))


def test_removals_in_one_list_are_taken_together() -> None:
    """Every item that was to go is gone, whatever the order, also where there are more than ten."""
    pair: Pair = {"items": list(range(13))}, None
    together = apply_steps(pair, [drop("items", 2), drop("items", 11), drop("items", 0)])
    assert together == ({"items": [1, 3, 4, 5, 6, 7, 8, 9, 10, 12]}, None)


def test_changes_within_one_item_are_taken_together() -> None:
    """Two members of one list item go at once, and what lies in a part that goes does not bring it back."""
    pair: Pair = {"items": [{"a": 1, "b": 2, "c": {"d": 3}}]}, None
    plain = Step(("items", 0, "c", "d"), 0, (Edit(("items", 0, "c", "d"), 0),))
    together = apply_steps(pair, [drop("items", 0, "a"), drop("items", 0, "c"), plain])
    assert together == ({"items": [{"b": 2}]}, None)


def test_of_two_steps_at_one_place_the_first_is_taken() -> None:
    """A value cannot become two."""
    one, other = (Step(("a",), value, (Edit(("a",), value),)) for value in ("", "a"))
    assert apply_steps(({"a": "x"}, None), [one, other]) == ({"a": ""}, None)


def test_large_parts_are_left_out_first_and_from_both() -> None:
    """Parents come before children; what old has too goes from both, or from new alone where it differs."""
    pair: Pair = {"a": {"b": 1}, "c": 2}, {"a": {"b": 3}, "d": 4}
    found = [apply_steps(pair, [step]) for step in removals(pair, None, NOTHING)]
    assert found == [
        ({"c": 2}, {"d": 4}),
        ({"c": 2}, {"a": {"b": 3}, "d": 4}),
        ({"a": {"b": 1}}, {"a": {"b": 3}, "d": 4}),
        ({"a": {}, "c": 2}, {"a": {}, "d": 4}),
        ({"a": {}, "c": 2}, {"a": {"b": 3}, "d": 4}),
        ({"a": {"b": 1}, "c": 2}, {"d": 4}),
        ({"a": {"b": 1}, "c": 2}, {"a": {"b": 3}}),
        ({"a": {"b": 1}, "c": 2}, {"a": {}, "d": 4}),
    ]


def test_what_is_bare_already_or_protected_is_left_alone() -> None:
    """Nothing is gained where the ground has the same, at all that lies there; what is protected may hold something."""
    ground: Json = {"kind": "A", "spec": {"x": {"y": "long"}}}
    pair: Pair = {"kind": "B", "spec": {"x": {"y": "long"}, "z": "long"}}, None
    assert [step.path for step in removals(pair, (ground, None), frozenset({("kind",), ("spec",)}))] == [("spec", "z")]
    found = {step.path for step in other_scalars(plainest_values, pair, (ground, None), frozenset({("kind",)}))}
    assert found == {("spec", "z")}


def test_a_name_and_who_refers_to_it_become_plain_together() -> None:
    """A value that stands twice is replaced wherever it stands; every value is made plainer in both alike."""
    pair: Pair = {"name": "web", "ref": "web"}, {"name": "web"}
    found = [apply_steps(pair, [step]) for step in other_scalars(plainest_values, pair, None, NOTHING)]
    assert found[0] == ({"name": "a", "ref": "a"}, {"name": "a"})
    assert ({"name": "", "ref": "web"}, {"name": ""}) in found


def test_old_and_new_are_made_the_same_in_either_way() -> None:
    """A path that differs takes the value of new or of old."""
    pair: Pair = {"a": 1, "b": 2}, {"a": 1}
    assert [apply_steps(pair, [step]) for step in equalizations(pair, NOTHING)] == [
        ({"a": 1}, {"a": 1}),
        ({"a": 1, "b": 2},) * 2,
    ]


def test_places_go_back_to_the_base() -> None:
    """In both, or in new alone; without a base nothing does."""
    pair: Pair = {"a": 1}, {"a": 2}
    found = [apply_steps(pair, [step]) for step in reverts(pair, {"a": 0})]
    assert found == [({"a": 0}, {"a": 0}), ({"a": 0}, {"a": 2})]
    assert not list(reverts(pair, None))


def test_simpler_values_are_smaller() -> None:
    """Strings get shorter or plainer, numbers come nearer to zero, long lists lose items, true becomes false."""
    assert list(simpler_values("xyz")) == ["x", "yz", "aaa", "xy"]
    assert list(simpler_values("om/a")) == ["om", "/a", "aaaa", "om/", "m/a"]
    assert {len(one) for one in simpler_values("x" * 80)} == {40, 70, 78, 79, 80}
    assert list(simpler_values(-8)) == [-4, -7, -7]
    assert list(simpler_values([1, 2, 3, 4])) == [[1, 2], [1, 2, 3]]
    assert list(simpler_values(True)) == [False]
    assert not [*simpler_values("z"), *simpler_values(1)]  # the plainest values were tried before


def test_what_is_worth_most_comes_first() -> None:
    """A step after which old and new differ less is worth more than any that leaves both smaller."""
    pair: Pair = {"a": "x" * 99, "b": 1, "c": 2}, {"a": "x" * 99}
    both = Step(("a",), "both", (Edit(("a",), ABSENT),), (Edit(("a",), ABSENT),))
    assert estimate_gain(pair, drop("b")) > estimate_gain(pair, both)
    assert estimate_gain((pair[0], None), drop("a")) > estimate_gain((pair[0], None), drop("b"))


def test_a_member_is_removed_from_old_alone_where_new_has_another_value() -> None:
    """The list of old goes, and not the text at which its only item differs: the pair differs at one path still."""
    pair: Pair = {"tolerations": [{"key": " ", "operator": "a"}]}, {"tolerations": [{"key": " "}]}
    found = [apply_steps(pair, [step]) for step in removals(pair, None, NOTHING)]
    assert ({"tolerations": [{"key": " ", "operator": "a"}]}, {}) in found


def test_a_key_is_shortened_in_every_map_and_no_member_of_a_struct_is() -> None:
    """Labels and the selector that names them keep matching; two keys of one map do not become one."""
    labels: Json = {"long": "x"}
    spec: Json = {"labels": labels, "selector": {"matchLabels": labels}, "title": "long"}
    pair: Pair = {"spec": spec}, {"spec": {"labels": labels}}
    found = [apply_steps(pair, [step]) for step in shorter_keys(plainest_values, pair, None, widget_shape())]
    short: Json = {"a": "x"}
    changed: Json = {"labels": short, "selector": {"matchLabels": short}, "title": "long"}
    assert [({"spec": changed}, {"spec": {"labels": short}})] == found
    both: Pair = {"spec": {"labels": {"long": "x", "a": "x"}}}, None
    assert [] == list(shorter_keys(plainest_values, both, None, widget_shape()))
    assert [] == list(shorter_keys(plainest_values, pair, None, ANY))
