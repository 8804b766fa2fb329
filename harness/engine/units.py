"""Groups the kinds of a run into units: a resource and type of object, with every subresource that takes that type.

Units are independent: each has its own random numbers and its own share of the cases, so that the result does not
depend on how many run at once.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from random import Random
from typing import TypeAlias

from harness.case import KindInfo, Operation
from harness.diagnostics import near_miss

RequestKey: TypeAlias = tuple[tuple[str, str, str, str], Operation]


@dataclass(frozen=True, slots=True)
class RequestKind:
    """One kind and operation, with its own counts and its own place in the report."""

    info: KindInfo
    operation: Operation
    key: RequestKey = field(init=False, repr=False, compare=False)
    """The identity of the request, computed once because it is looked up for every case."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", (self.info.key, self.operation))


@dataclass(frozen=True, slots=True)
class Unit:
    """The requests of one search. `main` is the kind that creates objects, to find seeds, even if not selected.

    `piece` counts the searches of the same requests in other shards: each has random numbers of its own.
    """

    index: int
    requests: tuple[RequestKind, ...]
    main: KindInfo | None = None
    piece: int = 0

    @property
    def name(self) -> str:
        """The displayed name of the resource."""
        return self.requests[0].info.name

    @property
    def weight(self) -> float:
        """The share of the budget, which is small without declarative rules, because there is little to compare."""
        return math.pow(sum(1.0 if request.info.rules else 0.12 for request in self.requests), 0.7)

    def random(self, seed: int) -> Random:
        """Return the unit's own random numbers, from the seed, the kind and the piece alone."""
        info = self.requests[0].info
        words = [str(seed), *info.key, *(f"{one.info.subresource}:{one.operation}" for one in self.requests)]
        text = "\x1f".join([*words, str(self.piece)] if self.piece else words)
        return Random(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))


def matches(info: KindInfo, patterns: Sequence[str]) -> bool:
    """Whether a pattern matches: kind, resource, `group/resource`, `group/version/resource` or full name."""
    if not patterns:
        return True
    return any(fnmatchcase(name.lower(), pattern.lower()) for name in _names(info) for pattern in patterns)


def unknown_patterns(kinds: Iterable[KindInfo], patterns: Sequence[str]) -> dict[str, str]:
    """Return the patterns that match none of the kinds, each with the closest name, empty if nothing is close."""
    known = list(kinds)
    names = list(dict.fromkeys(name for info in known for name in _names(info)))
    return {
        pattern: near_miss(pattern, names)
        for pattern in patterns
        if not any(matches(info, [pattern]) for info in known)
    }  # fmt: skip


def _names(info: KindInfo) -> list[str]:
    resource = info.resource + (f"/{info.subresource}" if info.subresource else "")
    group = info.group or "core"
    names = [resource, f"{group}/{resource}", f"{group}/{info.version}/{resource}", info.name]
    return names if info.subresource else [*names, info.kind]


def units_of(
    kinds: Iterable[KindInfo], patterns: Sequence[str] = (), operations: Sequence[str] = ()
) -> tuple[Unit, ...]:
    """Group the selected kinds and operations into units, in the target's order."""
    families: dict[tuple[str, str, str, str], list[KindInfo]] = {}
    for info in kinds:
        families.setdefault((info.group, info.version, info.resource, info.type or info.kind), []).append(info)
    units: list[Unit] = []
    for family in families.values():
        requests = tuple(_requests(family, patterns, operations))
        if requests:
            main = next((info for info in family if Operation.CREATE in info.operations), None)
            units.append(Unit(len(units), requests, main))
    return tuple(units)


def _requests(family: list[KindInfo], patterns: Sequence[str], operations: Sequence[str]) -> Iterator[RequestKind]:
    wanted = {str(operation) for operation in operations}
    for info in family:
        if matches(info, patterns):
            yield from (
                RequestKind(info, operation) for operation in info.operations if not wanted or operation in wanted
            )
