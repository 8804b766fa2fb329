"""What has to hold for a line of Go to run is read from the branches around and before it."""

from __future__ import annotations

import pytest

from harness.gotypes.branches import GoSource

_SOURCE = b"""package validation

import (
	other "example.com/other/validation"
	"example.com/field"
)

var validateName = other.ValidateName

func validate(spec, oldSpec *Spec, fldPath *field.Path) (errs field.ErrorList) {
	hasFirst, count := len(spec.First) > 0, 0
	if hasFirst {
		count++
	}
	switch {
	case count > 1:
		errs = append(errs, field.Invalid(fldPath, nil, ""))
	case hasFirst:
		errs = append(errs, validateEach(spec.First, func(one string) field.ErrorList {
			return validateName(one, fldPath)
		}, fldPath.Child("first", "inner").Index(0))...)
	}
	if len(errs) > 0 {
		return errs
	}
	if spec.A != nil {
		errs = append(errs, other.ValidateName(*spec.A, fldPath.Child("a"))...)
	} else if oldSpec == nil {
		errs = append(errs, validateBoth(spec, fldPath.Child("a"), fldPath.Child("b")), field.Required(fldPath, ""))
	} else {
		errs = append(errs, field.Forbidden(fldPath, ""))
	}
	return errs
}
"""
SOURCE = GoSource(_SOURCE)


def line_of(text: str) -> int:
    """Return the line of the source that contains a text."""
    return next(number for number, line in enumerate(_SOURCE.decode().splitlines(), 1) if text in line)


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


def test_uses_of_a_function_name_the_members_of_the_path_that_they_are_given() -> None:
    """The path of a call around it counts too; a function that gets another name is no call."""
    [call] = SOURCE.mentions("validateName")
    assert ("validate", "call", ("first", "inner")) == (call.function, call.use, call.members)
    found = [
        (one.use, one.alias, one.members) for one in SOURCE.mentions("ValidateName", "example.com/other/validation")
    ]
    assert [("alias", "validateName", ()), ("call", "", ("a",))] == found
    assert [()] == [one.members for one in SOURCE.mentions("validateBoth")]
    assert [] == list(SOURCE.mentions("ValidateName")) + list(SOURCE.mentions("ValidateName", "example.com/else"))


def test_what_is_no_code_has_no_branches() -> None:
    """A line beyond the end, an empty file and a file that does not parse say nothing."""
    assert (None, []) == (SOURCE.offset_of(999), GoSource(b"").branches(0))
    assert ([], "") == (GoSource(b"func (((").calls_at(1), GoSource(b"\xff func").function_at(2))


_CHECKS = b"""package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	other "example.com/field"
)

func validate(spec *Spec, fldPath *field.Path) (errs field.ErrorList) {
	if spec.A == nil { // no need
		errs = append(errs, field.Required(fldPath.Child("a"), ""))
	}
	if spec.B {
		return errs
	}
	errs = append(errs, field.Invalid(fldPath.Child("b", "c").Index(0), 1, ""), other.Invalid(fldPath, 1, ""))
	switch spec.D {
	case "x":
		errs = append(errs, field.TooLong(fldPath, "", 3))
	}
	return errs
}
"""


def test_calls_that_make_an_error_are_found() -> None:
    """With the members that they add to the path; those of another package of the same name are none."""
    source = GoSource(_CHECKS)
    calls = source.error_calls
    assert calls is source.error_calls  # a walk of the file for each finding took a fifteenth of a run
    assert [("Required", "a"), ("Invalid", "b.c"), ("TooLong", "")] == [(one.constructor, one.field) for one in calls]
    assert [10, 15, 18] == [_CHECKS[: one.offset].count(b"\n") + 1 for one in calls]


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
    source = GoSource(_CHECKS)
    assert condition == source.condition_of(source.offset_at(*start), source.offset_at(*end))


def test_a_place_that_is_not_there_is_the_end() -> None:
    """The source may be another one than what was built, or may not be there."""
    assert 2 == GoSource(b"a\n").offset_at(9, 4)
    assert "" == GoSource(b"").condition_of(0, 0)


_GUARDS = b"""package validation

func validate(spec, old *Spec, path *field.Path) (errs field.ErrorList) {
	oldSpec := clone(old)
	count := 0
	if spec.A {
		count++
	}
	if spec.B {
		count++
	}
	if count > 1 {
		errs = append(errs, field.Forbidden(path.Child("a").Index(0), ""))
	}
	for _, msg := range other.IsName(strings.ToLower(spec.Name)) {
		errs = append(errs, field.Invalid(path.Child("name"), spec.Name, msg))
	}
	switch spec.Mode {
	case "x":
		errs = append(errs, field.Invalid(path.Child("name"), spec.Mode, ""))
	}
	func() { errs = append(errs, field.Required(path, "")) }()
	return append(errs, nested(path.Child("b", "c").Key("k"), other.Check(spec, oldSpec)))
}

func nested(path *field.Path, one, _ string) field.ErrorList { return nil }
"""
GUARDS = GoSource(_GUARDS)


def at(text: str) -> tuple[int, int]:
    """Return the line that contains a text, and where it begins."""
    line = next(number for number, row in enumerate(_GUARDS.decode().splitlines(), 1) if text in row)
    return line, GUARDS.offset_of(line) or 0


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
    lines = [at + 1 for at, row in enumerate(_GUARDS.decode().splitlines()) if row in counts]
    assert (number, text, lines) == (found.line, found.text, [one.line for one in found.counted])


def test_a_line_that_always_runs_has_nothing_above_it() -> None:
    """A condition outside of a function says nothing of it."""
    assert [None, None] == [GUARDS.guard_of(at(one)[1]) for one in ("field.Required", "return append")]


@pytest.mark.parametrize(
    ("code", "callee", "names"),
    [
        ("spec.Name, msg", "", ["name"]),
        ("return append", "nested", ["b", "c"]),
        ("return append", "Check", ["b", "c"]),
        ("return append", "elsewhere", ["b", "c"]),
        ("field.Required", "", []),
        ("count := 0", "", []),
    ],
)
def test_a_call_on_a_line_adds_members_to_a_path(code: str, callee: str, names: list[str]) -> None:
    """Indices and keys are no members; a function value has another name on the line than in a stack."""
    steps = GUARDS.steps_at(at(code)[0], callee)
    assert (names, {at(code)[0]} if names else set()) == ([one.name for one in steps], {one.line for one in steps})


def test_all_lines_that_add_a_member_to_one_path_are_found() -> None:
    """Two errors may be made at the same path, and what to change is both."""
    [step] = GUARDS.steps_at(at("spec.Name, msg")[0])
    assert [at("spec.Name, msg")[0], at("spec.Mode, ")[0]] == GUARDS.lines_giving(step)
    assert [999] == GUARDS.lines_giving(step._replace(line=999))


def test_an_argument_is_found_by_the_name_of_its_parameter() -> None:
    """A parameter without a name, a call that is not there and a function that is not declared give nothing."""
    call, declared = at("return append")[0], at("func nested")[0]
    assert "other.Check(spec, oldSpec)" == GUARDS.argument(call, "nested", declared, "one")
    wrong = [(call, "nested", declared, "two"), (call, "else", declared, "one"), (call, "nested", 1, "one")]
    assert ["", "", ""] == [GUARDS.argument(*one) for one in wrong]
    assert ("clone", at("clone(old)")[0]) == GUARDS.made_by(at("return append")[1], "oldSpec")
    assert [("", 0)] * 2 == [GUARDS.made_by(at("return append")[1], name) for name in ("count", "spec")]


_ASSIGNED = b"""package validation

func validate(spec *Spec, path *field.Path) {
	var only *field.Path
	if spec.A {
		only = path.Child("only")
	}
	either := path.Child("one")
	if spec.B {
		either = path.Child("other")
	}
	turned := path.Child("first")
	for range spec.C {
		check(turned)
		turned = path.Child("second")
	}
	after := path.Child("before")
	check(only)
	check(either)
	check(after)
	after = path.Child("after")
	return
}
"""


@pytest.mark.parametrize(
    ("name", "members"), [("only", ["only"]), ("either", []), ("turned", []), ("after", ["before"])]
)
def test_a_variable_that_may_be_one_of_two_paths_is_none(name: str, members: list[str]) -> None:
    """What is assigned in a branch, or later in a loop, may be it or not; the only path of a variable is."""
    lines = _ASSIGNED.decode().splitlines()
    [step] = [GoSource(_ASSIGNED).steps_at(lines.index(f"{tabs}check({name})") + 1, "check")
              for tabs in ("\t", "\t\t") if f"{tabs}check({name})" in lines]  # fmt: skip
    assert members == [one.name for one in step]
