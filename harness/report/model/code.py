"""The report section on code coverage: functions of handwritten validators, and which of their blocks were reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

import msgspec

from harness.case import Case


class NearestObject(msgspec.Struct, frozen=True):
    """The case of a run that reached the innermost reached block before another one, which ends at `line`.

    `part` is the part of the run that asked it.
    """

    part: str
    line: int
    case: Case


class BlockEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """Statements that run together, from a line and column (in bytes, from 1) to another.

    `condition` is what decides about a block that was not reached. `errors` are the errors that it makes: the name of
    the constructor, and the members that it adds to the path which the function is given. `sort` and `reason` are why
    no case reached it, both empty if that is not known; `behind` is the line that decides, where it is another one.
    `nearest` is a case that came near.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    statements: int
    reached: bool = False
    condition: str = ""
    errors: tuple[tuple[str, str], ...] = ()
    sort: str = ""
    reason: str = ""
    behind: str = ""
    nearest: NearestObject | None = None


class FunctionEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A function of handwritten validators. `file` begins with the import path of its package.

    `reason` is why no request can reach it, as far as the sources show it.
    """

    subject: str
    file: str
    name: str
    blocks: tuple[BlockEntry, ...]
    reason: str = ""

    @property
    def package(self) -> str:
        """The import path of its package."""
        return self.file.rpartition("/")[0]

    @property
    def key(self) -> tuple[str, str, str, tuple[int, int]]:
        """The identity of the function; several of a file may have one name, such as `init`."""
        return self.subject, self.file, self.name, self.blocks[0].start

    @property
    def missed(self) -> tuple[BlockEntry, ...]:
        """The blocks that no case reached."""
        return tuple(block for block in self.blocks if not block.reached)


class CodeSums(msgspec.Struct, frozen=True):
    """Numbers of statements, of blocks, and of calls that make an error, each with how many cases reached."""

    statements: int
    reached: int
    blocks: int
    reached_blocks: int
    errors: int
    reached_errors: int

    @property
    def missed(self) -> int:
        """The number of statements that no case reached."""
        return self.statements - self.reached


def sum_code(functions: Iterable[FunctionEntry]) -> CodeSums:
    """Add up functions."""
    blocks = [block for function in functions for block in function.blocks]
    reached = [block for block in blocks if block.reached]
    return CodeSums(
        sum(block.statements for block in blocks),
        sum(block.statements for block in reached),
        len(blocks),
        len(reached),
        sum(len(block.errors) for block in blocks),
        sum(len(block.errors) for block in reached),
    )


def by_package(functions: Sequence[FunctionEntry]) -> dict[str, list[FunctionEntry]]:
    """Group functions by package, in order of path."""
    found: dict[str, list[FunctionEntry]] = {}
    for function in sorted(functions, key=lambda one: one.package):
        found.setdefault(function.package, []).append(function)
    return found


class ReportingCall(NamedTuple):
    """A call that makes an error: the name of the constructor, and the function and block in which it is."""

    constructor: str
    function: FunctionEntry
    block: BlockEntry


class FieldCalls(NamedTuple):
    """The calls that report an error at a field, which is what they add to the path that their function is given."""

    field: str
    reached: list[ReportingCall]
    missed: list[ReportingCall]

    @property
    def size(self) -> int:
        """The number of calls."""
        return len(self.reached) + len(self.missed)


def by_field(functions: Iterable[FunctionEntry]) -> list[FieldCalls]:
    """Group the calls that make an error by field, in order of field."""
    found: dict[str, FieldCalls] = {}
    for function in functions:
        for block in function.blocks:
            for constructor, field in block.errors:
                calls = found.setdefault(field, FieldCalls(field, [], []))
                (calls.reached if block.reached else calls.missed).append(ReportingCall(constructor, function, block))
    return [found[field] for field in sorted(found)]


def combine_functions(one: FunctionEntry, other: FunctionEntry) -> FunctionEntry:
    """Combine what two searches reached of one function."""
    reason = one.reason if other.reason else ""  # either may have reached it
    return msgspec.structs.replace(one, blocks=tuple(_combined(one.blocks, other.blocks)), reason=reason)


def _combined(blocks: Sequence[BlockEntry], others: Sequence[BlockEntry]) -> Iterator[BlockEntry]:
    for block, other in zip_longest(blocks, others):
        if block is None or other is None or block.reached or other.reached:
            yield other if block is None or (other is not None and other.reached) else block
            continue
        if (block.sort, block.reason, block.behind) != (other.sort, other.reason, other.behind):
            # What the gates of one search exclude, those of the other may not.
            block = msgspec.structs.replace(block, sort="", reason="", behind="")
        yield msgspec.structs.replace(block, nearest=block.nearest or other.nearest)
