"""Whatever a worker does, no case is lost, and the one that kills it is named."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from harness.case import Answer, Case, Operation
from harness.diagnostics import TargetError
from harness.targets.life import OWN_END, Life
from harness.targets.limits import Limits
from harness.targets.process import WorkerProcess
from harness.targets.wire import MAX_EQUAL

WORKER = Path(__file__).parent.parent / "workers" / "odd_worker.py"


def worker(
    mode: str = "honest", case_timeout: float = 5.0, start_timeout: float = 20.0, **others: Any
) -> WorkerProcess:
    """Start the odd worker in a mode."""
    limits = Limits(case=case_timeout, start=start_timeout, **others)
    return WorkerProcess([sys.executable, str(WORKER), mode], limits=limits)


def cases(count: int, **odd: str) -> list[Case]:
    """Cases 0 to count-1; `n7="exit"` makes the seventh exit."""
    bodies = [{"n": n} | ({"do": odd[f"n{n}"]} if f"n{n}" in odd else {}) for n in range(count)]
    return [Case(id=5, group="g", version="v1", kind="K", operation=Operation.CREATE, object=body) for body in bodies]


def fields(answers: Sequence[Answer]) -> list[str]:
    """What was answered: the field of the only error, or the stage of the failure."""
    return [a.failure.stage if a.failure else a.handwritten[0].field for a in answers]


def test_answers_come_in_the_order_of_the_cases_under_the_callers_ids() -> None:
    """Ids of callers may repeat; each case gets its own answer."""
    with worker() as target:
        answers = target.ask(cases(50))
    assert [str(n) for n in range(50)] == fields(answers)
    assert {5} == {answer.id for answer in answers}


def test_many_batches_are_in_flight() -> None:
    """Batches may be collected in any order, and a full pipe blocks neither side."""
    with worker() as target:
        batches = [target.submit(cases(200)) for _ in range(20)]
        results = [batch.result() for batch in reversed(batches)]
    assert [len(result) for result in results] == [200] * 20


def test_cases_that_fit_the_pipe_are_written_at_once() -> None:
    """The calling thread writes them; the rest is written later by another thread, without blocking the caller."""
    pipes = subprocess.PIPE
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    process = subprocess.Popen(command, stdin=pipes, stdout=pipes, stderr=pipes, start_new_session=True, bufsize=0)
    life = Life(process)
    assert process.stdin is not None
    try:
        life.send(b"x" * 100)
        there = array("i", [0])
        fcntl.ioctl(process.stdin.fileno(), termios.FIONREAD, there)
        assert [100] == list(there)
        for _ in range(3):
            life.send(b"x" * (2 << 20))
    finally:
        life.kill(0.0)


def test_an_empty_batch_is_answered() -> None:
    """Nothing asked, nothing answered, at once."""
    with worker() as target:
        assert target.ask([]) == []


def test_answers_out_of_order_are_sorted() -> None:
    """A worker that answers backwards loses nothing."""
    with worker("backwards") as target:
        assert [str(n) for n in range(30)] == fields(target.ask(cases(30)))


@pytest.mark.parametrize("odd", ["exit", "rubbish", "hang", "unknown-id", "contradiction", "endless"])
def test_the_killing_case_is_found_and_no_other_is_lost(odd: str) -> None:
    """One case breaks the worker: it alone fails, in this batch and in those behind it."""
    notes: list[str] = []
    argv = [sys.executable, str(WORKER), "honest"]
    with WorkerProcess(argv, limits=Limits(case=1.0, line=300_000), note=notes.append) as target:
        first, second = target.submit(cases(16, n5=odd)), target.submit(cases(8))
        answers, others = first.result(), second.result()
        assert target.restarts > 0
    assert [str(n) if n != 5 else "worker" for n in range(16)] == fields(answers)
    assert [str(n) for n in range(8)] == fields(others)
    failure = answers[5].failure
    assert failure is not None
    assert failure.panic
    assert notes
    assert all("restarted" in note for note in notes)


def test_the_first_suspect_costs_few_restarts() -> None:
    """A worker that answers as it goes shows its killer by the first case without an answer: no long search."""
    with worker() as target:
        answers = target.ask(cases(64, n40="exit"))
        assert target.restarts == 2
    assert [n for n in range(64) if answers[n].failure] == [40]


@pytest.mark.parametrize("seed", range(2))
def test_any_mixture_of_oddities_costs_the_odd_cases_only(seed: int) -> None:
    """Several batches in flight, odd cases of every sort among them: each odd one fails, every other is answered."""
    random = Random(seed)
    sorts = ("exit", "rubbish", "unknown-id", "contradiction", "bad-level", "twice", "noise")
    odd = [{f"n{random.randrange(39)}": random.choice(sorts) for _ in range(2)} for _ in range(2)]
    with worker() as target:
        batches = [target.submit(cases(40, **some)) for some in odd]
        results = [fields(batch.result()) for batch in batches]
    harmless = ("twice", "noise")
    for some, result in zip(odd, results, strict=True):
        wrong = {int(name[1:]) for name, sort in some.items() if sort not in harmless}
        assert [str(n) if n not in wrong else "worker" for n in range(40)] == result


def test_several_killing_cases_are_each_found() -> None:
    """Of two cases that kill the worker, both are found, and the cases between them are answered."""
    with worker() as target:
        answers = target.ask(cases(9, n2="exit", n6="exit"))
    assert fields(answers) == ["0", "1", "worker", "3", "4", "5", "worker", "7", "8"]


def test_an_answer_that_breaks_the_protocol_fails_alone() -> None:
    """The worker is not restarted, because the line names the case; the message has the reason."""
    with worker() as target:
        answers = target.ask(cases(5, n2="bad-level"))
        assert target.restarts == 0
    assert fields(answers) == ["0", "1", "worker", "3", "4"]
    assert answers[2].failure is not None
    assert "$.handwritten[0].level" in answers[2].failure.message


def test_a_worker_killed_from_outside_loses_nothing() -> None:
    """If the worker is killed from outside, all cases are answered, and none has a failure."""
    notes: list[str] = []
    with WorkerProcess([sys.executable, str(WORKER), "honest"], note=notes.append) as target:
        target.ask(cases(3))
        os.killpg(target._life.process.pid, signal.SIGKILL)
        batches = [target.submit(cases(300)) for _ in range(3)]
        os.killpg(target._life.process.pid, signal.SIGKILL)
        results = [batch.result() for batch in batches]
        assert target.restarts > 0
    assert [fields(result) for result in results] == [[str(n) for n in range(300)]] * 3
    assert "SIGKILL" in notes[0]


def test_an_object_that_is_not_json_fails_alone() -> None:
    """A lone surrogate, a foreign object and a list that holds itself stay here; the others are answered."""
    loop: list[object] = []
    loop.append(loop)
    bodies: list[object] = [{"n": 0}, "\ud800", object(), loop, {"n": 4}]
    batch = [Case(id=n, group="", version="v1", kind="K", operation=Operation.CREATE, object=b)
             for n, b in enumerate(bodies)]  # fmt: skip
    with worker() as target:
        answers = target.ask(batch)
    assert fields(answers) == ["0", "decode", "decode", "decode", "4"]
    assert [answer.id for answer in answers] == [0, 1, 2, 3, 4]


def test_no_process_is_left_behind(tmp_path: Path) -> None:
    """After close the worker, and what it started, is gone: the last writer of a named pipe closes it."""
    os.mkfifo(tmp_path / "held")
    reader = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    target = WorkerProcess([sys.executable, str(WORKER), "forks", str(tmp_path / "held")])
    with pytest.raises(BlockingIOError):
        os.read(reader, 1)
    target.close()
    assert select.select([reader], [], [], 5.0)[0] == [reader]
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_a_worker_that_many_cases_kill_may_go_on() -> None:
    """As long as it still answers what it answered before, it is not given up by its silence."""
    with worker(silent=2) as target:
        target.ask(cases(1))
        killers = {f"n{n}": "exit" for n in range(8)}
        answers = target.ask(cases(10, **killers))
    assert fields(answers) == ["worker"] * 8 + ["8", "9"]


def test_a_failure_has_the_stderr_of_a_dead_worker() -> None:
    """It has the way in which the worker ended and a line that it printed before."""
    with worker() as target:
        (answer,) = target.ask(cases(1, n0="exit"))
    assert answer.failure is not None
    assert "exit code 7" in answer.failure.message
    assert "fatal: told to" in answer.failure.message


@pytest.mark.parametrize("odd", ["twice", "noise"])
def test_harmless_oddities_lose_nothing(odd: str) -> None:
    """A doubled answer and a flood on stderr change no other answer."""
    with worker() as target:
        assert [str(n) for n in range(10)] == fields(target.ask(cases(10, n3=odd)))
        assert target.restarts == 0


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("dies", "out of luck"),
        ("silent", "printed nothing"),
        ("rubbish", "'hello'"),
        ("protocol", "protocol 99"),
    ],
)
def test_a_worker_that_does_not_greet_is_an_error(mode: str, words: str) -> None:
    """The error has the reason, and check-worker as a fix."""
    with pytest.raises(TargetError, match=words) as error:
        worker(mode, start_timeout=1.0 if mode == "silent" else 20.0)
    assert "check-worker" in error.value.fix


def test_a_missing_program_is_named() -> None:
    """A program that is not there gives a message, not a traceback."""
    with pytest.raises(TargetError, match="no-such-program"):
        WorkerProcess(["no-such-program"])


def test_programs_that_cannot_start_have_different_fixes(tmp_path: Path) -> None:
    """Not executable, no interpreter, no folder."""
    script = tmp_path / "script"
    script.write_text("no program")
    with pytest.raises(TargetError, match="chmod"):
        WorkerProcess([str(script)])
    script.chmod(0o755)
    with pytest.raises(TargetError, match="env node"):
        WorkerProcess([str(script)])
    with pytest.raises(TargetError, match="does not exist"):
        WorkerProcess([sys.executable], cwd=tmp_path / "nowhere")
    with pytest.raises(TargetError, match="no worker is named"):
        WorkerProcess([])


def test_a_hopeless_worker_is_given_up() -> None:
    """A worker that dies on every case is restarted a limited number of times; the error has the last reason."""
    with worker("always-dies", silent=5) as target:
        answers = target.ask(cases(64))
        with pytest.raises(TargetError, match="6 times without giving any answer"):
            target.ask(cases(1))
    blamed = [answer.failure is not None and answer.failure.panic for answer in answers]
    assert blamed[0]
    assert not blamed[-1]
    assert answers[-1].failure is not None
    assert "not asked" in answers[-1].failure.message


@pytest.mark.parametrize("mode", ["one-answer", "swaps"])
def test_a_worker_that_makes_little_progress_is_given_up(mode: str) -> None:
    """One that dies after every answer, and one that mixes up ids, is restarted so often and no more."""
    notes: list[str] = []
    argv, limits = [sys.executable, str(WORKER), mode], Limits(case=5.0, restarts=6)
    with WorkerProcess(argv, limits=limits, note=notes.append) as target:
        assert ["0", "1", "2"] == fields(target.ask(cases(100)))[:3]  # what was answered until then is told
        with pytest.raises(TargetError) as given_up:
            target.ask(cases(1))
    assert "it was restarted 7 times for" in given_up.value.message
    assert 5 == len(notes)


def test_a_hang_that_was_seen_is_waited_for_less() -> None:
    """What was waited for in vain is counted, and beyond the limit it is over."""
    with worker(case_timeout=0.5, waiting=2.0) as target:
        target.ask(cases(2))
        answers = target.ask(cases(40, **{f"n{n}": "hang" for n in range(1, 40)}))
        with pytest.raises(TargetError, match="in vain for more than 2 seconds"):
            target.ask(cases(1))
    assert ["0", "worker"] == fields(answers[:2])


def test_a_process_that_holds_the_pipes_does_not_block() -> None:
    """A worker that exited has ended, even if a process that it started keeps its pipes open in another session."""
    with worker(case_timeout=60.0) as target:
        answers = target.ask(cases(5, n2="orphan"))
    assert ["0", "1", "worker", "3", "4"] == fields(answers)
    assert answers[2].failure is not None
    assert "exit code 7" in answers[2].failure.message


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell which processes there are")
def test_a_worker_that_starts_process_after_process_is_stopped() -> None:
    """They are counted while it lets us wait; the case that makes it start them is blamed."""
    with worker(case_timeout=60.0, processes=8) as target:
        answers = target.ask(cases(3, n1="bomb"))
    assert ["0", "worker", "2"] == fields(answers)
    assert answers[1].failure is not None
    assert "more than the 8 it may have" in answers[1].failure.message


def test_an_answer_with_too_many_errors_fails_alone() -> None:
    """It is not kept, no crash, and the worker is not restarted; the message has both numbers."""
    with worker(errors=100) as target:
        answers = target.ask(cases(5, n2="errors"))
        assert target.restarts == 0
    assert ["0", "1", "limit", "3", "4"] == fields(answers)
    assert answers[2].failure is not None
    assert "1,000 errors, more than the 100 that are taken" in answers[2].failure.message
    assert not answers[2].failure.panic


def test_an_answer_that_repeats_one_error_is_an_answer() -> None:
    """Checks that compare all items with one another say the same hundreds of times: a few of those are enough."""
    with worker(errors=100) as target:
        answers = target.ask(cases(12, **{f"n{n}": "repeats" for n in range(12)}))
    assert [MAX_EQUAL] * 12 == [len(one.handwritten) for one in answers]
    assert [None] * 12 == [one.failure for one in answers]


def test_large_answers_of_one_batch_have_a_limit() -> None:
    """Four times what one answer may have is kept of a batch; the rest of its large ones fail."""
    with worker(errors=100) as target:
        answers = target.ask(cases(12, **{f"n{n}": "many" for n in range(12)}))
        again = target.ask(cases(1, n0="many"))
    assert ["0", "1", "2", "3", "4", *["limit"] * 7] == fields(answers)
    assert ["0"] == fields(again)


@pytest.mark.parametrize("todo", ["exit", "bad-level"])
def test_a_worker_most_of_whose_answers_fail_is_given_up(todo: str) -> None:
    """The answers until then are returned; then every call raises an error with the share of failed answers."""
    with worker(judged=10, failed=0.5) as target:
        assert ["worker"] * 6 == fields(target.ask(cases(12, **{f"n{n}": todo for n in range(8)})))[:6]
        with pytest.raises(TargetError, match="more than 50% of its answers failed"):
            target.ask(cases(1))


def test_a_closed_worker_says_so() -> None:
    """Closing twice is fine, asking afterwards is an error for people."""
    target = worker()
    target.close()
    target.close()
    with pytest.raises(TargetError, match="closed"):
        target.submit(cases(1))


def test_waiting_returns_when_a_worker_ended() -> None:
    """A dead worker is not mistaken for a slow one near the end of a run."""
    with worker() as target:
        pending = target.submit(cases(3, n1="exit"))
        assert pending.wait(3600.0)
        assert ["0", "worker", "2"] == fields(pending.result())
        assert target.restarts > 0


def test_waiting_returns_when_a_worker_hangs() -> None:
    """A worker without an answer for the time limit of a batch is not a slow one."""
    with worker(case_timeout=0.5) as target:
        pending = target.submit(cases(3, n1="hang"))
        assert pending.wait(3600.0)
        assert ["0", "worker", "2"] == fields(pending.result())


def test_a_worker_that_closes_its_output_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """How it ended is worth a second, but not at every restart: it goes on for ever."""
    waits: list[float] = []
    kill = Life.kill

    def counted(life: Life, patience: float = OWN_END) -> None:
        waits.append(patience)
        kill(life, patience)

    monkeypatch.setattr(Life, "kill", counted)
    with worker() as target:
        answers = target.ask(cases(6, n2="closes"))
        restarts = target.restarts
    assert ["0", "1", "worker", "3", "4", "5"] == fields(answers)
    assert restarts > 1
    assert [True] + [False] * (restarts - 1) == [patience == OWN_END for patience in waits[:restarts]]


def test_an_interruption_while_a_worker_ends_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while it is waited for how the worker ended: it is gone all the same."""
    with worker() as target:
        life = target._life
        target.submit(cases(1, n0="closes"))
        end = time.monotonic() + 60
        while not life.broken and time.monotonic() < end:
            time.sleep(0.01)
        wait = life.process.wait

        def interrupted(timeout: float | None = None) -> int:
            if timeout is not None:
                raise KeyboardInterrupt
            return wait()

        with monkeypatch.context() as patch:
            patch.setattr(life.process, "wait", interrupted)
            with pytest.raises(KeyboardInterrupt):
                life.kill()
    assert -signal.SIGKILL == life.process.poll()
