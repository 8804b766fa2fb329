"""Dumps are read object by object, in every form that kubectl and servers write, and what is damaged is told."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.diagnostics import InputError
from harness.stored.dumps import read_dumps
from harness.stored.jsonstream import JsonStream
from harness.stored.storedobject import Reading
from harness.stored.yamlstream import YamlStream

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "namespace": "shop"},
    "spec": {"text": "- x\nitems:\n"},
}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node"}}
LIST = {"apiVersion": "v1", "items": [POD, NODE], "kind": "List", "metadata": {"resourceVersion": ""}}
TYPED = {"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "a"}}]}


class Indented(yaml.SafeDumper):
    """Writes lists with their dashes indented, as other tools do."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        """Indent every list."""
        return super().increase_indent(flow, False)


FORMS = {
    "one document": yaml.safe_dump(POD),
    "documents": "# a dump\n---\n" + yaml.safe_dump(POD) + "--- # next\n" + yaml.safe_dump(NODE) + "...\n---\n",
    "kubectl's list": yaml.safe_dump(LIST),
    "an indented list": yaml.dump(LIST, Dumper=Indented),
    "a list whose kind comes first": yaml.safe_dump({"kind": "List", "apiVersion": "v1"}, sort_keys=False)
    + yaml.safe_dump({"items": [POD, NODE]}),
    "a list in one line": json.dumps(LIST),
    "kubectl's list in JSON": json.dumps(LIST, indent=4),
    "lines of JSON": json.dumps(POD) + "\n" + json.dumps(NODE) + "\n",
    "an array": json.dumps([POD, NODE]),
    "a list with anchors": "kind: List\napiVersion: v1\nitems:\n- &pod\n" + "".join(
        f"  {line}\n" for line in yaml.safe_dump(POD).splitlines()
    ),
    "with a byte order mark": "\ufeff" + yaml.safe_dump(LIST),
}  # fmt: skip


def read(path: Path) -> tuple[list[dict[str, Any]], list[str], Reading]:
    """The objects of a file or folder, their sources, and what became of reading it."""
    reading = Reading()
    found = list(read_dumps([path], reading))
    return [one.object for one in found], [one.source for one in found], reading


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read(form: str, tmp_path: Path) -> None:
    """Whatever the form, the objects are the same."""
    file = tmp_path / "dump"
    file.write_text(FORMS[form], encoding="utf-8")
    objects, _, reading = read(file)
    assert [] == reading.problems
    assert objects in ([POD], [POD, NODE])
    assert len(objects) == FORMS[form].count("kind: Pod") + FORMS[form].count('"kind": "Pod"') + (NODE in objects)


@pytest.mark.parametrize("text", [json.dumps(TYPED), yaml.safe_dump(TYPED, sort_keys=False)], ids=["json", "yaml"])
def test_items_of_a_typed_list_get_its_type(text: str, tmp_path: Path) -> None:
    """As a server writes them, without apiVersion and kind."""
    file = tmp_path / "dump"
    file.write_text(text)
    assert [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}] == read(file)[0]


def test_an_object_is_named_by_its_line(tmp_path: Path) -> None:
    """In both languages."""
    for name, text, start in (
        ("a.yaml", yaml.safe_dump(LIST), "- apiVersion"), ("b.json", json.dumps(LIST, indent=1), "  {"),
    ):  # fmt: skip
        (tmp_path / name).write_text(text)
        lines = [number for number, line in enumerate(text.splitlines(), 1) if line.startswith(start)]
        assert [f"{tmp_path / name}:{line}" for line in lines[:2]] == read(tmp_path / name)[1]


def test_a_damaged_item_is_left_out_and_told_with_its_line(tmp_path: Path) -> None:
    """What follows it in YAML is read."""
    file = tmp_path / "dump.yaml"
    lines = yaml.safe_dump(json.loads(json.dumps({"items": [NODE, POD, NODE]}))).splitlines()
    at = next(number for number, line in enumerate(lines) if "kind: Pod" in line)
    lines[at] = "  kind: [Pod"
    file.write_text("kind: List\n" + "\n".join(lines) + "\n")
    objects, _, reading = read(file)
    assert [NODE, NODE] == objects
    [problem] = reading.problems
    assert "dump-syntax" == problem.code
    assert at + 2 <= problem.position.line <= at + 4


@pytest.mark.parametrize("name", ["dump.yaml", "dump.json"])
def test_a_file_that_is_cut_is_told(name: str, tmp_path: Path) -> None:
    """What came before the cut is read, and an object that may be cut is not judged."""
    text = yaml.safe_dump(LIST) if name.endswith("yaml") else json.dumps(LIST, indent=1)
    file = tmp_path / name
    file.write_text(text[: text.index("Node") + 3])
    objects, _, reading = read(file)
    assert ([POD], 1) == (objects, reading.problem_count)
    assert "cut" in reading.problems[0].message or "ends within" in reading.problems[0].message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("kind: Pod\n", "manifest-kind"),
        ("- 1\n- 2\n", "manifest-kind"),
        ("apiVersion: v1\nkind: Pod\nmetadata: 3\n", "manifest-kind"),
        ('{"kind": "Pod", "apiVersion": "v1", "spec": NaN}', "dump-syntax"),
        ('{"kind": "Pod" "apiVersion"}', "dump-syntax"),
        ('{"a": ' + "[" * 5000, "dump-syntax"),
        ("a: " + "[" * 300 + "]" * 300, "dump-syntax"),
        ("a: &a [1, *a]\n", "dump-syntax"),
        ("a: \x01\n", "dump-syntax"),
    ],
)
def test_what_is_no_object_is_told(text: str, code: str, tmp_path: Path) -> None:
    """And never ends the check."""
    file = tmp_path / "dump"
    file.write_text(text)
    objects, _, reading = read(file)
    assert ([], {code}) == (objects, {one.code for one in reading.problems})


def test_the_value_of_a_secret_is_in_no_message(tmp_path: Path) -> None:
    """The reader of YAML quotes values that JSON cannot say."""
    file = tmp_path / "dump.yaml"
    file.write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {password: !!int hunter2}\n")
    _, _, reading = read(file)
    assert 1 == reading.problem_count
    assert "hunter2" not in str(reading.problems)


def test_a_folder_is_read_in_order(tmp_path: Path) -> None:
    """Without files that are no dumps; an empty folder is a mistake, and so is a file that does not exist."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.yaml").write_text(yaml.safe_dump(NODE))
    (tmp_path / "a.json").write_text(json.dumps(POD))
    (tmp_path / "notes.txt").write_text("no dump")
    assert [POD, NODE] == read(tmp_path)[0]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="dump-empty"):
        read(tmp_path / "empty")
    assert 1 == read(tmp_path / "missing.yaml")[2].problem_count


class Endless(io.RawIOBase):
    """A list of so many items, which is never held whole."""

    def __init__(self, head: bytes, item: bytes, count: int, tail: bytes) -> None:
        self._parts = iter([head, *([item] * count), tail])
        self._rest = b""

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Give the next bytes."""
        self._rest = self._rest or next(self._parts, b"")
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


@pytest.mark.parametrize("language", ["json", "yaml"])
def test_memory_does_not_grow_with_the_file(language: str) -> None:
    """A list of 16 MB takes less than two, and so does one of a gigabyte."""
    text = "x" * 40_000
    if language == "json":
        item = json.dumps({**NODE, "spec": {"text": text}}).encode()
        parts = b'{"kind": "List", "items": [1', b"," + item, 400, b"]}"
    else:
        parts = b"kind: List\nitems:\n", f"- apiVersion: v1\n  kind: Node\n  text: {text}\n".encode(), 400, b""
    stream = io.BufferedReader(Endless(*parts))
    objects = JsonStream(stream, "-") if language == "json" else YamlStream(stream, "-", print)
    tracemalloc.start()
    count = sum(1 for _ in objects)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 400 <= count <= 401
    assert most < 4 << 20
