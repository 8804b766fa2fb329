"""Paths render as validators write them."""

from __future__ import annotations

import pytest

from harness.compare.mismatch import canonical_path
from harness.compare.objects import steps, value_at
from harness.export.gowords import path_of
from harness.field import Path
from harness.field.path import steps_of
from harness.fuzzers.places import look, place_of


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


KEYS = ["app", "a/b.c", "a]b", "a[b", "a[b]", "[]", "]", "a]]b", "", "a b", "é", "0", '{"name": "x"}', "a\nb"]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_what_stands_between_the_brackets(key: str) -> None:
    """Whoever reads a path reads a key as it was written, whatever it holds: all go by one reading."""
    path = str(Path().child("metadata", "annotations").key(key))
    obj = {"metadata": {"annotations": {key: "here"}}}
    assert [("metadata", False), ("annotations", False), (key, True)] == [(*step,) for step in steps_of(path)]
    assert ("metadata.annotations[*]", "here") == (canonical_path(path), value_at(obj, steps(path)))
    if key != "0":  # an index, as far as anybody knows who has no types
        assert "here" == look(obj, place_of(path)[0])
        assert path_of(path).startswith('field.NewPath("metadata", "annotations").Key(')


@pytest.mark.parametrize("key", [key for key in KEYS if key])
def test_a_path_goes_on_behind_a_key(key: str) -> None:
    """What comes behind a key is read as well, another subscript and another member."""
    path = str(Path().child("a").key(key).index(3).child("b"))
    assert [("a", False), (key, True), ("3", True), ("b", False)] == [(*step,) for step in steps_of(path)]
    assert "a[*][*].b" == canonical_path(path)


@pytest.mark.parametrize(
    ("path", "steps", "canonical"),
    [
        ("<nil>", [], ""),
        ("", [], ""),
        ("[0].a", [("0", True), ("a", False)], "[*].a"),
        ("a[b", [("a", False), ("b", False)], "a[b"),
        ("a[b]c", [("a", False), ("b", True), ("c", False)], "a[*]c"),
        ("a..b.", [("a", False), ("b", False)], "a..b."),
        ("a]b", [("a]b", False)], "a]b"),
        ("a[x].b[y]z].c", [("a", False), ("x", True), ("b", False), ("y]z", True), ("c", False)], "a[*].b[*].c"),
    ],
)
def test_what_no_validator_should_write_is_read_all_the_same(
    path: str, steps: list[tuple[str, bool]], canonical: str
) -> None:
    """The root, and paths that go wrong, are taken apart as far as they go."""
    assert (steps, canonical) == ([(*step,) for step in steps_of(path)], canonical_path(path))
