"""What a report says of the cost of validation: per kind and operation, and over all of them.

Times are per run of a part, in nanoseconds. An interval is one of order statistics: no shape of the distribution is
assumed, and the true median lies in it with the confidence that the section names.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Part: TypeAlias = Literal["read", "handwritten", "convert", "declarative", "both"]
"""`read`: decode, default, convert to what the handwritten side takes. `convert`: to what the declarative side takes.

`both`: all that a server does to validate, reading aside.
"""

Size: TypeAlias = Literal["small", "typical", "grown"]
"""The smallest object that was found, one in the middle, the largest."""

PARTS: tuple[Part, ...] = ("read", "handwritten", "convert", "declarative", "both")
SIZES: tuple[Size, ...] = ("small", "typical", "grown")


class Interval(msgspec.Struct, frozen=True):
    """A median, and the interval that it lies in."""

    median: float
    low: float
    high: float


class PartCost(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one run of a part takes, and what it allocates (None when the target cannot tell)."""

    nanoseconds: Interval
    objects: int | None = None
    bytes: int | None = None


class CostRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One measured object: `valid` when both sides accept it, `size` among those of its kind, `length` of its JSON.

    `errors` is how many errors both sides report together. `ratio` is declarative over handwritten, `total` what the
    rules add (rules and conversion) over handwritten; None where a side does nothing that can be measured.
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
        """What the declarative side adds: rules and conversion. Units: nanoseconds."""
        return sum(self.parts[name].nanoseconds.median for name in ("convert", "declarative") if name in self.parts)

    @property
    def name(self) -> str:
        """The name people use: `apps/v1 deployments/scale`."""
        version = f"{self.group}/{self.version}" if self.group else self.version
        return f"{version} {self.resource}" + (f"/{self.subresource}" if self.subresource else "")


class CostSum(msgspec.Struct, frozen=True, omit_defaults=True):
    """Medians over the measured kinds and operations of one sort of object.

    `count` rows are in it. `parts` has the median of their medians with its interval, `objects` and `bytes` what the
    median of them allocates on the declarative side. `ratio` and `total` are medians of those of the rows, and `share`
    is the part of validation (`both`) that is not handwritten. Where nothing was measured there is no sum.
    """

    valid: bool
    size: Size
    count: int
    parts: dict[str, PartCost]
    ratio: Interval | None = None
    total: Interval | None = None
    share: Interval | None = None


class Unmeasured(msgspec.Struct, frozen=True):
    """A kind and operation of which nothing was measured, and why."""

    subject: str
    name: str
    operation: str
    reason: str


class Cost(msgspec.Struct, frozen=True, omit_defaults=True):
    """The section `cost` of a report.

    `clock` says what was measured, `cpu` (what the thread computed) or `wall`. Each row has up to `rounds` samples of
    `sample` nanoseconds at least, in `passes` passes over all objects. `confidence` is that of the intervals. `busy` is
    how many processes wanted to run at the beginning and the end, `cores` how many can: above it, numbers are noisy.
    `answer` is the whole in a sentence.
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
    """Write a time for people: `4.1 µs`."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.0f} ns"
