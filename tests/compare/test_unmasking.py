"""Errors that hide others: what is repaired or left out until the silent side speaks."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import Answer, Case
from harness.compare.cause import Hints, no_repairs
from harness.compare.comparator import Comparator
from harness.compare.judge import judge
from harness.field import FieldError
from harness.jsonpath import Edit
from tests.compare.builders import answer, case, drive, error, errors, info
from tests.compare.explaining import causes, causes_with, repair_mode, slugs


def _returns_early(asked: Case) -> Answer:
    """The handwritten side stops at spec.first; both know spec.a."""
    spec = asked.object.get("spec", {})
    early = errors("Invalid@spec.first/minimum covered") if "first" in spec else ()
    hv = early or (errors("Invalid@spec.a/minimum covered") if "a" in spec else ())
    first = errors("Invalid@spec.first/minimum beta") if "first" in spec else ()
    return answer(hv, first + (errors("Invalid@spec.a/minimum beta") if "a" in spec else ()))


def test_masked() -> None:
    """The handwritten validator returned early: without the other error both sides agree."""
    both = {"spec": {"first": 1, "a": 1}}
    found = causes(case(both), _returns_early)
    assert {path: one.cause for path, one in found.items()} == {"+spec.a": "masked"}
    assert "because of spec.first: Invalid value" in found["+spec.a"].detail
    assert slugs(case(both, both), _returns_early) == {"+spec.a": "masked"}
    assert slugs(case({"spec": {"first": 1}}), _returns_early) == {}


def test_masked_by_several_errors_and_items() -> None:
    """All other errors are repaired together, items from the end, and what the mismatch is about is left alone."""

    def ask(asked: Case) -> Answer:
        spec = asked.object["spec"]
        early = errors(*(f"Invalid@spec.l[{i}]/minimum" for i, item in enumerate(spec["l"]) if item < 0))
        return answer(early or errors("Required@spec.l.z covered"), errors("Required@spec.l.z beta"))

    assert slugs(case({"spec": {"l": [-1, 5, -1]}}), ask) == {"+spec.l.z": "masked"}


def test_masked_by_what_must_not_change() -> None:
    """A whole that may be set once hides what is wrong inside: set for the first time, both sides say it."""

    def ask(asked: Case) -> Answer:
        if asked.old is None:
            return answer()  # a status is written by updates alone
        declarative = errors("Required@status.a.b beta")
        if "status" in asked.old and asked.old != asked.object:
            return answer(errors("Invalid@status"), declarative)
        return answer(errors("Required@status.a.b covered"), declarative)

    found = causes(case({"status": {"a": {}, "c": 1}}, {"status": {"a": {"b": 1}, "c": 2}}), ask)["+status.a.b"]
    assert (found.cause, "because of status: Invalid value" in found.detail) == ("masked", True)


def test_not_masked() -> None:
    """Where the other error goes and the twin still does not come, it was no mask."""

    def ask(asked: Case) -> Answer:
        other = errors("Invalid@spec.first/minimum") if "first" in asked.object["spec"] else ()
        return answer(other, errors("Invalid@spec.a/minimum beta"))

    assert slugs(case({"spec": {"first": 1, "a": 1}}), ask) == {"+spec.a": "no-counterpart"}


def _at_another_path(asked: Case) -> Answer:
    """The handwritten side reports the size under another name, quotes it, and stops at spec.first."""
    spec = asked.object["spec"]
    size = spec.get("size", 0)
    early = errors("Invalid@spec.first covered") if "first" in spec else ()
    if size >= 2:
        return answer(early)
    said = {"detail": "must be 2 or more", "value": str(size)}
    wrong = error("Invalid@spec.sise/minimum covered", **said)
    return answer(early or (wrong,), (error("Invalid@spec.size/minimum beta", **said),))


def test_another_path_is_the_cause_whatever_the_value() -> None:
    """With another value an error is the same still, and behind one that stops the validator it is only hidden."""

    def lower(asked: Case, error: FieldError) -> Any:
        yield {"spec": {**asked.object["spec"], "size": -1}}, asked.old
        yield {"spec": {**asked.object["spec"], "first": 1}}, asked.old

    found = causes_with(lower, _at_another_path, case({"spec": {"size": 1}}))
    assert {"spec.sise": "path", "spec.size": "path"} == {path: one.cause for path, one in found.items()}


def test_another_path_shows_once_the_mask_is_gone() -> None:
    """The case that shows it is the one that is told."""
    asked, one = case({"spec": {"first": 1, "size": 1}}), Comparator(info())
    said = _at_another_path(asked)
    [mismatch] = [m for m in one.compare(asked, said) if m.side == "declarative"]
    finding = drive(judge(asked, said, mismatch, one, subject="s"), _at_another_path)
    assert ("path", "spec.size", {"spec": {"size": 1}}) == (finding.cause, finding.path, finding.case.object)
    assert ["spec.sise"] == [error.field for error in finding.answer.handwritten]


def _stops_without_mode(asked: Case) -> Answer:
    """The handwritten side looks at spec.a only in a mode that it knows; the declarative side always does."""
    spec = asked.object["spec"]
    known = spec.get("mode") == "Limited"
    hv = errors("Invalid@spec.a/minimum covered") if known else errors("Required@spec.mode covered")
    return answer(hv, (*(() if known else errors("Required@spec.mode beta")), *errors("Invalid@spec.a/minimum beta")))


def test_masked_by_an_error_that_wants_a_value() -> None:
    """Leaving out what is missing helps nobody: with the repairs that are handed in, the other side speaks."""
    asked = case({"spec": {"a": 1}})
    assert causes_with(no_repairs, _stops_without_mode, asked)["spec.a"].cause == "no-counterpart"
    found = causes_with(repair_mode, _stops_without_mode, asked)["spec.a"]
    assert (found.cause, "because of spec.mode: Required value" in found.detail) == ("masked", True)


def _is_of_choice(path: str) -> bool:
    return path in ("spec.mode", "spec.one")


@pytest.mark.parametrize(
    ("spec", "how"),
    [
        ({"a": 1}, 'does not run without spec.mode: with "Limited" there both sides agree'),
        ({"a": 1, "mode": "Exempt"}, 'does not run with spec.mode "Exempt": with "Limited" there both sides agree'),
    ],
)
def test_a_repair_that_makes_another_choice_shows_a_condition(spec: dict[str, Any], how: str) -> None:
    """The other value of a discriminator is another branch, whatever error the first one had."""
    hints = Hints(repair_mode, makes_choice=_is_of_choice)
    found = causes(case({"spec": spec}), _stops_without_mode, hints=hints)["+spec.a"]
    assert ("conditional", how) == (found.cause, found.detail.removeprefix("the handwritten check "))


def _enters_no_member_of_two(asked: Case) -> Answer:
    """The handwritten side looks into a member if it is the only one, and asks for a name first."""
    spec = asked.object["spec"]
    unnamed = errors("Required@spec.name") if "name" not in spec else ()
    hv = errors("Invalid@spec") if "one" in spec else errors("Required@spec.many.a covered")
    return answer(unnamed or hv, errors("Required@spec.many.a beta"))


def test_a_member_that_is_taken_away_shows_a_condition() -> None:
    """Of two members of a union the check looks into none: without the other one it looks into this one."""
    hints = Hints(makes_choice=_is_of_choice)
    found = causes(case({"spec": {"name": "n", "one": 1, "many": {}}}), _enters_no_member_of_two, hints=hints)
    told = found["+spec.many.a"]
    assert "conditional" == told.cause
    assert "the handwritten check does not run beside spec.one: without that field both sides agree" == told.detail


def test_a_choice_that_is_not_enough_shows_no_condition() -> None:
    """Where another error has to go too, the check is behind that one as well."""

    def mend(asked: Case, wrong: FieldError) -> Any:
        yield {"spec": {"name": "n", "many": {}}}, asked.old

    hints = Hints(mend, makes_choice=_is_of_choice)
    asked = case({"spec": {"one": 1, "many": {}}})
    assert "masked" == causes(asked, _enters_no_member_of_two, hints=hints)["+spec.many.a"].cause


def _enters_the_only_choice(asked: Case) -> Answer:
    """The fields beside the list are converted into another member of a union; of both the check enters none."""
    spec = asked.object["spec"]
    hv = errors("Invalid@spec") if len(spec) > 1 else errors("Required@spec.many.a covered")
    return answer(hv, errors("Required@spec.many.a beta") if "many" in spec else ())


@pytest.mark.parametrize(
    ("known", "cause"), [("spec.one", "conditional"), ("spec.two", "masked"), ("status.one", "masked")]
)
def test_a_member_that_is_converted_into_a_choice_shows_a_condition(known: str, cause: str) -> None:
    """The types do not say that it makes one: the error on the object is the same as with a member that does."""

    def siblings(asked: Case, path: str, normalize: Any) -> Any:
        return [Edit(("spec", "one"), 1), Edit(("status", "one"), 1)]

    hints = Hints(siblings=siblings, makes_choice=lambda path: path == known)
    found = causes(case({"spec": {"flat": 1, "many": {}}}), _enters_the_only_choice, hints=hints)["+spec.many.a"]
    assert (cause, cause == "conditional") == (found.cause, "beside spec.flat: without that field" in found.detail)


def test_another_error_than_that_of_a_choice_is_a_mask() -> None:
    """The member is wrong by itself, and so the validator returns early."""

    def ask(asked: Case) -> Answer:
        spec = asked.object["spec"]
        early = errors("Invalid@spec") if "one" in spec else errors("Required@spec") if "flat" in spec else ()
        return answer(early or errors("Required@spec.many.a covered"), errors("Required@spec.many.a beta"))

    hints = Hints(siblings=lambda *_: [Edit(("spec", "one"), 1)], makes_choice=lambda path: path == "spec.one")
    assert "masked" == causes(case({"spec": {"flat": 1, "many": {}}}), ask, hints=hints)["+spec.many.a"].cause


def test_masked_behind_a_mask() -> None:
    """One repair may only show the next early return."""

    def ask(asked: Case) -> Answer:
        spec = asked.object["spec"]
        if "first" in spec or "second" in spec:
            names = ("first",) if "first" in spec else ("second",)
            return answer(errors(*(f"Required@spec.{n}" for n in names), *(["TooMany@x"] if "first" in spec else [])),
                          errors("Required@spec.a beta"))  # fmt: skip
        return answer(errors("Required@spec.a covered"), errors("Required@spec.a beta"))

    asked = case({"spec": {"first": 1, "second": 1}})
    assert causes_with(no_repairs, ask, asked)["spec.a"].cause == "masked"


def test_masked_by_too_many_members() -> None:
    """Where leaving out a field that no error names repairs an error above it, that error was the mask."""

    def ask(asked: Case) -> Answer:
        spec = asked.object["spec"]
        hv = errors("Invalid@spec") if "one" in spec else errors("Required@spec.many.a covered")
        return answer(hv, errors("Required@spec.many.a beta"))

    found = causes(case({"spec": {"one": 1, "many": {}}}), ask)["+spec.many.a"]
    assert (found.cause, "because of spec: Invalid value" in found.detail) == ("masked", True)


def test_masked_at_the_path_of_another_version() -> None:
    """The handwritten side tells where the internal type has an error: repaired is what this version has there."""

    def ask(asked: Case) -> Answer:
        items = asked.object["spec"]["old"]
        early = errors("TooMany@spec.new/maxItems") if len(items) > 2 else errors("Required@spec.new[0].a covered")
        return answer(early, errors("Required@spec.old[0].a beta"))

    def cut(asked: Case, error: FieldError) -> Any:
        if error.field == "spec.old":
            yield {"spec": {"old": asked.object["spec"]["old"][:2]}}, asked.old

    found = causes_with(cut, ask, case({"spec": {"old": [{}, {}, {}]}}), normalization=((r"^spec\.old", "spec.new"),))
    assert found["spec.old[0].a"].cause == "masked"


def test_masked_at_a_key_of_another_version() -> None:
    """A key with a dot in it stands in brackets, in this version as in the internal type."""

    def ask(asked: Case) -> Answer:
        held = asked.object["spec"].get("old", {})
        early = errors("Invalid@spec.new[a.b]") if held.get("a.b") != "fine" else errors("Required@spec.a covered")
        return answer(early, errors("Required@spec.a beta"))

    def mend(asked: Case, error: FieldError) -> Any:
        if error.field == "spec.old[a.b]":
            yield {"spec": {"old": {"a.b": "fine"}}}, asked.old

    wrong = case({"spec": {"old": {"a.b": "wrong"}}})
    found = causes_with(mend, ask, wrong, normalization=((r"^spec\.old", "spec.new"),))
    assert found["spec.a"].cause == "masked"


def test_masked_by_a_list_that_is_too_long_and_ends_with_what_is_wrong() -> None:
    """A list is cut from its end, so what the difference is about is brought to its front first."""

    def ask(asked: Case) -> Answer:
        items = asked.object["spec"]["l"]
        wrong = [f"Required@spec.l[{number}].a" for number, item in enumerate(items) if not item]
        if len(items) > 2:
            return answer(errors("TooMany@spec.l/maxItems"), errors(*(f"{one} beta" for one in wrong)))
        return answer(errors(*(f"{one} covered" for one in wrong)), errors(*(f"{one} beta" for one in wrong)))

    def cut(asked: Case, error: FieldError) -> Any:
        if error.field == "spec.l":
            yield {"spec": {"l": asked.object["spec"]["l"][:2]}}, asked.old

    good = {"a": 1}
    found = causes_with(cut, ask, case({"spec": {"l": [good, good, {}]}}))
    assert found["spec.l[2].a"].cause == "masked"
    before = {"spec": {"l": [good, good, good, good]}}
    found = causes_with(cut, ask, case({"spec": {"l": [good, good, {}]}}, before))
    assert found["spec.l[2].a"].cause == "masked"


def _gone_with_the_value(asked: Case) -> Answer:
    """The handwritten side reports a type at spec.a, and the rule's error where the value has another type."""
    value = asked.object["spec"].get("a", 0)
    if isinstance(value, str):
        return answer(errors("Forbidden@spec.a"), errors("Invalid@spec.a/minimum beta"))
    check = errors("Invalid@spec.a/minimum covered") if value < 0 else ()
    return answer(check, errors("Invalid@spec.a/minimum beta") if value < 0 else ())


def test_a_repair_of_the_value_itself_is_no_proof() -> None:
    """What changes the value changes the rule's own input: both sides agree about another value, not about this one."""

    def mend(asked: Case, wrong: FieldError) -> Any:
        yield {"spec": {"a": -1}}, asked.old
        yield {"spec": {}}, asked.old

    found = causes_with(mend, _gone_with_the_value, case({"spec": {"a": "x"}}))["spec.a"]
    assert "no-counterpart" == found.cause
    assert "returned early" not in found.detail


def test_a_repair_above_the_value_is_no_proof_either() -> None:
    """To remove the struct is to remove the value with it."""

    def ask(asked: Case) -> Answer:
        has = "s" in asked.object["spec"]
        rule = errors("Required@spec.s.a beta")
        return answer(errors("TooMany@spec.s") if has else errors("Required@spec.s.a covered"), rule)

    found = causes_with(no_repairs, ask, case({"spec": {"s": {"b": 1}}}))["spec.s.a"]
    assert "no-counterpart" == found.cause


def _needs_mode(asked: Case) -> Answer:
    """The handwritten side looks at spec.a in one mode alone; without a mode nothing is wrong."""
    is_checked = asked.object["spec"].get("mode") == "Strict"
    return answer(errors("Invalid@spec.a/o covered") if is_checked else (), errors("Invalid@spec.a/o beta"))


@pytest.mark.parametrize(
    ("spec", "how"),
    [
        ({"a": 1}, 'does not run without spec.mode: with "Strict" there both sides agree'),
        ({"a": 1, "mode": "Lax"}, 'does not run with spec.mode "Lax": with "Strict" there both sides agree'),
    ],
)
def test_a_field_beside_it_is_filled_as_well_as_removed(spec: dict[str, Any], how: str) -> None:
    """A check that runs in one mode speaks once another value stands there."""
    hints = Hints(siblings=lambda case, path, normalize: [Edit(("spec", "mode"), one) for one in ("Lax", "Strict")])
    found = causes(case({"spec": spec}), _needs_mode, hints=hints)["+spec.a"]
    assert ("conditional", how) == (found.cause, found.detail.removeprefix("the handwritten check "))


def test_a_value_that_removes_an_error_shows_a_mask() -> None:
    """Where what is filled in was missing, the error about it was the mask."""

    def ask(asked: Case) -> Answer:
        missing = "mode" not in asked.object["spec"]
        check = errors("Required@spec.mode") if missing else errors("Invalid@spec.a/o covered")
        return answer(check, errors("Invalid@spec.a/o beta"))

    hints = Hints(siblings=lambda case, path, normalize: [Edit(("spec", "mode"), "x")])
    found = causes(case({"spec": {"a": 1}}), ask, hints=hints)["+spec.a"]
    assert ("masked", True) == (found.cause, "because of spec.mode: Required value" in found.detail)


@pytest.mark.parametrize(("others", "is_swapped"), [(("b",), True), ((), False)])
def test_a_check_behind_the_masking_error_that_would_report_more_is_left_there(
    others: tuple[str, ...], is_swapped: bool
) -> None:
    """The rules let through what an update left as it was: to go on would trade this difference for others."""

    def ask(asked: Case) -> Answer:
        if asked.old is None:
            return answer()  # a status is written by updates alone
        status = asked.object["status"]
        wrong = [f"Required@status.{name}" for name in ("a", *others)]
        if "status" in asked.old:
            changed = [one for one in wrong if asked.old["status"].get(one[-1]) != status.get(one[-1])]
            return answer(errors("Invalid@status"), errors(*(f"{one} beta" for one in changed)))
        return answer(errors(*(f"{one} covered" for one in wrong)), errors(*(f"{one} beta" for one in wrong)))

    found = causes(case({"status": {"c": 1}}, {"status": {"a": 1, "c": 1}}), ask)["+status.a"]
    assert "masked" == found.cause
    told = "write an exception: past the error on status the check would report status.b too"
    assert (is_swapped, not is_swapped) == (found.fix.startswith(told), "go on after the error on status" in found.fix)
