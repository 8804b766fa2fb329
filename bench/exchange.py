"""What does it cost to ask somebody in another process? One at a time, as a plain loop does it, against batches."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import msgspec

from bench.record import Measured, Section
from harness.case import Case, Operation
from harness.targets.process import WorkerProcess

ECHO = [sys.executable, str(Path(__file__).with_name("echo_worker.py"))]
BATCH = 100

OBJECT = {
    "apiVersion": "g/v1",
    "kind": "K",
    "metadata": {"name": "a", "namespace": "b", "labels": {"app": "c"}},
    "spec": {"replicas": 3, "items": [{"name": "x", "port": 80}, {"name": "y", "port": 81}], "text": "d" * 100},
}


def measure(seconds: float) -> Section:
    """Measure the peers and us with one and the same worker, which does nothing."""
    cases = [Case(number, "g", "v1", "K", Operation.CREATE, OBJECT) for number in range(BATCH)]
    lines = [_plain_loop(cases[0], seconds)]
    with WorkerProcess(ECHO) as worker:
        lines.append(_measured(worker, cases[:1], 1, seconds, "harness, one at a time"))
        for window in (1, 4):
            name = f"harness, batches of {BATCH}, {window} in flight"
            lines.append(_measured(worker, cases, window, seconds, name))
    return Section("What does an exchange with a worker cost?", "exchanges", tuple(lines))


def _plain_loop(case: Case, seconds: float) -> Measured:
    """The peer: json.dumps, a line, a flush, a line back, json.loads."""
    record = msgspec.to_builtins(case)
    with subprocess.Popen(ECHO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        begin, count = time.perf_counter(), 0
        while (spent := time.perf_counter() - begin) < seconds:
            process.stdin.write(json.dumps(record, separators=(",", ":")) + "\n")
            process.stdin.flush()
            json.loads(process.stdout.readline())
            count += 1
        process.stdin.close()
    return Measured("plain loop with json, one at a time", count, spent)


def _measured(worker: WorkerProcess, cases: list[Case], window: int, seconds: float, name: str) -> Measured:
    worker.ask(cases)
    begin, count = time.perf_counter(), 0
    flight = deque(worker.submit(cases) for _ in range(window))
    while time.perf_counter() - begin < seconds:
        flight.append(worker.submit(cases))
        count += len(flight.popleft().result())
    count += sum(len(pending.result()) for pending in flight)
    return Measured(name, count, time.perf_counter() - begin)
