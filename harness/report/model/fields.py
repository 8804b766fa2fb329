"""The report section on errors by field: the calls of handwritten code that report at each field of a kind."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from harness.report.model.code import BlockEntry, FunctionEntry


class MissedCall(msgspec.Struct, frozen=True, omit_defaults=True, order=True):
    """A call that reports errors at a field, and that no case reached for it: its line, function and errors.

    `behind` is a call on the way to it that was not reached, with its file; empty if it was not reached itself. With
    `behind`, it was reached for another field, if at all.
    """

    file: str
    line: int
    function: str
    errors: tuple[str, ...]
    behind: str = ""


class FieldErrors(msgspec.Struct, frozen=True, omit_defaults=True):
    """The calls of handwritten code that report errors at a field of a kind, in all of its versions.

    `reached` counts those that cases reached, `missed` are the others. `uncounted` is the number of calls in code
    without counters, such as that of libraries.
    """

    subject: str
    kind: str
    path: str
    reached: int
    missed: tuple[MissedCall, ...] = ()
    uncounted: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """The identity of the field."""
        return self.subject, self.kind, self.path

    @property
    def size(self) -> int:
        """The number of calls with counters."""
        return self.reached + len(self.missed)


def by_kind(fields: Iterable[FieldErrors]) -> dict[str, list[FieldErrors]]:
    """Group fields by kind, in order of path."""
    found: dict[str, list[FieldErrors]] = {}
    for one in sorted(fields, key=lambda one: (one.kind, one.path)):
        found.setdefault(one.kind, []).append(one)
    return found


def combine_fields(one: FieldErrors, other: FieldErrors) -> FieldErrors:
    """Combine what two searches reached of the calls of one field."""
    places = {(call.file, call.line) for call in other.missed}
    missed = tuple(call for call in one.missed if (call.file, call.line) in places)
    return msgspec.structs.replace(one, reached=one.size - len(missed), missed=missed)


class PlacedBlock(NamedTuple):
    """A block, and the function that has it."""

    function: FunctionEntry
    block: BlockEntry


class BlocksByPlace:
    """Finds the block of a line and column of a file."""

    def __init__(self, functions: Iterable[FunctionEntry]) -> None:
        found: dict[str, list[PlacedBlock]] = {}
        for function in functions:
            found.setdefault(function.file, []).extend(PlacedBlock(function, block) for block in function.blocks)
        self._blocks: Mapping[str, list[PlacedBlock]] = {
            file: sorted(own, key=lambda one: one.block.start) for file, own in found.items()
        }

    def at(self, file: str, place: tuple[int, int]) -> PlacedBlock | None:
        """Return the innermost block around a line and column; None if no block with a counter has it."""
        own = self._blocks.get(file, [])
        for number in range(bisect_right(own, place, key=lambda one: one.block.start) - 1, -1, -1):
            if place < own[number].block.end:
                return own[number]
        return None
