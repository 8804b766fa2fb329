"""The lines of Python that decide whether one error is made."""

from __future__ import annotations

import pytest

from harness.power.operators.checklines import lines_around

SOURCE = """\
def check(new, old, errors):
    if new == old:
        return errors
    if new is None:
        errors.append("nothing")
    size = len(new)
    for one in new:
        if one:
            errors.append(
                "bad"
            )
        else:
            errors.append("empty")
    match size:
        case 0:
            errors.append("none")
        case 1 if new:
            errors.append("one")
    with old:
        return ["left"]
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (5, {2, 4, 5}),
        (10, {2, 7, 8, 9, 10, 11}),
        (13, {2, 7, 8, 13}),
        (18, {2, 14, 17, 18}),
        (20, {2, 19, 20}),
        (8, {2, 7, 8}),
        (40, set()),
    ],
)
def test_they_are_the_statement_and_the_conditions_that_lead_to_it(line: int, expected: set[int]) -> None:
    """Branches and loops around it, and earlier ones that leave; not what computes values, nor another branch."""
    assert expected == lines_around(SOURCE, line)
