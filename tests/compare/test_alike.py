"""Of several values that a silent side rejects, the one with the words of the difference shows which check is meant."""

from __future__ import annotations

import pytest

from harness.case import Answer, Case, Json
from harness.compare.cause import Hints
from harness.jsonpath import Edit
from tests.compare.builders import answer, case, error
from tests.compare.explaining import causes

LOWER = "a name consists of lower case letters"


def ask(asked: Case) -> Answer:
    """Both sides check the length and the letters, of which the check takes capital ones too."""
    value = asked.object["spec"]["a"]
    text = value["b"] if isinstance(value, dict) else value
    words = "must have at most 9 letters" if len(text) > 9 else LOWER
    wrong = len(text) > 9 or not text.isalpha()
    check = (error("Invalid@spec.a/format=x covered", detail=words),) if wrong else ()
    rule = (error("Invalid@spec.a/format=x beta", detail=words),) if wrong or text != text.lower() else ()
    return answer(check, rule)


LONG, WRONG = {"b": "b" * 20}, {"b": "b!"}


@pytest.mark.parametrize(
    ("values", "chosen"), [((LONG, WRONG), WRONG), ((WRONG, LONG), WRONG), ((LONG, {"b": "b" * 30}), LONG)]
)
def test_the_value_that_is_rejected_in_the_same_words_is_chosen(values: tuple[Json, ...], chosen: Json) -> None:
    """A value that is too long is rejected by another check, whichever was tried first; without another it is told."""
    hints = Hints(values=lambda case, path, normalize: [Edit(("spec", "a"), one) for one in values])
    found = causes(case({"spec": {"a": {"b": "B"}}}), ask, hints=hints)["+spec.a"]
    assert found.spoken is not None
    assert ("other-value", chosen) == (found.cause, found.spoken.object["spec"]["a"])


def test_where_only_sizes_were_tried_a_letter_is_made_wrong() -> None:
    """One that stands in no word of a format, in place of each one in turn."""
    found = causes(case({"spec": {"a": "Bcd"}}), ask)["+spec.a"]
    assert found.spoken is not None
    assert "!" in found.spoken.object["spec"]["a"]


def test_no_value_is_chosen_if_none_is_rejected_in_these_words() -> None:
    """What another check rejects shows nothing about this one."""

    def other(asked: Case) -> Answer:
        said = ask(asked)
        return answer(tuple(one for one in said.handwritten if one.detail != LOWER), said.declarative)

    assert causes(case({"spec": {"a": "B"}}), other)["+spec.a"].spoken is None
