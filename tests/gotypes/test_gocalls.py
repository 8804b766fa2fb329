"""What a line of Go calls, and what it hands on, is read from its calls."""

from __future__ import annotations

import pytest

from harness.gotypes.branches import GoSource
from tests.gotypes.gosources import CHECKS, GUARDS, SOURCE, at

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


def test_calls_that_make_an_error_are_found() -> None:
    """With the members that they add to the path; those of another package of the same name are none."""
    source = GoSource(CHECKS)
    calls = source.error_calls
    assert calls is source.error_calls  # a walk of the file for each finding took a fifteenth of a run
    assert [("Required", "a"), ("Invalid", "b.c"), ("TooLong", "")] == [(one.constructor, one.field) for one in calls]
    assert [10, 15, 18] == [CHECKS[: one.offset].count(b"\n") + 1 for one in calls]


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


@pytest.mark.parametrize(
    ("name", "members"), [("only", ["only"]), ("either", []), ("turned", []), ("after", ["before"])]
)
def test_a_variable_that_may_be_one_of_two_paths_is_none(name: str, members: list[str]) -> None:
    """What is assigned in a branch, or later in a loop, may be it or not; the only path of a variable is."""
    lines = _ASSIGNED.decode().splitlines()
    [step] = [GoSource(_ASSIGNED).steps_at(lines.index(f"{tabs}check({name})") + 1, "check")
              for tabs in ("\t", "\t\t") if f"{tabs}check({name})" in lines]  # fmt: skip
    assert members == [one.name for one in step]
