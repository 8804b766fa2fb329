from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from harness.case import Answer, Case, Json, Operation
from harness.fuzzers.pairs import Pair
from harness.fuzzers.reduce import Reducer
from harness.fuzzers.transplant import some_members, transplants
from harness.jsonpath import JsonPath
from harness.targets.target import drive
from tests.fuzzers.toys import WIDGETS, ToyTarget, widget_shape

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


def reducer_of(new: Json, old: Json, shows: Callable[[Json, Json], bool], **more: Any) -> Reducer:
    """Make a reducer of what shows the difference as long as a pair does so."""

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        return frozenset() if shows(case.object, case.old) else None

    operation = Operation.CREATE if old is None else Operation.UPDATE
    return Reducer(Case(1, "", "v1", "Widget", operation, new, old), verdict, **more)


def answered(reducer: Reducer) -> Pair:
    """Run a reducer whose answers do not matter. Returns: the smallest pair."""
    found = drive(reducer.run(), lambda cases: [Answer(one.id) for one in cases])
    return found.object, found.old


def test_a_create_shrinks_to_the_limit_and_nothing_else() -> None:
    """The smallest title that only the handwritten side refuses has nine plain letters."""
    expected = widget(
        mode="Fast", ports=[{"number": 1}], labels={"a": "a"}, selector={"matchLabels": {"a": "a"}}, title="aaaaaaaaa"
    )
    start = widget(**GOOD | NOISE | {"title": "nine char", "replicas": 3})
    assert expected == reduced(start, None, "handwritten", "spec.title").object


def test_ratcheting_shrinks_to_an_update_that_changes_nothing() -> None:
    """A value that one side ratchets shrinks to the same object twice, however much was changed elsewhere."""
    new = widget(**GOOD | NOISE | {"replicas": -77})
    old = widget(**GOOD | {"replicas": -77, "title": "other"})
    case = reduced(new, old, "handwritten", "spec.replicas")
    expected = widget(
        mode="Fast", ports=[{"number": 1}], labels={"a": "a"}, selector={"matchLabels": {"a": "a"}}, replicas=-1
    )
    assert expected == case.object
    assert expected == case.old


def test_a_change_that_matters_stays_the_only_one() -> None:
    """Where the difference is about a change, old and new differ in that path alone."""
    new, old = {**META, "spec": {}}, {**META, "spec": {"ceiling": 17, "title": "y"}}
    case = reduced(new, old, "declarative", "spec.ceiling")
    assert case.object == META
    assert case.old == {**META, "spec": {"ceiling": 0}}


def test_old_keeps_no_value_that_only_has_to_be_another_one() -> None:
    """Where old may lack what new has changed, it lacks all of it, and new then keeps the value alone."""

    def shows(new: Json, old: Json) -> bool:
        has_key = [" "] == [item.get("key") for item in new.get("tolerations") or []]
        return has_key and new["tolerations"] != old.get("tolerations")

    new: Json = {**META, "tolerations": [{"key": " ", "operator": "a"}]}
    reducer = reducer_of(new, {**META, "tolerations": [{"key": " "}]}, shows)
    assert ({**META, "tolerations": [{"key": " "}]}, META) == answered(reducer)
    uid: Json = {**META, "uid": "a"}
    reducer = reducer_of(uid, {**META, "uid": ""}, lambda new, old: new.get("uid") == "a" != old.get("uid"))
    assert (uid, META) == answered(reducer)


def test_what_a_revert_brought_is_removed_again() -> None:
    """The base has a status, and the object in which the difference was found is the smallest one that shows it."""
    start: Json = {**META, "value": 9}
    reducer = reducer_of(start, None, lambda new, _: new.get("value") == 9, base={**META, "value": 1, "status": {}})
    assert (start, None) == answered(reducer)


def test_a_pair_that_was_no_repair_may_be_reached_by_a_removal() -> None:
    """It showed the difference, and was not kept because it had no error less: that is no failure."""

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        return frozenset({"stays"} if "c" in case.object else {"stays", "c"}) if "a" in case.object else None

    def find_repairs(case: Case, answer: Answer) -> Iterator[Pair]:
        yield {**META, "a": 0, "c": 0} | ({} if "c" in case.object else {"d": 0}), None

    start = Case(1, "", "v1", "Widget", Operation.CREATE, {**META, "a": 0}, None)
    assert ({**META, "a": 0, "c": 0}, None) == answered(Reducer(start, verdict, find_repairs=find_repairs))


def test_a_name_becomes_as_short_as_another_one_may_be() -> None:
    """A name identifies the object and is never removed; where it is not that of the floor, a letter is enough."""
    long: Json = {"apiVersion": "v1", "kind": "Widget", "metadata": {"name": "\u00e9\u00e9", "namespace": "a.b"}}
    floor: Json = {"apiVersion": "v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "default"}}

    def shows(new: Json, old: Json) -> bool:
        return not new["metadata"]["name"].isascii() and new["metadata"]["namespace"] != "default"

    new, _ = answered(reducer_of(long, None, shows, floor=(floor, None)))
    assert {"name": "\u00e9", "namespace": "a"} == new["metadata"]


@pytest.mark.parametrize("needed", [97, 230, 253])
def test_long_texts_and_keys_become_as_short_as_they_may(needed: int) -> None:
    """A key and a text of 254 characters, of which fewer suffice, take few cases each."""

    def shows(new: Json, _: Json) -> bool:
        spec = new.get("spec") or {}
        return len(spec.get("title") or "") >= needed and any(len(key) >= needed for key in spec.get("labels") or {})

    start: Json = {**META, "spec": {"title": "x" * 254, "labels": {"y" * 254: "b"}}}
    reducer = reducer_of(start, None, shows, shape=widget_shape())
    new, _ = answered(reducer)
    assert "a" * needed == new["spec"]["title"]
    assert [needed] == [len(key) for key in new["spec"]["labels"]]
    assert reducer.evaluated < 120


def test_a_long_text_is_shortened_from_its_beginning_too() -> None:
    """A character at its end is what is wrong with it."""
    reducer = reducer_of({**META, "title": "x" * 99 + "="}, None, lambda new, _: "=" in new.get("title", ""))
    assert ({**META, "title": "="}, None) == answered(reducer)


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

    def find_repairs(case: Case, answer: Answer) -> Iterator[tuple[Json, Json]]:
        yield widget(**GOOD), None  # the difference is gone with it: not taken
        yield {**case.object, "spec": {**case.object["spec"], **GOOD}}, None

    alone = reduced(start, None, "handwritten", "spec.title", find_repairs=find_repairs)
    left = reduced(start, None, "handwritten", "spec.title")
    fields = [[error.field for error in ToyTarget().ask([one])[0].handwritten] for one in (alone, left)]
    assert fields[0] == ["spec.title"]
    assert len(fields[1]) > 1


def test_a_pair_with_little_else_is_where_it_starts() -> None:
    """What shows the difference among the pairs handed in is reduced, and what the ground has anyway is not tried."""
    ground = widget(**GOOD), None
    start = widget(**GOOD | NOISE | {"title": "nine char", "replicas": 3})
    small_pairs = list(transplants((start, None), ("spec", "title"), ground[0], [ground]))
    case = reduced(start, None, "handwritten", "spec.title", small_pairs=small_pairs, floor=ground)
    assert case.object == widget(**GOOD, title="aaaaaaaaa")


def test_a_part_is_put_into_what_has_little_else() -> None:
    """First the path alone, then more around it, at last every path that was changed; in old as in new."""
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
    assert reducer.evaluated < 100


def test_the_place_of_the_difference_is_left_out_at_last() -> None:
    """What is around it is asked about once, when nothing else is left."""
    start: Json = {**META, "spec": {"inner": {"value": 5, "other": 1}, "more": 2}}
    asked: list[Json] = []

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        asked.append(case.object)
        return frozenset() if "spec" in case.object else None

    reducer = Reducer(Case(1, "", "v1", "Widget", Operation.CREATE, start), verdict, path=("spec", "inner", "value"))
    found = drive(reducer.run(), lambda cases: [Answer(one.id) for one in cases])
    assert found.object == {**META, "spec": {}}
    assert asked.count(META) == 1
    assert asked.index(META) > asked.index({**META, "spec": {"inner": {"value": 5}}})


def full(count: int) -> Json:
    """Make an object with so many items that hold much and have a name each."""
    items = [{"name": f"n{one}", "uid": f"u{one}", "spec": {"a": {"b": one}}, "some": ["x"]} for one in range(count)]
    return {**META, "items": items}


def reduced_list(shows: Callable[[Json, Json], bool], old: Json, path: JsonPath = ()) -> tuple[Case, Reducer]:
    """Reduce an update to 257 items as long as the lists of new and old show what they have to."""

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        return frozenset() if shows(case.object.get("items") or [], case.old.get("items") or []) else None

    reducer = Reducer(Case(1, "", "v1", "Widget", Operation.UPDATE, full(257), old), verdict, path=path)
    return drive(reducer.run(), lambda cases: [Answer(one.id) for one in cases]), reducer


def test_a_list_at_its_limit_ends_as_bare_items() -> None:
    """What the length alone shows takes no question for each item, and old and new stay alike."""
    case, reducer = reduced_list(lambda items, _: len(items) > 250, full(257))
    assert case.object == case.old == {**META, "items": [{}] * 251}
    assert reducer.evaluated < 50


def test_a_list_that_grows_beyond_its_limit_ends_as_bare_items() -> None:
    """Where old has fewer items those that new alone has are made bare all the same, and old needs none."""
    case, reducer = reduced_list(lambda items, before: len(items) > 256 > len(before), full(200))
    assert case.object == {**META, "items": [{}] * 257}
    assert case.old == META
    assert reducer.evaluated < 100


def test_items_that_have_to_be_distinct_lose_all_else() -> None:
    """The names that must differ are not asked about one after the other until the limit is reached."""

    def shows(items: Json, _: Json) -> bool:
        return len(items) > 256 and len({one.get("name") for one in items}) == len(items)

    case, reducer = reduced_list(shows, full(257))
    assert all(one.keys() <= {"name"} for one in case.object["items"])
    assert case.object == case.old
    assert reducer.evaluated < 350


def test_one_item_of_many_is_found() -> None:
    """Parts of the list that hold nothing of it go at once."""
    path = ("items", 200, "uid")
    case, reducer = reduced_list(lambda items, _: any(one.get("uid") == "u200" for one in items), full(257), path)
    assert case.object == case.old == {**META, "items": [{"uid": "u200"}]}
    assert reducer.evaluated < 100


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
    left, asked = reduced_large(lambda parts: "member7" in parts and "member30" in parts, floor=(GROUND, None))
    assert {"member0", "member7", "member30"} >= left.keys()
    assert sum(len(str(one)) > len(str(LARGE)) / 2 for one in asked) < 16


def test_members_are_brought_to_the_ground_in_quarters() -> None:
    """Each quarter, then all but each; with what stands at the path of the difference; nothing of a few members."""
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


def reduced_beside(start: Json, errors_of: Callable[[Json], frozenset[str]], floor: Json = None) -> Reducer:
    """Reduce an object whose value of nine shows the difference, beside these other errors."""

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        return errors_of(case.object) if case.object.get("value") == 9 else None

    case = Case(1, "", "v1", "Widget", Operation.CREATE, start)
    reducer = Reducer(case, verdict, floor=None if floor is None else (floor, None))
    drive(reducer.run(), lambda cases: [Answer(one.id) for one in cases])
    return reducer


def test_two_members_that_require_one_another_are_removed_together() -> None:
    """Removing either of them brings up an error about the other, and both are no part of the difference."""

    def errors_of(obj: Json) -> frozenset[str]:
        priority, name = "priority" in obj, "className" in obj
        return frozenset({"className"} if priority and not name else {"priority"} if name and not priority else ())

    start: Json = {**META, "value": 9, "priority": 1, "className": "a"}
    assert {**META, "value": 9} == reduced_beside(start, errors_of).case.object


def test_a_member_and_the_one_that_selects_it_change_together() -> None:
    """The member can go when its discriminator has another value, and not before."""

    def errors_of(obj: Json) -> frozenset[str]:
        wrong = {"type": "needs one"} if not obj.get("type") else {}
        wrong |= {"member": "must match"} if (obj.get("type") == "Member") != ("member" in obj) else {}
        return frozenset(wrong)

    start: Json = {**META, "value": 9, "type": "Member", "member": {"some": "thing"}}
    assert {**META, "value": 9, "type": "a"} == reduced_beside(start, errors_of).case.object


def test_what_is_required_stays_although_pairs_are_tried() -> None:
    """Two members that other rules require are kept, and so many pairs are tried at most."""
    required = [f"member{number}" for number in range(20)]

    def errors_of(obj: Json) -> frozenset[str]:
        return frozenset(name for name in required if name not in obj)

    start: Json = {**META, "value": 9, **dict.fromkeys(required, 0)}
    reducer = reduced_beside(start, errors_of)
    assert start == reducer.case.object
    assert reducer.evaluated < 100


def test_what_an_accepted_object_needs_goes_where_the_difference_stands_in_for_it() -> None:
    """The floor has one of two members of which one is enough; the value of the difference is the other one."""
    floor: Json = {**META, "rules": [{}], "name": "a"}

    def errors_of(obj: Json) -> frozenset[str]:
        lacking = {"name"} if "name" not in obj else set[str]()
        return frozenset(lacking | ({"rules"} if "rules" not in obj and "value" not in obj else set()))

    start: Json = {**floor, "value": 9}
    assert {**META, "name": "a", "value": 9} == reduced_beside(start, errors_of, floor).case.object


def test_what_an_accepted_object_needs_is_asked_about_only_beside_what_it_lacks() -> None:
    """A member of the floor in a struct that has no other member cannot be there for want of one."""
    floor: Json = {**META, "spec": {"rules": [{}]}}
    asked: list[Json] = []

    def errors_of(obj: Json) -> frozenset[str]:
        asked.append(obj)
        return frozenset()

    left = reduced_beside({**floor, "value": 9}, errors_of, floor).case.object
    assert {**META, "value": 9} == left
    assert not [one for one in asked if one.get("spec") == {}]
