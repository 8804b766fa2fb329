"""Types whose values have no end, or none within reach."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.compiler import compile_types
from harness.compiler.sizes import MOST_FIELDS
from harness.diagnostics import InputError
from harness.gotypes.packages import Universe


def _troubles(go: str, folder: Path) -> list[tuple[int, str, str]]:
    (folder / "types.go").write_text(f"package v1\n\n{go}", encoding="utf-8")
    try:
        compile_types(Universe.from_folders({"example.com/v1": folder}), "example.com/v1")
    except InputError as error:
        return [(one.position.line, one.code, one.message) for one in error.diagnostics]
    return []


def _tower(levels: int, star: str = "") -> str:
    """Structs that hold the next one twice; the last holds a string."""
    tag = "\t// +k8s:immutable\n"
    floors = [
        f'type T{n} struct {{\n{tag}\tL {star}T{n + 1} `json:"l"`\n{tag}\tR {star}T{n + 1} `json:"r"`\n}}\n'
        for n in range(levels)
    ]
    return "".join(floors) + f'type T{levels} struct {{\n\tX string `json:"x"`\n}}\n'


@pytest.mark.parametrize(
    ("go", "line", "held"),
    [
        ("type A struct {\n\tA A\n}\n", 3, "A"),
        ("type A struct {\n\tB B\n}\ntype B struct {\n\tA A\n}\n", 3, "B, which holds A"),
        ("type R struct {\n\tL []*A\n}\ntype A struct {\n\tB [2]B\n}\ntype B A\n", 6, "B, which holds A"),
    ],
)
def test_a_type_that_holds_itself_by_value_is_refused(go: str, line: int, held: str, tmp_path: Path) -> None:
    """Each circle is a diagnostic at one of its types, however it is reached."""
    assert [(line, "type-recursive", f"A holds {held}: a value would have no end")] == _troubles(go, tmp_path)


@pytest.mark.parametrize("go", ["A *A", "A []A", "A map[string]A"])
def test_a_type_may_hold_itself_where_a_value_can_end(go: str, tmp_path: Path) -> None:
    """Pointers, lists and maps can be empty."""
    assert [] == _troubles(f"type A struct {{\n\t{go}\n}}\n", tmp_path)


def test_a_tower_that_doubles_at_every_level_is_refused(tmp_path: Path) -> None:
    """One diagnostic, at the lowest type whose values are too large."""
    message = f"a value of T24 has more than {MOST_FIELDS:,} fields, counting those inside"
    assert [("type-size", message)] == [(code, text) for _, code, text in _troubles(_tower(40), tmp_path)]


@pytest.mark.parametrize("tower", [_tower(8), _tower(40, star="*")])
def test_a_tower_within_reach_is_fine(tower: str, tmp_path: Path) -> None:
    """Values of what doubles a few times, and of what stands behind pointers, can be sent."""
    assert [] == _troubles(tower, tmp_path)
