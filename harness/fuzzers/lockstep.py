"""Run several searches side by side and ask about their objects in common batches.

A batch waits for all cases in flight, so that a thousand batches take longer than one batch of a hundred thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias, TypeVar

from harness.case import Answer, Case, Json
from harness.fuzzers.repair import Ask

R = TypeVar("R")
Steps: TypeAlias = Generator[list[Json], list[Answer], R]
"""Yields objects and is sent the answers; fewer answers than objects mean that no case is left."""


def yield_objects(objects: list[Json]) -> Generator[list[Json], list[Answer], list[Answer]]:
    """Yield the objects themselves, not cases: the `ask` of a search that runs in lockstep."""
    return (yield objects)


def run_in_lockstep(
    searches: Sequence[Steps[R]], ask: Ask, cases_left: Callable[[], int]
) -> Generator[list[Case], list[Answer], list[R]]:
    """Run every search to its end; with no `cases_left` they get no more answers. Returns their results, in order."""
    results: dict[int, R] = {}
    running: list[tuple[int, list[Json]]] = []

    def step(index: int, answers: list[Answer] | None) -> None:
        try:
            running.append((index, next(searches[index]) if answers is None else searches[index].send(answers)))
        except StopIteration as stop:
            results[index] = stop.value

    for index in range(len(searches)):
        step(index, None)
    while running:
        batch, running[:] = list(running), []
        objects = [obj for _, own in batch for obj in own]
        answers = (yield from ask(objects)) if objects and cases_left() > 0 else []
        start = 0
        for index, own in batch:
            step(index, answers[start : start + len(own)])
            start += len(own)
    return [results[index] for index in range(len(searches))]
