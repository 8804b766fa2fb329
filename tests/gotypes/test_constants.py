"""Values and types of constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gotypes.reading import read, universe


def values(folder: Path, text: str) -> dict[str, object]:
    """Names to values."""
    return {const.name: const.value for const in read(folder, "package v1\n" + text).consts}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('"a"', "a"),
        ("`a\\n`", "a\\n"),
        (r'"\x41\u00e9\101\n\""', 'AéA\n"'),
        ("0x1F + 0b1 + 0o7 + 1_000", 31 + 1 + 7 + 1000),
        ("017", 15),
        ("1.5", 1.5),
        ("'a'", 97),
        ("true && !false", True),
        ('"a" + "b" + "c"', "abc"),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7 / 2.0", 3.5),
        ("(1 << 10) | 1", 1025),
        ("6 &^ 2", 4),
        ("^0", -1),
        ("1 < 2", True),
        ('len("é")', 2),
        ('string("a")', "a"),
        ("string(65)", "A"),
        ("float64(2)", 2.0),
        ("int(2.5)", None),
        ("1 / 0", None),
        ("1 << 100000", None),
        ("1e999", None),
        ('"a" - "b"', None),
        ("f()", None),
        ("other.Name", None),
        ('unknown("a")', None),
        ("-" * 2000 + "1", None),
    ],
)
def test_expressions(tmp_path: Path, expression: str, value: object) -> None:
    """Expressions have the value that Go gives them, or None when it cannot be known."""
    found = values(tmp_path, f"const X = {expression}\n")["X"]
    assert (type(value), value) == (type(found), found)


def test_long_sums_are_computed(tmp_path: Path) -> None:
    """A text put together from a thousand pieces is computed."""
    assert values(tmp_path, "const X = " + " +\n".join(['"a"'] * 1000))["X"] == "a" * 1000


def test_groups_repeat_and_count(tmp_path: Path) -> None:
    """iota counts lines, an empty line of a group repeats the expression and the type above."""
    text = "type E int\nconst (\n A E = iota + 1\n B\n _\n C, D = iota, 'x'\n)\nconst F = iota\n"
    package = read(tmp_path, "package v1\n" + text)
    assert {one.name: one.value for one in package.consts} == {"A": 1, "B": 2, "C": 3, "D": 120, "F": 0}
    assert [one.type for one in package.consts[:2]] == ["example.io/api/v1.E"] * 2


def test_types_come_from_declaration_conversion_and_reference(tmp_path: Path) -> None:
    """The type of a constant is that of its declaration, else of its expression; untyped is empty."""
    text = (
        'type E string\ntype F E\nconst (\n A E = "a"\n B = E("b")\n C = A\n D = "d"\n G string = "g"\n H F = "h"\n)\n'
    )
    package = read(tmp_path, "package v1\n" + text)
    v1 = "example.io/api/v1"
    assert [f"{v1}.E", f"{v1}.E", f"{v1}.E", "", "string", f"{v1}.F"] == [one.type for one in package.consts]
    assert [one.value for one in package.consts] == ["a", "b", "a", "d", "g", "h"]


def test_references_in_any_order_and_in_circles(tmp_path: Path) -> None:
    """A constant may refer to a later one; a circle has no value."""
    assert values(tmp_path, 'const A = B + "!"\nconst B = "b"\nconst X = Y\nconst Y = X\n') == {
        "A": "b!",
        "B": "b",
        "X": None,
        "Y": None,
    }


def test_references_to_other_packages(tmp_path: Path) -> None:
    """A constant of another package is found by alias, by clause and by the last element of its path."""
    packages = {
        "x.io/go-names": {"a.go": 'package labels\ntype L string\nconst Key L = "k"\n'},
        "x.io/v1": {
            "b.go": 'package v1\nimport (\n "x.io/go-names"\n n "x.io/go-names"\n)\n'
            'const A = labels.Key\nconst B = n.Key + "x"\nconst C = n.L("y")\n'
        },
    }
    consts = universe(tmp_path, packages).package("x.io/v1").consts
    assert [(one.value, one.type) for one in consts] == [
        ("k", "x.io/go-names.L"),
        ("kx", "x.io/go-names.L"),
        ("y", "x.io/go-names.L"),
    ]


def test_a_chain_that_doubles_stays_small(tmp_path: Path) -> None:
    """Sixty constants that each double a text do not fill the memory."""
    lines = ['const A0 = "xxxx"', *(f"const A{n} = A{n - 1} + A{n - 1}" for n in range(1, 60))]
    found = values(tmp_path, "\n".join(lines))
    assert found["A10"] == "x" * 4096
    assert found["A59"] is None
