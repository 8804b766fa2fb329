from __future__ import annotations

import pytest

from harness.fuzzers.shape import STRING
from harness.fuzzers.sized import list_of_size, map_of_size, rename, values_of_size
from tests.fuzzers.toys import widget_shape

PORTS = widget_shape().child("spec").child("ports")
LABELS = widget_shape().child("spec").child("labels")


@pytest.mark.parametrize("count", [0, 1, 2, 9, 300])
def test_items_are_as_many_as_wanted_and_all_differ(count: int) -> None:
    """A list of a size has real content: what is there first, then items with names of their own."""
    items = list_of_size([{"name": "x", "number": 1}], PORTS, count)
    assert count == len(items) == len({item["name"] for item in items}) == len({item["number"] for item in items})
    assert items[:1] == [{"name": "x", "number": 1}][:count]


def test_longer_lists_begin_like_shorter_ones() -> None:
    """Lists of one item and several sizes are the same as far as they go, whichever was made first."""
    one = {"name": "x", "number": 1}
    lists = [list_of_size([one], PORTS, count) for count in (5, 40, 500, 3)]
    assert all(lists[2][: len(items)] == items for items in lists)
    assert lists[2] == list_of_size([dict(one)], PORTS, 500)


def test_entries_are_as_many_as_wanted() -> None:
    """A map of a size keeps what it has and takes its values for more."""
    assert map_of_size({"a": "b"}, LABELS, 3) == {"a": "b", "k0": "b", "k1": "b"}
    assert map_of_size({"a": "b", "c": "d"}, LABELS, 1) == {"a": "b"}


@pytest.mark.parametrize("text", ["10.0.0.1", "10.0.0.0/24", "fd00::1", "fd00::/64", "a", "example.com/a", "a" * 60])
def test_texts_are_renamed_within_their_format(text: str) -> None:
    """An address stays an address, and a name grows by a number."""
    names = [str(rename(text, STRING, number)) for number in range(2, 300)]
    assert len(set(names)) == len(names)
    assert all(name.count(".") == text.count(".") or ":" in text for name in names)
    assert all(len(name) <= max(len(text), 50) for name in names)


@pytest.mark.parametrize(("in_bytes", "letters"), [(False, 6), (True, 3)])
def test_strings_of_a_size_are_measured_in_characters_or_bytes(in_bytes: bool, letters: int) -> None:
    """Among strings of a size is one of letters with two bytes, as many as fit."""
    made = list(values_of_size(STRING, "x", 6, in_bytes))
    assert "é" * letters in made
    assert all(len(one) == 6 for one in made[:3])


def test_children_get_names_of_their_own_where_numbers_stay() -> None:
    """Items that name what they hold differ in it too; numbers, which may have to agree, are left alone."""
    shape = widget_shape().by_name["spec"].shape
    made = rename({"replicas": 3, "ports": [{"name": "x", "number": 1}]}, shape, 5, numbers=False)
    assert made == {"replicas": 3, "ports": [{"name": "x5", "number": 1}]}


def test_expressions_are_not_renamed() -> None:
    """A program with a number behind it is none: items differ in what names them."""
    expression = STRING.within("Rule", "expression")
    assert expression.format == "expression"
    assert rename("true", expression, 5) == "true"
    assert rename("true", STRING, 5) == "true5"
