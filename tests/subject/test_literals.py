from __future__ import annotations

import re

import pytest

from harness.case import KindInfo
from harness.gotypes.literals import NO_LITERALS
from harness.subject.literals import python_literals
from harness.subject.opening import open_subject
from harness.subject.spec import SubjectSpec

LONGEST = 61


def validate(value: str) -> bool:
    """Stand in for a validator that somebody wrote."""
    return len(value) <= LONGEST and value != "forbidden-word" and not re.fullmatch(r"[0-9]+[a-f]", value)


def test_a_validator_in_python_tells_its_literals() -> None:
    """Constants of its module and of its functions, with their names; no docstrings of many words."""
    found = python_literals(validate)
    assert ("longest", 61) in found.values
    assert ("validate", "forbidden-word") in found.values
    assert ("validate", "[0-9]+[a-f]") in found.patterns
    assert validate.__doc__ not in [value for _, value in found.values]


@pytest.mark.parametrize("validator", [len, object()], ids=["builtin", "no function"])
def test_a_validator_without_a_source_tells_nothing(validator: object) -> None:
    """Such as one that is built in."""
    assert NO_LITERALS == python_literals(validator)  # type: ignore[arg-type]  # the bad input is the point


def test_a_suite_offers_the_literals_of_its_validator() -> None:
    """Every kind of a suite is searched with what its handwritten validator knows."""
    with open_subject(SubjectSpec("suite", "suites/claim_v1")) as subject:
        info: KindInfo = subject.target.info.kinds[0]
        assert subject.literals(info).values
