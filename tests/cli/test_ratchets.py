"""A run is held to a ratchet when it can be, and raises it when it is told to."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.cli.ratchets import Ratchets
from harness.diagnostics import InputError, UsageError
from harness.events import Budget
from harness.report.model.assembly import build_report
from harness.report.model.coverage import RatchetEntry
from harness.report.model.document import Reach, Report
from harness.report.text.rules import lost_rows
from harness.subject import SubjectSpec
from tests.report import made
from tests.report.ruled import rule, ruled

LINE = "example.io/v1 Widget spec.size Invalid/maximum: accepted declarative"
SEEN = rule(declarative=("create",), accepted=True)


def held(report: Report, file: Path, operations: bool = False, update: bool = False) -> RatchetEntry:
    """Hold a report to a file and return what came of it."""
    coverage = Ratchets(file, update).compare(report, operations).coverage
    assert coverage is not None
    return coverage.ratchets[0]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A ratchet with one rule, for searches of 100 cases and more."""
    place = tmp_path / "rules.ratchet"
    place.write_text(f"cases: 100\n{LINE}\n")
    return place


def test_a_rule_that_was_not_seen_again_is_lost(file: Path) -> None:
    """Until it is seen."""
    assert (("accepted",),) == tuple(one.marks for one in held(ruled(rule(declarative=("create",))), file).lost)
    assert () == held(ruled(SEEN), file).lost


@pytest.mark.parametrize(
    ("more", "operations", "words"),
    [
        ({"cases": 99}, False, "it holds for 100 cases and more, and these were 99"),
        ({"stopped": "interrupted"}, False, "the search was broken off"),
        ({"shard": "1/2"}, False, "this is a shard; harness merge compares all of them together"),
        ({}, True, "only some operations were asked"),
    ],
)
def test_a_search_that_saw_less_by_its_nature_is_not_held_to_it(
    file: Path, more: dict[str, Any], operations: bool, words: str
) -> None:
    """And says why."""
    entry = held(ruled(rule(), **more), file, operations)
    assert ((), words) == (entry.lost, entry.skipped)


def test_kinds_that_were_not_asked_lose_nothing(file: Path) -> None:
    """`--kind` leaves the others alone."""
    assert () == held(ruled(rule(asked=False)), file).lost


def test_raising(file: Path) -> None:
    """What was not seen stays, what is new comes; the number of cases stays."""
    report = ruled(rule(handwritten=("create",)), rule(path="b", declarative=("create",)))
    assert held(report, file, update=True).updated
    assert [
        "cases: 100",
        f"example.io/v1 Widget b Invalid/maximum: declarative since {date.today()}",
        f"example.io/v1 Widget spec.size Invalid/maximum: accepted declarative handwritten since {date.today()}",
    ] == file.read_text().splitlines()[2:]


def test_a_new_file_holds_for_the_budget(tmp_path: Path) -> None:
    """Questions that follow from findings come on top of it, and differ."""
    held(ruled(SEEN, budget=Budget(None, 80)), tmp_path / "new", update=True)
    assert "cases: 80\n" in (tmp_path / "new").read_text()


def test_a_suite_has_its_ratchet_in_its_folder(tmp_path: Path, file: Path) -> None:
    """It counts without being named; a suite without one is held to nothing."""
    report = ruled(rule())
    for location, expected in ((tmp_path, [1]), (tmp_path / "elsewhere", [])):
        part = msgspec.structs.replace(report.parts[0], reach=Reach("suite", str(location)))
        coverage = Ratchets().compare(msgspec.structs.replace(report, parts=(part,))).coverage
        assert coverage is not None
        assert expected == [len(one.lost) for one in coverage.ratchets]
    assert file.is_file()


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report is not lost for it."""

    def full(place: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("harness.ratchets.lines.write_atomically", full)
    assert "could not be written: No space left" in held(ruled(SEEN), tmp_path / "f", update=True).skipped


def test_what_is_wrong_is_told_before_the_search(tmp_path: Path) -> None:
    """Not after two minutes."""
    broken = tmp_path / "broken"
    broken.write_text("no rule\n")
    with pytest.raises(InputError):
        Ratchets(broken).check([SubjectSpec("kubernetes", "1.37.1")])
    with pytest.raises(UsageError, match="--ratchet FILE"):
        Ratchets(update=True).check([SubjectSpec("kubernetes", "1.37.1")])
    Ratchets(update=True).check([SubjectSpec("suite", str(tmp_path))])


def test_without_rules_nothing_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And that is said, when a file was named."""
    assert Ratchets(tmp_path / "f").compare(build_report(made.result())).coverage is None
    assert "which declare its rules, are unknown" in capsys.readouterr().err


def test_a_lost_rule_says_since_when_it_was_seen(file: Path) -> None:
    """In the report and to people; a line without a day is older than the days are."""
    file.write_text(f"cases: 100\n{LINE} since 2026-01-02\n")
    entry = held(ruled(rule(declarative=("create",))), file)
    assert ("2026-01-02",) == tuple(one.since for one in entry.lost)
    assert [*lost_rows(entry)][1].endswith("no longer accepted, as it was since 2026-01-02")
    file.write_text(f"cases: 100\n{LINE}\n")
    assert [*lost_rows(held(ruled(rule(declarative=("create",))), file))][1].endswith("no longer accepted")
