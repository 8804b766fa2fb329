"""What does it cost to check a medium object, every error with its path? Valid and invalid, the same constraints."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import jsonschema
import jsonschema_rs
from pydantic import ValidationError

from bench.medium import INVALID, SCHEMA, TYPES, VALID, Task
from bench.record import Measured, Section
from harness.case import Operation
from harness.subject.api import open_api

Check = Callable[[Any], list[str]]
"""From an object to the paths of its errors."""

ROUND = 50


def checks() -> dict[str, Check]:
    """Return every way to check, the peer that the others are compared with first."""
    api = open_api(TYPES)
    compiled = api.compile(api.packages[0])
    slow = jsonschema.Draft202012Validator(SCHEMA)
    fast = jsonschema_rs.Draft202012Validator(SCHEMA)

    def with_pydantic(obj: Any) -> list[str]:
        try:
            Task.model_validate(obj)
        except ValidationError as error:
            return [_path(one["loc"]) for one in error.errors(include_url=False)]
        return []

    return {
        "jsonschema, iter_errors": lambda obj: [_path(error.absolute_path) for error in slow.iter_errors(obj)],
        "pydantic, models": with_pydantic,
        "jsonschema-rs, iter_errors": lambda obj: [_path(error.instance_path) for error in fast.iter_errors(obj)],
        "harness, compiled from tags": lambda obj: [
            error.field for error in compiled.validate("Task", Operation.CREATE, obj)
        ],
    }


def measure(seconds: float) -> list[Section]:
    """Measure each way in turn, in short rounds, so that what else the machine does hits all alike."""
    return [
        Section(f"What does it cost to check {article} object?", "objects", tuple(_measured(obj, seconds)))
        for article, obj in (("a valid medium", VALID), ("an invalid medium", INVALID))
    ]


def _measured(obj: Any, seconds: float) -> Iterable[Measured]:
    ways = checks()
    counts, spent = dict.fromkeys(ways, 0), dict.fromkeys(ways, 0.0)
    while min(spent.values()) < seconds:
        for name, check in ways.items():
            if spent[name] >= seconds:
                continue
            begin = time.perf_counter()
            for _ in range(ROUND):
                check(obj)
            spent[name] += time.perf_counter() - begin
            counts[name] += ROUND
    for name, check in ways.items():
        yield Measured(name, counts[name], spent[name], more={"errors": len(check(obj))})


def _path(parts: Iterable[str | int]) -> str:
    """Write a path as ours are written."""
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
