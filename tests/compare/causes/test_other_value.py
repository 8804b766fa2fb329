"""Words for "of no value" are told only as far as values were tried: of one that both sides know, it is told which."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from harness.case import Answer, Case, Failure, Operation
from harness.compare.cause import Hints
from harness.compare.causes import CAUSES
from harness.compare.othervalues import MAX_VALUES, describe_value
from harness.jsonpath import ABSENT, Edit
from tests.compare.builders import answer, case, errors
from tests.compare.explaining import causes


def knowing(*values: Any, at: tuple[str | int, ...] = ("spec", "a"), **more: Any) -> Hints:
    """Hints with these values for a path, whatever the case."""

    def edits(case: Case, path: str, normalize: Callable[[str], str]) -> Iterable[Edit]:
        return [Edit(at, value) for value in values]

    return Hints(values=edits, **more)


def _empty_list_is_unset_to_the_rule_alone(asked: Case) -> Answer:
    """One member must be set: the check takes an empty list for a member."""
    value = asked.object["spec"].get("a", {"ints": [1]})
    rule = errors("Invalid@spec.a/union beta") if not any(value.values()) else ()
    check = errors("Invalid@spec.a/union covered") if not value else ()
    return answer(check, rule)


def test_an_empty_list_is_told_as_the_value_on_which_they_differ() -> None:
    """The rule is there and the check is there: neither is told as missing."""
    asked = case({"spec": {"a": {"ints": []}}})
    found = causes(asked, _empty_list_is_unset_to_the_rule_alone, hints=knowing({}, {"ints": [1]}))["+spec.a"]
    assert ("other-value", "experiment") == (found.cause, found.certainty)
    assert 'report it for {}, and for {"ints":[]} the declarative side alone (2 other values tried)' in found.detail
    assert "remove" not in found.fix
    assert 'count {"ints":[]} as without the empty member, as +k8s:unionMember' in found.fix


def test_uniqueness_by_another_key_is_no_missing_check() -> None:
    """The rule compares names, the check whole items: for two equal items both report it."""

    def ask(asked: Case) -> Answer:
        first, second = asked.object["l"]
        rule = errors("Duplicate@l[1] beta") if first["name"] == second["name"] else ()
        return answer(errors("Duplicate@l[1] covered") if first == second else (), rule)

    items = [{"name": "a", "port": 1}, {"name": "a", "port": 2}]
    found = causes(case({"l": items}), ask, hints=knowing(items[0], at=("l", 1)))["+l[1]"]
    assert "other-value" == found.cause
    assert '{"name":"a","port":1}' in found.detail


def test_clearing_a_member_is_told_as_clearing() -> None:
    """The check looks at changes to another value, the rule at every change."""

    def ask(asked: Case) -> Answer:
        now = asked.object["spec"].get("a")
        before = (asked.old or asked.object)["spec"].get("a")
        changed = errors("Invalid@spec.a/update covered") if now and now != before else ()
        return answer(changed, errors("Invalid@spec.a/update beta") if now != before else ())

    found = causes(case({"spec": {}}, {"spec": {"a": "x"}}), ask, hints=knowing("y", "z"))["+spec.a"]
    assert "other-value" == found.cause
    assert 'report it for a change from "x" to "y" and a change' in found.detail
    assert 'for a change from "x" to an absent value the declarative side alone' in found.detail


def test_a_value_that_the_silent_side_alone_rejects_is_named_too() -> None:
    """Each side rejects another value of the two."""

    def ask(asked: Case) -> Answer:
        value = asked.object["spec"]["a"]
        check = errors("Invalid@spec.a/o covered") if value == "x" else ()
        return answer(check, errors("Invalid@spec.a/o beta") if value == "y" else ())

    found = causes(case({"spec": {"a": "y"}}), ask, hints=knowing("x"))["+spec.a"]
    assert 'the declarative side reports it for "y", and the handwritten side for "x"' in found.detail


SILENT = {
    "no-rule": (errors("Required@spec.a covered"), ()),
    "no-counterpart": ((), errors("Required@spec.a beta")),
}


@pytest.mark.parametrize("code", SILENT)
def test_what_remains_says_how_many_values_were_tried(code: str) -> None:
    """No page and no sentence says "never": more values than those were not tried."""
    [found] = causes(case({"spec": {}}), lambda asked: answer(*SILENT[code]), hints=knowing("x", "y")).values()
    assert (code, "remains") == (found.cause, found.certainty)
    assert "reports it for none of the 2 other values that were tried" in found.detail
    assert "never" not in found.detail


@pytest.mark.parametrize("code", SILENT)
def test_values_beyond_the_number_that_is_tried_are_told(code: str) -> None:
    """What was not tried is said."""
    values = [f"v{number}" for number in range(MAX_VALUES + 5)]
    [found] = causes(case({"spec": {}}), lambda asked: answer(*SILENT[code]), hints=knowing(*values)).values()
    assert f"none of the {MAX_VALUES} of {MAX_VALUES + 5} other values" in found.detail


@pytest.mark.parametrize("code", SILENT)
def test_what_the_run_saw_forbids_the_words(code: str) -> None:
    """The silent side reported it for another object of the run: it knows the error."""
    asked, hints = case({"spec": {}}), knowing("x", reported=lambda case, side, mismatch: True)
    [found] = causes(asked, lambda asked: answer(*SILENT[code]), hints=hints).values()
    assert "other-value" == found.cause
    assert "reports it at this path for other objects of the run" in found.detail


def test_where_the_types_are_not_known_no_value_is_told_as_tried() -> None:
    """A target without types: the cause is told as far as it is known."""
    [found] = causes(case({"spec": {}}), lambda asked: answer(*SILENT["no-counterpart"])).values()
    assert "no-counterpart" == found.cause
    assert "the handwritten side does not report it; no other value was tried" == found.detail


def test_a_value_that_cannot_be_answered_is_not_counted() -> None:
    """A process that dies of a value tells nothing of it."""

    def ask(asked: Case) -> Answer:
        if asked.object["spec"].get("a") == "deadly":
            return answer(failure=Failure("worker", "died"))
        return answer(*SILENT["no-rule"])

    [found] = causes(case({"spec": {}}), ask, hints=knowing("deadly", "x")).values()
    assert ("no-rule", True) == (found.cause, "none of the 1 of 2 other values" in found.detail)


def test_a_target_that_answers_no_experiment_leaves_the_cause_unknown() -> None:
    """A recording answers what was recorded: nothing is guessed of what it would say."""
    recorded = case({"spec": {}})

    def ask(asked: Case) -> Answer:
        same = (asked.object, asked.old) == (recorded.object, recorded.old)
        return answer(*SILENT["no-rule"]) if same else answer(failure=Failure("worker", "was not recorded"))

    [found] = causes(recorded, ask, hints=knowing("x", "y")).values()
    assert ("unknown", "") == (found.cause, found.certainty)
    assert "none of the 2 cases of experiments was answered" in found.detail


def test_a_create_that_is_another_kinds_says_nothing_of_updates() -> None:
    """A scale is no kind of the main resource: its creates have no answer, and other values of it do."""
    given = case({"spec": {}}, {"spec": {}}, subresource="scale")

    def ask(asked: Case) -> Answer:
        if asked.operation is Operation.CREATE:
            return answer(failure=Failure("worker", "no such kind"))
        return answer(*SILENT["no-counterpart"])

    [found] = causes(given, ask, hints=knowing("x", "y"), operations=(Operation.UPDATE,)).values()
    assert ("no-counterpart", "remains") == (found.cause, found.certainty)


def test_a_tag_at_the_field_is_no_missing_rule() -> None:
    """That nothing declares it would contradict the line of the tag."""
    hints = knowing("x", tag=lambda path, type, origin: "+k8s:required")
    [found] = causes(case({"spec": {}}), lambda asked: answer(*SILENT["no-rule"]), hints=hints).values()
    assert found.detail.startswith("the field has +k8s:required, and yet the declarative side reports it for none")
    assert not found.fix.startswith("declare")


def test_a_version_without_rules_is_told_as_one() -> None:
    """No tag of a version helps whose validation was not generated."""
    [found] = causes(case({"spec": {}}), lambda asked: answer(*SILENT["no-rule"]), rules=False).values()
    assert ("no-rule", "observed") == (found.cause, found.certainty)
    assert "v1 has no declarative validation at all" in found.detail
    assert "write an exception, or generate the declarative validation of v1" == found.fix


@pytest.mark.parametrize(
    ("value", "text"), [(ABSENT, "an absent value"), ("é", '"é"'), ("\ud800", '"\\ud800"'), (None, "null"), ([], "[]")]
)
def test_every_value_can_be_written(value: Any, text: str) -> None:
    """What no text can hold is written with an escape."""
    assert text == describe_value(value)
    assert describe_value("x" * 500).endswith("... (500 characters)")
    assert describe_value([1] * 500).endswith("... (500 items)")
    assert describe_value({"a": "x" * 500}).endswith("...")


def test_every_cause_has_its_experiment_and_an_example() -> None:
    """`harness explain` has both for each word, and no page claims what no experiment can show."""
    for cause in CAUSES:
        assert cause.experiment, cause.code
        assert cause.example.strip(), cause.code
        assert "never reports" not in cause.page, cause.code


@pytest.mark.parametrize(
    ("type", "has_both"), [("NotSupported", False), ("Required", True)]
)  # fmt: skip
def test_no_rule_is_to_report_an_absent_value_that_it_is_not_asked_about(type: str, has_both: bool) -> None:
    """Where a field is optional its other rules see no absent value; a rule that requires one does."""

    def ask(asked: Case) -> Answer:
        value = asked.object["spec"].get("a")
        rule = errors(f"{type}@spec.a/enum beta") if value == "x" else ()
        return answer(errors(f"{type}@spec.a/enum covered") if value in (None, "x") else (), rule)

    found = causes(case({"spec": {}}), ask, hints=knowing("x", "y"))["spec.a"]
    assert ("other-value", has_both) == (found.cause, "both report it, or neither" in found.fix)
    assert has_both or "for an absent value, or write an exception" in found.fix


def test_a_rule_that_is_asked_about_an_absent_value_is_to_skip_it() -> None:
    """The check of another rule says that the value is missing, and need not report a second error about it."""

    def ask(asked: Case) -> Answer:
        value = asked.object["spec"].get("a")
        check = errors("Invalid@spec.a/format covered") if value == "x" else ()
        return answer(check, errors("Invalid@spec.a/format beta") if value in (None, "x") else ())

    found = causes(case({"spec": {}}), ask, hints=knowing("x", "y"))["+spec.a"]
    assert "other-value" == found.cause
    assert "skip an absent value, by a rule of its level that makes the field optional" in found.fix
