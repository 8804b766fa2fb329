"""Groups the kinds of a run into units: a resource and type of object, with every subresource that takes that type.

Units are independent: each has its own random numbers and its own share of the cases, so that the result does not
depend on how many run at once.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from random import Random
from typing import TypeAlias

from harness.case import KindInfo, Operation
from harness.diagnostics import near_miss
from harness.fuzzers.shape import Shape
from harness.fuzzers.typepaths import members_of, structs_of

RequestKey: TypeAlias = tuple[tuple[str, str, str, str], Operation]
FIELDS = 40
"""A unit with so many fields of its own gets twice the share of one without any: docs/explanation/code-coverage.md."""


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

    `piece` counts the searches of the same requests in other shards: each has random numbers of its own. `fields` is
    the number of fields of its type that count for this unit and no other: see `with_fields`.
    """

    index: int
    requests: tuple[RequestKind, ...]
    main: KindInfo | None = None
    piece: int = 0
    fields: int = 0

    @property
    def name(self) -> str:
        """The displayed name of the resource."""
        return self.requests[0].info.name

    @property
    def weight(self) -> float:
        """The share of the budget, by requests and fields: small without declarative rules, with little to compare."""
        requests = math.pow(sum(1.0 if request.info.rules else 0.12 for request in self.requests), 0.7)
        return requests * (1.0 + self.fields / FIELDS)

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


def with_fields(units: Sequence[Unit], shapes: Sequence[Shape]) -> tuple[Unit, ...]:
    """Return the units with the numbers of fields that count for each; their types have these shapes.

    A struct type of a version counts once, however many units contain it, because the same functions validate it in all
    of them: for the unit with most requests, of these for a served one with the smallest type.
    """
    structs = [
        {name: len(members_of(one)) for name, one in structs_of(shape, lambda one: one.type).items()}
        for shape in shapes
    ]
    sizes = [sum(own.values()) for own in structs]
    fields = [0] * len(units)
    counted: set[str] = set()
    for number in sorted(range(len(units)), key=lambda number: (*_rank(units[number]), sizes[number], number)):
        fields[number] = sum(count for type, count in structs[number].items() if type not in counted)
        counted |= structs[number].keys()
    return tuple(replace(unit, fields=count) for unit, count in zip(units, fields, strict=True))


def _rank(unit: Unit) -> tuple[float, bool]:
    return -unit.weight, not unit.requests[0].info.served
