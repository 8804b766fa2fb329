"""`--events`: a line for everything that happens, when it happens, and a log that breaks never breaks the run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness import events
from harness.cli.eventlog import EventLog
from harness.diagnostics import TargetError
from tests.cli.fakes import FakeEngine, call
from tests.report import made

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a folder and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def rows(text: str) -> list[dict[str, Any]]:
    """The lines of a log."""
    return [json.loads(line) for line in text.splitlines()]


def test_a_run_is_told_from_begin_to_end(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the last line says is what the command returns, exceptions and ratchets applied."""
    FakeEngine([made.finding()]).install(monkeypatch)
    code = call(capfd, "run", "--command", "x", "--events", "new/e.ndjson").code
    told = rows(Path("new/e.ndjson").read_text())
    assert ["started", "progress", "finding", "kind", "kind", "part", "finished"] == [row["event"] for row in told]
    assert {"command x"} == {row["subject"] for row in told[:-1]}
    assert (1, 1, "different") == (code, told[-1]["exit_code"], told[-1]["verdict"])


def test_standard_output_is_theirs_alone(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """People read standard error then; a report cannot go there too."""
    FakeEngine([made.finding()]).install(monkeypatch)
    told = call(capfd, "run", "--command", "x", "--events", "-")
    assert "finished" == rows(told.out)[-1]["event"]
    assert "Not equivalent" in told.err
    both = call(capfd, "run", "--command", "x", "--events", "-", "--json", "-")
    assert (2, "") == (both.code, both.out)
    assert "--events" in both.err


def test_a_subject_that_fails_is_told(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the message, and the run ends as it would without a log."""
    FakeEngine([made.finding()], error=TargetError("the worker is gone")).install(monkeypatch)
    code = call(capfd, "run", "--command", "x", "--events", "e.ndjson").code
    told = rows(Path("e.ndjson").read_text())
    assert "the worker is gone" in next(row["message"] for row in told if row["event"] == "failed")
    assert code == told[-1]["exit_code"]


def test_progress_is_told_now_and_then(tmp_path: Path) -> None:
    """However often the engine speaks; everything else at once."""
    now = [0.0]
    with EventLog(tmp_path / "e", clock=lambda: now[0]) as log:
        for tick in range(24):
            now[0] = tick / 4
            log.record("x", events.Progress(tick, now[0], 0, 0.1))
            log.record("x", events.Noted("n"))
        assert [0, 8, 16] == [row["cases"] for row in rows((tmp_path / "e").read_text()) if row["event"] == "progress"]
    assert 24 == sum(row["event"] == "note" for row in rows((tmp_path / "e").read_text()))


def test_a_file_that_cannot_be_opened_is_said_before_the_run(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked for a log that nobody can read."""
    engine = FakeEngine().install(monkeypatch)
    Path("e").mkdir()
    told = call(capfd, "run", "--command", "x", "--events", "e")
    assert (2, []) == (told.code, engine.calls)
    assert "--events e cannot be written" in told.err


def test_a_full_disk_ends_the_log_and_not_the_run(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report is written; the exit code says that not everything went as asked."""
    FakeEngine([made.finding()]).install(monkeypatch)
    told = call(capfd, "run", "--command", "x", "--events", "/dev/full", "--json", "r.json")
    assert told.code == 2
    assert 1 == told.err.count("the log ends here")
    assert Path("r.json").exists()


def test_a_reader_that_leaves_ends_the_log_and_not_the_run(tmp_path: Path) -> None:
    """`harness run --events - | head -1` still writes its report, and ends as it would have ended."""
    command = [
        sys.executable, "-m", "harness", "run", str(ROOT / "examples/migration"), "--max-cases", "2000", "--jobs", "1",
        "--events", "-", "--json", "r.json",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read().decode()
    assert ("started", 1) == (first["event"], process.returncode)
    assert "Traceback" not in said
    assert (tmp_path / "r.json").exists()


def test_a_real_run_tells_what_it_met_before_what_it_made_of_it(tmp_path: Path) -> None:
    """Every finding was met first, and the same run gives the same lines, times apart."""

    def lines(name: str) -> list[dict[str, Any]]:
        command = [
            sys.executable, "-m", "harness", "run", str(ROOT / "examples/migration"), "--max-cases", "3000",
            "--jobs", "1", "--events", name,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, cwd=tmp_path, timeout=120, check=False)
        assert done.returncode == 1, done.stderr
        return rows((tmp_path / name).read_text())

    first, second = lines("a"), lines("b")
    met = [(row["kind"], row["operation"], row["path"]) for row in first if row["event"] == "met"]
    found = [(row["kind"], row["operation"], row["path"]) for row in first if row["event"] == "finding"]
    assert 3 == len(found)
    assert set(found) <= set(met)
    still = [
        [
            {name: row[name] for name in row if name not in ("time", "seconds")}
            for row in one
            if row["event"] != "progress"
        ]
        for one in (first, second)
    ]
    assert still[0] == still[1]
