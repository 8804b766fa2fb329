from __future__ import annotations

import re

import pytest

from harness.fuzzers.patterns import matching, nearly_matching

PATTERNS = ("^naa.[[:alnum:]]{32}$", r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", r"^iqn\.\d{4}-\d{2}$", "^(a|b)+$")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_strings_of_a_pattern_match_it(pattern: str) -> None:
    """Whatever dialect it is written in."""
    python = pattern.replace("[:alnum:]", "a-zA-Z0-9")
    assert matching(pattern)
    assert all(re.search(python, one) for one in matching(pattern))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_among_near_misses_are_strings_that_do_not_match(pattern: str) -> None:
    """One change away is far enough for some of them."""
    python = pattern.replace("[:alnum:]", "a-zA-Z0-9")
    assert not all(re.fullmatch(python, one) for one in nearly_matching(pattern))


def test_the_same_pattern_gives_the_same_strings() -> None:
    """Drawn again, not taken from the cache."""
    first = matching(PATTERNS[1])
    matching.cache_clear()
    assert first == matching(PATTERNS[1])


@pytest.mark.parametrize("pattern", ["(", "a{100000}", r"\p{Greek}", "(?P<a", "(a+)" * 200, "[[:nothing:]"])
def test_what_cannot_be_understood_or_is_huge_gives_nothing_long(pattern: str) -> None:
    """Patterns come out of sources: none of them may cost a run."""
    assert all(len(one) <= 400 for one in matching(pattern))
