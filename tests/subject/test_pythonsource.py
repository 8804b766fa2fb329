"""A Python file shows what is above a line, and what its calls add to a path."""

from __future__ import annotations

import pytest

from harness.sourcecode import ErrorCall, GivenStep
from harness.subject.pythonsource import PythonSource

CODE = """\
def validate(new, old, context):
    path = Path().child("spec")
    spec, before = new.get("spec", {}), old.get("spec")
    errors = check_name(spec.get("name"), path.child("name"))
    if errors:
        return errors
    for i, item in enumerate(spec.get("items", [])):
        if item == before:
            continue
        place = path.child("items").index(i)
        if item.get("mode") == "A":
            errors.append(below(place.child("size"), 1))
        elif item.get("other"):
            errors += [below(place.key(name), 2) for name in item if name != "x"]
        else:
            errors += check_name(
                item.get("name"),
                place.child("name"),
            )
    match new.get("kind"):
        case "Thing":
            errors.append(below(path=path.child("count"), value=3))
    return errors


def below(path, value, limit=1):
    return invalid(path, value, "too small", origin="minimum")


def check_name(name, path):
    return [] if name else [required(path)]


class Status:
    def run(self):
        return self.check(self.path.child("status"), "x")

    def check(self, path, text):
        return [invalid(path.child("text"), text)]
"""
SOURCE = PythonSource(CODE.encode())
BEFORE = [("if item == before", True), ("if errors", True)]


def line_of(text: str) -> int:
    """Return the line that begins with a text."""
    return next(number for number, line in enumerate(CODE.splitlines(), 1) if line.strip().startswith(text))


def above(text: str) -> list[tuple[str, bool]]:
    """Return the conditions above a line, and of each whether it leaves."""
    offset = SOURCE.offset_of(line_of(text))
    assert offset is not None
    return [(one.text, one.returns) for one in SOURCE.branches(offset)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("for i, item", [("if errors", True)]),
        ('place = path.child("items")', BEFORE),
        ("errors.append(below(place", [('if item.get("mode") == "A"', False), *BEFORE]),
        ("errors += [below", [('else if item.get("other")', False), *BEFORE]),
        ("errors += check_name(", [('else of if item.get("other")', False), *BEFORE]),
        ("errors.append(below(path=", [("case \"Thing\" of match new.get(\"kind\")", False), ("if errors", True)]),
    ],
)  # fmt: skip
def test_the_conditions_above_a_line_are_told_from_the_inside(text: str, told: list[tuple[str, bool]]) -> None:
    """Those of earlier statements that leave the function or the loop too; of an `elif` that of its `if` is part."""
    found = above(text)
    assert told == found


def test_a_comprehension_has_the_condition_that_it_filters_by() -> None:
    """For the error that it makes."""
    call = next(at for at in range(len(CODE)) if CODE.startswith("below(place.key", at))
    assert 'if name != "x"' == SOURCE.branches(call)[0].text


def test_a_condition_reads_members_and_what_its_variables_were_assigned() -> None:
    """So that a branch about the old object is known by the name that it was given."""
    offset = SOURCE.offset_of(line_of("place = path"))
    assert offset is not None
    branch = SOURCE.branches(offset)[0]
    assert {"spec", "get"} <= branch.names
    assert {"item", "before", "old"} <= branch.variables


@pytest.mark.parametrize(
    ("text", "callee", "told"),
    [
        ("errors = check_name", "check_name", ["spec", "name"]),
        ("errors.append(below(place", "below", ["spec", "items", "size"]),
        ("errors += [below", "below", ["spec", "items"]),
        ("errors.append(below(path=", "below", ["spec", "count"]),
        ("return invalid(path, value", "", []),
        ("return self.check", "check", ["status"]),
        ("return [invalid(path.child", "", ["text"]),
    ],
)
def test_the_members_that_a_call_adds_to_a_path(text: str, callee: str, told: list[str]) -> None:
    """Those of the variable that it begins with first, of a tuple of assignments too."""
    assert told == [one.name for one in SOURCE.steps_at(line_of(text), callee)]


def test_calls_of_several_lines_are_found_by_each_that_names_them() -> None:
    """A traceback has the line on which the call begins."""
    line = line_of("errors += check_name(")
    assert ["spec", "items", "name"] == [one.name for one in SOURCE.steps_at(line, "check_name")]


def test_what_a_call_hands_over_for_a_parameter() -> None:
    """By its place and by its name; nothing where the call does not say it."""
    line, function = line_of("errors.append(below(path="), SOURCE.function_line("below")
    assert function is not None
    assert "3" == SOURCE.argument(line, "below", function, "value")
    assert "" == SOURCE.argument(line, "below", function, "limit")
    called, method = line_of("return self.check"), SOURCE.function_line("check")
    assert method is not None
    assert '"x"' == SOURCE.argument(called, "check", method, "text")


def test_uses_have_the_function_around_them_and_the_path_that_they_are_given() -> None:
    """Declarations are no uses."""
    found = [(one.function, one.line, one.members) for one in SOURCE.uses("check_name")]
    assert [
        ("validate", line_of("errors = check_name"), ("spec", "name")),
        ("validate", line_of("errors += check_name("), ("spec", "items", "name")),
    ] == sorted(found, key=lambda one: one[1])


def test_errors_are_made_by_constructors() -> None:
    """Each with the path that it is given as it is written."""
    assert [
        ErrorCall(CODE.index(text), text.partition("(")[0], field, path, line_of(line))
        for text, field, path, line in (
            ("invalid(path, value", "", "path", "return invalid(path, value"),
            ("required(path", "", "path", "return [] if name"),
            ("invalid(path.child", "text", 'path.child("text")', "return [invalid("),
        )
    ] == list(SOURCE.error_calls)


def test_places_of_names_keys_guards_and_results() -> None:
    """As the sentences of a fix need them."""
    step = GivenStep("name", line_of("errors = check_name"))
    assert [step.line] == SOURCE.lines_giving(step)
    assert line_of("errors += [below") == SOURCE.key_at(line_of("errors += [below"))
    assert 0 == SOURCE.key_at(line_of("errors = check_name"))
    offset = SOURCE.offset_of(line_of("if item == before"))
    assert offset is not None
    guard = SOURCE.guard_of(offset)
    assert guard is not None
    assert (line_of("for i, item"), 'for i, item in enumerate(spec.get("items", []))') == (guard.line, guard.text)
    assert ("check_name", line_of("errors = check_name")) == SOURCE.made_by(offset, "errors")


@pytest.mark.parametrize("data", [b"def x(:\n", b"", b"\xff\xfe", b"(" * 5000, b"x = 1\0"])
def test_a_file_that_is_no_python_has_nothing(data: bytes) -> None:
    """Whatever it is asked."""
    source = PythonSource(data)
    assert ([], None, [], (), "") == (
        source.branches(0), source.guard_of(0), list(source.uses("x")), source.steps_at(1), source.function_at(0)
    )  # fmt: skip
