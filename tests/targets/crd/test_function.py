"""A function in Python behind CRDs: what it may return, what it raises, and that its prints harm nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from harness.case import Case, Operation
from harness.field import ErrorType, FieldError
from harness.rulecov.branches import watched_branches
from harness.targets.command import CommandTarget
from harness.targets.crd.function import answer, errors_of

CASE = Case(7, "example.com", "v1", "Thing", Operation.CREATE, {"spec": {"n": 3}}, resource="things")
INVALID = FieldError(ErrorType.INVALID, "spec.n", "must be even")


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (None, []), (True, []), ([], []), (False, [FieldError(ErrorType.INVALID, "", "rejected")]),
        ("spec.n: must be even", [INVALID]), (["spec.n: must be even"], [INVALID]),
        ([("spec.n", "must be even")], [INVALID]), ([INVALID], [INVALID]), (INVALID, [INVALID]),
        ("closed", [FieldError(ErrorType.INVALID, "", "closed")]),
        ("spec.n: Required value", [FieldError(ErrorType.REQUIRED, "spec.n")]),
    ],
)  # fmt: skip
def test_what_a_function_returns(returned: Any, expected: list[FieldError]) -> None:
    """Errors, texts, pairs and truth are all understood."""
    assert expected == errors_of(returned)


@pytest.mark.parametrize("returned", [3, [3], {"a": 1}.items, [("a",)]])
def test_what_says_nothing(returned: Any) -> None:
    """A result that says nothing is a mistake of the function, and not an empty list."""
    with pytest.raises(TypeError, match="it returned a"):
        errors_of(returned)


def test_what_a_function_raises() -> None:
    """An exception is a panic of the handwritten side, as that of a webhook would be."""

    def fail(new: Any, old: Any) -> None:
        raise KeyError("spec")

    failure = answer(fail, False, CASE).failure
    assert failure is not None
    assert ("handwritten", "KeyError: 'spec'", True) == (failure.stage, failure.message, failure.panic)


def test_the_program(tmp_path: Path) -> None:
    """A file's function answers in a process of its own; what it prints is not taken for an answer."""
    (tmp_path / "beside.py").write_text("WORDS = 'must be even'\n")
    (tmp_path / "checks.py").write_text(
        "from beside import WORDS\n\n\ndef validate(new, old, context):\n    print('{\"id\": 1}')\n"
        "    return [('spec.n', WORDS)] if new['spec']['n'] % 2 and context.operation == 'create' else []\n"
    )
    argv = [sys.executable, "-m", "harness.targets.crd.function", str(tmp_path / "checks.py"), "validate"]
    with CommandTarget(argv) as target:
        first, second = target.ask([CASE, Case(8, "", "v1", "Thing", Operation.CREATE, {"spec": {"n": 2}})])
    assert ((INVALID,), ()) == (first.handwritten, second.handwritten)


def test_the_program_measures_its_branches(tmp_path: Path) -> None:
    """What the function takes, and what it imports from its folder, whenever the program ends."""
    (tmp_path / "beside.py").write_text("def odd(n):\n    if n % 2:\n        return True\n    return False\n")
    file = tmp_path / "checks.py"
    file.write_text("from beside import odd\n\n\ndef validate(new, old):\n    return not odd(new['spec']['n'])\n")
    with watched_branches([tmp_path]) as (watch, found):
        argv = [sys.executable, "-m", "harness.targets.crd.function", str(file), "validate", watch.folder]
        with CommandTarget(argv) as target:
            target.ask([CASE])
    assert ([("beside.py", 2, 4)], 2) == (
        [(Path(one.file).name, one.line, one.to) for one in found.missed],
        found.total,
    )
