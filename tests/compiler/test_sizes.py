"""Types whose values would be infinitely large, or too large to send."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.compiler import compile_types
from harness.compiler.sizes import MAX_FIELDS
from harness.diagnostics import InputError
from harness.gotypes.packages import Universe


def _read_errors(go: str, folder: Path) -> list[tuple[int, str, str]]:
    (folder / "types.go").write_text(f"package v1\n\n{go}", encoding="utf-8")
    try:
        compile_types(Universe.from_folders({"example.com/v1": folder}), "example.com/v1")
    except InputError as error:
        return [(one.position.line, one.code, one.message) for one in error.diagnostics]
    return []


def _tower(levels: int, star: str = "") -> str:
    """Structs that contain the next one twice; the last contains a string."""
    tag = "\t// +k8s:immutable\n"
    structs = [
        f'type T{n} struct {{\n{tag}\tL {star}T{n + 1} `json:"l"`\n{tag}\tR {star}T{n + 1} `json:"r"`\n}}\n'
        for n in range(levels)
    ]
    return "".join(structs) + f'type T{levels} struct {{\n\tX string `json:"x"`\n}}\n'


@pytest.mark.parametrize(
    ("go", "line", "held"),
    [
        ("type A struct {\n\tA A\n}\n", 3, "A"),
        ("type A struct {\n\tB B\n}\ntype B struct {\n\tA A\n}\n", 3, "B, which contains A"),
        ("type R struct {\n\tL []*A\n}\ntype A struct {\n\tB [2]B\n}\ntype B A\n", 6, "B, which contains A"),
    ],
)
def test_a_type_that_contains_itself_by_value_is_rejected(go: str, line: int, held: str, tmp_path: Path) -> None:
    """Each recursion is a diagnostic at one of its types."""
    assert [(line, "type-recursive", f"A contains {held}: its values would be infinitely large")] == _read_errors(
        go, tmp_path
    )


@pytest.mark.parametrize("go", ["A *A", "A []A", "A map[string]A"])
def test_a_type_may_contain_itself_indirectly(go: str, tmp_path: Path) -> None:
    """Through pointers, lists and maps, which may be empty."""
    assert [] == _read_errors(f"type A struct {{\n\t{go}\n}}\n", tmp_path)


def test_values_that_double_at_every_level_are_rejected(tmp_path: Path) -> None:
    """One diagnostic, at the lowest type whose values are too large."""
    message = f"a value of T24 has more than {MAX_FIELDS:,} fields, counting those inside"
    assert [("type-size", message)] == [(code, text) for _, code, text in _read_errors(_tower(40), tmp_path)]


@pytest.mark.parametrize("tower", [_tower(8), _tower(40, star="*")])
def test_smaller_values_are_accepted(tower: str, tmp_path: Path) -> None:
    """Values that double a few times, and values that double by pointers, which may be nil."""
    assert [] == _read_errors(tower, tmp_path)
