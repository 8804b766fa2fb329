"""Drives a search generator against a target, one batch at a time."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

from harness.case import Answer, Case
from harness.targets.target import Target

R = TypeVar("R")


def drive(steps: Generator[list[Case], list[Answer], R], target: Target | Any) -> R:
    """Answer what a generator asks until it returns."""
    try:
        cases = next(steps)
        while True:
            cases = steps.send(target.ask(cases))
    except StopIteration as stop:
        result: R = stop.value
        return result
