from __future__ import annotations

import re

import pytest

from harness.fuzzers.patterns import matching_strings, near_misses

PATTERNS = ("^naa.[[:alnum:]]{32}$", r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", r"^iqn\.\d{4}-\d{2}$", "^(a|b)+$")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_strings_of_a_pattern_match_it(pattern: str) -> None:
    """Whatever dialect it is written in."""
    python = pattern.replace("[:alnum:]", "a-zA-Z0-9")
    assert matching_strings(pattern)
    assert all(re.search(python, one) for one in matching_strings(pattern))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_among_near_misses_are_strings_that_do_not_match(pattern: str) -> None:
    """One change away is far enough for some of them."""
    python = pattern.replace("[:alnum:]", "a-zA-Z0-9")
    assert not all(re.fullmatch(python, one) for one in near_misses(pattern))


def test_the_same_pattern_gives_the_same_strings() -> None:
    """Drawn again, not taken from the cache."""
    first = matching_strings(PATTERNS[1])
    matching_strings.cache_clear()
    assert first == matching_strings(PATTERNS[1])


@pytest.mark.parametrize("pattern", ["(", "a{100000}", r"\p{Greek}", "(?P<a", "(a+)" * 200, "[[:nothing:]"])
def test_what_cannot_be_understood_or_is_huge_gives_nothing_long(pattern: str) -> None:
    """Patterns come out of sources: none of them may cost a run."""
    assert all(len(one) <= 400 for one in (*matching_strings(pattern), *near_misses(pattern)))


@pytest.mark.parametrize("pattern", ["^((((a+)+)+)+)+$", "(([a-z]*)*)*", "((((a{2,}){2,}){2,}){2,}){2,}", "(a?){300}"])
def test_repeats_within_repeats_are_walked_a_few_times(pattern: str) -> None:
    """However deep: a string of every such pattern is short, or there is none."""
    assert max((len(one) for one in matching_strings(pattern)), default=0) <= 400


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("[A-Z]{2}-[0-9]{6}", "AA-000000"), ("(?x) [a-c]{2}  # letters", "aa"), ("(?P<year>[0-9]{4})", "0000"),
        (r"(?:road|rail)/\d", "road/0"), ("a{2,}", "aa"), (r"\Aa\.b\z", "a.b"),
    ],
)  # fmt: skip
def test_the_plainest_string_comes_first(pattern: str, text: str) -> None:
    """Few repeats, first letters, first alternatives: what else limits a field is seldom in its way."""
    assert text == matching_strings(pattern)[0]


def test_near_misses_are_one_off_in_every_repeat_and_letter() -> None:
    """So that an expression that is slightly another one is told apart."""
    near = near_misses("[A-Z]{2}-[0-9]{2,3}")
    assert {"A-00", "AAA-00", "AA-0", "AA-0000", "aA-00", "AA000", "AA-a0"} <= set(near)


@pytest.mark.parametrize("pattern", ["(?=[a-f])[a-z]+", r"\bab\b", "(?!b)[ab]{2}"])
def test_what_is_passed_over_is_made_up_for(pattern: str) -> None:
    """A string that an assertion refuses is none of those that match."""
    assert matching_strings(pattern)
    assert all(re.search(pattern, one) for one in matching_strings(pattern))
