"""Good and bad items in one list, in every order that tells a rule which looks at all from one that looks at some."""

from __future__ import annotations

from harness.case import Json
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.probes import mixed_lists, probes_of
from harness.fuzzers.shape import FieldShape, Shape, shape_of
from harness.fuzzers.sized import resolve
from harness.fuzzers.suggestions import Suggestions
from harness.gotypes.literals import Literals
from harness.jsonpath import ABSENT
from harness.objectmodel import META
from tests.fuzzers.toys import UNIVERSE, widget_shape

TEXTS = shape_of(UNIVERSE, f"{META}.ObjectMeta").child("finalizers")


def blended(items: list[Json], limits: tuple[int, ...] = (), told: tuple[Json, ...] = ()) -> list[Json]:
    """The lists for a member that holds these items, whose tags tell this of items."""
    member = FieldShape("texts", TEXTS, suggestions=Suggestions(items=told))
    return [resolve(one) for one in mixed_lists(items, TEXTS, member, limits)]


def test_one_item_comes_three_times() -> None:
    """Who looks for a second one only says nothing of the third."""
    assert ["a", "a", "a"] in blended(["a", "b"])


def test_the_last_item_is_bad_and_the_list_no_longer() -> None:
    """A list at its limit stays there: what is said is said of the item."""
    made = blended(["a", "b", "c"])
    last = next(items for items in made if items[:2] == ["a", "b"])
    assert (3, True) == (len(last), len(last[2]) >= 300)


def test_a_single_item_gets_a_bad_one_behind_it() -> None:
    """There must be a good one in front."""
    assert any(items[0] == "a" and items[1] not in ("a", "") for items in blended(["a"]) if len(items) == 2)


def test_a_list_is_too_long_and_has_a_bad_item() -> None:
    """One more than the limit, all different, and the last one is wrong."""
    made = [items for items in blended(["a"], limits=(4,)) if len(items) == 5]
    assert [(5, 4, True)] == [(len(set(items)), len(set(items[:4])), len(items[4]) >= 300) for items in made]


def test_sizes_that_tags_tell_of_items_are_sizes_of_texts() -> None:
    """One character more than a tag of the items allows, behind a good item."""
    assert ["a", "a" * 33] in blended(["a", "b"], told=(33,))


def test_the_worst_item_is_longer_than_any_limit_told() -> None:
    """Whatever limit the items have, it is beyond it."""
    assert any(len(items[-1]) > 999 for items in blended(["a", "b"], told=(999,)))


def test_a_list_that_is_too_long_has_as_many_bad_items_as_there_are() -> None:
    """One that only seems bad would hide which rule stops which."""
    made = next(items for items in blended(["a"], limits=(4,), told=("b b", "c c", "d d", "e e")) if len(items) == 5)
    assert {"d d", "e e", ""} <= set(made)
    assert len(made[4]) >= 300


def test_a_list_of_structs_gets_an_empty_one() -> None:
    """Without anything that it may need."""
    ports = widget_shape().child("spec").child("ports")
    assert [{"name": "x"}, {}] in list(mixed_lists([{"name": "x"}], ports, None, ()))


def test_a_list_of_what_is_never_bad_is_only_too_long() -> None:
    """Truth values have no edges: one more than the limit, all good."""

    class Flags(Shape):
        elem = Shape("bool")

    assert 5 in [len(resolve(items)) for items in mixed_lists([True], Flags("list"), None, (4,))]


def test_what_the_sources_compare_a_field_with_comes_early() -> None:
    """A word itself, a number and the next one, or one more than so many; nothing for a field of another name."""
    meta = shape_of(UNIVERSE, f"{META}.ObjectMeta")

    def early(name: str, *known: str | int, field: str = "") -> list[Json]:
        literals = Literals(tuple((f"check {(field or name).lower()}", one) for one in known))
        made = probes_of(meta.child(name), ABSENT, meta.by_name[name], Harvest(literals=literals))
        return made[:6]

    def sizes(name: str, limit: int) -> list[int]:
        return [len(one) for one in early(name, limit) if isinstance(one, (list, dict))]

    assert ["x.example", "a" * 13] == [
        one for one in early("generateName", "x.example", 12) if one in ("x.example", "a" * 13)
    ]
    assert {65, 64} <= set(early("generation", 64))
    assert (True, True) == (9 in sizes("finalizers", 8), 17 in sizes("labels", 16))
    assert (True, True) == (max(sizes("finalizers", 1000)) < 200, max(sizes("labels", 1000)) < 200)
    assert "x.example" not in early("generateName", "x.example", field="name")


def test_a_map_gets_the_keys_that_its_validator_names() -> None:
    """Beside the entries that it has, each key by itself; what the sources compare with something else is no key."""
    annotations = shape_of(UNIVERSE, f"{META}.ObjectMeta").child("annotations")
    read = Literals.of([("check annotations", "example.com/owner"), ("check title", "reserved"), ("annotations", 3)])
    member = FieldShape("annotations", annotations)
    made = [resolve(one) for one in probes_of(annotations, {"a": "b"}, member, Harvest(literals=read))]
    assert {"a": "b", "example.com/owner": "b"} in made
    assert not [one for one in made if isinstance(one, dict) and {"reserved", "3", 3} & one.keys()]
