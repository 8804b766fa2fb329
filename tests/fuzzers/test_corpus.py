from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from harness.case import Case, Operation
from harness.fuzzers.corpus import KeptSeed, KeptSeeds, content_name, keep, keep_file, load, load_seeds, seeds_file

CASE = Case(7, "g", "v1", "Widget", Operation.UPDATE, {"b": 1, "a": 2}, {"a": 3}, "widgets")


def notes_and_cases(folder: Path | None) -> tuple[list[str], list[Case]]:
    """Load a folder with what was said on the way."""
    notes: list[str] = []
    return notes, load(folder, notes.append)


def test_a_kept_case_comes_back(tmp_path: Path) -> None:
    """A case is replayed as it was kept, but for its id."""
    keep(tmp_path / "new", CASE, print)
    notes, cases = notes_and_cases(tmp_path)
    assert notes == []
    assert [(CASE.object, CASE.old, CASE.operation, 0)] == [(c.object, c.old, c.operation, c.id) for c in cases]


def test_the_same_content_is_kept_once(tmp_path: Path) -> None:
    """Neither an id nor the order of members makes another file."""
    keep(tmp_path, CASE, print)
    keep(tmp_path, Case(8, "g", "v1", "Widget", Operation.UPDATE, {"a": 2, "b": 1}, {"a": 3}, "widgets"), print)
    assert [content_name(CASE)] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize("extra", ["versions", "round_trip", "compiled"])
def test_what_a_case_is_asked_for_is_kept_beside_it(tmp_path: Path, extra: str) -> None:
    """Its finding shows in no other answer: the same content without it is another file."""
    closer = msgspec.structs.replace(CASE, **{extra: True}, served=True)
    keep(tmp_path, CASE, print)
    keep(tmp_path, closer, print)
    _, cases = notes_and_cases(tmp_path)
    assert {False, True} == {getattr(case, extra) for case in cases}
    assert content_name(closer) == content_name(msgspec.structs.replace(closer, id=9, served=False, brief=True))


def test_unreadable_files_are_told_about_and_left_out(tmp_path: Path) -> None:
    """Broken JSON, a wrong document and bytes that are no text each give a note, and the rest is loaded."""
    keep(tmp_path, CASE, print)
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text('{"id": 1}')
    (tmp_path / "c.json").write_bytes(b"\xff\xfe")
    (tmp_path / "d.json").write_text("[" * 100_000)
    notes, cases = notes_and_cases(tmp_path)
    assert len(notes) == 4
    assert len(cases) == 1
    assert all("corpus-file" in note for note in notes)


def test_no_folder_is_no_corpus(tmp_path: Path) -> None:
    """A folder that is not there, or none at all, replays nothing."""
    assert notes_and_cases(None) == ([], [])
    assert notes_and_cases(tmp_path / "missing") == ([], [])


def test_a_folder_that_cannot_be_written_is_told_about(tmp_path: Path) -> None:
    """A run goes on when its corpus cannot be kept."""
    (tmp_path / "file").write_text("")
    notes: list[str] = []
    keep(tmp_path / "file" / "below", CASE, notes.append)
    assert len(notes) == 1


def test_accepted_objects_come_back_and_are_no_cases(tmp_path: Path) -> None:
    """What was kept for a type is read again whole, and is not replayed as cases are."""
    path = seeds_file(tmp_path, "kubernetes AllBeta=true apps/v1 deployments")
    kept = KeptSeeds((KeptSeed(CASE, ("spec", "ports", 0)),), {"spec.title": "spec.title: Forbidden"})
    keep_file(path, kept, print)
    keep_file(path, kept, print)
    notes: list[str] = []
    assert kept == load_seeds(path, notes.append)
    assert ([], []) == notes_and_cases(tmp_path)
    assert [path] == list(path.parent.iterdir())


def test_seed_objects_of_an_older_corpus_are_read(tmp_path: Path) -> None:
    """They stand in `bases` under their old keys until the next run writes them anew; they are no cases either."""
    path = seeds_file(tmp_path, "widgets")
    older = tmp_path / "bases" / path.name
    older.parent.mkdir()
    found = {"case": msgspec.to_builtins(CASE), "focus": ["spec"]}
    written = {"bases": [found], "refused": {"spec.a": "no"}, "tried": ["spec.b"], "done": True}
    older.write_bytes(msgspec.json.encode(written))
    wanted = KeptSeeds((KeptSeed(CASE, ("spec",)),), {"spec.a": "no"}, ("spec.b",), True)
    notes: list[str] = []
    assert wanted == load_seeds(path, notes.append)
    keep_file(path, KeptSeeds(()), notes.append)
    assert KeptSeeds(()) == load_seeds(path, notes.append)
    assert ([], []) == notes_and_cases(tmp_path)
    assert [] == notes


def test_names_that_look_alike_have_files_of_their_own(tmp_path: Path) -> None:
    """Kinds and settings that differ in punctuation alone do not share a file."""
    assert seeds_file(tmp_path, "a/b c") != seeds_file(tmp_path, "a b/c")


def test_accepted_objects_that_cannot_be_read_are_told_about(tmp_path: Path) -> None:
    """A broken file gives a note and no objects; a missing one gives neither."""
    path = seeds_file(tmp_path, "widgets")
    notes: list[str] = []
    assert load_seeds(path, notes.append) is None
    assert [] == notes
    path.parent.mkdir()
    path.write_text('{"seeds": [{}]}')
    assert load_seeds(path, notes.append) is None
    assert 1 == len(notes)
    keep_file(path / "below.json", KeptSeeds(()), notes.append)
    assert 2 == len(notes)


def test_only_regular_files_of_the_folder_are_cases(tmp_path: Path) -> None:
    """Links that lead out of it, pipes, devices and large files are left out, each with a note; nothing waits."""
    folder, outside = tmp_path / "corpus", tmp_path / "outside"
    (folder / "inner").mkdir(parents=True)
    outside.mkdir()
    keep(folder, CASE, lambda text: None)
    (kept,) = folder.glob("*.json")
    (outside / "a.json").write_bytes(kept.read_bytes())
    (folder / "endless.json").symlink_to("/dev/zero")
    (folder / "out.json").symlink_to(outside / "a.json")
    (folder / "round.json").symlink_to("round.json")
    (folder / "folder").symlink_to(outside)
    (folder / "inner" / "again.json").symlink_to(kept)
    os.mkfifo(folder / "pipe.json")
    with open(folder / "huge.json", "wb") as stream:
        stream.truncate(1 << 40)
    deep = kept.read_bytes().replace(b'"a": 2', b'"a": ' + b"[" * 300 + b"]" * 300)
    (folder / "deep.json").write_bytes(deep)
    notes: list[str] = []
    found = load(folder, notes.append)
    assert 2 == len(found)
    left = {Path(note.partition(": ")[0]).name for note in notes}
    assert {"endless.json", "out.json", "round.json", "folder", "pipe.json", "huge.json", "deep.json"} == left
    assert all(": corpus-file: " in note for note in notes)


def test_a_folder_that_holds_too_much_is_read_to_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is left out, and that is told once."""
    for number in range(5):
        keep(tmp_path, msgspec.structs.replace(CASE, object={"a": number}), lambda text: None)
    size = max(path.stat().st_size for path in tmp_path.iterdir())
    monkeypatch.setattr("harness.fuzzers.corpus.MAX_FOLDER_BYTES", 3 * size)
    notes: list[str] = []
    assert 3 == len(load(tmp_path, notes.append))
    assert ["left out with all that follow"] == [n.partition("corpus-file: ")[2].partition(":")[0] for n in notes]
