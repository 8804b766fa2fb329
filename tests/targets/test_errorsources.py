"""Where a suite's code makes its errors is told when a case asks for it, and changes nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from harness.case import Answer, Case, Operation
from harness.suite import Suite, SuiteKind
from harness.targets.python import PythonTarget

CODE = """from harness.field import FieldError, Path
from harness.field.make import invalid, required

def validate(new, old, context):
    errors = [required(Path().child("spec"))]
    errors += helper()
    errors.append(made())
    return errors + [invalid(Path().child(name), 1, "no") for name in "xy"]

def helper():
    return [FieldError("FieldValueInvalid", "own")]

def made():
    return required(
        Path().child("called"))
"""


def ask(folder: Path, code: str = CODE, **changes: Any) -> Answer:
    """Return the answer of a suite with this code."""
    names: dict[str, Any] = {}
    exec(compile(code, str(folder / "handwritten.py"), "exec"), names)
    kind = SuiteKind("Thing", "things", {"v1": "types.go"}, handwritten=names["validate"])
    suite = Suite("things", "example.com", [kind], folder=folder)
    case = Case(1, "example.com", "v1", "Thing", Operation.CREATE, {}, resource="things", **changes)
    [answer] = PythonTarget(suite, {}).ask([case])
    return answer


def test_each_error_has_the_line_and_the_function_that_made_it(tmp_path: Path) -> None:
    """That of the call of a constructor, in a comprehension too; of an error made by hand, that of its return."""
    answer = ask(tmp_path, trace=True)
    assert [
        ("spec", "handwritten.py:5 in validate"),
        ("own", "handwritten.py:11 in helper"),
        ("called", "handwritten.py:14 in made"),
        ("x", "handwritten.py:8 in validate"),
        ("y", "handwritten.py:8 in validate"),
    ] == [(error.field, error.source) for error in answer.handwritten]


def test_a_case_that_does_not_ask_gets_no_sources(tmp_path: Path) -> None:
    """And with them the answer is the same otherwise."""
    plain, traced = ask(tmp_path), ask(tmp_path, trace=True)
    bare = tuple(msgspec.structs.replace(error, source="", stack="") for error in traced.handwritten)
    assert plain == msgspec.structs.replace(traced, handwritten=bare)
    assert {""} == {error.source for error in plain.handwritten}


def test_watching_ends_with_the_case(tmp_path: Path) -> None:
    """After an exception too, whose own line is told."""
    before = sys.getprofile()
    failure = ask(tmp_path, "def validate(new, old, context):\n    return new['spec']\n", trace=True).failure
    assert failure is not None
    assert "handwritten.py:2 in validate" == failure.at
    assert before is sys.getprofile()


def test_code_outside_of_the_folder_has_no_source(tmp_path: Path) -> None:
    """Its line would say nothing to the author of the suite; that of the call is named."""
    helper = {"__name__": "shared"}
    exec(compile(CODE, "/elsewhere/shared.py", "exec"), helper)
    sys.modules["shared_for_test"] = type(sys)("shared_for_test")
    vars(sys.modules["shared_for_test"]).update(helper)
    try:
        code = "import shared_for_test\n\ndef validate(new, old, context):\n    return shared_for_test.helper()\n"
        assert ["handwritten.py:4 in validate"] == [one.source for one in ask(tmp_path, code, trace=True).handwritten]
    finally:
        del sys.modules["shared_for_test"]
