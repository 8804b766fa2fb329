"""Why a side is silent on an update: the value was left as it was, the old object is wrong, or it is an update."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Operation
from harness.compare.cause import Explanation, Hints, ListWithoutKeys
from harness.jsonpath import Edit
from tests.compare.builders import answer, case, error, errors
from tests.compare.explaining import causes

GOOD, BAD, WORSE = "good", "bad", "worse"
Silent = Callable[[Any, Any], bool]
"""Whether a check is silent, of the new and of the old object."""


def value_of(obj: Any) -> Any:
    return obj["spec"].get("a")


def checked(asked: Case, silent: Silent) -> Answer:
    """The rule rejects every value that is not good, the check too unless it is silent on this update."""
    wrong = value_of(asked.object) not in (None, GOOD)
    is_silent = asked.old is not None and silent(asked.object, asked.old)
    check = errors("Invalid@spec.a/o covered") if wrong and not is_silent else ()
    more = errors("Required@spec.b") if asked.object["spec"].get("wrong") else ()
    return answer((*check, *more), errors("Invalid@spec.a/o beta") if wrong else ())


def values(*known: Any) -> Hints:
    """Hints with these values of spec.a, and an accepted object."""

    def edits(case: Case, path: str, normalize: Callable[[str], str]) -> Iterable[Edit]:
        return [Edit(("spec", "a"), value) for value in known]

    return Hints(values=edits, accepted=lambda case: [{"spec": {"a": GOOD, "b": 1}}])


def explained(silent: Silent, new: Any, old: Any, hints: Hints | None = None) -> Explanation:
    """The explanation of the error that the check does not report."""
    found = causes(case(new, old), lambda asked: checked(asked, silent), hints=hints or values(WORSE, GOOD))
    return found["+spec.a"]


LEFT: Any = {"spec": {"a": BAD}}


def test_a_check_that_ratchets_reports_the_changed_value() -> None:
    """Only what the update leaves as it was is skipped."""
    found = explained(lambda new, old: value_of(new) == value_of(old), LEFT, LEFT)
    assert ("ratcheting", "experiment") == (found.cause, found.certainty)
    assert "the handwritten side ratchets what the update did not change" in found.detail


def test_a_check_that_is_silent_on_every_update_does_not_ratchet() -> None:
    """A changed value is not reported either, and no other old object helps."""
    found = explained(lambda new, old: True, LEFT, LEFT)
    assert 'does not validate it on this update, not even when the value changes to "worse"' in found.detail
    assert "on updates too" in found.fix


def test_a_check_that_skips_values_that_were_wrong_before_is_told_so() -> None:
    """It lets the update change one wrong value to another."""
    found = explained(lambda new, old: value_of(old) not in (None, GOOD), LEFT, LEFT)
    assert 'while the old object has the error there too, not even when the update changes the value to "worse"' in (
        found.detail
    )


@pytest.mark.parametrize("before", [BAD, GOOD])
def test_a_check_that_skips_wrong_old_objects_is_told_with_the_error(before: str) -> None:
    """Whether the value changes does not matter: against an accepted old object both sides report it."""
    old = {"spec": {"a": before, "wrong": 1}}
    found = explained(lambda new, old: "wrong" in old["spec"], {"spec": {"a": BAD, "wrong": 1}}, old)
    assert "does not report it while the old object is wrong" in found.detail
    assert "Required value" in found.detail
    assert "wherever the update changes it; or" in found.fix
    hints = replace(values(WORSE, GOOD), unkeyed_list=lambda path: ListWithoutKeys("spec", "", ""))
    found = explained(lambda new, old: "wrong" in old["spec"], {"spec": {"a": BAD, "wrong": 1}}, old, hints)
    assert "wherever the update changes anything of spec; or" in found.fix


def test_a_changed_value_is_not_told_as_left_alone() -> None:
    """The update itself changes it, and the check says nothing."""
    found = explained(lambda new, old: True, LEFT, {"spec": {"a": GOOD}})
    assert "does not report it on this update, although the update changes the value" in found.detail


def _requires_name(asked: Case) -> Answer:
    """The rule wants a name of each condition; the check looks at creates alone."""
    conditions = asked.object["spec"].get("l", [])
    wanted = [f"Required@spec.l[{index}].name" for index, one in enumerate(conditions) if "name" not in one]
    check = errors(*(f"{one} covered" for one in wanted)) if asked.old is None else ()
    return answer(check, errors(*(f"{one} beta" for one in wanted)))


@pytest.mark.parametrize(
    ("old", "told"),
    [
        ({}, "which adds spec.l without the value"),
        ({"l": [{"name": "a"}]}, "which changes spec.l and adds spec.l[1] without the value"),
        ({"l": [{}]}, "which changes spec.l and leaves the value absent"),
        ({"l": [{"name": "a"}, {"x": 1}]}, "which leaves the value absent"),
    ],
)
def test_an_absent_value_is_not_told_as_left_as_it_was(old: Any, told: str) -> None:
    """It is absent in both objects, or stands in nothing that the old one has."""
    found = causes(case({"spec": {"l": [{"name": "a"}, {}]}}, {"spec": old}), _requires_name)["+spec.l[1].name"]
    assert f"does not report it on this update, {told}: " in found.detail
    is_added = "adds" in told  # the rule finds an item that is there in the old list
    assert is_added == found.fix.endswith("wherever the update changes it or adds what contains it")


@pytest.mark.parametrize(
    ("old", "told"),
    [({"spec": {}}, "adds the value"), ({}, "adds the value with spec"), ({"spec": {"a": GOOD}}, "changes the value")],
)
def test_a_value_that_the_old_object_lacks_is_told_as_added(old: Any, told: str) -> None:
    """What was not there did not change."""
    found = causes(case(LEFT, old), lambda asked: checked(asked, lambda new, old: True))["+spec.a"]
    assert f"although the update {told}: " in found.detail


def test_where_no_other_value_has_the_error_nothing_is_claimed_of_changes() -> None:
    """One wrong value is all that is known."""
    found = explained(lambda new, old: True, LEFT, LEFT, values(GOOD))
    assert 'not even when the value changes to "bad"' in found.detail
    found = explained(lambda new, old: True, LEFT, LEFT, Hints())
    assert "whether it reports a value that the update changes is not known, no other was tried" in found.detail


def test_a_value_that_may_not_be_changed_is_ratcheted() -> None:
    """Each change is reported as such, and hides the rule: an update can only leave the value as it was."""

    def ask(asked: Case) -> Answer:
        wrong = value_of(asked.object) not in (None, GOOD)
        check = errors("Invalid@spec.a/o covered") if wrong else ()
        if asked.old is not None and value_of(asked.old) != value_of(asked.object):
            fixed = errors("Invalid@spec/immutable covered"), errors("Invalid@spec/immutable beta")
            return answer((*check, *fixed[0]), fixed[1])
        return answer(check, errors("Invalid@spec.a/o beta") if wrong and asked.old is None else ())

    found = causes(case(LEFT, LEFT), ask, hints=values(WORSE, GOOD))["spec.a"]
    assert "the declarative side ratchets what the update did not change" in found.detail
    assert "the value may not be changed" in found.detail


def test_a_change_that_preparation_undoes_is_asked_unprepared() -> None:
    """The server copies the value from the old object, so that no served update changes it."""

    def ask(asked: Case) -> Answer:
        new = asked.object if asked.mode == "given" or asked.old is None else asked.old
        prepared = msgspec.structs.replace(asked, object=new)
        return checked(prepared, lambda new, old: value_of(new) == value_of(old))

    found = causes(case(LEFT, LEFT), ask, hints=values(WORSE, GOOD))["+spec.a"]
    assert "ratchets what the update did not change" in found.detail


def _skips_equal_items(asked: Case) -> Answer:
    """The check skips what an item has left as it was, the rule takes every item of a changed list for new."""
    old = asked.old or {"spec": {"l": []}}
    items, before = asked.object["spec"]["l"], old["spec"]["l"]
    check = errors("Required@spec.l[0].a covered") if "a" not in items[0] and items[0].get("b") != "old" else ()
    is_skipped = before and {**before[0], "c": 0} == {**items[0], "c": 0}
    return answer(() if is_skipped else check, errors("Required@spec.l[0].a beta") if items != before else ())


@pytest.mark.parametrize(("changed", "is_told"), [(1, True), (0, False)])
def test_a_difference_below_a_list_without_keys_names_the_list(changed: int, is_told: bool) -> None:
    """The rule cannot find the unchanged item in a list that the update changes: the place to mend is the list."""
    known = ListWithoutKeys("spec.l", "+k8s:listType=map with +k8s:listMapKey", "v1/types.go:7")
    hints = Hints(unkeyed_list=lambda path: known)
    old: Any = {"spec": {"l": [{"c": changed}]}}
    new: Any = {"spec": {"l": [{"c": 0}], "d": 1}}

    def ask(asked: Case) -> Answer:
        said = _skips_equal_items(asked)
        return said if is_told else answer(said.handwritten, errors("Required@spec.l[0].a beta"))

    found = causes(case(new, old), ask, hints=hints)["+spec.l[0].a"]
    several = causes(case(new, old), ask, hints=hints, versions=("v2",))["+spec.l[0].a"]
    assert is_told == ("on spec.l in every version, so that" in several.fix)
    assert "ratcheting" == found.cause
    assert is_told == ("rules compare spec.l with the old list as a whole" in found.detail)
    assert is_told == found.fix.startswith("declare +k8s:listType=map with +k8s:listMapKey on spec.l, so that")
    assert is_told == ("report them where the update changes anything of spec.l, not otherwise; the other" in found.fix)
    assert is_told == found.fix.endswith("has left as it was, or write an exception (v1/types.go:7)")
    assert is_told == ("unchanged values" not in found.fix)


def test_what_is_removed_from_the_old_object_is_named_where_it_had_no_value() -> None:
    """A required value is absent in the old object too: its item is what was taken away."""
    item: Any = {"spec": {"l": [{"c": 1}]}}

    def ask(asked: Case) -> Answer:
        has_item = asked.old is not None and bool(asked.old["spec"]["l"])
        rule = () if has_item else errors("Required@spec.l[0].a beta")
        return answer(errors("Required@spec.l[0].a covered"), rule)

    found = causes(case(item, item), ask, operations=(Operation.UPDATE,))["spec.l[0].a"]
    assert "against an old object without spec.l[0] both sides agree" in found.detail


def test_a_field_that_depends_on_another_names_the_one_that_the_update_changes() -> None:
    """The value itself stays absent: what decides is the field that requires it."""

    def ask(asked: Case) -> Answer:
        trigger = "t" in asked.object["spec"]
        rule = [error("Required@spec.a/dependentRequired alpha", detail="must be set when t is set")] if trigger else []
        check = errors("Required@spec.a/dependentRequired covered") if trigger and asked.old is None else ()
        return answer(check, tuple(rule))

    found = causes(case({"spec": {"t": 1}}, {"spec": {}}), ask)["+spec.a"]
    assert "on this update, which changes spec.t and leaves the value absent: as a create" in found.detail
    assert found.fix.endswith("look at spec.a wherever the update sets or unsets it or spec.t")


@pytest.mark.parametrize(
    ("fixed", "is_told"),
    [
        (errors("Invalid@spec.a/immutable"), True),
        ((error("Invalid@spec.a", detail="field is immutable"),), True),
        (errors("Invalid@spec.a/immutable covered"), False),
        (errors("Invalid@spec.b/immutable"), False),
    ],
)
def test_a_check_of_changes_is_not_wanted_where_none_is_allowed(fixed: tuple[Any, ...], is_told: bool) -> None:
    """An error that no gate takes away rejects every such request, and the fix says so."""

    def ask(asked: Case) -> Answer:
        said = checked(asked, lambda new, old: True)
        return msgspec.structs.replace(said, handwritten=said.handwritten + fixed) if asked.old is not None else said

    found = causes(case(LEFT, {"spec": {"a": GOOD}}), ask, hints=values(WORSE))["+spec.a"]
    assert is_told == found.fix.startswith(
        "nothing to do for requests like this one, which are rejected at spec.a; else "
    )
    assert is_told == ("agree; the update is rejected anyway, spec.a: " in found.detail)


@pytest.mark.parametrize(
    ("rule", "detail", "told"),
    [
        (
            "Forbidden@spec.a/dependentForbidden",
            "may not be set when t is set",
            "updates that set or unset neither it nor spec.t",
        ),
        ("Required@spec.a/dependentRequired", "when t is specified", "updates that set or unset neither it nor spec.t"),
        ("Invalid@spec.a/union", "", "updates that set or unset no member of the union"),
        ("Invalid@spec.a/maximum", "", "what did not change"),
    ],
)
def test_a_rule_about_what_is_set_ratchets_whatever_the_values_are(rule: str, detail: str, told: str) -> None:
    """A check that skipped unchanged values would report another value, and miss that the other field is set."""
    given = {"spec": {"a": BAD, "t": 1}}

    def ask(asked: Case) -> Answer:
        said = (error(f"{rule} covered", detail=detail),)
        is_as_before = asked.old is not None and set(asked.old["spec"]) == set(asked.object["spec"])
        return answer(said, () if is_as_before else errors(f"{rule} beta"))

    found = causes(case(given, given), ask)["spec.a"]
    assert "ratcheting" == found.cause
    assert f" skip {told}, or write an exception" in found.fix


def test_a_rule_below_a_list_without_keys_ratchets_the_list_as_a_whole() -> None:
    """A check that skipped each unchanged item would miss those of a list that changes elsewhere."""
    hints = Hints(unkeyed_list=lambda path: ListWithoutKeys("spec.l", "", ""))
    given = {"spec": {"l": [{"a": BAD}]}}

    def ask(asked: Case) -> Answer:
        is_kept = asked.old is not None and asked.old["spec"] == asked.object["spec"]
        return answer(errors("Invalid@spec.l[0].a/o covered"), () if is_kept else errors("Invalid@spec.l[0].a/o beta"))

    found = causes(case(given, given), ask, hints=hints)["spec.l[0].a"]
    assert " skip it where the update leaves the whole of spec.l as it was, or write an exception" in found.fix


def test_a_rule_about_equal_items_ratchets_the_list_as_a_whole() -> None:
    """A check that skipped an unchanged item would not report it where an equal one came."""
    given = {"spec": {"l": [1, 1]}}

    def ask(asked: Case) -> Answer:
        is_kept = asked.old is not None and asked.old["spec"] == asked.object["spec"]
        return answer(errors("Duplicate@spec.l[1] covered"), () if is_kept else errors("Duplicate@spec.l[1] beta"))

    found = causes(case(given, given), ask)["spec.l[1]"]
    assert " skip it where the update leaves the whole of spec.l as it was, or write an exception" in found.fix


def test_a_rule_for_keys_ratchets_each_key_that_was_there() -> None:
    """A check that skipped an unchanged map would report a kept key as soon as another one came."""
    hints = Hints(is_about_keys=lambda path, type, origin: True)

    def ask(asked: Case) -> Answer:
        is_kept = asked.old is not None and "a.b" in asked.old["spec"].get("a", {})
        return answer(errors("Invalid@spec.a/o covered"), () if is_kept else errors("Invalid@spec.a/o beta"))

    given = {"spec": {"a": {"a.b": 1}}}
    found = causes(case(given, given), ask, hints=hints)["spec.a"]
    assert "ratcheting" == found.cause
    assert " skip each key that the map has in the old object already, or write an exception" in found.fix


def test_a_rule_of_a_mode_ratchets_the_value_and_the_mode() -> None:
    """A check that skipped an unchanged value would miss that its mode changed."""
    given = {"spec": {"a": BAD, "mode": "A"}}

    def ask(asked: Case) -> Answer:
        is_kept = asked.old is not None and asked.old["spec"] == asked.object["spec"]
        return answer(errors("Forbidden@spec.a covered"), () if is_kept else errors("Forbidden@spec.a beta"))

    found = causes(case(given, given), ask, hints=Hints(mode=lambda path: "spec.mode"))["spec.a"]
    assert " skip updates that change neither it nor spec.mode, or write an exception" in found.fix


@pytest.mark.parametrize(("more", "is_told"), [("Invalid@spec/immutable", True), ("Invalid@other/immutable", False)])
def test_a_check_that_one_old_object_keeps_silent_needs_no_fix_where_no_change_is_allowed(
    more: str, is_told: bool
) -> None:
    """Against another old object both report it; a request that changes this may not be."""

    def ask(asked: Case) -> Answer:
        said = checked(asked, lambda new, old: "x" in old.get("spec", {}))
        fixed = asked.old is not None and asked.old.get("spec") != asked.object["spec"]
        return msgspec.structs.replace(said, handwritten=(*said.handwritten, *(errors(more) if fixed else ())))

    found = causes(case(LEFT, {"spec": {"x": 1}}), ask, hints=values(WORSE))["+spec.a"]
    assert "against this old object, in which it has no error: against another accepted one" in found.detail
    assert is_told == ("; the update is rejected anyway, spec: " in found.detail)
    assert is_told == found.fix.startswith(
        "nothing to do for requests like this one, which are rejected at spec; else "
    )
