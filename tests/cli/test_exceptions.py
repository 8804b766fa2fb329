"""`harness exceptions`: the file is changed by the commands, and every refusal says what to do."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from harness.compare.finding import CAUSE_CODES
from harness.errormatch.exceptionfile import load_exceptions
from harness.events import Replayed
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from tests.cli.fakes import call
from tests.report import made

FILE = Path("equivalence_exceptions.yaml")
LATER = (date.today() + timedelta(days=40)).isoformat()
WORDS = ("--reason", "known: it goes with v2", "--owner", "sig-a", "--until", LATER)
TYPED = {"owner": "example.io/widgets.Spec", "member": "size"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in a folder of their own, with a cache of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def saved(name: str, *findings: Any, **more: Any) -> str:
    Path(name).write_bytes(encode(build_report(made.result(*findings, **more))))
    return name


def gone(name: str) -> str:
    """A report of a run that asked all witnesses, and met nothing."""
    witnesses = load_exceptions(FILE, date.today(), CAUSE_CODES).witnesses
    return saved(name, replayed=tuple(Replayed(one, n) for one, w in witnesses.items() for n in range(len(w.cases))))


def add(capfd: Any, *words: str) -> Any:
    return call(capfd, "exceptions", "add", *words)


def test_a_finding_is_added_listed_and_pruned(capfd: Any) -> None:
    """From the first digits of a fingerprint to an entry, its state, and its end."""
    with_it = saved("with.json", made.finding(**TYPED))
    told = add(capfd, "0123", "--report", with_it, *WORDS, "--link", "https://x")
    assert 0 == told.code, told.err
    assert "Widget spec.size FieldValueInvalid: no-rule, at worst graduation" in told.out
    [entry] = load_exceptions(FILE, date.today(), CAUSE_CODES).entries
    assert ("known: it goes with v2", "sig-a", "https://x") == (entry.reason, entry.owner, entry.link)
    without = gone("without.json")
    listed = call(capfd, "exceptions", "list", "--report", with_it).out
    assert "1 finding " in listed
    assert "1 exception, 1 used, 0 idle, 0 not tried, 1 finding tolerated" in listed
    assert "idle" in call(capfd, "exceptions", "list", "--report", without).out
    assert "nothing to remove" in call(capfd, "exceptions", "prune", "--report", with_it).out
    before = FILE.read_text()
    assert 1 == call(capfd, "exceptions", "prune", "--report", without, "--dry-run").code
    assert before == FILE.read_text()
    assert "1 removed" in call(capfd, "exceptions", "prune", "--report", without).out
    assert () == load_exceptions(FILE, date.today(), CAUSE_CODES).entries


def test_a_group_is_added_and_completed(capfd: Any) -> None:
    """A group that has an entry gets what is missing and keeps its words; twice the same adds nothing."""
    one, other = made.finding(**TYPED, cause="masked"), {**TYPED, "member": "color"}
    first = saved("first.json", one)
    both = saved("both.json", one, made.finding("f" * 12, **other, cause="masked"))
    group = json.loads(call(capfd, "exceptions", "list", "--json", "--exceptions", _empty()).out)
    assert [] == group
    name = _group(first)
    assert 0 == add(capfd, name, "--report", first, *WORDS).code
    told = add(capfd, name, "--report", both)
    assert (0, "1 rule more on example.io/widgets.Spec") == (told.code, told.out.strip().partition(": ")[2])
    [entry] = load_exceptions(FILE, date.today(), CAUSE_CODES).entries
    assert (2, "sig-a") == (len(entry.rules), entry.owner)
    assert "nothing to add" in add(capfd, name, "--report", both, *WORDS).out


def test_a_finding_that_came_back_worse_is_beyond_until_it_is_named(capfd: Any) -> None:
    """The entry tolerates a severity; a worse one breaks through, and adding the group again names it."""
    mild, bad = saved("mild.json", made.finding(**TYPED, severity="shadow")), saved("bad.json", made.finding(**TYPED))
    add(capfd, _group(mild), "--report", mild, *WORDS)
    assert "0 findings tolerated" in call(capfd, "exceptions", "list", "--report", bad).out
    add(capfd, _group(bad), "--report", bad)
    assert "1 finding tolerated" in call(capfd, "exceptions", "list", "--report", bad).out
    assert 1 == len(load_exceptions(FILE, date.today(), CAUSE_CODES).entries[0].rules)


def _group(report: str) -> str:
    from harness.report.model.grouping import group
    from harness.report.model.reading import read_report

    return group(read_report(report).findings)[0].id


def _empty() -> str:
    Path("empty.yaml").write_text("[]\n")
    return "empty.yaml"


REFUSED = [
    (("9" * 12, *WORDS), "has no cause yet, and an exception requires one\n  fix: let a run explain it"),
    (("8999",), "the report has neither a finding nor a group '8999'"),
    (("0",), "0 is a prefix of 2 fingerprints"),
    (("0123456789ab",), "missing --reason, --owner, --until"),
    (("0123456789ab", "--reason", "x"), "missing --owner, --until"),
    (("0123456789ab", "--reason", " ", "--owner", "o", "--until", LATER), "missing --reason"),
    (("0123456789ab", "--reason", "x", "--owner", "o", "--until", "2020-01-01"), "is in the past"),
    (("0123456789ab", "--reason", "x", "--owner", "o", "--until", "soon"), "does not match the format"),
]


@pytest.mark.parametrize(("words", "expected"), REFUSED)
def test_refusals(capfd: Any, words: tuple[str, ...], expected: str) -> None:
    """What is missing or wrong is said, and no file is written."""
    unexplained = made.finding("9" * 12, path="spec.color", cause="not-explained")
    report = saved("r.json", made.finding(), made.finding("0" * 12, path="spec.name"), unexplained)
    told = add(capfd, *(_group(report) if word == "GROUP" else word for word in words), "--report", report)
    assert 2 == told.code
    assert expected in told.err
    assert not FILE.exists()


def test_without_a_report_the_newest_kept_one_counts(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`harness run` keeps a report when none was asked for; without one there is a message."""
    import harness.cli.publishing as publishing

    monkeypatch.setattr(publishing, "kept_path", lambda started: Path("kept") / "x.json")
    told = add(capfd, "0123", *WORDS)
    assert (2, True) == (told.code, "no report is kept on this machine" in told.err)
    Path("kept").mkdir()
    saved("kept/1.json"), saved("kept/2.json", made.finding())
    assert 0 == add(capfd, "0123", *WORDS).code


def test_an_ended_entry_is_not_written_twice(capfd: Any) -> None:
    """Whoever wants to go on agrees on a new date in the entry that is there."""
    report = saved("r.json", made.finding(**TYPED))
    add(capfd, "0123", "--report", report, *WORDS)
    FILE.write_text(FILE.read_text().replace(LATER, "2020-01-31"))
    told = add(capfd, "0123", "--report", report, *WORDS)
    assert (2, True) == (told.code, "expired on 2020-01-31" in told.err)
    assert "expired" in call(capfd, "exceptions", "list").out


def test_json_has_every_entry_with_its_state(capfd: Any) -> None:
    """One list for other programs."""
    report = saved("r.json", made.finding(**TYPED))
    add(capfd, "0123", "--report", report, *WORDS)
    [row] = json.loads(call(capfd, "exceptions", "list", "--json", "--report", saved("n.json")).out)
    why = "the run did not ask all of its witness"
    assert ("not tried", why, 0) == (row["state"], row["why"], row["findings"])
    [row] = json.loads(call(capfd, "exceptions", "list", "--json").out)
    assert ("unknown", 40) == (row["state"], row["days"])
    told = call(capfd, "exceptions", "prune", "--report", "n.json").out
    assert f"kept: {why}" in told


@pytest.mark.parametrize(("within", "code"), [(30, 0), (40, 0), (41, 1)])
def test_what_runs_out_is_told_by_owner(capfd: Any, within: int, code: int) -> None:
    """Exit code 1 when the last day comes within so many days."""
    add(capfd, "0123", "--report", saved("r.json", made.finding()), *WORDS)
    told = call(capfd, "exceptions", "expire", "--within", str(within))
    assert code == told.code
    assert ("sig-a:\n" in told.out) == bool(code)


def test_a_file_with_mistakes_is_told_and_left_alone(capfd: Any) -> None:
    """By every command."""
    FILE.write_text("- suite: x\n")
    report = saved("r.json", made.finding())
    for words in (("list",), ("expire",), ("prune", "--report", report), ("add", "0123", "--report", report, *WORDS)):
        told = call(capfd, "exceptions", *words)
        assert (2, True) == (told.code, "exception-missing" in told.err)
    assert "- suite: x\n" == FILE.read_text()


def test_the_number_of_exceptions_may_only_fall(capfd: Any) -> None:
    """Written down once, it is lowered by an update and never raised."""
    report = saved("r.json", made.finding(), made.finding("f" * 12, path="spec.name"))
    add(capfd, "0123", "--report", report, *WORDS)
    assert "widgets_v1: 1 exception\n" == call(capfd, "exceptions", "count").out
    assert 0 == call(capfd, "exceptions", "count", "--update-ratchet").code
    add(capfd, "ffff", "--report", report, *WORDS)
    told = call(capfd, "exceptions", "count", "--update-ratchet")
    assert (1, True) == (told.code, "widgets_v1 has more exceptions than exceptions.ratchet allows" in told.err)
    assert f"widgets_v1: 2 exceptions, and at most 1 since {date.today()}" in told.out
    call(capfd, "exceptions", "prune", "--report", gone("none.json"))
    assert 0 == call(capfd, "exceptions", "count", "--update-ratchet").code
    assert "widgets_v1" not in Path("exceptions.ratchet").read_text()


def test_entries_that_are_added_at_once_are_all_there() -> None:
    """Each waits until the one before has written the file."""
    findings = [made.finding(f"{number:012x}", path=f"spec.f{number}", **TYPED) for number in range(4)]
    report = saved("report.json", *findings)
    words = [sys.executable, "-m", "harness", "exceptions", "add", "--report", report, *WORDS]
    running = [subprocess.Popen([*words, one.fingerprint]) for one in findings]
    assert [0] * len(findings) == [process.wait(120) for process in running]
    assert len(findings) == len(load_exceptions(FILE, date.today(), CAUSE_CODES).entries)


def test_a_time_without_an_end_is_refused(capfd: Any) -> None:
    """Nobody asks what runs out in a million years."""
    told = call(capfd, "exceptions", "expire", "--within", "99999999999")
    assert 2 == told.code
    assert "is not in the range" in told.err
