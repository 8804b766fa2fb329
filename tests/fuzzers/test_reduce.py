from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from harness.case import Answer, Case, Json, Operation
from harness.fuzzers.reduce import Reducer
from harness.fuzzers.transplant import some_members, transplants
from harness.jsonpath import JsonPath
from harness.targets.target import drive
from tests.fuzzers.toys import WIDGETS, ToyTarget

META: Json = {"apiVersion": "toys.example.com/v1", "kind": "Widget", "metadata": {"name": "a"}}
NOISE: Json = {"parent": {"title": "noise", "ports": [{"name": "x"}] * 3}, "title": "short"}
GOOD: Json = {
    "mode": "Fast", "ports": [{"name": "x", "number": 80}], "labels": {"a": "b"},
    "selector": {"matchLabels": {"a": "b"}},
}  # fmt: skip


def reduced(new: Json, old: Json, side: str, field: str, base: Json = None, **more: Any) -> Case:
    """Reduce a case as long as one side alone reports the field."""

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        one, other = answer.handwritten, answer.declarative
        if side == "declarative":
            one, other = other, one
        shows = any(error.field == field for error in one) and not any(error.field == field for error in other)
        return frozenset(f"{error.type} {error.field}" for error in (*one, *other)) if shows else None

    operation = Operation.CREATE if old is None else Operation.UPDATE
    case = Case(1, WIDGETS.group, "v1", "Widget", operation, new, old)
    return drive(Reducer(case, verdict, base, **more).run(), ToyTarget().ask)


def widget(**spec: Json) -> Json:
    """Make a widget with this spec."""
    return {**META, "spec": spec}


def test_a_create_shrinks_to_the_limit_and_nothing_else() -> None:
    """The smallest title that only the handwritten side refuses has nine plain letters."""
    expected = widget(
        mode="Fast", ports=[{"number": 1}], labels={"a": "a"}, selector={"matchLabels": {"a": "a"}}, title="aaaaaaaaa"
    )
    start = widget(**GOOD | NOISE | {"title": "nine char", "replicas": 3})
    assert expected == reduced(start, None, "handwritten", "spec.title").object


def test_ratcheting_shrinks_to_an_update_that_changes_nothing() -> None:
    """A value that one side forgives shrinks to the same object twice, however much was changed elsewhere."""
    new = widget(**GOOD | NOISE | {"replicas": -77})
    old = widget(**GOOD | {"replicas": -77, "title": "other"})
    case = reduced(new, old, "handwritten", "spec.replicas")
    expected = widget(
        mode="Fast", ports=[{"number": 1}], labels={"a": "a"}, selector={"matchLabels": {"a": "a"}}, replicas=-1
    )
    assert expected == case.object
    assert expected == case.old


def test_a_change_that_matters_stays_the_only_one() -> None:
    """Where the difference is about a change, old and new differ in that place alone."""
    new, old = {**META, "spec": {}}, {**META, "spec": {"ceiling": 17, "title": "y"}}
    case = reduced(new, old, "declarative", "spec.ceiling")
    assert case.object == META
    assert case.old == {**META, "spec": {"ceiling": 0}}


def test_no_error_comes_up_on_the_way() -> None:
    """What other rules demand stays: a smaller object with another error is not taken."""
    case = reduced(widget(**GOOD | {"title": "nine char"}), None, "handwritten", "spec.title")
    assert len(ToyTarget().ask([case])[0].handwritten) == 1


def test_other_errors_are_mended_from_the_base() -> None:
    """Edits that are not needed go back to what the accepted base says."""
    start = widget(**GOOD | {"title": "nine char", "ports": [{"number": -1}], "labels": {}})
    case = reduced(start, None, "handwritten", "spec.title", base=widget(**GOOD))
    assert [error.field for error in ToyTarget().ask([case])[0].handwritten] == ["spec.title"]


def test_what_does_not_show_again_is_returned_as_it_was() -> None:
    """A difference that is gone when asked again is not reduced to something else."""
    start = widget(**GOOD)
    assert start == reduced(start, None, "handwritten", "spec.title").object


def test_other_errors_are_repaired_where_leaving_out_does_not_help() -> None:
    """A required field is filled by the repairs handed in, even though the object grows by it."""
    start = widget(title="nine char", mode="Fast", ports=[{}])

    def mend(case: Case, answer: Answer) -> Iterator[tuple[Json, Json]]:
        yield widget(**GOOD), None  # the difference is gone with it: not taken
        yield {**case.object, "spec": {**case.object["spec"], **GOOD}}, None

    alone = reduced(start, None, "handwritten", "spec.title", mend=mend)
    left = reduced(start, None, "handwritten", "spec.title")
    fields = [[error.field for error in ToyTarget().ask([one])[0].handwritten] for one in (alone, left)]
    assert fields[0] == ["spec.title"]
    assert len(fields[1]) > 1


def test_a_pair_with_little_else_is_where_it_starts() -> None:
    """What shows the difference among the pairs handed in is reduced, and what the ground has anyway is not tried."""
    ground = widget(**GOOD), None
    start = widget(**GOOD | NOISE | {"title": "nine char", "replicas": 3})
    first = list(transplants((start, None), ("spec", "title"), ground[0], [ground]))
    case = reduced(start, None, "handwritten", "spec.title", first=first, ground=ground)
    assert case.object == widget(**GOOD, title="aaaaaaaaa")


def test_a_part_is_put_into_what_has_little_else() -> None:
    """First the place alone, then more around it, at last every place that was changed; in old as in new."""
    base = {"kind": "A", "a": {"b": [{"c": 1}], "d": 2}, "e": 3}
    new, old = {"kind": "A", "a": {"b": [{"c": 5}], "d": 2}, "e": 4}, base
    found = list(transplants((new, old), ("a", "b", 0, "c"), base, [({"kind": "A"}, {"kind": "A"})]))
    assert found == [
        ({"kind": "A", "a": {"b": [{"c": 5}]}}, {"kind": "A", "a": {"b": [{"c": 1}]}}),
        ({"kind": "A", "a": {"b": [{"c": 5}]}}, {"kind": "A", "a": {"b": [{"c": 1}]}}),
        ({"kind": "A", "a": {"b": [{"c": 5}]}}, {"kind": "A", "a": {"b": [{"c": 1}]}}),
        ({"kind": "A", "a": {"b": [{"c": 5}], "d": 2}}, {"kind": "A", "a": {"b": [{"c": 1}], "d": 2}}),
        ({"kind": "A", "a": {"b": [{"c": 5}]}, "e": 4}, {"kind": "A", "a": {"b": [{"c": 1}]}, "e": 3}),
    ]


def test_what_lies_within_one_list_is_left_out_together() -> None:
    """A list item with fifty members that are not needed takes two questions for each, not one after every success."""
    item: Json = {f"member{number}": number for number in range(50)}
    case = Case(1, "", "v1", "Widget", Operation.CREATE, {**META, "items": [item, {"b": 1}]})

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        items = case.object.get("items") or [{}]
        return frozenset() if "member7" in items[0] else None

    reducer = Reducer(case, verdict)
    assert drive(reducer.run(), lambda cases: [Answer(one.id) for one in cases]).object == {
        **META,
        "items": [{"member7": 0}],
    }
    assert reducer.asked < 100


def test_the_place_of_the_difference_is_left_out_at_last() -> None:
    """What is around it is asked about once, when nothing else is left."""
    start: Json = {**META, "spec": {"inner": {"value": 5, "other": 1}, "more": 2}}
    asked: list[Json] = []

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        asked.append(case.object)
        return frozenset() if "spec" in case.object else None

    reducer = Reducer(Case(1, "", "v1", "Widget", Operation.CREATE, start), verdict, seat=("spec", "inner", "value"))
    found = drive(reducer.run(), lambda cases: [Answer(one.id) for one in cases])
    assert found.object == {**META, "spec": {}}
    assert asked.count(META) == 1
    assert asked.index(META) > asked.index({**META, "spec": {"inner": {"value": 5}}})


def full(count: int) -> Json:
    """Make an object with so many items that hold much and have a name each."""
    items = [{"name": f"n{one}", "uid": f"u{one}", "spec": {"a": {"b": one}}, "some": ["x"]} for one in range(count)]
    return {**META, "items": items}


def reduced_list(shows: Callable[[Json, Json], bool], old: Json, seat: JsonPath = ()) -> tuple[Case, Reducer]:
    """Reduce an update to 257 items as long as the lists of new and old show what they have to."""

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        return frozenset() if shows(case.object.get("items") or [], case.old.get("items") or []) else None

    reducer = Reducer(Case(1, "", "v1", "Widget", Operation.UPDATE, full(257), old), verdict, seat=seat)
    return drive(reducer.run(), lambda cases: [Answer(one.id) for one in cases]), reducer


def test_a_list_at_its_limit_ends_as_bare_items() -> None:
    """What the length alone shows takes no question for each item, and old and new stay alike."""
    case, reducer = reduced_list(lambda items, _: len(items) > 250, full(257))
    assert case.object == case.old == {**META, "items": [{}] * 251}
    assert reducer.asked < 50


def test_a_list_that_grows_beyond_its_limit_ends_as_bare_items() -> None:
    """Where old has fewer items those that new alone has are made bare all the same."""
    case, reducer = reduced_list(lambda items, before: len(items) > 256 > len(before), full(200))
    assert case.object == {**META, "items": [{}] * 257}
    assert not any(case.old["items"])
    assert reducer.asked < 100


def test_items_that_have_to_be_distinct_lose_all_else() -> None:
    """The names that must differ are not asked about one after the other until the limit is reached."""

    def shows(items: Json, _: Json) -> bool:
        return len(items) > 256 and len({one.get("name") for one in items}) == len(items)

    case, reducer = reduced_list(shows, full(257))
    assert all(one.keys() <= {"name"} for one in case.object["items"])
    assert case.object == case.old
    assert reducer.asked < 350


def test_one_item_of_many_is_found() -> None:
    """Parts of the list that hold nothing of it go at once."""
    seat = ("items", 200, "uid")
    case, reducer = reduced_list(lambda items, _: any(one.get("uid") == "u200" for one in items), full(257), seat)
    assert case.object == case.old == {**META, "items": [{"uid": "u200"}]}
    assert reducer.asked < 100


PARTS: Json = {f"member{number}": {"x": "long" * (60 - number)} for number in range(40)}
LARGE: Json = {**META, "spec": {"parts": PARTS}}
GROUND: Json = {**META, "spec": {"parts": {"member0": {"x": "short"}}}}


def reduced_large(shows: Callable[[Json], bool], **more: Any) -> tuple[Json, list[Json]]:
    """Reduce a create as long as its parts show what they have to. Returns what is left of them, and what was asked."""
    asked: list[Json] = []

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        asked.append(case.object)
        return frozenset() if shows(case.object.get("spec", {}).get("parts", {})) else None

    reducer = Reducer(Case(1, "", "v1", "Widget", Operation.CREATE, LARGE), verdict, **more)
    found = drive(reducer.run(), lambda cases: [Answer(one.id) for one in cases]).object
    return found["spec"]["parts"], asked


def test_two_of_many_members_are_found_without_asking_about_each() -> None:
    """A ground with three quarters of what is left, again and again: single steps start from few members."""
    left, asked = reduced_large(lambda parts: "member7" in parts and "member30" in parts, ground=(GROUND, None))
    assert {"member0", "member7", "member30"} >= left.keys()
    assert sum(len(str(one)) > len(str(LARGE)) / 2 for one in asked) < 16


def test_members_are_brought_to_the_ground_in_quarters() -> None:
    """Each quarter, then all but each; with what stands at the place of the difference; nothing of a few members."""
    new: Json = {"a": {**dict.fromkeys("bcdefghi", 1), "z": {"y": 2}}}
    old: Json = {"a": {**dict.fromkeys("bcdefgh", 1), "z": {"y": 2}}}
    found = [one["a"] for one, _ in some_members((new, None), ("a", "z", "y"), ({"a": {"b": 1, "z": {}}}, None))]
    assert [sorted(one) for one in found] == [
        ["b", "c", "d", "z"], ["b", "e", "f", "z"], ["b", "g", "h", "z"], ["b", "i", "z"],
        ["b", "e", "f", "g", "h", "i", "z"], ["b", "c", "d", "g", "h", "i", "z"],
        ["b", "c", "d", "e", "f", "i", "z"], ["b", "c", "d", "e", "f", "g", "h", "z"],
    ]  # fmt: skip
    assert all(one["z"] == {"y": 2} for one in found)
    assert [] == list(some_members((old, None), ("a",), ({"a": dict.fromkeys("bcd", 1)}, None)))
    *_, last = some_members((new, old), ("x",), ({"a": {}}, {"a": {}}))
    assert last == ({"a": dict.fromkeys("bcdefg", 1)}, {"a": dict.fromkeys("bcdefg", 1)})


def test_one_of_two_that_has_to_stay_does_not_stop_the_rest() -> None:
    """Each step alone may be taken and all together may not, nor the half worth most: then quarters are tried."""
    left, asked = reduced_large(lambda parts: "member11" in parts or "member12" in parts)
    assert len(left) == 1
    assert len(asked) < 100
