"""The report section on the cost of validation: per kind and operation, and medians over all of them.

Times are per run of a part, in nanoseconds. Intervals are computed from order statistics, so they do not assume a
distribution. The true median is inside with the confidence that the section states.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from harness.case import kind_name

Part: TypeAlias = Literal["read", "handwritten", "convert", "declarative", "both"]
"""`read`: decode, default, convert to the type of the handwritten validator. `convert`: to that of the declarative one.

`both`: everything that a server does to validate, without `read`.
"""

Size: TypeAlias = Literal["small", "typical", "grown"]
"""The smallest object that the search found, one of medium size, and the largest."""

PARTS: tuple[Part, ...] = ("read", "handwritten", "convert", "declarative", "both")
SIZES: tuple[Size, ...] = ("small", "typical", "grown")


class Interval(msgspec.Struct, frozen=True):
    """A median, and its confidence interval."""

    median: float
    low: float
    high: float


class PartCost(msgspec.Struct, frozen=True, omit_defaults=True):
    """The time of one run of a part, and its allocations (None if the target does not count them)."""

    nanoseconds: Interval
    objects: int | None = None
    bytes: int | None = None


class CostRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A measured object. `valid`: both validators accept it. `length` is that of its JSON.

    `errors` is the number of errors of both validators together. `ratio` is the time of the declarative validator over
    that of the handwritten one, `total` that of rules and conversion; None if a validator is too fast to be measured.
    """

    subject: str
    group: str
    version: str
    kind: str
    resource: str
    subresource: str
    operation: str
    valid: bool
    size: Size
    length: int
    errors: int
    samples: int
    parts: dict[str, PartCost]
    ratio: Interval | None = None
    total: Interval | None = None

    @property
    def added(self) -> float:
        """The time of rules and conversion, which declarative validation adds. Units: nanoseconds."""
        return sum(self.parts[name].nanoseconds.median for name in ("convert", "declarative") if name in self.parts)

    @property
    def name(self) -> str:
        """The name of the kind for users: `apps/v1 deployments/scale`."""
        return kind_name(self.group, self.version, self.resource, self.subresource)


class CostSum(msgspec.Struct, frozen=True, omit_defaults=True):
    """Medians over the measured kinds and operations, for valid or invalid objects of one size.

    `count` is the number of rows. `parts` are the medians of their medians, with intervals and median allocations.
    `ratio` and `total` are medians of those of the rows, and `share` is the part of validation (`both`) that is not
    handwritten. There is no sum without rows.
    """

    valid: bool
    size: Size
    count: int
    parts: dict[str, PartCost]
    ratio: Interval | None = None
    total: Interval | None = None
    share: Interval | None = None


class Unmeasured(msgspec.Struct, frozen=True):
    """A kind and operation that was not measured, and why."""

    subject: str
    name: str
    operation: str
    reason: str


class Cost(msgspec.Struct, frozen=True, omit_defaults=True):
    """The section `cost` of a report.

    `clock` is `cpu` (processor time of the thread) or `wall`. Each row has up to `rounds` samples of at least `sample`
    nanoseconds, in `passes` passes over all objects. `confidence` is that of the intervals. `busy` is the number of
    runnable processes at the beginning and at the end; if it exceeds `cores`, the times are noisy. `answer` is a
    sentence on the result.
    """

    clock: str
    rounds: int
    passes: int
    sample: int
    confidence: float
    cores: int
    busy: tuple[float, float]
    answer: str
    sums: tuple[CostSum, ...]
    rows: tuple[CostRow, ...]
    unmeasured: tuple[Unmeasured, ...] = ()


def duration(nanoseconds: float) -> str:
    """Return a time with a unit for readers: `4.1 µs`."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.0f} ns"
