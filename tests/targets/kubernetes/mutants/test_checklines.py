"""The lines of Go that decide whether one error is made."""

from __future__ import annotations

import pytest

from harness.targets.kubernetes.mutants.checklines import lines_around

SOURCE = b"""\
package a

func check(a, b []string, old *T) (errs List) {
	if old != nil && same(a, b) {
		return errs
	}
	if len(b) == 0 {
		errs = append(errs, Required())
	}
	size := len(a)
	for i, one := range a {
		if one == "" {
			continue
		}
		if err := f(one); err != nil {
			errs = append(errs,
				Invalid(i))
		} else if size > 3 {
			errs = append(errs, TooLong())
		}
	}
	switch size {
	case 0:
		errs = append(errs, Empty())
	case 1,
		2:
		log()
		errs = append(errs, Few())
	default:
		errs = append(errs, Many())
	}
	return errs
}

var outside = 1
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (8, {4, 7, 8}),
        (17, {4, 11, 12, 15, 16, 17}),
        (19, {4, 11, 12, 15, 18, 19}),
        (24, {4, 22, 23, 24}),
        (28, {4, 22, 25, 26, 28}),
        (30, {4, 22, 29, 30}),
        (15, {4, 11, 12, 15}),
        (35, set()),
        (90, set()),
    ],
)
def test_they_are_the_statement_and_the_conditions_that_lead_to_it(line: int, expected: set[int]) -> None:
    """Branches and loops around it, and earlier ones that leave; not what computes values, nor another case."""
    assert expected == lines_around(SOURCE, line)
