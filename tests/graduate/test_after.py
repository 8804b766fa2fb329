"""What users notice when one rule becomes standard and its handwritten check is deleted."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.case import Answer, KindInfo
from harness.errormatch.matcher import matcher_for
from harness.errormatch.trusted import NO_WORDINGS, Wording, Wordings
from harness.field import FieldError
from harness.graduate.after import Effects, RuleErrors, answer_after, compare_after

INFO = KindInfo(group="toys", version="v1", kind="Toy", resource="toys", api_version="toys/v1")
RULE = FieldError("FieldValueTooLong", "spec.name", "must be short", "maxLength", level="beta")
CHECK = FieldError("FieldValueTooLong", "spec.name", "must be short", "maxLength", covered=True)
OTHER = FieldError("FieldValueRequired", "spec.size", "")
FIRST = FieldError("FieldValueRequired", "spec.name", "", level="beta", short_circuit=True)


def changed(error: FieldError, **fields: Any) -> FieldError:
    """An error with other fields."""
    return msgspec.structs.replace(error, **fields)


def compared(
    handwritten: list[FieldError], declarative: list[FieldError], info: KindInfo = INFO, level: Any = "beta",
    trusted: Wordings = NO_WORDINGS,
) -> Effects | None:  # fmt: skip
    """The effects of the graduation of the rule on one answer."""
    matcher = matcher_for(info.normalization)
    errors = RuleErrors.of(("spec.name",), "FieldValueTooLong", "maxLength", level, matcher)
    return compare_after(handwritten, declarative, errors, info, trusted)


def effect(*arguments: Any, **options: Any) -> str:
    """The worst effect, empty for none."""
    found = compared(*arguments, **options)
    return found.effect if found is not None else ""


def test_a_rule_takes_the_place_of_its_check_unnoticed() -> None:
    """Both report the same error, alone and beside another one."""
    assert "" == effect([CHECK], [RULE])
    assert "" == effect([OTHER, CHECK], [RULE])


def test_a_check_without_the_rule_is_lost() -> None:
    """Alone the object is accepted, which it is not today; beside another error one line of the answer is gone."""
    found = compared([CHECK], [])
    assert found is not None
    assert ("accepted", "beta-on", (CHECK.text,), ()) == (found.effect, found.setting, found.today, found.after)
    assert "lost" == effect([CHECK, OTHER], [])


def test_a_rule_without_a_check_rejects_where_the_gate_is_off() -> None:
    """With the gate on it rejects today; with the gate off it does not yet."""
    found = compared([], [RULE])
    assert found is not None
    assert ("rejected", "beta-off") == (found.effect, found.setting)
    assert found.changes_verdict
    assert "added" == effect([OTHER], [RULE])


def test_a_check_that_is_not_marked_is_served_beside_the_rule() -> None:
    """In the same words, and in others."""
    assert "twice" == effect([changed(CHECK, covered=False)], [RULE])
    assert "twice" == effect([changed(CHECK, covered=False, detail="is long")], [RULE])


def test_other_words_are_noticed_unless_they_are_trusted() -> None:
    """A reviewed difference of wording is no change."""
    check = changed(CHECK, detail="is long")
    assert "words" == effect([check], [RULE])
    assert "" == effect([check], [RULE], trusted=Wordings([Wording("is long", "must be short", "reviewed")]))


def test_only_the_rule_itself_graduates() -> None:
    """A difference of another rule of the same object, and the same rule at another level, are not its own."""
    other = changed(RULE, field="spec.other")
    assert "" == effect([CHECK], [RULE, other])
    assert "" == effect([], [changed(RULE, level="")])
    assert "" == effect([changed(CHECK, field="spec.other")], [])


def test_an_alpha_rule_serves_its_errors_for_the_first_time() -> None:
    """No setting of today serves them, so the words of the check are those that users know."""
    alpha = changed(RULE, level="alpha")
    assert "" == effect([CHECK], [alpha], level="alpha")
    assert "rejected" == effect([], [alpha], level="alpha")


def test_another_rule_that_stops_this_one_costs_an_error() -> None:
    """Where the code reports both and the rules stop at the first; also where the metric of mismatches allows that."""
    first = changed(FIRST, field="spec", origin="")
    assert "lost" == effect([changed(first, covered=True, level="", short_circuit=False), CHECK], [first])
    allowed = msgspec.structs.replace(INFO, short_circuit_mismatch=True)
    handwritten = [changed(first, covered=True, level="", short_circuit=False), CHECK]
    assert "lost" == effect(handwritten, [first], allowed)


def test_two_bad_items_told_once_are_no_repetition() -> None:
    """Handwritten errors of one text are served once, declarative ones each: that is no change of the rule's own."""
    assert "" == effect([CHECK, CHECK], [RULE, RULE])
    assert "twice" == effect([CHECK], [RULE, RULE])


def test_a_path_of_another_version_is_the_same_error() -> None:
    """The check reports the path of the internal type, as the normalization rules of the kind say."""
    info = msgspec.structs.replace(INFO, normalization=((r"spec\.name", "spec.title"),))
    check = changed(CHECK, field="spec.title")
    assert "" == effect([check], [RULE], info)
    assert "accepted" == effect([check], [], info)


@pytest.mark.parametrize("composition", ["explicit", "levels"])
def test_both_generations_with_levels_are_composed(composition: Any) -> None:
    """1.36 reads the level of the handwritten error; after graduation it is gone all the same."""
    info = msgspec.structs.replace(INFO, composition=composition)
    assert "" == effect([changed(CHECK, level="beta")], [RULE], info)
    assert "accepted" == effect([changed(CHECK, level="beta")], [], info)


def test_an_answer_after_several_rules_have_graduated() -> None:
    """Their checks are gone and their errors standard; checks without a mark, and all other rules, stay as they are."""
    matcher = matcher_for(INFO.normalization)
    size = changed(RULE, field="spec.size")
    rules = [
        RuleErrors.of((path,), "FieldValueTooLong", "maxLength", "beta", matcher) for path in ("spec.name", "spec.size")
    ]
    unmarked = changed(CHECK, covered=False)
    answer = Answer(7, handwritten=(CHECK, unmarked, OTHER), declarative=(FIRST, RULE, size))
    assert msgspec.structs.replace(
        answer, handwritten=(unmarked, OTHER), declarative=(FIRST, changed(RULE, level=""), changed(size, level=""))
    ) == answer_after(answer, rules, INFO)
    assert answer == answer_after(answer, [], INFO)
