"""Each operator on handwritten Python makes the one change that it names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from harness.power.operators.code import mutants_of, mutate_source, mutations_of

HEAD = "from harness.field.make import invalid, required\n"


def mutations(body: str) -> dict[str, str]:
    """The changes of the body of a function, by operator: the text of the changed body."""
    source = f"{HEAD}def check(a, b, path, errors):\n    {body}\n"
    found = {}
    for number, mutation in enumerate(mutations_of(ast.parse(source))):
        text = mutate_source(source, number).partition("errors):\n")[2]
        found[f"{mutation.operator} | {mutation.code}"] = " ".join(text.split())
    return found


@pytest.mark.parametrize(
    ("body", "operator", "expected"),
    [
        ("errors.append(a)", "drop the error | errors.append(a)", "pass"),
        ("errors += a", "drop the errors | errors += a", "pass"),
        ("return [a]", "return no errors | return [a]", "return []"),
        ("return a if b else None", "negate | a if b else None", "return a if not b else None"),
        ("while b: a()", "negate | b", "while not b: a()"),
        ("return [x for x in a if x]", "keep everything | a", "return [x for x in a]"),
        ("return a and b", "and to or | a and b", "return a or b"),
        ("return a or b", "or to and | a or b", "return a and b"),
        ("return a < b", "< to <= | a < b", "return a <= b"),
        ("return a == b", "== to != | a == b", "return a != b"),
        ("return a + 3", "+1 | 3", "return a + 4"),
        ("return a + 3", "-1 | 3", "return a + 2"),
        ("return a['x']", "change text | 'x'", "return a['xX']"),
        ("return a in ('x', 'y')", "drop 'x' | ('x', 'y')", "return a in ('y',)"),
        ("return path.index(a)", "next index | path.index(a)", "return path.index(a + 1)"),
        ("return required(path)", "mark as covered | required(path)", "return required(path, covered=True)"),
        (
            "return required(path, covered=True)",
            "flip the mark | required(path, covered=True)",
            "return required(path, covered=False)",
        ),
        (
            "return invalid(path, origin=a)",
            "drop the origin | invalid(path, origin=a)",
            "return invalid(path)",
        ),
        (
            "return required(path)",
            "change type | required(path)",
            "return __import__('msgspec').structs.replace(required(path), type='FieldValueInvalid')",
        ),
    ],
)
def test_an_operator_makes_its_change(body: str, operator: str, expected: str) -> None:
    """The text of the function after the change."""
    assert expected == mutations(body)[operator]


def test_words_for_readers_are_left_alone() -> None:
    """Neither docstrings nor annotations nor imports are mutated."""
    source = f'{HEAD}"""Words."""\n\ndef check(a: "int") -> "str":\n    """Words."""\n    return a\n'
    assert [] == list(mutations_of(ast.parse(source)))


def test_suite_and_tests_are_left_alone(tmp_path: Path) -> None:
    """Only the modules that suite.py imports from its folder are validators."""
    for name in ("suite.py", "test_it.py", "conftest.py", "__init__.py", "rules.py"):
        (tmp_path / name).write_text("def f(a):\n    return a < 1\n", encoding="utf-8")
    assert {"rules.py"} == {name for one in mutants_of(tmp_path) for name in one.files}
