from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.diagnostics import InputError
from harness.subject.examples import check_example_types, read_examples, suite_examples

WIDGET = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n"


def place(tmp_path: Path, name: str, text: str) -> Path:
    """Write a file."""
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def problems(*places: Path) -> list[tuple[str, int, str]]:
    """Return where each complaint is, and its code."""
    with pytest.raises(InputError) as caught:
        read_examples(places)
    return [(Path(one.position.file).name, one.position.line, one.code) for one in caught.value.diagnostics]


def test_objects_pairs_and_lists_of_a_file_are_read_with_their_lines(tmp_path: Path) -> None:
    """Several documents, the items of a List, and an update of old and new."""
    pair = "old:\n  apiVersion: v1\n  kind: A\nnew:\n  apiVersion: v1\n  kind: A\n  spec: {b: 1}\n"
    items = (
        'apiVersion: v1\nkind: List\nitems: [{"apiVersion": "v1", "kind": "B"}, {"apiVersion": "v1", "kind": "C"}]\n'
    )
    file = place(tmp_path, "all.yaml", f"{WIDGET}---\n{pair}---\n{items}")
    found = read_examples([file])
    assert [("Widget", "1"), ("A", "5"), ("B", "13 items[0]"), ("C", "13 items[1]")] == [
        (one.names[1], one.source.rpartition(":")[2]) for one in found
    ]
    assert [None, {"apiVersion": "v1", "kind": "A"}, None, None] == [one.old for one in found]
    assert {"b": 1} == found[1].object["spec"]


def test_a_folder_is_read_in_order_with_all_below_it(tmp_path: Path) -> None:
    """JSON and YAML; what is hidden or something else is left out."""
    for name in ("b.yml", "a.json", "deep/c.yaml", ".hidden.yaml", "README.md", ".git/d.yaml"):
        place(tmp_path, name, '{"apiVersion": "v1", "kind": "A"}')
    names = [Path(one.source.rpartition(":")[0]).name for one in read_examples([tmp_path])]
    assert ["a.json", "b.yml", "c.yaml"] == names


def test_the_name_of_a_file_marks_rejected_objects(tmp_path: Path) -> None:
    """An object of `invalid-...` is expected to be rejected, every other one to be accepted."""
    files = [place(tmp_path, "invalid-limits.yaml", WIDGET), place(tmp_path, "valid.yaml", WIDGET)]
    assert [True, False] == [one.is_rejected for one in read_examples(files)]


def test_the_errors_of_all_files_are_reported(tmp_path: Path) -> None:
    """Each has its line."""
    first = place(tmp_path, "a.yaml", f"{WIDGET}---\nspec: {{}}\n---\n[1]\n")
    second = place(tmp_path, "b.yaml", "old: {apiVersion: v1, kind: A}\n---\na: [1,\n")
    third = place(tmp_path, "c.yaml", "old: {apiVersion: v1, kind: A}\nnew: {apiVersion: v1, kind: B}\n")
    fourth = place(tmp_path, "d.yaml", "old: {apiVersion: v1, kind: A}\n")
    assert [
        ("a.yaml", 7, "manifest-syntax"), ("b.yaml", 4, "manifest-syntax"),
        ("c.yaml", 1, "example-pair"), ("d.yaml", 1, "example-pair"), ("none.yaml", 0, "example-unreadable"),
    ] == problems(first, second, third, fourth, tmp_path / "none.yaml")  # fmt: skip


def test_objects_of_kinds_say_what_they_are(tmp_path: Path) -> None:
    """Those of a suite of validators in Python need not, so only who knows the subject asks for it."""
    examples = read_examples([place(tmp_path, "a.yaml", f"{WIDGET}---\nspec: {{}}\n---\nold: {{a: 1}}\nnew: {{}}\n")])
    with pytest.raises(InputError) as caught:
        check_example_types(examples)
    found = [(one.code, one.position.file.rpartition(":")[2]) for one in caught.value.diagnostics]
    assert [("manifest-kind", "5"), ("manifest-kind", "7"), ("manifest-kind", "7")] == found
    check_example_types(examples[:1])


def test_pipes_huge_files_and_empty_folders_are_errors(tmp_path: Path) -> None:
    """Reading a pipe may never end, a huge file may fill the memory, and an empty folder is a mistake."""
    pipe, large, empty = tmp_path / "pipe.yaml", tmp_path / "large.yaml", tmp_path / "empty"
    os.mkfifo(pipe)
    with large.open("wb") as stream:
        stream.truncate((16 << 20) + 1)
    empty.mkdir()
    assert [
        ("pipe.yaml", 0, "example-unreadable"), ("large.yaml", 0, "example-large"), ("empty", 0, "example-empty"),
    ] == problems(pipe, large, empty)  # fmt: skip


def test_a_suite_need_not_have_examples(tmp_path: Path) -> None:
    """No folder, or an empty one, is none."""
    assert () == suite_examples(None) == suite_examples(tmp_path / "examples") == suite_examples(tmp_path)
