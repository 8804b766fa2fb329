"""How much code is not reached may only fall."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from harness.diagnostics import InputError
from harness.ratchets.code import CodeRatchet, read_code_ratchet, write_code_ratchet
from harness.ratchets.lines import Held

TODAY = date(2026, 11, 24)
BEFORE = CodeRatchet(100, {"a/validation": Held(("3",), "2026-01-02"), "b.py": Held(("1",))})


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """With the number of cases, sorted, with the days."""
    write_code_ratchet(tmp_path / "x", BEFORE)
    assert BEFORE == read_code_ratchet(tmp_path / "x")
    lines = (tmp_path / "x").read_text().splitlines()
    assert ["cases: 100", "a/validation: 3 since 2026-01-02", "b.py: 1"] == lines[2:]


def test_missing_more_is_a_loss() -> None:
    """New code without a line has nothing to lose, deleted code is none."""
    assert [("a/validation", 2, "2026-01-02")] == list(BEFORE.lost({"a/validation": 5, "b.py": 1, "c": 9}))
    assert [] == list(BEFORE.lost({"a/validation": 2}))


def test_an_update_lowers_and_never_raises() -> None:
    """What fell has a new day, what grew stays as it was, what is new is added, and what is gone goes."""
    lowered = BEFORE.lowered({"a/validation": 2, "c": 5}, 900, TODAY)
    assert CodeRatchet(100, {"a/validation": Held(("2",), "2026-11-24"), "c": Held(("5",), "2026-11-24")}) == lowered
    assert BEFORE == BEFORE.lowered({"a/validation": 9, "b.py": 1}, 900, TODAY)
    assert 900 == CodeRatchet().lowered({}, 900, TODAY).cases


def test_after_a_merge_the_least_counts(tmp_path: Path) -> None:
    """Two people lowered it, each by other objects."""
    (tmp_path / "x").write_text("a: 12\na: 9\n")
    assert [("a", 1, "")] == list(read_code_ratchet(tmp_path / "x").lost({"a": 10}))


@pytest.mark.parametrize("line", ["a: many", "a", "a: -1", "<<<<<<< ours", "a b: 1"])
def test_a_line_that_is_none_is_told(tmp_path: Path, line: str) -> None:
    """With its place."""
    (tmp_path / "x").write_text(f"a: 1\n{line}\n")
    with pytest.raises(InputError) as told:
        read_code_ratchet(tmp_path / "x")
    assert "x:2: ratchet-line" in str(told.value)


def test_what_was_asked_is_kept(tmp_path: Path) -> None:
    """On a line of its own, which an update does not lose; two of them are of two runs."""
    asked = CodeRatchet(5, {"a": Held(("1",), "2026-01-02")}, "kubernetes 1.37.1 --kind pods")
    write_code_ratchet(tmp_path / "x", asked)
    assert asked == read_code_ratchet(tmp_path / "x")
    assert "asked: kubernetes 1.37.1 --kind pods" in (tmp_path / "x").read_text().splitlines()
    assert asked.asked == asked.lowered({"a": 1}, 9, TODAY).asked
    assert "all" == asked.lowered({"a": 1}, 9, TODAY, "all").asked
    (tmp_path / "x").write_text("asked: one\nasked: one\na: 1\nasked: two\n")
    with pytest.raises(InputError) as told:
        read_code_ratchet(tmp_path / "x")
    assert "x:4: ratchet-line" in str(told.value)
