"""What has to hold for a line of Go to run is read from the branches around and before it."""

from __future__ import annotations

import pytest

from harness.gotypes.branches import GoSource
from tests.gotypes.gosources import CHECKS, GUARDING, GUARDS, SOURCE, at, line_of


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("field.Invalid", ["case count > 1 of a switch"]),
        ("validateEach", ["case hasFirst of a switch"]),
        ("other.ValidateName(*spec.A", ["if spec.A != nil", "if len(errs) > 0"]),
        ("field.Required", ["else if oldSpec == nil", "if len(errs) > 0"]),
        ("field.Forbidden", ["else of if oldSpec == nil", "if len(errs) > 0"]),
        ("hasFirst, count", []),
        ("package validation", []),
    ],
)
def test_branches_are_those_above_a_line_and_returns_before_it(code: str, texts: list[str]) -> None:
    """The innermost comes first; a chain of else ifs is one branch."""
    offset = SOURCE.offset_of(line_of(code))
    assert offset is not None
    assert texts == [one.text.removeprefix("else ") if one.text.startswith("else else") else one.text
                     for one in SOURCE.branches(offset)]  # fmt: skip


def test_a_condition_reads_what_its_local_variables_are_made_of() -> None:
    """A counter counts what the conditions around it read; a list of errors, which all is appended to, says nothing."""
    [switch] = SOURCE.branches(SOURCE.offset_of(line_of("field.Invalid")) or 0)
    errs = SOURCE.branches(SOURCE.offset_of(line_of("field.Required")) or 0)[1]
    assert (["First"], []) == (sorted(switch.names), sorted(errs.names))
    assert (True, line_of("return errs")) == (errs.returns, errs.leaves_at)


def test_another_branch_of_one_statement_excludes_a_line() -> None:
    """Of a switch and of a chain of else ifs alike."""
    invalid, each = (SOURCE.offset_of(line_of(code)) or 0 for code in ("field.Invalid", "validateEach"))
    required = SOURCE.offset_of(line_of("field.Required")) or 0
    assert [True, False, False] == [SOURCE.branches(each)[0].excludes(at) for at in (invalid, each, required)]
    assert SOURCE.branches(required)[0].excludes(SOURCE.offset_of(line_of("*spec.A")) or 0)


def test_what_is_no_code_has_no_branches() -> None:
    """A line beyond the end, an empty file and a file that does not parse say nothing."""
    assert (None, []) == (SOURCE.offset_of(999), GoSource(b"").branches(0))
    assert ([], "") == (GoSource(b"func (((").calls_at(1), GoSource(b"\xff func").function_at(2))


@pytest.mark.parametrize(
    ("start", "end", "condition"),
    [
        ((9, 19), (11, 3), "if spec.A == nil"),
        ((8, 71), (9, 19), ""),
        ((12, 12), (14, 3), "if spec.B"),
        ((15, 2), (16, 15), "unless spec.B"),
        ((17, 11), (18, 53), 'case "x" of switch spec.D'),
    ],
)
def test_the_condition_of_a_block(start: tuple[int, int], end: tuple[int, int], condition: str) -> None:
    """Of the code that is in it, as Go's counters say where it begins: at the brace, before comments."""
    source = GoSource(CHECKS)
    assert condition == source.condition_of(source.offset_at(*start), source.offset_at(*end))


def test_where_a_condition_stands() -> None:
    """From its statement to the brace behind it; a block without a condition has none."""
    source = GoSource(CHECKS)
    places = [((9, 19), (11, 3)), ((15, 2), (16, 15)), ((17, 11), (18, 53)), ((8, 71), (9, 19))]
    found = [source.decision_of(source.offset_at(*start), source.offset_at(*end)) for start, end in places]
    texts = ["if spec.A == nil ", "if spec.B ", "switch spec.D ", ""]
    assert texts == ["" if one is None else CHECKS[one[0] : one[1]].decode() for one in found]


def test_a_place_that_is_not_there_is_the_end() -> None:
    """The source may be another one than what was built, or may not be there."""
    assert 2 == GoSource(b"a\n").offset_at(9, 4)
    assert "" == GoSource(b"").condition_of(0, 0)


@pytest.mark.parametrize(
    ("code", "line", "text", "counts"),
    [
        ("field.Forbidden", "if count", "if count > 1", ["\t\tcount++"]),
        ("spec.Name, msg", "for _, msg", "for _, msg := range other.IsName(strings.ToLower(spec.Name))", []),
        ("spec.Mode, ", "switch", 'case "x" of switch spec.Mode', []),
    ],
)
def test_what_lets_a_value_through_is_right_above_a_check(code: str, line: str, text: str, counts: list[str]) -> None:
    """A condition, the case of a switch, or a loop over what is wrong, with what a counter in it counts."""
    found = GUARDS.guard_of(at(code)[1])
    assert found is not None
    number = at(line)[0] + (line == "switch")
    lines = [at + 1 for at, row in enumerate(GUARDING.decode().splitlines()) if row in counts]
    assert (number, text, lines) == (found.line, found.text, [one.line for one in found.counted])


def test_a_line_that_always_runs_has_nothing_above_it() -> None:
    """A condition outside of a function says nothing of it."""
    assert [None, None] == [GUARDS.guard_of(at(one)[1]) for one in ("field.Required", "return append")]


ROUNDS = GoSource(b"""package v

func validate(spec *Spec, path *field.Path) field.ErrorList {
	for _, one := range []string{spec.A, spec.B} {
		errs = append(errs, field.Invalid(path, one, ""))
	}
	for _, one := range spec.Items {
		errs = append(errs, field.Required(path, one))
	}
	return errs
}
""")


@pytest.mark.parametrize(
    ("line", "loop"), [(5, "for _, one := range []string{spec.A, spec.B}"), (8, ""), (10, ""), (0, ""), (99, "")]
)
def test_a_line_in_a_loop_over_written_values_runs_for_each(line: int, loop: str) -> None:
    """A loop over items of an object is of one field."""
    assert loop == ROUNDS.rounds_of(line)
