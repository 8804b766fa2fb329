"""Deals the units of a run to its shards by how long they are expected to take, from what is known before the search.

Nothing measured goes into it: a shard is a function of the target, the number of cases and its own number, so that
whoever computes it asks the same. That is why it is coarse: a unit that takes longer than its types let expect does not
become part of another shard.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from harness.engine.units import Unit
from harness.fuzzers.shape import Shape
from harness.fuzzers.typepaths import members_of, type_paths

EXPRESSION_COST = 4.0
"""What a field with an expression adds to a case that costs 1 otherwise: validators compile it.

Chosen from 0, 2, 4 and 6, with `PATHS_COST` from 1/200, 1/500 and 0, by the seconds that each kind of 1.37.1 took with
40,000 and 160,000 cases: docs/explanation/speed.md.
"""
PATHS_COST = 1 / 500
"""What a path of the type adds to a case."""
PIECES = 2
"""A piece of a unit takes at most one part of so many of a shard: several pieces even out what was not expected."""
LEAST_CASES = 100
"""The fewest cases of a piece: one with less finds no more than a seed object."""

UnitCases: TypeAlias = tuple[Unit, int | None]
"""A unit and its share of the cases, None when only time limits it."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the units: `number` of `count`, counted from 1. The shards of a run do not overlap.

    `cut`: a unit that outweighs its part of a shard is searched in pieces, in as many shards, with other random numbers
    in each. Together these do not ask what the whole unit would.
    """

    number: int = 1
    count: int = 1
    cut: bool = False

    def __str__(self) -> str:
        if self.count == 1:
            return ""
        return f"{self.number}/{self.count}{' cut' if self.cut else ''}"

    def own(self, pairs: Sequence[UnitCases], shape: Callable[[Unit], Shape]) -> list[UnitCases]:
        """Return the units of this shard, or its pieces of them, in the order of all units."""
        if self.count == 1:
            return list(pairs)
        dealt = _deal(list(_pieces(pairs, [_cost(*pair, shape) for pair in pairs], self)), self.count)
        return sorted(dealt[self.number - 1], key=lambda pair: pair[0].index)


WHOLE = Shard()


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a unit, or the whole of it, and what it is expected to cost."""

    pair: UnitCases
    cost: float


def _cost(unit: Unit, cases: int | None, shape: Callable[[Unit], Shape]) -> float:
    """Return how long a unit is expected to take: 1 for a case of a small type without expressions."""
    own = shape(unit)
    a_case = 1.0 + EXPRESSION_COST * sum(_expressions(own, set())) + PATHS_COST * len(type_paths(own))
    return a_case * (unit.weight if cases is None else cases)


def _expressions(shape: Shape, seen: set[str]) -> Iterator[int]:
    """Yield a one for each field of a type that has an expression, whatever reaches it."""
    if shape.kind in ("list", "map"):
        yield from _expressions(shape.elem, seen)
    elif shape.kind == "struct" and shape.type not in seen:
        seen.add(shape.type)
        for _, member in members_of(shape):
            yield from _expressions(member, seen)
    elif shape.format.endswith("expression"):
        yield 1


def _pieces(pairs: Sequence[UnitCases], costs: Sequence[float], shard: Shard) -> Iterator[_Piece]:
    """Yield the units, those that are too heavy in pieces if the shard allows it."""
    most = sum(costs) / shard.count / PIECES
    for (unit, cases), cost in zip(pairs, costs, strict=True):
        number = 1
        if shard.cut and cases is not None and most:
            number = max(1, min(math.ceil(cost / most), cases // LEAST_CASES, shard.count))
        for piece in range(number):
            part = None if cases is None else cases // number + (piece < cases % number)
            yield _Piece((replace(unit, piece=piece), part), cost / number)


def _deal(pieces: Sequence[_Piece], count: int) -> list[list[UnitCases]]:
    """Deal the heaviest first, each to the lightest shard of those with the fewest units of its resource.

    Versions of a resource have the same validators, and take longer than expected together.
    """
    dealt: list[list[UnitCases]] = [[] for _ in range(count)]
    loads, resources = [0.0] * count, [Counter[tuple[str, str]]() for _ in range(count)]
    indexes: list[set[int]] = [set() for _ in range(count)]
    for piece in sorted(pieces, key=lambda one: (-one.cost, one.pair[0].index, one.pair[0].piece)):
        unit = piece.pair[0]
        info = unit.requests[0].info
        resource = info.group, info.resource
        free = (number for number in range(count) if unit.index not in indexes[number])
        chosen = min(free, key=lambda number: (resources[number][resource], loads[number], number))
        dealt[chosen].append(piece.pair)
        indexes[chosen].add(unit.index)
        resources[chosen][resource] += 1
        loads[chosen] += piece.cost
    return dealt
