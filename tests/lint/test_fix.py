"""Edits are applied completely or not at all, and never to a file that somebody else changed meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.lint.fix import plan
from harness.lint.rule import LineEdit

TEXT = "one\ntwo\nthree\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of three lines."""
    path = tmp_path / "types.go"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_several_edits_of_a_file_are_made_at_once(file: Path) -> None:
    """One line is replaced, one deleted, one split in two; the diff shows it, and the file keeps its mode."""
    file.chmod(0o640)
    edits = [
        LineEdit(str(file), 3, "three", "3\n4"),
        LineEdit(str(file), 1, "one", None),
        LineEdit(str(file), 2, "two", "2"),
    ]
    (change,) = plan([*edits, edits[0]])
    assert (3, ()) == (change.made, change.left)
    assert change.write()
    assert "2\n3\n4\n" == file.read_text(encoding="utf-8")
    assert 0o640 == file.stat().st_mode & 0o777
    assert change.diff("types.go").startswith("--- a/types.go\n+++ b/types.go\n@@ -1,3 +1,3 @@\n-one\n")


def test_a_line_that_changed_is_left_alone(file: Path) -> None:
    """An edit is not made if its line has changed or does not exist; the others are."""
    wrong = [LineEdit(str(file), 1, "won", "1"), LineEdit(str(file), 9, "nine", "9"), LineEdit(str(file), 0, "", "0")]
    (change,) = plan([*wrong, LineEdit(str(file), 2, "two", "2")])
    assert (1, tuple(wrong)) == (change.made, change.left)
    assert "one\n2\nthree\n" == change.after


def test_of_two_edits_of_a_line_the_first_is_made(file: Path) -> None:
    """The second is left for the next round, which reads the line again."""
    (change,) = plan([LineEdit(str(file), 1, "one", "1"), LineEdit(str(file), 1, "one", "uno")])
    assert ("1\ntwo\nthree\n", 1) == (change.after, len(change.left))


def test_a_file_that_changed_after_planning_is_left_alone(file: Path) -> None:
    """A change that somebody made between reading and writing is kept."""
    (change,) = plan([LineEdit(str(file), 1, "one", "1")])
    file.write_text("other\n", encoding="utf-8")
    assert not change.write()
    assert "other\n" == file.read_text(encoding="utf-8")


def test_line_endings_stay(file: Path) -> None:
    """Lines that end in CRLF keep their ending, new lines get it, and a last line without an ending gets none."""
    file.write_bytes(b"one\r\ntwo\r\nthree")
    (change,) = plan([LineEdit(str(file), 1, "one\r", "1\n1b\r"), LineEdit(str(file), 3, "three", "3")])
    assert change.write()
    assert b"1\r\n1b\r\ntwo\r\n3" == file.read_bytes()


def test_a_file_that_is_not_text_is_left_alone(tmp_path: Path) -> None:
    """A file that is not UTF-8, or does not exist, is not written, and its edits are left."""
    (tmp_path / "a.go").write_bytes(b"\xff\n")
    changes = plan([LineEdit(str(tmp_path / name), 1, "x", "y") for name in ("a.go", "b.go")])
    assert [0, 0] == [change.made for change in changes]
    assert not any(change.write() for change in changes)
    assert b"\xff\n" == (tmp_path / "a.go").read_bytes()
