"""Hostile workers: programs that break the wire protocol in every way, at times drawn, beside a real difference."""

from __future__ import annotations

import json
import random
import shlex
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.robust import truth
from tests.robust.commands import Fault, Said

PROGRAM = Path(__file__).parent.parent / "workers" / "hostile_worker.py"

STARTS = (
    "dies", "killed", "silent", "rubbish", "protocol", "text-protocol", "no-kinds", "bad-kinds", "null", "deep",
    "endless", "half", "closes", "orphan", "twice", "odd-name", "half-name", "abilities", "composition",
    "normalization", "other-type", "empty-names", "many-kinds", "goodbye",
)  # fmt: skip
NEVER_GREETS = frozenset({
    "dies", "killed", "silent", "rubbish", "protocol", "text-protocol", "no-kinds", "bad-kinds", "null", "deep",
    "endless", "half", "closes", "orphan", "composition",
})  # fmt: skip
"""Starts after which nothing can be compared."""
HARMLESS = (
    "twice", "crlf", "spaces", "extra-keys", "duplicate-keys", "floods", "floods-without-end", "slow", "drips",
    "closes-stderr", "child",
)  # fmt: skip
"""What may be put up with, and changes no verdict."""
LIES = ("next-id", "wrong-id", "contradiction", "negative-id", "huge-id")
"""After these nothing of a batch is believed."""
DEADLY = (
    "exit", "exit-3", "killed", "segfault", "hang", "stopped", "ignores-signals", "partial-exit", "partial-hang",
    "closes-stdout", "closes-all", "orphan", "forks", "memory",
    "endless-line", "huge-line", "not-json", "empty-lines", "list", "number", "two-on-a-line", "text-id", "null-id",
    "float-id", "no-id", "not-utf-8", "surrogate-bytes", "bom", "deep",
)  # fmt: skip
"""What breaks a worker, or an answer that cannot be read."""
BAD = (
    "string-errors", "number-errors", "object-errors", "null-errors", "number-field", "bad-level", "bad-stage",
    "no-message", "too-many-errors", "panic", "self",
)  # fmt: skip
"""Answers that are findings by themselves."""
TEXTS = tuple(
    f"text-{where}-{text}"
    for where in ("detail", "field", "type", "origin", "value", "failure")
    for text in ("long", "escape", "lines", "nul", "half", "bidi", "markup", "format", "digits", "regex", "empty")
)
ODD = (
    "flaky",
    "answer-exit",
    "closes-stdin",
    "fails",
    "deep-extra",
    "versions",
    "validated",
    "cost",
    "served",
    "infinity",
    "nan",
    "huge-number",
    "many-errors",
    "errors-nowhere",
    "repeated",
    "shuffled",
)
"""What may differ by itself: an error at a path that the type has not is a finding."""
WHEN = ("value", "value", "name", "update", "nth", "share", "first-life", "always")
AGAIN = frozenset({"value", "update", "name", "always"})
"""Times that come again for the same case."""
COMMANDS: tuple[tuple[str, ...], ...] = (
    *[("run",)] * 12, ("record", "--output", "r.recording"), ("check", "new.yaml"), ("kinds",), ("bench",), ("power",),
)  # fmt: skip


def faults(seed: int) -> Iterator[Fault]:
    """Draw hostile workers without an end; the same ones for the same seed."""
    drawn = random.Random(f"workers {seed}")
    while True:
        yield _fault(drawn)


def _fault(drawn: random.Random) -> Fault:
    starts = drawn.random() < 0.12
    plan: dict[str, Any] = {
        "planted": drawn.random() < 0.7,
        "harmless": HARMLESS,
        "start": drawn.choice(STARTS) if starts else "",
        "faults": [_drawn(drawn) for _ in range(drawn.choice((0, 1)) if starts else drawn.choice((1, 1, 1, 2, 3)))],
    }
    program = shlex.join([sys.executable, "-I", "-S", str(PROGRAM), json.dumps(plan)])
    argv, name = drawn.choice(COMMANDS), f"worker {plan['start']} {plan['faults']}"
    if argv == ("run",):
        limits = ("--max-cases", drawn.choice(("60", "200", "500")), "--max-time", "3")
        types = drawn.choice(((), *[("--types", "thing")] * 4))
        argv = ("run", *limits, "--jobs", drawn.choice(("1", "1", "1", "2")), "--json", str(truth.REPORT), *types)
        return Fault(name, (*argv, "--command", program), after=partial(check_run, plan))
    if argv[0] in ("record", "bench", "power"):
        argv = (*argv, "--max-cases", "30", "--max-time", "2")
    return Fault(name, (*argv, "--command", program))


def _drawn(drawn: random.Random) -> dict[str, Any]:
    group = drawn.choice((HARMLESS, LIES, DEADLY, DEADLY, BAD, TEXTS, ODD))
    return {"when": drawn.choice(WHEN), "number": drawn.choice((1, 1, 2, 3, 7, 40)), "do": drawn.choice(group)}


def check_run(plan: dict[str, Any], said: Said) -> Iterator[str]:
    """Yield what a run with a worker of this plan did not keep."""
    if plan["start"] in NEVER_GREETS:
        if said.code != 2:
            yield f"a program that never greets cannot be compared: exit code {said.code}"
        return
    again = {fault["do"] for fault in plan["faults"] if fault["when"] in AGAIN}
    harm = again & {*DEADLY, *BAD}
    strange = {"begins"} if plan["start"] else _did({*DEADLY, *BAD, *LIES, *ODD, *TEXTS})
    yield from truth.problems(said.code, harm=_did(harm), lies=_did(LIES), strange=frozenset(strange))


def _did(names: Iterable[str]) -> frozenset[str]:
    return frozenset(f"did {name}" for name in names)
