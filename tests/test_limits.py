"""Whatever is handed in ends: in a value within the limits, or in one message that says where and what to do."""

from __future__ import annotations

import io
import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.diagnostics import InputError
from harness.limits import (
    DEEPEST,
    MAX_NODES,
    MAX_SOURCE,
    check_yaml,
    decode_bounded,
    lines_of,
    read_bounded,
    read_bounded_text,
    read_checkout,
    read_checkout_text,
    read_stream,
)

BOMB = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in itertools.pairwise("abcdefghij")
)
"""Ten lines that stand for 9 ** 9 lists."""


def test_a_file_within_its_limit_is_read_to_its_last_byte(tmp_path: Path) -> None:
    """As many bytes as are allowed are; one more is too many, and the message says how many there are."""
    file = tmp_path / "a"
    file.write_bytes(b"x" * 100)
    assert b"x" * 100 == read_bounded(file, 100)
    with pytest.raises(InputError, match="input-limit: it has 100 bytes, and at most 99 are read"):
        read_bounded(file, 99)


def test_a_file_that_never_ends_is_left(tmp_path: Path) -> None:
    """A device has no size that could be asked for."""
    with pytest.raises(InputError, match="it goes on after 1,000 bytes"):
        read_bounded("/dev/zero", 1000)
    with open("/dev/zero", "rb") as stream, pytest.raises(InputError, match="-: input-limit"):
        read_stream(stream, "-", 1000)


def test_lines_may_go_on_and_a_line_may_not() -> None:
    """A stream of cases ends when its writer ends it."""
    assert [b"ab\n", b"c"] == list(lines_of(io.BytesIO(b"ab\nc"), "-", 3))
    with pytest.raises(InputError, match="-: input-limit: it goes on after 3 bytes"):
        list(lines_of(io.BytesIO(b"a\nabcd"), "-", 3))


def test_a_pipe_is_not_waited_for_where_only_files_are_meant(tmp_path: Path) -> None:
    """It may have no writer."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no regular file"):
        read_bounded(tmp_path / "pipe", is_regular=True)


def test_a_name_with_a_nul_is_no_file() -> None:
    """It is told as any other file that cannot be read."""
    with pytest.raises(OSError, match="no name of a file"):
        read_bounded("a\0b")


def test_text_has_one_kind_of_line_end(tmp_path: Path) -> None:
    """As Python's own reader gives it."""
    (tmp_path / "a").write_bytes(b"a\r\nb\rc\n")
    assert (tmp_path / "a").read_text() == read_bounded_text(tmp_path / "a")


@pytest.mark.parametrize("depth", [DEEPEST, DEEPEST + 1, 100_000])
@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_depth_has_a_limit(depth: int, pair: str) -> None:
    """The same for JSON and for YAML, for lists and for objects."""
    inner = '{"a":' if pair == "{}" else "["
    text = (inner * depth + "1" + pair[1] * depth).encode()
    if depth <= DEEPEST:
        check_yaml(text.replace(b":", b": "), "f")
        assert decode_bounded(text, "f")
        return
    with pytest.raises(InputError, match=rf"f:7: input-limit: .* more than {DEEPEST} deep"):
        decode_bounded(text, "f", 7)
    with pytest.raises(InputError, match=rf"f:1: input-limit: .* more than {DEEPEST} deep"):
        check_yaml(text.replace(b":", b": "), "f")


def test_an_alias_counts_as_what_it_stands_for() -> None:
    """So that a few lines cannot fill the memory; a few aliases are what people write."""
    with pytest.raises(InputError, match=rf"f:8: input-limit: it stands for more than {MAX_NODES:,} values"):
        check_yaml(BOMB, "f")
    check_yaml("a: &a {b: [1, 2]}\nc: [*a, *a]\nd: {<<: *a}\n", "f")


def test_an_alias_of_itself_is_refused() -> None:
    """It stands for something without an end."""
    with pytest.raises(InputError, match="it would never end"):
        check_yaml("a: &a\n  b: [*a]\n", "f")


def test_many_values_have_a_limit() -> None:
    """Wide is as bad as deep."""
    with pytest.raises(InputError, match="more than 10 values"):
        decode_bounded(b"[" + b"1," * 10 + b"1]", "f", most_nodes=10)


@pytest.mark.parametrize("text", ["a: [1,\n", "a: *b\n", "\x01", b"\xff\xfe\xff"])
def test_what_is_no_yaml_is_left_to_the_reader(text: str | bytes) -> None:
    """Who has better words for it."""
    check_yaml(text, "f")


@pytest.mark.parametrize("read", [read_checkout, read_checkout_text])
def test_no_pipe_or_device_of_a_checkout_is_read(read: Callable[[Path], object], tmp_path: Path) -> None:
    """A link to what never ends, and a pipe that nobody writes to, end in a diagnostic at their names."""
    pipe, link = tmp_path / "go.mod", tmp_path / "types.go"
    os.mkfifo(pipe)
    link.symlink_to("/dev/zero")
    for place in (pipe, link):
        with pytest.raises(InputError) as refused:
            read(place)
        assert [(str(place), "input-limit")] == [(d.position.file, d.code) for d in refused.value.diagnostics]
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing")


def test_a_source_without_an_end_is_not_read(tmp_path: Path) -> None:
    """A file with a hole takes no room on a disk, and all of the memory."""
    huge = tmp_path / "go.mod"
    with huge.open("wb") as file:
        file.truncate(MAX_SOURCE + 1)
    with pytest.raises(InputError, match="bytes"):
        read_checkout(huge)


def test_the_text_of_a_source_has_line_feeds(tmp_path: Path) -> None:
    """Whatever bytes it has otherwise."""
    file = tmp_path / "a.go"
    file.write_bytes(b"a\r\nb\rc\xff")
    assert "a\nb\nc\ufffd" == read_checkout_text(file)
