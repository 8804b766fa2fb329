"""Declarations as tokens: what is the same in another layout, what only looks so, and what was renamed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.verify.codechange import find_renames
from harness.verify.gosource import read_package
from harness.verify.pysource import read_module
from harness.verify.sources import Declaration, Name, SourceLine

Read = Callable[[Path, str], dict[Name, Declaration]]


def go(folder: Path, text: str) -> dict[Name, Declaration]:
    """Read one file as a package."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "x.go").write_text(f"package p\n\n{text}")
    return read_package(folder, ".", "p")


def python(folder: Path, text: str) -> dict[Name, Declaration]:
    """Read one module."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "x.py").write_text(text)
    return read_module(folder, folder / "x.py")


def changed(tmp_path: Path, read: Read, base: str, head: str) -> tuple[set[str], dict[str, str]]:
    """Return the names that read otherwise, those that one side lacks included, and what was renamed."""
    old, new = read(tmp_path / "base", base), read(tmp_path / "head", head)
    pairs = find_renames(old, new)
    differing = {name[1] for name, one in old.items() if name not in pairs and _text(new.get(name)) != one.tokens}
    differing |= {name[1] for name in new if name not in old and name not in pairs.values()}
    return differing, {one[1]: other[1] for one, other in pairs.items()}


def _text(one: Declaration | None) -> tuple[str, ...]:
    return one.tokens if one is not None else ()


SAME: dict[str, tuple[Read, str, str]] = {
    "comments and formatting": (
        go,
        "func f(a int) int {\n\t// why\n\treturn a+1\n}\n",
        "func f(a int) int { return a + 1 }\n",
    ),
    "trailing comma": (go, "func f() {\n\tg(1, 2)\n}\n", "func f() {\n\tg(\n\t\t1,\n\t\t2,\n\t)\n}\n"),
    "order": (go, "func f() {}\nfunc g() { f() }\n", "func g() { f() }\nfunc f() {}\n"),
    "docstring": (python, 'def f(a):\n    """Why."""\n    return a\n', "def f(a):\n    # why\n    return a\n"),
    "annotations": (python, "def f(a: int = 1) -> int:\n    b: int = a\n    return b\n",
                    "def f(a=1):\n    b = a\n    return b\n"),
    "lines of a call": (python, "def f():\n    g(1, 2)\n", "def f():\n    g(\n        1,\n        2,\n    )\n"),
}  # fmt: skip
OTHER: dict[str, tuple[Read, str, str]] = {
    "a limit": (go, "func f(a int) bool { return a < 1 }\n", "func f(a int) bool { return a < 2 }\n"),
    "a text": (go, 'func f() string { return "a" }\n', 'func f() string { return "b" }\n'),
    "swapped locals": (go, "func f(a, b int) int { return a - b }\n", "func f(a, b int) int { return b - a }\n"),
    "another statement": (go, "func f() {\n\treturn\n\tg()\n}\n", "func f() {\n\treturn g()\n}\n"),
    "a comment in a text": (go, 'var f = "a // b"\n', 'var f = "a // c"\n'),
    "a method of another type": (go, "func (t T) f() {}\n", "func (u *U) f() {}\n"),
    "a block that ends earlier": (
        python,
        "def f(a):\n    if a:\n        g()\n        h()\n",
        "def f(a):\n    if a:\n        g()\n    h()\n",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_in_another_layout(tmp_path: Path, name: str) -> None:
    """Comments, layout and order do not count."""
    assert (set(), {}) == changed(tmp_path, *SAME[name])


@pytest.mark.parametrize("name", OTHER)
def test_another_meaning(tmp_path: Path, name: str) -> None:
    """Whatever may mean something else counts as changed."""
    differing, _ = changed(tmp_path, *OTHER[name])
    assert {"f", "T.f", "U.f"} & differing


def test_rename_of_helpers(tmp_path: Path) -> None:
    """A helper that was renamed is found, also one that calls itself or another one that was."""
    base = "func f() { g(1) }\nfunc g(a int) { h(a); g(a) }\nfunc h(a int) { h(a) }\n"
    head = "func f() { walk(1) }\nfunc walk(a int) { step(a); walk(a) }\nfunc step(a int) { step(a) }\n"
    _, pairs = changed(tmp_path, go, base, head)
    assert {"g": "walk", "h": "step"} == pairs


def test_rename_with_a_change(tmp_path: Path) -> None:
    """A helper that was renamed and changed is no rename."""
    base, head = "func f() { g(1) }\nfunc g(a int) {}\n", "func f() { h(1) }\nfunc h(a int) { f() }\n"
    assert ({"f", "g", "h"}, {}) == changed(tmp_path, go, base, head)


def test_constants_that_count(tmp_path: Path) -> None:
    """A constant that counts hangs on its place: one more above it changes it."""
    differing, _ = changed(tmp_path, go, "const (\n\tA = iota\n\tB\n)\n", "const (\n\tX = iota\n\tA\n\tB\n)\n")
    assert {"A", "B", "X"} == differing


@pytest.mark.parametrize("text", ["", "func f( {", "\x00\x01", 'func f() { "', "func (r) {}", "var ="])
def test_broken_go(tmp_path: Path, text: str) -> None:
    """Text that is no Go is read as far as it goes."""
    assert isinstance(go(tmp_path, text), dict)


@pytest.mark.parametrize("text", ["def f(:", "\x00", "x = '", "if a:\nb"])
def test_broken_python(tmp_path: Path, text: str) -> None:
    """Text that is no Python declares nothing."""
    assert {} == python(tmp_path, text)


@pytest.mark.parametrize(
    ("line", "quoted", "selected"),
    [
        ('field.NewPath("spec").Child("port")', ["port"], []),
        ('fldPath.Child("spec", "port").Index(i)', ["port"], []),
        ("if ship.Spec.Port == 0", [], ["Port"]),
        ('for _, name := range []string{"crew", "port"}', ["crew", "port"], []),
    ],
)
def test_names_of_fields(tmp_path: Path, line: str, quoted: list[str], selected: list[str]) -> None:
    """A line names a field in quotes or behind a dot; what a path or a value only goes through is not named."""
    [one] = go(tmp_path, f"func f() {{ {line} {{}} }}\n").values()
    [read] = one.lines
    assert quoted == list(read.quoted)
    assert selected == [
        name for _, name in read.selected if name[0].isupper() and name not in ("NewPath", "Child", "Index")
    ]


def test_enclosing_lines() -> None:
    """Enclosing blocks are found by indentation, innermost first, without the first line of the declaration."""
    texts = [(0, "func f"), (1, "if a"), (2, "x"), (1, "}"), (1, "for b"), (2, "if c"), (3, "y"), (2, "}")]
    lines = tuple(SourceLine(number, indent, tuple(text.split())) for number, (indent, text) in enumerate(texts))
    found = Declaration(("p", "f"), "x.go", lines, {}).enclosing_lines(lines[6:7])
    assert ["if c", "for b"] == [one.text for one in found]
