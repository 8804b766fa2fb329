"""Parts that ask about objects, side by side: all of them ask in one batch, so that many cost no more turns than one.

A turn waits for everything else that is on its way; a thousand questions one after the other take longer than a hundred
thousand at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias, TypeVar

from harness.case import Answer, Case, Json
from harness.fuzzers.bases import Ask

R = TypeVar("R")
Steps: TypeAlias = Generator[list[Json], list[Answer], R]
"""Yields objects and is sent the answers; fewer answers than objects say that nothing is left to ask with."""


def plainly(objects: list[Json]) -> Generator[list[Json], list[Answer], list[Answer]]:
    """Ask as a part does: the objects as they are."""
    return (yield objects)


def abreast(
    parts: Sequence[Steps[R]], ask: Ask, left: Callable[[], int]
) -> Generator[list[Case], list[Answer], list[R]]:
    """Run every part to its end; when nothing is `left`, they get no more answers. Returns their results, in order."""
    results: dict[int, R] = {}
    running: list[tuple[int, list[Json]]] = []

    def step(index: int, answers: list[Answer] | None) -> None:
        try:
            running.append((index, next(parts[index]) if answers is None else parts[index].send(answers)))
        except StopIteration as stop:
            results[index] = stop.value

    for index in range(len(parts)):
        step(index, None)
    while running:
        batch, running[:] = list(running), []
        objects = [obj for _, own in batch for obj in own]
        answers = (yield from ask(objects)) if objects and left() > 0 else []
        at = 0
        for index, own in batch:
            step(index, answers[at : at + len(own)])
            at += len(own)
    return [results[index] for index in range(len(parts))]
