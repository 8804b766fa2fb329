from __future__ import annotations

from harness.case import Json
from harness.fuzzers.combined import combined_edits
from harness.fuzzers.edits import sites_of
from harness.fuzzers.feedback import Harvest
from harness.jsonpath import Edit, apply_all, later_first
from tests.fuzzers.toys import widget_shape

WIDGET: Json = {
    "metadata": {"name": "a"},
    "spec": {"mode": "Fast", "title": "a", "ports": [{"name": "a", "number": 1}], "labels": {"a": "b"}},
}


def _groups(turn: int) -> list[list[Edit]]:
    return list(combined_edits(sites_of(WIDGET, widget_shape()), Harvest(), turn))


def test_all_scalars_get_a_boundary_value_at_once() -> None:
    """Also absent ones, and those in items, but none of the metadata."""
    scalars, _ = _groups(1)
    edited = apply_all(later_first(scalars), WIDGET)
    assert {"name": "a"} == edited["metadata"]
    assert ("", "", -1) == tuple(edited["spec"][name] for name in ("mode", "title", "ceiling"))
    assert {"name": "", "number": 0} == edited["spec"]["ports"][0]


def test_no_container_is_edited_that_holds_another() -> None:
    """An edit of the outer one would undo that of the inner one."""
    _, containers = _groups(1)
    paths = [edit.path for edit in containers]
    assert ("spec", "ports", 0) in paths
    assert not {("spec",), ("spec", "ports")} & set(paths)


def test_it_ends_when_no_path_has_so_many_boundary_values() -> None:
    """Each turn takes the next value of each path."""
    assert [] == _groups(100_000)
    assert _groups(2) != _groups(3)
