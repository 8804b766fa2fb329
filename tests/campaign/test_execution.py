"""The result of a campaign does not depend on who computed it, in which order, and what died on the way."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from distributed import get_worker

from harness.campaign import execution
from harness.campaign.execution import Tally, connected, execute
from harness.campaign.ledger import CampaignLedger
from harness.campaign.plan import CampaignPlan
from harness.campaign.result import merge_settings
from harness.campaign.tries import RestrictedUnits, UnitTries
from harness.campaign.unitrun import RemoteResult
from harness.diagnostics import HarnessError
from harness.report.formats.json import encode

ROOT = Path(__file__).parent.parent.parent
PLAN = CampaignPlan((("migration",),), seeds=(1, 2, 3), cases=300)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of an embedded scheduler with two workers."""
    with connected(None, 2) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example migration, which has planted mistakes."""
    place = tmp_path_factory.mktemp("campaign")
    shutil.copytree(ROOT / "examples" / "migration", place / "migration")
    return place


def new_ledger(place: Path, plan: CampaignPlan = PLAN) -> CampaignLedger:
    """Begin a ledger."""
    ledger = CampaignLedger(str(place))
    ledger.create()
    ledger.add_plan(plan)
    return ledger


TIMES = frozenset({"started", "seconds", "timings", "discovery", "cases_per_second", "first", "early"})
"""The keys of a report that depend on the machine and the hour."""


def without_times(value: Any) -> Any:
    """Return a document without its times."""
    if isinstance(value, dict):
        return {key: without_times(below) for key, below in value.items() if key not in TIMES}
    return [without_times(below) for below in value] if isinstance(value, list) else value


def result(ledger: CampaignLedger) -> list[Any]:
    """The merged reports of a ledger, times left out."""
    return [without_times(msgspec.json.decode(encode(merged.report))) for merged in merge_settings(ledger)]


def test_a_campaign_is_the_same_after_a_worker_was_killed(client: Any, folder: Path, tmp_path: Path) -> None:
    """All but times; the killed worker's unit is computed by another one, and nothing twice."""
    undisturbed, disturbed = new_ledger(tmp_path / "one"), new_ledger(tmp_path / "two")
    tally = execute(undisturbed, client, folder, lambda tally: None)
    assert (3, 3, {}) == (tally.units, tally.done, tally.failed)
    pids = list(client.run(os.getpid).values())

    def kill() -> None:
        time.sleep(0.5)
        os.kill(pids[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    tally = execute(disturbed, client, folder, lambda tally: None)
    killer.join()
    assert (3, {}) == (tally.done, tally.failed)
    assert pids[0] not in client.run(os.getpid).values()
    (merged,) = result(disturbed)
    assert [merged] == result(undisturbed)
    assert "different" == merged["verdict"]
    assert tally.cases == merged["cases"] >= 900


def test_only_what_is_missing_is_computed(client: Any, folder: Path, tmp_path: Path) -> None:
    """A campaign goes on with what a ledger has, and a further plan adds to it."""
    ledger = new_ledger(tmp_path / "ledger")
    execute(ledger, client, folder, lambda tally: None)
    before = {path: path.stat().st_mtime_ns for path in Path(ledger.url, "units").iterdir()}
    whole = result(ledger)
    removed = min(before)
    removed.unlink()
    (part,) = merge_settings(ledger)
    assert 1 == len(part.missing)
    seen: list[tuple[int, int]] = []

    def note(tally: Tally) -> None:
        seen.append((tally.before, tally.done))

    tally = execute(ledger, client, folder, note)
    assert (2, 1) == (tally.before, tally.done)
    assert [(2, 0), (2, 1)] == seen
    after = {path: path.stat().st_mtime_ns for path in Path(ledger.url, "units").iterdir()}
    assert before.keys() == after.keys()
    assert {removed} == {path for path in before if before[path] != after[path]}
    assert whole == result(ledger)


def test_a_unit_that_cannot_be_computed_is_told_and_the_others_are_kept(
    client: Any, folder: Path, tmp_path: Path
) -> None:
    """With what the run said."""
    plan = msgspec.structs.replace(PLAN, targets=(("nosuch",), ("migration",)), seeds=(1,))
    tally = execute(new_ledger(tmp_path / "ledger", plan), client, folder, lambda tally: None)
    assert 1 == tally.done
    ((name, why),) = tally.failed.items()
    assert "nosuch --gates default seed 1" == name
    assert "nosuch" in why
    assert name not in why, "whoever tells it names the unit"
    assert "harness run nosuch --seed 1 --max-cases 300 --gates default" in why


def fail_on_one_worker(task: bytes) -> bytes:
    """Fail at once on the worker that is named `0`, and on no other one."""
    problem = "the disk is full" if str(get_worker().name) == "0" else ""
    return msgspec.json.encode(RemoteResult(1, problem))


def fail_everywhere(task: bytes) -> bytes:
    """Fail on each worker."""
    return msgspec.json.encode(RemoteResult(problem="the disk is full"))


def test_a_unit_that_failed_on_a_worker_is_tried_on_another_one(client: Any, folder: Path, tmp_path: Path) -> None:
    """A worker that fails at once is idle at once, and would get each unit again until it is given up."""
    plan = msgspec.structs.replace(PLAN, seeds=tuple(range(1, 31)))
    ledger = new_ledger(tmp_path / "ledger", plan)
    tally = execute(ledger, client, folder, lambda tally: None, retry=2, work=fail_on_one_worker)
    assert (30, {}) == (tally.done, tally.failed)


def test_the_workers_on_which_a_unit_failed_are_told(client: Any, folder: Path, tmp_path: Path) -> None:
    """By their addresses: each has tried before one tries again."""
    plan = msgspec.structs.replace(PLAN, seeds=(1,))
    tally = execute(new_ledger(tmp_path / "ledger", plan), client, folder, lambda tally: None, work=fail_everywhere)
    (why,) = tally.failed.values()
    assert why.startswith("the disk is full\n  tried on: tcp://")
    workers = why.partition("tried on: ")[2].split(", ")
    assert set(client.nthreads()) == set(workers[:2])
    assert workers[2] in workers[:2]


def succeed(task: bytes) -> bytes:
    """Compute nothing."""
    return msgspec.json.encode(RemoteResult(1))


def test_a_unit_is_handed_out_again_when_the_workers_that_may_try_it_have_gone(
    client: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that is started again has another address, and the scheduler would wait for the one that has gone."""
    monkeypatch.setattr(execution, "_LOOK", 0.1)
    candidates = [["tcp://127.0.0.1:9"], []]
    monkeypatch.setattr(UnitTries, "candidates", lambda self, unit, workers: candidates.pop(0))
    plan = msgspec.structs.replace(PLAN, seeds=(1,))
    tally = execute(new_ledger(tmp_path / "ledger", plan), client, folder, lambda tally: None, work=succeed)
    assert (1, {}, []) == (tally.done, tally.failed, candidates)


def test_a_scheduler_that_is_not_there_is_told() -> None:
    """With what to do; nothing waits for ever."""
    with pytest.raises(HarnessError, match=r"cannot be reached(.|\n)*fix: start it"), connected("tcp://127.0.0.1:9", 1):
        pass


def test_what_the_caller_raises_is_no_error_of_connecting() -> None:
    """A file that is missing while a campaign runs says nothing of its scheduler."""
    with pytest.raises(FileNotFoundError, match=r"^gone$"), connected(None, 1):
        raise FileNotFoundError("gone")


@pytest.mark.parametrize(
    ("address", "why"), [("foo", "missing port"), ("http://x", "unknown address scheme"), ("tcp://x:y", "invalid")]
)
def test_what_is_no_address_of_a_scheduler_is_told(address: str, why: str) -> None:
    """With what one looks like: starting a scheduler would not help."""
    words = rf"'{address}' is no address of a scheduler\n  why: .*{why}.*\n  fix: --scheduler tcp://HOST:PORT"
    with pytest.raises(HarnessError, match=words), connected(address, 1):
        pass


def start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """Start a Python module in a folder, in a session of its own."""
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-m", *words], cwd=folder, stdout=quiet, stderr=quiet, start_new_session=True
    )


def kill_after_a_unit(ledger: CampaignLedger, process: subprocess.Popen[bytes]) -> None:
    """Kill a process, as `kill -9` does, as soon as one unit is done; the test's own time limit ends the wait."""
    while not ledger.done():
        time.sleep(0.1)
    process.kill()
    process.wait()


def test_a_campaign_goes_on_after_its_command_was_killed(client: Any, folder: Path, tmp_path: Path) -> None:
    """With the embedded scheduler in it; what was done is not computed again."""
    undisturbed, disturbed = new_ledger(tmp_path / "one"), new_ledger(tmp_path / "two")
    execute(undisturbed, client, folder, lambda tally: None)
    command = start(folder, "harness", "campaign", "resume", disturbed.url, "--workers", "1")
    kill_after_a_unit(disturbed, command)
    before = {path: path.stat().st_mtime_ns for path in Path(disturbed.url, "units").glob("*.gz")}
    tally = execute(disturbed, client, folder, lambda tally: None)
    assert len(before) == tally.before >= 1
    assert before.items() <= {path: path.stat().st_mtime_ns for path in Path(disturbed.url, "units").iterdir()}.items()
    assert result(undisturbed) == result(disturbed)


def test_a_campaign_goes_on_after_its_scheduler_was_killed(client: Any, folder: Path, tmp_path: Path) -> None:
    """The command ends and says how to go on, with another scheduler as well."""
    undisturbed, disturbed = new_ledger(tmp_path / "one"), new_ledger(tmp_path / "two")
    execute(undisturbed, client, folder, lambda tally: None)
    place = tmp_path / "scheduler.json"
    words = ("--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(place))
    scheduler = start(folder, "distributed.cli.dask_scheduler", *words)
    while not place.exists() or not place.read_bytes().endswith(b"}"):
        time.sleep(0.1)
    address = msgspec.json.decode(place.read_bytes())["address"]
    worker = start(folder, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard")
    try:
        with connected(address, 1) as other:
            killer = threading.Thread(target=kill_after_a_unit, args=(disturbed, scheduler))
            killer.start()
            with pytest.raises(HarnessError, match=r"cannot be reached(.|\n)*harness campaign resume"):
                execute(disturbed, other, folder, lambda tally: None)
            killer.join()
    finally:
        for process in (scheduler, worker):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    tally = execute(disturbed, client, folder, lambda tally: None)
    assert 1 <= tally.before < tally.units
    assert result(undisturbed) == result(disturbed)


def test_a_scheduler_without_workers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once each time that the last one goes; the command waits, for one may come."""
    monkeypatch.setattr(execution, "_LOOK", 0.01)
    told: list[str] = []

    class Workers:
        """Says how many threads each worker has: one worker, none, one, none, and then the scheduler is gone."""

        def __init__(self) -> None:
            self.answers = [{"a": 1}, {}, {}, {"a": 1}, {}]

        def nthreads(self) -> dict[str, int]:
            """Return the next answer."""
            if not self.answers:
                raise OSError("closed")
            return self.answers.pop(0)

    watch = execution._WorkerWatch(Workers(), told.append, RestrictedUnits())
    watch.start()
    watch.join(10)
    assert not watch.is_alive()
    assert 2 == len(told)
    assert "no worker is left" in told[0]
