"""Exceptions with witnesses, from end to end: what was found is tolerated, and unused is what shows no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.report.model.reading import read_report
from tests.cli.fakes import call
from tests.cli.test_exceptions import LATER

SUITE = Path(__file__).parents[2] / "examples" / "migration"
FILE = Path("equivalence_exceptions.yaml")
KEPT = Path("exceptions")
WORDS = ("--reason", "known: it goes with v2", "--owner", "sig-a", "--until", LATER)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in a folder of their own, with a cache of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def report(capfd: Any) -> str:
    """A search of a suite with three differences, before anything is tolerated."""
    assert 1 == call(capfd, "run", SUITE, "--max-cases", "2000", "--jobs", "1", "--json", "r.json").code
    return "r.json"


def tolerated(capfd: Any, report: str) -> list[str]:
    """Add an exception for every finding. Returns: their ids."""
    names = [finding.fingerprint for finding in read_report(report).findings]
    assert 0 == call(capfd, "exceptions", "add", *names, "--report", report, *WORDS).code
    return [row["id"] for row in json.loads(call(capfd, "exceptions", "list", "--json").out)]


def run(capfd: Any, cases: int, *more: str) -> Any:
    return call(capfd, "run", SUITE, "--max-cases", cases, "--jobs", "1", "--json", "again.json", *more)


def spoil(entry_id: str) -> None:
    """Make the cases of a witness ones that both sides accept."""
    file = KEPT / f"{entry_id}.json"
    value = json.loads(file.read_text())
    good = {"apiVersion": "backup.example.com/v1", "kind": "Backup", "metadata": {"name": "a"}}
    good["spec"] = {"schedule": "nightly", "keepDays": 7, "destination": "vault"}
    for case in value["cases"]:
        case["object"] = good
        if "old" in case:
            case["old"] = good
    file.write_text(json.dumps(value))


def test_what_is_unused_is_the_same_for_every_budget(capfd: Any, report: str) -> None:
    """One case is enough for a verdict on the exceptions, since their witnesses are asked before the search."""
    ids = tolerated(capfd, report)
    assert sorted(f"{one}.json" for one in ids) == sorted(place.name for place in KEPT.iterdir())
    for cases in (1, 2000):
        told = run(capfd, cases)
        judged = read_report("again.json").exceptions
        assert (set(ids), ()) == ({one.id for one in judged.used}, judged.failing), told.out
    spoil(ids[1])
    for cases in (1, 2000):
        assert 1 == run(capfd, cases).code
        assert [("unused", ids[1])] == [(w, one.id) for w, one in read_report("again.json").exceptions.failing]


def test_a_run_of_some_operations_judges_theirs(capfd: Any, report: str) -> None:
    """The others are not tried, and say why."""
    ids = tolerated(capfd, report)
    for one in ids:
        spoil(one)
    run(capfd, 1, "--operation", "update")
    operations = {one: json.loads((KEPT / f"{one}.json").read_text())["cases"][0]["operation"] for one in ids}
    unused = {one.id for one in read_report("again.json").exceptions.unused}
    assert {one for one, operation in operations.items() if operation == "update"} == unused
    rows = json.loads(call(capfd, "exceptions", "list", "--json", "--report", "again.json").out)
    assert {"the run was narrowed: --operation update"} == {row["why"] for row in rows if row["id"] not in unused}


def test_check_asks_without_a_search(capfd: Any, report: str) -> None:
    """It says what is idle, and prune takes it out with its witness."""
    ids = tolerated(capfd, report)
    told = call(capfd, "exceptions", "check", SUITE)
    assert (0, "3 exceptions, 3 used, 0 idle, 0 not tried") == (told.code, told.out.strip())
    spoil(ids[0])
    told = call(capfd, "exceptions", "check", SUITE)
    assert (1, True) == (told.code, f"{ids[0]}: " in told.out and "its witness no longer shows it" in told.out)
    assert 1 == call(capfd, "exceptions", "prune", SUITE, "--dry-run").code
    assert (KEPT / f"{ids[0]}.json").exists()
    assert "1 removed" in call(capfd, "exceptions", "prune", SUITE).out
    assert not (KEPT / f"{ids[0]}.json").exists()
    assert 0 == call(capfd, "exceptions", "check", SUITE).code


def test_an_entry_without_a_witness_gets_one_from_a_report(capfd: Any, report: str) -> None:
    """Until then every run says so; a report that does not show it is no help."""
    ids = tolerated(capfd, report)
    before = (KEPT / f"{ids[0]}.json").read_bytes()
    (KEPT / f"{ids[0]}.json").unlink()
    told = run(capfd, 1)
    assert (1, True) == (told.code, f"unwitnessed exception {ids[0]}" in told.out)
    assert 1 == call(capfd, "exceptions", "check", SUITE).code
    empty = json.loads(Path(report).read_text())
    Path("empty.json").write_text(json.dumps({**empty, "findings": []}))
    told = call(capfd, "exceptions", "witness", "--report", "empty.json")
    assert (1, True) == (told.code, f"{ids[0]}: no witness" in told.out)
    told = call(capfd, "exceptions", "witness", "--report", report)
    assert (0, before) == (told.code, (KEPT / f"{ids[0]}.json").read_bytes()), told.out
    assert "every exception has a witness" in told.out


def test_a_stale_witness_is_made_anew(capfd: Any, report: str) -> None:
    """From a report of a run that asked it in vain and met the finding; what belongs to no entry is told."""
    ids = tolerated(capfd, report)
    spoil(ids[2])
    (KEPT / "g0000.json").write_text("{}")
    told = run(capfd, 2000)
    assert "findings need it: harness exceptions witness --report" in told.out
    told = call(capfd, "exceptions", "witness", "--report", "again.json")
    assert (0, True) == (told.code, "g0000.json: belongs to no exception" in told.out)
    assert 0 == call(capfd, "exceptions", "check", SUITE).code


def test_what_a_witness_shows_beyond_its_entry_is_a_finding(capfd: Any, report: str) -> None:
    """However small the search: its case is asked by the search as well, and a worse severity breaks through."""
    tolerated(capfd, report)
    worst = next(one for one in read_report(report).findings if one.severity == "verdict")
    text = FILE.read_text()
    assert 1 == text.count("severity: verdict")
    FILE.write_text(text.replace("severity: verdict", "severity: shadow"))
    for place in KEPT.iterdir():  # the severity of an entry for one finding is a part of its id
        value = json.loads(place.read_text())
        if value["cases"][0]["shows"][0]["severity"] == "verdict":
            [renamed] = [row["id"] for row in _rows(capfd) if row["severity"] == "shadow"]
            (KEPT / f"{renamed}.json").write_text(json.dumps({**value, "exception": renamed}))
    assert 1 == run(capfd, 30).code
    judged = read_report("again.json")
    assert [worst.fingerprint] == [one.fingerprint for one in judged.open_findings]
    assert () == judged.exceptions.failing


def _rows(capfd: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(call(capfd, "exceptions", "list", "--json").out)
    return found


WRONG = [
    (b"{", "is not a witness"),
    (b'{"exception": "x", "suite": "s", "release": "", "cases": []}', "is the witness of 'x'"),
    (b"\xff\xfe", "is not a witness"),
    (b"[" * 5000, "is not a witness"),
]


@pytest.mark.parametrize(("data", "expected"), WRONG, ids=range(len(WRONG)))
def test_a_broken_witness_is_told(capfd: Any, report: str, data: bytes, expected: str) -> None:
    """With its file, before anything is asked."""
    [one, *_] = tolerated(capfd, report)
    (KEPT / f"{one}.json").write_bytes(data)
    for words in (("run", SUITE, "--max-cases", "1"), ("exceptions", "list"), ("exceptions", "check", SUITE)):
        told = call(capfd, *words)
        assert (2, True) == (told.code, f"exceptions/{one}.json: exception-witness: {expected}" in told.err), told.err
