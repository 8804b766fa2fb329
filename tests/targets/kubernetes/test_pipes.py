"""How the worker of a release reads and writes: the same answers wherever lines come from, and none held back."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import subprocess
import tty
from pathlib import Path
from typing import Any

import pytest

from harness.targets.kubernetes.build import worker_for
from harness.targets.kubernetes.release import find_release

pytestmark = pytest.mark.kubernetes


def line(number: int, **more: Any) -> bytes:
    """Ask for a new ConfigMap of which two things are wrong."""
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "A b"}, "data": {"x y": ""}}
    case = {"id": number, "group": "", "version": "v1", "kind": "ConfigMap", "operation": "create", "object": body}
    return json.dumps({**case, **more}).encode() + b"\n"


def command(threads: int) -> dict[str, Any]:
    """Say how a worker of the newest release is started."""
    environment = {**os.environ, "GOMAXPROCS": str(threads)}
    return {"args": [str(worker_for(find_release("1.37.1"), print))], "env": environment, "timeout": 120, "check": True}


@pytest.mark.parametrize("threads", [1, 3])
def test_a_file_is_answered_as_a_pipe_is(tmp_path: Path, threads: int) -> None:
    """Lines that come from a pipe and from a file, to a pipe and to a file, have the same answers in one order."""
    lines = b"".join(line(number) for number in range(500))
    through = subprocess.run(**command(threads), input=lines, stdout=subprocess.PIPE).stdout
    (tmp_path / "in").write_bytes(lines)
    with open(tmp_path / "in", "rb") as given, open(tmp_path / "out", "wb") as taken:
        subprocess.run(**command(threads), stdin=given, stdout=taken)
    assert through == (tmp_path / "out").read_bytes()
    answers = [json.loads(text) for text in through.splitlines()[1:]]
    assert list(range(500)) == [answer["id"] for answer in answers]
    assert {2} == {len(answer["handwritten"]) for answer in answers}


@pytest.mark.parametrize("blocking", [True, False])
def test_answers_arrive_whole_in_a_pipe_that_is_full(tmp_path: Path, blocking: bool) -> None:
    """Whether the pipe makes a writer wait or tells it that there is no room."""
    reading, writing = os.pipe()
    os.set_blocking(writing, blocking)
    start = command(1)
    (tmp_path / "in").write_bytes(b"".join(line(number) for number in range(3000)))
    with (
        open(tmp_path / "in", "rb") as given,
        subprocess.Popen(start["args"], env=start["env"], stdin=given, stdout=writing),
        open(reading, "rb") as answers,
    ):
        os.close(writing)
        numbers = [json.loads(text)["id"] for text in answers.read().splitlines()[1:]]
    assert list(range(3000)) == numbers


def test_a_terminal_is_answered_and_left_as_it_was() -> None:
    """The terminal belongs to others too: how it reads is not changed."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    start = command(1)
    with subprocess.Popen(start["args"], env=start["env"], stdin=theirs, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        os.write(ours, line(7))
        assert json.loads(worker.stdout.readline())["id"] == 7
        assert not fcntl.fcntl(theirs, fcntl.F_GETFL) & os.O_NONBLOCK
        worker.kill()
    os.close(ours)
    os.close(theirs)


def test_what_is_answered_goes_out_while_the_next_case_takes_long() -> None:
    """An answer does not wait for a slow one behind it, even on one thread: the wrong case would be blamed."""
    slow = {"rounds": 1000, "nanoseconds": 500_000}  # two seconds
    start = command(1)
    with subprocess.Popen(start["args"], env=start["env"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdout.readline()
        worker.stdin.write(line(1) + line(2, measure=slow) + line(3))
        worker.stdin.flush()
        assert json.loads(os.read(worker.stdout.fileno(), 1 << 16))["id"] == 1
        assert not select.select([worker.stdout], [], [], 0)[0]
        worker.stdin.close()
        assert [2, 3] == [json.loads(text)["id"] for text in worker.stdout]
