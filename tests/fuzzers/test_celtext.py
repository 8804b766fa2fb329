"""What a CEL expression names is read from its text."""

from __future__ import annotations

import pytest

from harness.fuzzers.celtext import names_of, numbers_of, texts_of


@pytest.mark.parametrize(
    ("rule", "texts", "numbers"),
    [
        ("self.a in ['x', \"y\"] && self.n > 10", ["x", "y"], [10]),
        (r"self.matches('^a\'[0-9]{3}$')", ["^a'[0-9]{3}$"], []),
        ("self.v1 == '7' || self.n != -3", ["7"], [-3]),
        ("'''it's'''.size() < 4", ["it's"], [4]),
        ("has(self.a)", [], []),
        ("1.5 < self.f", [], []),
    ],
)
def test_the_literals_of_a_rule(rule: str, texts: list[str], numbers: list[int]) -> None:
    """Texts are read as CEL quotes them, and a number inside a text or a name is none."""
    assert (texts, numbers) == (texts_of(rule), numbers_of(rule))


def test_the_names_of_a_rule() -> None:
    """Names inside texts are none, and a reserved word is called as the schema calls it."""
    assert ["has", "self", "namespace", "self", "a"] == names_of("has(self.__namespace__) || self.a != 'b c'")
