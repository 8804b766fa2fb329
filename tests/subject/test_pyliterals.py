from __future__ import annotations

from pathlib import Path

import pytest

from harness.gotypes.literals import NO_LITERALS, Literals
from harness.subject.pyliterals import python_files, python_literals

HANDWRITTEN = '''"""A docstring of a module."""
import re

LETTERS = "[A-Z]{2}"
TICKET = re.compile(LETTERS + r"-[0-9]{4}")
PLAIN = re.compile("north|south")
SPREAD = re.compile("""
    [a-z]+   # a name
    :[0-9]+  # a number
""", re.VERBOSE)
LONGEST = 61
LIMITS = {"luggage": 23, "pets": (1, 2)}


def validate(new, old, context):
    """A docstring of a function."""
    spec = new["spec"]
    errors = []
    if not TICKET.fullmatch(spec.get("ticket", "")):
        errors.append(invalid(path.child("ticket"), "is not a ticket"))
    if len(spec.get("passenger", "")) > LONGEST:
        errors.append(too_long(path.child("passenger"), LONGEST))
    if spec.get("fare", 0) < -7 or not spec["coach"].startswith("C/"):
        errors.append(invalid(path.child("fare"), "is wrong", origin="minimum"))
    if spec.get("line") not in ("coastal", "inland"):
        errors.append(invalid(path.child("line"), "must be one that we serve"))
    return errors + [check(spec, name="seat", pattern="[0-9]+[a-f]"), PLAIN.search(spec.get("exit", ""))]
'''


@pytest.fixture
def known(tmp_path: Path) -> Literals:
    """What the code above knows."""
    (tmp_path / "handwritten.py").write_text(HANDWRITTEN)
    return python_literals(python_files(tmp_path))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("passenger", 61), ("luggage", 23), ("pets", 2), ("fare", -7), ("line", "coastal"), ("line", "inland"),
        ("coach", "C/"), ("coach", "C/a"),
    ],
)  # fmt: skip
def test_a_value_is_known_where_its_field_is_spoken_of(known: Literals, name: str, value: str | int) -> None:
    """The names are of the other side of a comparison, its key, and the uses of its constant."""
    assert value in known.near((name,))
    assert value not in known.near(("ticket",))


@pytest.mark.parametrize(
    ("name", "pattern"), [("ticket", "[A-Z]{2}-[0-9]{4}"), ("exit", "north|south"), ("seat", "[0-9]+[a-f]")]
)
def test_a_pattern_is_known_as_a_whole_where_it_is_used(known: Literals, name: str, pattern: str) -> None:
    """Also one that is put together of constants, one without a sign of patterns, and one handed on by its name."""
    assert pattern in known.patterns_near((name,))


def test_a_pattern_of_several_lines_is_read_as_one(known: Literals) -> None:
    """The flag of such patterns goes with it."""
    assert any(pattern.startswith("(?x)") for _, pattern in known.patterns)


def test_messages_names_and_docstrings_are_no_values(known: Literals) -> None:
    """They would be tried in vain at every place."""
    assert set() == {"ticket", "minimum", "is not a ticket", "A docstring of a function."} & set(known.words)


@pytest.mark.parametrize("text", ["def broken(:", "", "x = " + "(" * 5000 + ")" * 5000, "\0"])
def test_code_that_cannot_be_parsed_is_skipped(tmp_path: Path, text: str) -> None:
    """Running it reports the error."""
    (tmp_path / "handwritten.py").write_text(text)
    found = python_literals(python_files(tmp_path))
    assert (NO_LITERALS.values, NO_LITERALS.patterns) == (found.values, found.patterns)


def test_code_is_read_and_never_run(tmp_path: Path) -> None:
    """What it would do when it is imported does not happen."""
    mark = tmp_path / "ran"
    (tmp_path / "handwritten.py").write_text(f"LIMIT = 5\nopen({str(mark)!r}, 'w').close()\n")
    assert [("limit", 5)] == [one for one in python_literals(python_files(tmp_path)).values if one[1] == 5]
    assert not mark.exists()


def test_tests_of_a_suite_are_no_validators(tmp_path: Path) -> None:
    """What they expect is not what the code checks; the handwritten side comes first."""
    for name in ("test_it.py", "conftest.py", "helpers.py", "handwritten.py"):
        (tmp_path / name).touch()
    assert ["handwritten.py", "helpers.py"] == [path.name for path in python_files(tmp_path)]
