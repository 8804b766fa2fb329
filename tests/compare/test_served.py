"""Look-ups into long lists say what going through all pairs would say."""

from __future__ import annotations

from random import Random

from harness.compare.comparator import Comparator
from harness.compare.composition import settings
from harness.compare.covered import unique
from harness.compare.served import Served
from harness.errormatch.matcher import matcher_for
from harness.field import FieldError
from tests.compare.builders import answer, case, errors, info

RULES = ((r"^old\b", "new"),)
TEXTS = (
    "Required@old", "Required@new", "Invalid@old", "Invalid@old/minimum beta", "Invalid@new/minimum covered",
    "TooMany@a covered", "TooMany@a beta", "TooMany@a alpha", "Duplicate@a[0] sc beta", "Duplicate@a[0].b covered",
)  # fmt: skip


def drawn(random: Random) -> tuple[FieldError, ...]:
    return errors(*random.choices(TEXTS, k=random.randrange(6)))


def test_a_served_list_tells_what_some_error_in_it_matches_either_way() -> None:
    """Equal type, field and origin, or one matches the other: the same as asking about every pair."""
    random, matcher, said = Random(1), matcher_for(RULES), set()
    for _ in range(400):
        listed, (wanted, *_) = drawn(random), (*drawn(random), *errors("Required@old"))
        expected = any(
            (one.type, one.field, one.origin) == (wanted.type, wanted.field, wanted.origin)
            or matcher.matches(one, wanted)
            or matcher.matches(wanted, one)
            for one in listed
        )
        assert expected == Served(settings("levels")[0], list(listed[:2]), list(listed[2:]), matcher).tells(wanted)
        said.add(expected)
    assert said == {True, False}


def test_an_error_is_dropped_when_an_earlier_one_that_stayed_matches_it() -> None:
    """The same as asking about every pair, in the same order."""
    random, matcher, dropped = Random(2), matcher_for(RULES), 0
    for _ in range(400):
        listed = drawn(random)
        expected: list[FieldError] = []
        for one in listed:
            if not any(matcher.matches(earlier, one) for earlier in expected):
                expected.append(one)
        assert expected == unique(listed, matcher)
        dropped += len(listed) - len(expected)
    assert dropped > 0


def test_signatures_are_those_of_what_differs() -> None:
    """Asked for signatures alone, a comparator names the same differences in the same order."""
    random, found = Random(3), 0
    comparator = Comparator(info(normalization=RULES), is_known_path=lambda path: not path.startswith("a"))
    for _ in range(400):
        said = answer(drawn(random), drawn(random), versions=random.choice([{}, {"v2": drawn(random)}]))
        mismatches = comparator.compare(case(), said)
        assert tuple(one.signature for one in mismatches) == comparator.signatures(case(), said)
        found += len(mismatches)
    assert found > 0
