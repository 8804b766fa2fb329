"""Paths render as validators write them."""

from __future__ import annotations

from harness.field import Path


def test_a_root_path_is_nil() -> None:
    """The path of the whole object renders as Go renders a nil path, and as nothing else."""
    assert str(Path()) == "<nil>"
    assert Path().is_root
    assert not Path().child("spec").is_root


def test_children_indexes_and_keys_render_without_quotes() -> None:
    """Fields are joined by dots, subscripts stand in brackets, keys are not quoted."""
    assert str(Path().child("spec", "ports").index(0).child("name")) == "spec.ports[0].name"
    assert str(Path().child("metadata").child("labels").key("a/b")) == "metadata.labels[a/b]"


def test_a_path_never_changes() -> None:
    """Deriving a path leaves the parent as it was."""
    parent = Path().child("spec")
    parent.child("x")
    assert str(parent) == "spec"


def test_paths_with_the_same_text_are_equal() -> None:
    """Equality and hash go by the rendered text, and the representation shows it."""
    assert Path().child("a", "b") == Path().child("a").child("b")
    assert Path().child("a") != Path().child("b")
    assert Path().child("a") != "a"
    assert len({Path().child("a"), Path().child("a")}) == 1
    assert repr(Path().child("a")) == "Path('a')"
