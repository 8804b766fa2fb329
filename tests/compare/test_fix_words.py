"""Fixes speak the language of the handwritten code, and fill in what the error says."""

from __future__ import annotations

import re
from typing import Any

import pytest

from harness.case import Answer, Case, Vocabulary
from harness.compare.cause import Hints
from harness.compare.comparator import Comparator
from harness.compare.judge import find_cause
from harness.field import FieldError
from harness.tags.registry import ALL_SPECS, rule_facts
from harness.targets.kubernetes.target import GO
from harness.targets.python import WORDS
from tests.compare.builders import answer, case, drive, error, errors, info
from tests.compare.explaining import causes

PYTHON = Vocabulary(WORDS.mark, WORDS.origin, WORDS.calls, "handwritten.py")


def fixes(
    handwritten: tuple[FieldError, ...],
    declarative: tuple[FieldError, ...] = (),
    words: Vocabulary = PYTHON,
    new: Any = None,
    old: Any = None,
) -> list[str]:
    """The fixes of all that differs in one answer."""
    one, asked, said = (
        Comparator(info(), facts=rule_facts(), vocabulary=words),
        case(new, old),
        answer(handwritten, declarative),
    )
    return [drive(find_cause(asked, said, mismatch, one), lambda _: said).fix for mismatch in one.compare(asked, said)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (GO, "add .MarkCoveredByDeclarative() to field.Required(...) for spec.a"),
        (PYTHON, "add covered=True to required(...) for spec.a in handwritten.py"),
        (Vocabulary(), "add the mark `covered` to the handwritten error for spec.a"),
    ],
)
def test_a_mark_is_named_as_the_code_writes_it(words: Vocabulary, expected: str) -> None:
    """The same fix names a method of Go, an argument of Python, or neither for a program of which nothing is known."""
    assert [expected] == fixes(errors("Required@spec.a"), errors("Required@spec.a beta"), words)


def test_an_origin_is_named_as_the_code_writes_it() -> None:
    """An origin that the rule has is given to the check, one that the rule lacks is taken from it."""
    rule, check = errors("Invalid@a/minimum beta"), errors("Invalid@a covered")
    assert 'give origin="minimum" to invalid(...) for a in handwritten.py' in fixes(check, rule)
    assert 'give .WithOrigin("minimum") to field.Invalid(...) for a' in fixes(check, rule, GO)
    more, plain = errors("Required@a/odd covered"), errors("Required@a beta")
    assert 'take origin="odd" from required(...) for a in handwritten.py: the rule has none' in fixes(more, plain)


def test_a_length_in_bytes_has_a_call_of_its_own() -> None:
    """Which call makes an error of too many bytes follows from its words."""
    in_bytes = error("TooLong@a/maxBytes covered", detail="may not be more than 48 bytes")
    characters = error("TooLong@a/maxLength covered", detail="may not be more than 48 characters")
    assert "take covered=True from too_long(...) for a" in fixes((in_bytes,))[0]
    assert "take covered=True from too_long_characters(...) for a" in fixes((characters,))[0]


TEXTS = [
    ("Invalid@a/minimum covered", "must be greater than or equal to -10", -11, "+k8s:minimum=-10"),
    ("Invalid@a/minimum covered", "must be greater than 0", 0, "+k8s:minimum=1"),
    ("Invalid@a/minimum covered", "must be between 1 and 10", 0, "+k8s:minimum=1"),
    ("Invalid@a/maximum covered", "must be between 1 and 10", 11, "+k8s:maximum=10"),
    ("Invalid@a/maximum covered", "is too much", 11, "+k8s:maximum with what the check has, on a"),
    ("TooLong@a/maxLength covered", "may not be more than 3 characters", "xxxx", "+k8s:maxLength=3"),
    ("TooMany@a/maxItems covered", "must have at most 1 item", [1, 2], "+k8s:maxItems=1"),
    ("Invalid@a/neq covered", "", "b", '+k8s:neq="b"'),
    ("Invalid@a/update covered", "field cannot be cleared once set", None, "+k8s:update=NoUnset"),
    ("Duplicate@a[1] covered", "", ["x", "x"], "+k8s:listType=set or +k8s:unique=set"),
    ("Required@b/dependentRequired covered", "must be set when `a` is set", "x", "+k8s:dependentRequired(b)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "detail", "value", "tag"), TEXTS)
def test_what_the_error_says_is_filled_in(text: str, detail: str, value: Any, tag: str) -> None:
    """Limits, values and constraints come from the words of the error and from the value; unknown ones are left out."""
    found = fixes((error(text, detail=detail),), new={"a": value})
    assert tag in found[0]


def test_of_several_tags_the_one_that_stands_there_is_named() -> None:
    """Two tags make the same error; the fix names the one on the line that the finding shows."""

    def ask(asked: Case) -> Answer:
        return answer((), errors("Duplicate@a.l[1] alpha"))

    hints = Hints(tag=lambda path, type, origin: "+k8s:unique")
    found = causes(case({"a": {"l": ["x", "x"]}}), ask, hints=hints)["+a.l[1]"]
    assert "remove +k8s:unique=set from" in found.fix


@pytest.mark.parametrize("name", sorted(ALL_SPECS))
def test_no_fix_has_a_placeholder(name: str) -> None:
    """Whatever an error says, or does not say: nothing in angle brackets is left for the reader."""
    for fact in ALL_SPECS[name].facts():
        for detail in ("", "must be 5"):
            for value in ("5", 5, ["x"], {"k": "v"}, None):
                one = FieldError(
                    fact.type, "a", detail, fact.origin + "k8s-uuid" * fact.origin.endswith("="), covered=True
                )
                found = (*fixes((one,), new={"a": value}), *fixes((), (one,), new={"a": value}))
                assert [] == [fix for fix in found if re.search(r"<\w+>", fix)]


@pytest.mark.parametrize(
    ("hv", "dv", "expected"),
    [
        ("Duplicate@spec.a[1] covered", "", "declare +k8s:listType=set or +k8s:unique=set on spec.a, or"),
        ("", "Duplicate@spec.a[1] beta", "remove +k8s:listType=set or +k8s:unique=set from spec.a, or"),
        ("Duplicate@spec.a[1] covered", "Duplicate@spec.a[1]", "give +k8s:listType on spec.a a level"),
        ("Required@spec.a[1] covered", "", "declare +k8s:required on spec.a[*], or"),
    ],
)
def test_a_tag_about_the_items_of_a_list_stands_at_the_list(hv: str, dv: str, expected: str) -> None:
    """The error names the item, which has no line for a tag."""
    [fix] = fixes(errors(*filter(None, [hv])), errors(*filter(None, [dv])), new={"spec": {"a": ["x", "x"]}})
    assert expected in fix
