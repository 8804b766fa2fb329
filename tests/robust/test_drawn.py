"""Hostile workers and suites: a few fixed ones of each here, thousands with `python -m tests.robust`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from tests.robust import drawn, machine, truth, workers
from tests.robust.commands import Fault, Said, Stage
from tests.robust.suites import WAYS

NOTHING: frozenset[str] = frozenset()


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A project that every fault gets a copy of."""
    return Stage(tmp_path_factory.mktemp("stage"))


@pytest.mark.parametrize("seed", range(2))
def test_no_worker_breaks_a_promise(seed: int, stage: Stage) -> None:
    """Whatever a program says or does, the verdict is right, and what was planted beside it is in the report."""
    for fault in islice(workers.faults(seed), 6):
        stage.play(fault)


@pytest.mark.parametrize("seed", range(2))
def test_no_suite_breaks_a_promise(seed: int, stage: Stage) -> None:
    """Whatever the code of a suite does, the verdict is right, and what was planted beside it is in the report."""
    for fault in islice(drawn.faults(seed), 6):
        stage.play(fault)


@pytest.mark.parametrize("faults", [workers.faults, drawn.faults])
def test_the_same_seed_draws_the_same_faults(faults: Callable[[int], Iterator[Fault]]) -> None:
    """What is drawn is found again, and another seed draws others."""
    first, again, other = ([(one.argv, dict(one.files)) for one in islice(faults(n), 20)] for n in (1, 1, 2))
    assert first == again
    assert first != other


def test_every_fault_is_drawn() -> None:
    """Each way to misbehave has its turn."""
    names = " ".join(fault.name for fault in islice(workers.faults(1), 4000))
    every = (*workers.HARMLESS, *workers.LIES, *workers.DEADLY, *workers.BAD, *workers.TEXTS, *workers.ODD)
    assert [] == [one for one in every if f"'{one}'" not in names]
    assert [] == [one for one in workers.STARTS if f"worker {one} " not in names]
    assert {fault.name.split()[1] for fault in islice(drawn.faults(1), 4000)} == drawn.EVERY.keys()
    assert drawn.HARM | drawn.HARMLESS <= drawn.EVERY.keys()
    assert WAYS.keys() <= drawn.EVERY.keys()


@pytest.mark.parametrize(
    ("code", "said", "found", "promise"),
    [
        (0, ["planted"], [], "a planted difference"),
        (1, ["planted"], [{"path": "spec.name", "cause": "path"}], "is in the report"),
        (0, ["did exit"], [], "again and again"),
        (1, ["did slow"], [{"path": "spec.name", "cause": "path", "detail": ""}], "an honest program"),
        (0, [], [{"path": "spec.size", "cause": "path", "fingerprint": "a"}], "exit code 1"),
        (1, ["planted"], None, "writes its report"),
        (1, ["did odd"], [], "has a finding"),
        (1, ["did flaky"], [{"path": "spec.tags", "cause": "wrong-path"}], "shows again only"),
    ],
)
def test_a_broken_promise_is_seen(
    code: int, said: list[str], found: list[dict[str, str]] | None, promise: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """What is checked is seen to fail, and to hold."""
    monkeypatch.chdir(tmp_path)
    harm, strange = frozenset({"did exit"}), frozenset({"did exit", "did odd", "did flaky"})
    assert [] == list(truth.problems(0 if found is None else 2, harm=NOTHING, lies=NOTHING, strange=NOTHING))[1:]
    truth.LOG.write_text("\n".join(said))
    if found is not None:
        truth.REPORT.write_text(json.dumps({"findings": found}))
    told = list(truth.problems(code, harm=harm, lies=NOTHING, strange=strange))
    assert any(promise in one for one in told), told


def test_a_suite_with_nothing_planted_is_green(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What changes no verdict excuses no finding beside it, and neither does what was not done."""
    monkeypatch.chdir(tmp_path)
    truth.LOG.write_text("asked\ndid prints")
    truth.REPORT.write_text(
        json.dumps({"findings": [{"path": "spec.name", "cause": "boundary", "detail": "too long"}]})
    )
    told = [list(drawn.check_run(way, "validator", "value", Said(1, b"", ""))) for way in ("prints", "exits")]
    assert [["an honest program is not called different: [('spec.name', 'too long')]"]] * 2 == told


def test_a_difference_may_be_missing_where_the_program_was_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is read of a program beside a broken answer; the report says that it was given up."""
    monkeypatch.chdir(tmp_path)
    truth.LOG.write_text("planted\ndid exit")
    told = []
    for stopped in ("target-lost", "budget"):
        part = {"stopped": stopped}
        truth.REPORT.write_text(json.dumps({"findings": [{"path": "", "cause": "panic"}], "parts": [part]}))
        told.append(len(list(truth.problems(1, harm=NOTHING, lies=NOTHING, strange=frozenset({"did exit"})))))
    assert [0, 1] == told


def test_what_is_kept_elsewhere_and_told_is_left_behind_by_no_command(stage: Stage) -> None:
    """A file that could not be written is in a temporary folder that the message names."""
    assert 2 == stage.play(Fault("render", ("render", "report.json", "--junit", "thing"))).code


def test_what_a_command_leaves_behind_is_seen(stage: Stage) -> None:
    """A process that goes on is named: here one that is started while the command is looked at."""

    started: list[subprocess.Popen[bytes]] = []

    def leave(_: Said) -> list[str]:

        started.append(subprocess.Popen(["sleep", "60"]))
        return list(machine.differences({}, {}))

    try:
        with pytest.raises(AssertionError, match=r"processes are left: .*sleep 60"):
            stage.play(Fault("kinds", ("kinds", "thing"), after=leave))
    finally:
        for one in started:
            one.kill()
            one.wait()
