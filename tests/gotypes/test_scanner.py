"""Comment groups, files that are no files, and build constraints."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.gotypes.scanner import LARGEST, ended, is_left_out, read_source, source_of


def blocks(text: str) -> list[tuple[int, int, list[str]]]:
    """First line, last line and texts of every comment group."""
    groups = source_of("types.go", text.encode()).groups
    return [(group.start, group.end, [line.text for line in group.lines]) for group in groups]


def test_neighbours_form_a_group_and_a_blank_line_ends_it() -> None:
    """Comments on consecutive lines are one group; a blank line starts another."""
    assert blocks("// a\n// b\n\n// c\n") == [(1, 2, ["a", "b"]), (4, 4, ["c"])]


def test_a_line_without_comment_ends_a_group_whatever_python_reads_it() -> None:
    """The text between two groups belongs to neither, in the oldest Python, too."""
    text = "// a\n// b\n\ttype T struct {\n\t// c\n\t// d\n\tF int\n}\n"
    assert [(1, 2, ["a", "b"]), (4, 5, ["c", "d"])] == blocks(text)
    assert [b"// a\n// b", b"// c\n\t// d"] == [found for _, found in source_of("t.go", text.encode()).comments]


def test_a_comment_of_thousands_of_lines_is_one_group() -> None:
    """However many lines are read at once."""
    assert [(1, 2500, [str(number) for number in range(2500)])] == blocks(
        "".join(f"// {number}\n" for number in range(2500))
    )


def test_comment_behind_code_is_a_group_of_its_own() -> None:
    """semantics.md#S1: a trailing comment does not join the comment on the next line."""
    assert blocks("A string // +a\n// b\nB string\n") == [(1, 1, ["+a"]), (2, 2, ["b"])]


def test_code_between_comments_separates_them() -> None:
    """Two comments on one line with code between them are two groups."""
    assert blocks("/* a */ x /* b */\n") == [(1, 1, [" a"]), (1, 1, [" b"])]


def test_markers_one_space_and_directives_are_removed() -> None:
    """`//+tag` counts, one space goes, `//go:generate x` is dropped, `//word: word` is not a directive."""
    assert blocks("//+k8s:x\n//  two\n//go:generate x\n//word: x\n") == [(1, 4, ["+k8s:x", " two", "word: x"])]


def test_blank_lines_around_and_between_are_dropped() -> None:
    """Blank comment lines at both ends go, several in a row become one."""
    assert blocks("//\n// a\n//\n//\n// b\n//\n") == [(1, 6, ["a", "", "b"])]


def test_block_comment_has_a_line_for_each_of_its_lines() -> None:
    """A comment in slashes and stars gives its lines as they stand, with their positions."""
    group = source_of("t.go", b"x\n  /* a\n +b */\n").groups[0]
    assert [(one.position.line, one.position.column, one.text) for one in group.lines] == [(2, 5, " a"), (3, 1, " +b")]


def test_markers_inside_texts_are_no_comments() -> None:
    """Slashes in strings, raw strings and runes do not start a comment."""
    assert blocks('a = "// no"\nb = `/* no\n*/`\nc = \'"\' // yes\n') == [(4, 4, ["yes"])]


def test_columns_count_characters() -> None:
    """A column is a number of characters, not of bytes."""
    assert source_of("t.go", "é // x\n".encode()).groups[0].lines[0].position.column - 1 == 5


def test_a_comment_behind_code_is_parted_from_those_below_it() -> None:
    """Adjacent lines are one group, but for the first where it stands behind code; each line has its own column."""
    groups = source_of("t.go", "type A int // é\n\t// b\n  //c\n\n// d\n".encode()).groups
    assert [["é"], ["b", "c"], ["d"]] == [[line.text for line in group.lines] for group in groups]
    assert [(1, 1), (2, 3), (5, 5)] == [(group.start, group.end) for group in groups]
    assert [(1, 15), (2, 5), (3, 5), (5, 4)] == [
        (line.position.line, line.position.column) for group in groups for line in group.lines
    ]


def test_the_end_of_an_open_comment_is_looked_for_in_text_that_is_no_utf8_too() -> None:
    """What is inside an open comment is no Go, whatever else is wrong with the file."""
    assert b"package v1\n" == ended(source_of("t.go", b"package v1\n/* \xff"))


def test_second_closest_block() -> None:
    """The second block ends one blank line above the closest, or two lines above the name when there is none."""
    source = source_of("t.go", b"// far\n\n// near\ntype A int\n\n// apart\n\ntype B int\n")
    texts = [[[line.text for line in block] for block in source.comments_above(line)] for line in (4, 8)]
    assert texts == [[["near"], ["far"]], [[], ["apart"]]]


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "go-empty", 0),
        (b" \n\t\n", "go-empty", 0),
        (b'package v1\n\nvar x = "a\xffb"\n', "go-encoding", 3),
        (b"package v1\n/* open", "go-unterminated", 2),
        (b"package v1\nvar x = `open\n", "go-unterminated", 2),
        (b'package v1\nvar x = "open\n', "go-unterminated", 2),
        (b'package v1\nvar x = "open\\"\n', "go-unterminated", 2),
        (b" " * (LARGEST + 1), "go-too-large", 0),
    ],
)
def test_unusable_files_get_a_diagnostic(tmp_path: Path, data: bytes, code: str, line: int) -> None:
    """Each way in which a file is no Go file has its code, the line and a fix."""
    file = tmp_path / "types.go"
    file.write_bytes(data)
    found = read_source(file).diagnostics
    assert [(code, line)] == [(one.code, one.position.line) for one in found]
    assert all(one.message and one.why and one.fix for one in found)


def test_unreadable_files_get_a_diagnostic(tmp_path: Path) -> None:
    """A missing file, a folder and a name that no system allows are diagnostics, not exceptions."""
    places = [tmp_path / "none.go", tmp_path, Path("a\0b")]
    assert [read_source(place).diagnostics[0].code for place in places] == ["go-unreadable"] * 3


@pytest.mark.skipif(os.name != "posix", reason="named pipes are a POSIX matter")
def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    """Something that is no regular file is refused instead of waited for."""
    os.mkfifo(tmp_path / "types.go")
    assert read_source(tmp_path / "types.go").diagnostics[0].code == "go-unreadable"


@pytest.mark.parametrize(
    ("file", "constraint", "left_out"),
    [
        ("types.go", "", False),
        ("types.go", "//go:build ignore", True),
        ("types.go", "// +build ignore", True),
        ("types.go", "//go:build !ignore", False),
        ("types.go", "//go:build !ignore_autogenerated", False),
        ("types.go", "//go:build windows || (linux && amd64)", False),
        ("types.go", "//go:build linux && !(amd64 || arm64)", True),
        ("types.go", "//go:build go1.24 && windows", True),
        ("types.go", "//go:build windows || darwin && linux", True),
        ("types.go", "//go:build ) nonsense (", False),
        ("exec_windows.go", "", True),
        ("exec_linux.go", "", False),
    ],
)
def test_build_constraints(file: str, constraint: str, left_out: bool) -> None:
    """A file counts when a build on Linux would take it."""
    assert left_out == is_left_out(source_of(file, f"{constraint}\n\npackage v1\n".encode()))
