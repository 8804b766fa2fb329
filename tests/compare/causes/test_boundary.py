"""Both sides check, at another limit: the limits are found and named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.case import Answer, Case, Failure
from harness.compare.cause import NO_HINTS, Explanation, Hints, Question
from harness.compare.causes.boundary import BOUNDARY, scale_of
from harness.compare.comparator import Comparator
from harness.compare.judge import find_cause
from harness.tags.registry import rule_facts
from tests.compare.builders import Ask, answer, case, drive, error, errors, info


def target(what: str, handwritten: Callable[[Any], bool], declarative: Callable[[Any], bool]) -> Ask:
    """A target whose sides reject spec.a by predicates."""

    def ask(asked: Case) -> Answer:
        value = asked.object["spec"]["a"]
        return answer(
            errors(f"{what} covered") if handwritten(value) else (),
            errors(f"{what} alpha") if declarative(value) else (),
        )

    return ask


def cause_of(value: Any, ask: Ask, versions: tuple[str, ...] = (), hints: Hints = NO_HINTS) -> Explanation:
    one, asked = Comparator(info(versions=versions), facts=rule_facts()), case({"spec": {"a": value}})
    said = ask(asked)
    (mismatch,) = one.compare(asked, said)
    return drive(find_cause(asked, said, mismatch, one, hints), ask)


MAXIMUM, MAX_LENGTH, MAX_ITEMS = "Invalid@spec.a/maximum", "TooLong@spec.a/maxLength", "TooMany@spec.a/maxItems"


def test_a_lower_maximum_on_the_handwritten_side() -> None:
    """Between the limits only one side reports it; both limits are named exactly, and the fix names the tag."""
    found = cause_of(150, target(MAXIMUM, lambda v: v > 100, lambda v: v > 255))
    assert found.cause == "boundary"
    assert "handwritten side rejects a value of 101 or more" in found.detail
    assert "declarative side rejects a value of 256 or more" in found.detail
    assert found.fix.startswith(
        "give +k8s:maximum on spec.a the limit of the handwritten check, 100; or give the limit of"
    )


def test_a_higher_maximum_on_the_handwritten_side() -> None:
    """The same when the declarative side is the stricter one."""
    found = cause_of(150, target(MAXIMUM, lambda v: v > 255, lambda v: v > 100))
    assert found.cause == "boundary"
    assert "the limit of the handwritten check, 255; or give the limit of the rule, 100, to" in found.fix


def test_a_minimum() -> None:
    """Limits are found downward as well."""
    found = cause_of(0, target("Invalid@spec.a/minimum", lambda v: v < 1, lambda v: v < 0))
    assert "handwritten side rejects a value of 0 or less" in found.detail
    assert "declarative side rejects a value of -1 or less" in found.detail
    assert "check, 1; or give the limit of the rule, 0, to" in found.fix


def test_lengths_and_counts() -> None:
    """Text is varied in its length, a list in the number of its items."""
    text = cause_of("x" * 40, target(MAX_LENGTH, lambda v: len(v) > 31, lambda v: len(v) > 63))
    items = cause_of([{"n": 1}] * 5, target(MAX_ITEMS, lambda v: len(v) > 4, lambda v: len(v) > 16))
    assert "handwritten side rejects a length of 32 or more" in text.detail
    assert "declarative side rejects a length of 64 or more" in text.detail
    assert "declarative side rejects a number of items of 17 or more" in items.detail


def test_one_limit_in_bytes_and_in_characters() -> None:
    """Whose limit is as many bytes as the other's is characters counts otherwise, and the fix names the other tag."""
    text = cause_of("é" * 40, target(MAX_LENGTH, lambda v: len(v.encode()) > 63, lambda v: len(v) > 63))
    assert "handwritten side rejects 64 bytes or more and the declarative side rejects 64 characters" in text.detail
    origin = 'and needs the origin "maxBytes" on the check too'
    assert text.fix.endswith(f"+k8s:maxBytes=63 is the rule that counts as the check does, {origin}")
    several = cause_of("é" * 40, target(MAX_LENGTH, lambda v: len(v.encode()) > 63, lambda v: len(v) > 63), ("v2",))
    assert "+k8s:maxBytes=63 in every version is the rule" in several.fix
    rule = cause_of("é" + 62 * "x", target(MAX_LENGTH, lambda v: len(v) > 63, lambda v: len(v.encode()) > 63))
    assert "handwritten side rejects 64 characters or more and the declarative side rejects 64 bytes" in rule.detail
    assert rule.fix.endswith("+k8s:maxLength=63 is the rule that counts as the check does")
    least = cause_of("éé", target("TooShort@spec.a/minLength", lambda v: len(v) < 3, lambda v: len(v.encode()) < 3))
    assert "handwritten side rejects 2 characters or less and the declarative side rejects 2 bytes" in least.detail
    assert least.fix == "let both sides at spec.a count characters, or both bytes"


def test_a_tag_that_counts_otherwise_takes_the_place_and_the_level_of_the_one_that_stands_there() -> None:
    """Without its level the rule is served beside the check, and beside the other tag it reports an error more."""
    line = '+k8s:beta(since: "1.37")=+k8s:maxLength=63'
    ask = target(MAX_LENGTH, lambda v: len(v.encode()) > 63, lambda v: len(v) > 63)
    hints = Hints(tag=lambda path, type, origin: "+k8s:maxLength", line=lambda path, type, origin: line)
    found = cause_of("é" * 40, ask, ("v2",), hints)
    wanted = f'+k8s:beta(since: "1.37")=+k8s:maxBytes=63 in place of {line} in every version is the rule'
    assert f"or both bytes: {wanted}" in found.fix


def test_other_limits_of_a_text_with_long_characters() -> None:
    """Where the two limits differ in every unit, they are named in characters."""
    found = cause_of("é" * 40, target(MAX_LENGTH, lambda v: len(v) > 20, lambda v: len(v) > 63))
    assert "handwritten side rejects a length of 21 or more" in found.detail


def test_an_update_that_ratchets_what_it_left_as_it_was() -> None:
    """Where the rule never speaks on the update, both limits are those of a create of the same object."""
    one, value = Comparator(info(), facts=rule_facts()), {"spec": {"a": 150}}
    strict = target(MAXIMUM, lambda v: v > 100, lambda v: v > 255)

    def ask(asked: Case) -> Answer:
        said = strict(asked)
        return said if asked.old is None else answer(said.handwritten)

    asked = case(value, old=value)
    (mismatch,) = one.compare(asked, ask(asked))
    found = drive(find_cause(asked, ask(asked), mismatch, one), ask)
    assert found.cause == "boundary"
    assert found.fix.startswith(
        "give +k8s:maximum on spec.a the limit of the handwritten check, 100; or give the limit of"
    )
    assert found.detail.startswith("as a create, both sides check, at another limit")


def test_an_update_whose_create_differs_nowhere_has_no_boundary() -> None:
    """That both sides agree on a create of any size explains nothing of an update."""
    one, value = Comparator(info()), {"spec": {"a": 150}}

    def ask(asked: Case) -> Answer:
        large = asked.object["spec"]["a"] > 1000
        if asked.old is not None:
            return answer(errors(f"{MAXIMUM} covered"))
        return answer(errors(f"{MAXIMUM} covered"), errors(f"{MAXIMUM} alpha")) if large else answer()

    asked = case(value, old=value)
    (mismatch,) = one.compare(asked, ask(asked))
    assert drive(find_cause(asked, ask(asked), mismatch, one), ask).cause == "no-rule"


def test_one_side_that_never_reports_it_has_no_limit() -> None:
    """Where the silent side stays silent at every size, it is no boundary."""
    assert cause_of(150, target(MAXIMUM, lambda v: v > 100, lambda v: False)).cause == "no-rule"
    assert cause_of(150, target(MAXIMUM, lambda v: False, lambda v: v > 100)).cause == "no-counterpart"


def test_a_side_that_always_reports_it_has_no_limit_to_name() -> None:
    """The limit of a side that rejects everything around cannot be named; the other one is."""
    found = cause_of(150, target(MAXIMUM, lambda v: True, lambda v: v > 200))
    assert "limit of the handwritten side was not found" in found.detail
    assert found.experiment.endswith("; then one limit narrowed down")
    assert found.fix.startswith("give +k8s:maximum on spec.a the limit of the handwritten check; or give")


@pytest.mark.parametrize("value", [True, None, {"a": 1}, [], 1.5])
def test_values_without_a_size(value: Any) -> None:
    """What has no size is not varied."""
    assert scale_of(value) is None
    assert cause_of(value, target(MAXIMUM, lambda v: True, lambda v: False)).cause == "no-rule"


def test_a_format_that_both_read_differently() -> None:
    """A format has no limit to name: both reject words of other lengths, and one of them this word too."""

    def rejects(value: str) -> bool:
        return not value.isascii() or not value.isalnum()

    found = cause_of("a_b", target("Invalid@spec.a/format=x", rejects, lambda v: not v))
    assert found.cause == "other-value"
    assert 'both sides check format=x and report "", but "a_b" the handwritten side alone' == found.detail
    assert "limit" not in f"{found.fix} {found.experiment}"


def test_a_format_that_both_reject_for_another_reason_elsewhere() -> None:
    """That a longer word is too long for both does not show how they read its letters, so the reason is told."""

    def ask(asked: Case) -> Answer:
        value = asked.object["spec"]["a"]
        rule = [error("Invalid@spec.a/format=x alpha", detail="too long")] if len(value) > 9 else []
        return answer((error("Invalid@spec.a/format=x covered", detail="no letter"),), tuple(rule))

    found = cause_of("\u017f", ask)
    assert "other-value" == found.cause
    assert "the declarative side with 'too long', but \"\u017f\" the handwritten side alone" in found.detail


def test_types_without_a_limit() -> None:
    """A required or an unsupported value has no limit, so nothing is asked."""
    one, asked = Comparator(info()), case({"spec": {"a": 5}})
    said = answer(errors("NotSupported@spec.a covered"))
    with pytest.raises(StopIteration):
        next(BOUNDARY.sides.search(Question(asked, said, one.compare(asked, said)[0], one)))


def test_a_target_that_stops_answering() -> None:
    """Without answers there is no boundary, and no further question."""
    one, asked = Comparator(info()), case({"spec": {"a": 150}})
    said = answer(errors(f"{MAXIMUM} covered"))
    search = BOUNDARY.sides.search(Question(asked, said, one.compare(asked, said)[0], one))
    batch = next(search)
    with pytest.raises(StopIteration) as stop:
        search.send([Answer(each.id, failure=Failure("decode", "no")) for each in batch])
    assert stop.value.value is None


def test_a_target_that_stops_answering_while_limits_are_narrowed() -> None:
    """It is still known that both sides check; only the limits cannot be named."""
    ask = target(MAXIMUM, lambda v: v > 100, lambda v: v > 255)
    around = {150} | {150 + sign * 8**power for power in range(6) for sign in (1, -1)}

    def forgetful(asked: Case) -> Answer:
        known = asked.object["spec"]["a"] in around
        return ask(asked) if known else answer(failure=Failure("decode", "no"))

    found = cause_of(150, forgetful)
    assert found.cause == "boundary"
    assert found.detail.count("was not found") == 2
    assert found.experiment.endswith("until both sides report it")


@given(st.integers(-1000, 1000), st.integers(1, 1000), st.integers(0, 10_000))
def test_limits_are_exact(first: int, gap: int, where: int) -> None:
    """Whatever the two limits are and wherever between them the case lies, both are named to the unit."""
    second = first + gap
    found = cause_of(first + 1 + where % gap, target(MAXIMUM, lambda v: v > first, lambda v: v > second))
    assert found.cause == "boundary"
    assert f"value of {second + 1} or more" in found.detail
    assert f"value of {first + 1} or more" in found.detail


@given(st.integers() | st.text(max_size=5) | st.lists(st.integers(), min_size=1, max_size=3), st.integers(0, 40))
def test_scales_make_what_they_say(value: Any, size: int) -> None:
    """A value of another size has that size, and begins as the value did."""
    scale = scale_of(value)
    assert scale is not None
    made = scale.make(size)
    assert size == (made if isinstance(value, int) else len(made))
    assert value == scale.make(scale.size)
