"""Objects to measure, taken from what a search asks: valid and rejected ones, small, typical and grown.

An observer of the engine that keeps, for each kind and operation, a few of the cases that go by. Size is counted in
members, not in bytes, and of those of one size the shortest is kept: a text at its limit makes no full object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case, Mode, Operation
from harness.engine.plan import key_of
from harness.engine.units import Unit
from harness.fuzzers.aims import Aim
from harness.report.model.cost import Size
from harness.subject import Subject

NAME = "cost"
"""Of the observer, and of what it saw in `Result.observed`."""
MOST_KEPT = 128
"""Sizes that are kept of one sort of object."""
LONGEST = 1 << 16
"""Bytes of JSON; what is longer is a limit that is probed, no object that anybody keeps."""

RequestKind: TypeAlias = tuple[tuple[str, str, str, str], Operation]
_encode = msgspec.json.Encoder().encode


class Chosen(msgspec.Struct, frozen=True):
    """An object to measure. Units: `length` in bytes of JSON."""

    case: Case
    valid: bool
    size: Size
    length: int
    errors: int


class _StoredCase(msgspec.Struct, frozen=True):
    case: Case
    length: int
    errors: int


class CostObserverFactory(msgspec.Struct, frozen=True):
    """Makes observers that keep objects of mode `mode`."""

    mode: Mode = "served"

    def observer(self, subject: Subject, unit: Unit) -> ObjectStore:
        """Return the observer of one unit."""
        return ObjectStore(self.mode)


class ObjectStore:
    """Keeps objects of one unit, by kind, operation, whether they are valid, and size."""

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._valid: dict[RequestKind, dict[int, _StoredCase]] = {}
        self._refused: dict[tuple[RequestKind, bool], dict[int, _StoredCase]] = {}

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Keep the shortest object of each size. An update that changes nothing is what nobody sends."""
        for case, answer in zip(cases, answers, strict=False):
            if answer.failure is not None or case.options or case.mode != self._mode or case.object == case.old:
                continue
            text = _encode(case.object)
            if len(text) > LONGEST:
                continue
            errors = len(answer.handwritten) + len(answer.declarative)
            request = (key_of(case), case.operation)
            if not errors:
                pool = self._valid.setdefault(request, {})
            else:
                both = bool(answer.handwritten and answer.declarative)
                pool = self._refused.setdefault((request, both), {})
            members = text.count(b'":')
            if members not in pool or len(text) < pool[members].length:
                pool[members] = _StoredCase(_plain(case), len(text), errors)
            if len(pool) > MOST_KEPT:
                _thin(pool)

    def aims(self) -> Sequence[Aim]:
        """Want nothing: what a search asks anyhow is what is measured."""
        return ()

    def outcome(self) -> tuple[Chosen, ...]:
        """Return what to measure: of each kind and operation three sizes, valid, and rejected ones of like size."""
        chosen: list[Chosen] = []
        for request, pool in self._valid.items():
            sizes = sizes_of(sorted(pool))
            chosen += [_chosen(pool[number], True, size) for size, number in sizes.items()]
            # Errors of both sides are what a migration is about; where one side alone has rules, it speaks alone.
            refused = self._refused.get((request, True)) or self._refused.get((request, False)) or {}
            met: set[int] = set()
            for size, number in sizes.items():
                near = min(refused, key=lambda other: (abs(other - number), other), default=None)
                if near is not None and near not in met:
                    met.add(near)
                    chosen.append(_chosen(refused[near], False, size))
        return tuple(chosen)


def sizes_of(numbers: Sequence[int]) -> dict[Size, int]:
    """Choose the smallest, the middle and the largest of sorted sizes; with fewer, what there is."""
    if not numbers:
        return {}
    middle = numbers[len(numbers) // 2] if len(numbers) > 2 else numbers[0]
    sizes: dict[Size, int] = {"small": numbers[0], "typical": middle, "grown": numbers[-1]}
    # One object is measured once: as a typical one rather than as a small one.
    return {size: number for size, number in sizes.items() if size == "typical" or number != middle}


def _thin(pool: dict[int, _StoredCase]) -> None:
    """Drop every second size between the smallest and the largest."""
    for number in sorted(pool)[1:-1:2]:
        del pool[number]


def _plain(case: Case) -> Case:
    """Return the case without what was asked besides."""
    return msgspec.structs.replace(case, id=0, served=False, versions=False, repeat=False, validated=False)


def _chosen(kept: _StoredCase, valid: bool, size: Size) -> Chosen:
    return Chosen(kept.case, valid, size, kept.length, kept.errors)
