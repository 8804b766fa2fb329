"""The ratchet file: one line a rule, never lower."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from harness.diagnostics import InputError
from harness.ratchets.lines import Held
from harness.ratchets.rules import Ratchet, kind_of, marks_of, read_ratchet, write_ratchet

A, B, OTHER = "g/v1 K spec.a Required", "g/v1 K spec.b Invalid/maximum", "v1 L (object) Invalid/union"
DAY, TODAY = "2026-01-02", date(2026, 11, 21)
BEFORE = Ratchet(100, {A: Held(("accepted", "declarative"), DAY), OTHER: Held(("declarative",))})
KIND = {"g/v1 K"}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """Lines are sorted, whatever the order was."""
    file = tmp_path / "rules.ratchet"
    ratchet = Ratchet(7, {OTHER: Held(("declarative",)), A: Held(("accepted",), DAY)})
    write_ratchet(file, ratchet)
    assert read_ratchet(file) == ratchet
    assert file.read_text().splitlines()[2:] == ["cases: 7", f"{A}: accepted since {DAY}", f"{OTHER}: declarative"]


def test_a_file_that_is_not_there_is_empty(tmp_path: Path) -> None:
    """The first update makes it."""
    assert read_ratchet(tmp_path / "rules.ratchet") == Ratchet()


def test_what_is_missing_is_lost() -> None:
    """Mark by mark, and only of kinds that were asked."""
    assert [*BEFORE.lost({A: ("declarative",)}, KIND)] == [(A, ("accepted",), DAY)]
    assert [*BEFORE.lost({A: ("declarative", "accepted", "rejected")}, KIND)] == []
    assert [*BEFORE.lost({A: ()}, {"v1 M"})] == []


def test_a_rule_that_is_declared_no_more_is_lost() -> None:
    """Somebody took a tag away."""
    assert [*BEFORE.lost({B: ("declarative",)}, KIND)] == [(A, ("declared",), DAY)]


def test_raising_adds_and_never_lowers() -> None:
    """What was not seen now stays; what is declared no more goes, if its kind was asked."""
    raised = BEFORE.raised({A: ("rejected",), B: ("declarative",)}, KIND, 999, TODAY)
    assert raised == Ratchet(100, {
        A: Held(("accepted", "declarative", "rejected"), "2026-11-21"), B: Held(("declarative",), "2026-11-21"),
        OTHER: Held(("declarative",)),
    })  # fmt: skip
    assert A not in BEFORE.raised({B: ()}, KIND, 0, TODAY).rules
    assert B not in BEFORE.raised({B: ()}, KIND, 0, TODAY).rules


def test_a_line_that_does_not_change_keeps_its_day() -> None:
    """So that an update changes only the lines of rules of which more was seen."""
    again = BEFORE.raised({A: ("accepted",)}, KIND, 0, TODAY)
    assert (BEFORE.rules[A], BEFORE.rules[OTHER]) == (again.rules[A], again.rules[OTHER])


def test_the_first_raising_says_how_many_cases_it_took() -> None:
    """A shorter search is not held to it."""
    assert Ratchet().raised({}, KIND, 500, TODAY).cases == 500


@pytest.mark.parametrize(
    "line",
    ["<<<<<<< ours", f"{A}: accepted since then", f"{A}: sometimes", f"{A}", "cases: many", "v1 K spec.a: declarative"],
)
def test_a_line_that_is_none_is_told(tmp_path: Path, line: str) -> None:
    """With its place; nothing is skipped in silence."""
    file = tmp_path / "rules.ratchet"
    file.write_text(f"# comment\n\n{A}: accepted\n{line}\n")
    with pytest.raises(InputError) as caught:
        read_ratchet(file)
    assert [(one.code, one.position.line) for one in caught.value.diagnostics] == [("ratchet-line", 4)]


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    """As is a folder."""
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for name in ("bytes", "."):
        with pytest.raises(InputError, match="cannot be read"):
            read_ratchet(tmp_path / name)


def test_both_sides_of_a_merge_count(tmp_path: Path) -> None:
    """Two people raised one rule: both lines stand after the merge, and mean both, since the earlier day."""
    file = tmp_path / "rules.ratchet"
    file.write_text(f"cases: 5\n{A}: accepted since 2026-11-21\n{A}: declarative since {DAY}\n")
    assert read_ratchet(file).rules == {A: Held(("accepted", "declarative"), DAY)}


def test_names() -> None:
    """A rule's kind, and its marks in order."""
    assert (kind_of(OTHER), marks_of([("rejected", 1), ("accepted", True), ("declarative", ())])) == (
        "v1 L", ("accepted", "rejected")
    )  # fmt: skip
