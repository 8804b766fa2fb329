"""The number of exceptions may only fall."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from harness.diagnostics import InputError
from harness.ratchets.exceptions import Counts, count, first, read_counts, write_counts
from harness.ratchets.lines import Held

TODAY = date(2026, 11, 21)
BEFORE = Counts({"a_v1": Held(("3",), "2026-01-02"), "b_v1": Held(("1",))})


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """Sorted, with the days."""
    write_counts(tmp_path / "x", BEFORE)
    assert BEFORE == read_counts(tmp_path / "x")
    assert ["a_v1: 3 since 2026-01-02", "b_v1: 1"] == (tmp_path / "x").read_text().splitlines()[1:]


def test_more_than_there_may_be() -> None:
    """Each suite has a number of its own, and one that is not there may have none."""
    assert {"c_v1": 2} == BEFORE.more({"a_v1": 3, "b_v1": 0, "c_v1": 2})
    assert {} == BEFORE.more({"a_v1": 1})


def test_an_update_lowers_and_never_raises() -> None:
    """What fell has a new day, what grew stays as it was, and what is gone goes."""
    assert {"a_v1": Held(("2",), "2026-11-21")} == BEFORE.lowered({"a_v1": 2, "c_v1": 5}, TODAY).suites
    assert BEFORE == BEFORE.lowered({"a_v1": 9, "b_v1": 1}, TODAY)


def test_the_first_time_all_are_written_down() -> None:
    """In order of name."""
    assert {"a": Held(("2",), "2026-11-21"), "b": Held(("1",), "2026-11-21")} == first(count("baa"), TODAY).suites


def test_after_a_merge_the_least_counts(tmp_path: Path) -> None:
    """Two people lowered it, each by another exception."""
    (tmp_path / "x").write_text("a: 12 since 2026-11-21\na: 9\n")
    assert 9 == read_counts(tmp_path / "x").held("a")


@pytest.mark.parametrize("line", ["a: many", "a", "a: -1", "=======", "a b: 1"])
def test_a_line_that_is_none_is_told(tmp_path: Path, line: str) -> None:
    """With its place."""
    (tmp_path / "x").write_text(f"# head\n{line}\n")
    with pytest.raises(InputError, match="x:2: ratchet-line"):
        read_counts(tmp_path / "x")
