"""Go as declarations that can be compared: what is the same in other words, and what only looks so."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.verify.gocode import Decl, Normal, read_package
from harness.verify.renames import Name, renames

HEAD = 'package p\n\nimport "k8s.io/field"\n\n'


def decls(folder: Path, text: str, imports: str = HEAD) -> dict[Name, Decl]:
    """Read one file as a package."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "x.go").write_text(imports + text)
    return dict(read_package(folder, ".", "p").decls)


def changed(tmp_path: Path, base: str, head: str, imports: str = HEAD) -> tuple[set[str], dict[str, str]]:
    """Return the names whose text differs, those that one side lacks included, and what was renamed."""
    old, new = decls(tmp_path / "base", base), decls(tmp_path / "head", head, imports)
    pairs = renames(old, new, lambda known, names: Normal(known, names).text)
    before, after = Normal(old, pairs), Normal(new)
    now = {name: pairs.get(name, name) for name in old}
    differing = {n[1] for n, o in now.items() if o not in new or before.text(old[n]) != after.text(new[o])}
    differing |= {name[1] for name in new if name not in now.values()}
    return differing, {one[1]: other[1] for one, other in pairs.items()}


SAME = {
    "comments and formatting": (
        "func f(a int) int {\n\t// why\n\treturn a+1\n}\n",
        "func f(a int) int { return a + 1 }\n",
    ),
    "locals": ("func f(a int) int {\n\tb := a\n\treturn b\n}\n", "func f(x int) int {\n\ty := x\n\treturn y\n}\n"),
    "ranges": (
        "func f(a []int) {\n\tfor i, x := range a {\n\t\tg(i, x)\n\t}\n}\nfunc g(a, b int) {}\n",
        "func f(a []int) {\n\tfor k, v := range a {\n\t\tg(k, v)\n\t}\n}\nfunc g(a, b int) {}\n",
    ),
    "trailing comma": ("func f() {\n\tg(1, 2)\n}\n", "func f() {\n\tg(\n\t\t1,\n\t\t2,\n\t)\n}\n"),
    "order": ("func f() {}\nfunc g() { f() }\n", "func g() { f() }\nfunc f() {}\n"),
    "alias of an import": ("func f() { field.New() }\n", "func f() { other.New() }\n"),
}
OTHER = {
    "a limit": ("func f(a int) bool { return a < 1 }\n", "func f(a int) bool { return a < 2 }\n"),
    "a text": ('func f() string { return "a" }\n', 'func f() string { return "b" }\n'),
    "swapped locals": ("func f(a, b int) int { return a - b }\n", "func f(a, b int) int { return b - a }\n"),
    "another statement": (
        "func f() {\n\treturn\n\tg()\n}\nfunc g() {}\n",
        "func f() {\n\treturn g()\n}\nfunc g() {}\n",
    ),
    "a key of a literal": ("func f(a int) T { return T{a: a} }\n", "func f(b int) T { return T{b: b} }\n"),
    "another function": (
        "func f() { g() }\nfunc g() {}\nfunc h() { g() }\n",
        "func f() { h() }\nfunc g() {}\nfunc h() { g() }\n",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_in_other_words(tmp_path: Path, name: str) -> None:
    """Comments, layout, order, local names and names of imports do not count."""
    imports = HEAD.replace('"k8s', 'other "k8s') if name == "alias of an import" else HEAD
    assert (set(), {}) == changed(tmp_path, *SAME[name], imports)


@pytest.mark.parametrize("name", OTHER)
def test_another_meaning(tmp_path: Path, name: str) -> None:
    """Whatever may mean something else counts as changed."""
    differing, _ = changed(tmp_path, *OTHER[name])
    assert "f" in differing


def test_rename_of_a_helper(tmp_path: Path) -> None:
    """A helper that was renamed is found, also one that calls itself or another such; callers are the same."""
    base = "func f() { g(1) }\nfunc g(a int) { h(a); g(a) }\nfunc h(a int) { g(a) }\n"
    head = "func f() { walk(1) }\nfunc walk(b int) { step(b); walk(b) }\nfunc step(b int) { walk(b) }\n"
    assert (set(), {"g": "walk", "h": "step"}) == changed(tmp_path, base, head)


def test_rename_with_a_change(tmp_path: Path) -> None:
    """A helper that was renamed and changed is no rename."""
    base, head = "func f() { g(1) }\nfunc g(a int) {}\n", "func f() { h(1) }\nfunc h(a int) { f() }\n"
    differing, pairs = changed(tmp_path, base, head)
    assert ({"f", "g", "h"}, {}) == (differing, pairs)


def test_two_that_look_alike(tmp_path: Path) -> None:
    """Two helpers of one text that change places are told apart by what they call."""
    base = "func a() { one() }\nfunc b() { two() }\nfunc one() { x() }\nfunc two() { y() }\n"
    head = "func a() { two1() }\nfunc b() { one1() }\nfunc one1() { x() }\nfunc two1() { y() }\n"
    same = "func x() {}\nfunc y() { x() }\n"
    differing, pairs = changed(tmp_path, base + same, head + same)
    assert ({"a", "b"}, {"one": "one1", "two": "two1"}) == (differing, pairs)


def packages(folder: Path, p: str, q: str) -> dict[Name, Decl]:
    """Read two packages, of which the first imports the second."""
    for name, text in (("p", f'package p\n\nimport "q"\n\n{p}'), ("q", f"package q\n\n{q}")):
        (folder / name).mkdir(parents=True)
        (folder / name / "x.go").write_text(text)
    return {**read_package(folder, "p", "p").decls, **read_package(folder, "q", "q").decls}


def test_moved_between_packages(tmp_path: Path) -> None:
    """A function that moved to another package is a rename, and its callers are the same."""
    old = packages(tmp_path / "base", "func f() { g() }\nfunc g() { q.H() }\n", "func H() {}\n")
    new = packages(tmp_path / "head", "func f() { q.G() }\n", "func G() { H() }\nfunc H() {}\n")
    pairs = renames(old, new, lambda known, names: Normal(known, names).text)
    assert {("p", "g"): ("q", "G")} == pairs
    assert Normal(old, pairs).text(old["p", "f"]) == Normal(new).text(new["p", "f"])


def test_constants_that_count(tmp_path: Path) -> None:
    """A constant that counts hangs on its place: one more above it changes it."""
    base, head = "const (\n\tA = iota\n\tB\n)\n", "const (\n\tX = iota\n\tA\n\tB\n)\n"
    differing, _ = changed(tmp_path, base, head)
    assert {"A", "B", "X"} == differing


@pytest.mark.parametrize("text", ["", "func f( {", "\x00\x01", 'func f() { "', "package", "func (r) {}", "var ="])
def test_broken_go(tmp_path: Path, text: str) -> None:
    """Text that is no Go is read as far as it goes."""
    assert isinstance(decls(tmp_path, text, ""), dict)
