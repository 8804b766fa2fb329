"""The boundary of a tag with a limit: what it counts, which way it is crossed, and all that follows from that.

Values to try, a guard in compiled code, what linting may conclude and how a careless author could have written the rule
are the same for every limit. A tag says `Boundary("characters", upper=True)` and nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from harness.case import Json
from harness.field.facts import Measure, RuleLimit
from harness.tags.rules import Check, CheckFunction

Dimension: TypeAlias = Literal["value", "length", "count"]
"""What limits are about that can contradict each other: bytes and characters are both a length."""

_DIMENSIONS: Mapping[Measure, Dimension] = {
    "value": "value", "characters": "length", "bytes": "length", "items": "count",
}  # fmt: skip


class RuleMutation(NamedTuple):
    """One way in which a careless author could have written a rule: with other arguments, or another check.

    `shown_by` says which object would tell the two apart.
    """

    operator: str
    shown_by: str
    args: tuple[Any, ...]
    function: CheckFunction | None = None


class Bounds(NamedTuple):
    """What a limit says of a value: its dimension, from where and up to where it passes."""

    dimension: Dimension
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Boundary:
    """What a limit counts, and on which side of it values are rejected. The limit itself is accepted.

    `argument` is the number of the check's argument that is the limit.
    """

    measure: Measure
    upper: bool
    argument: int = 0

    @property
    def limit(self) -> RuleLimit:
        """The boundary as a fact for those who read errors."""
        return RuleLimit(self.measure, self.beyond)

    @property
    def beyond(self) -> int:
        """Which way the limit is crossed: 1 upwards, -1 downwards."""
        return 1 if self.upper else -1

    @property
    def dimension(self) -> Dimension:
        """What it is about, whatever the unit."""
        return _DIMENSIONS[self.measure]

    @property
    def is_size(self) -> bool:
        """Whether a value is made as large as the limit is: all but numbers."""
        return self.measure != "value"

    @property
    def guard(self) -> str:
        """The test of a value that passes where the check may have something to say; empty when only it knows.

        What is absent has no items: a lower limit of items rejects None, so no test may stand before it.
        """
        if self.measure == "bytes" or (self.measure == "items" and not self.upper):
            return ""
        return f"{'len({})' if self.is_size else '{}'} {'>' if self.upper else '<'} {{}}"

    def probes(self, limit: int) -> Sequence[Json]:
        """Return values, or sizes of lists and maps, at the limit and just beyond; texts tell bytes from characters."""
        if not self.is_size:
            return limit, limit + self.beyond
        beyond = max(limit + self.beyond, 0)
        if self.measure == "items":
            return limit, beyond
        if self.measure == "characters":
            return "x" * limit, "x" * beyond, "é" * (limit if self.upper else beyond)
        inside = limit // 2 if self.upper else (limit + 1) // 2
        return "x" * limit, "x" * beyond, "é" * inside, "é" * max(inside + self.beyond, 0)

    def bounds(self, limit: int) -> Bounds:
        """Return what a limit says of a value. A text of N bytes has at most N characters, and at least a quarter."""
        if self.upper:
            return Bounds(self.dimension, most=limit)
        return Bounds(self.dimension, least=-(-limit // 4) if self.measure == "bytes" else limit)

    def mutations(self, check: Check, *, other_unit: bool) -> Iterator[RuleMutation]:
        """Yield the rule with its limit off by one, and where that is wanted, with the other unit of a text."""
        limit, number = check.args[self.argument], self.argument
        for name, other in (("limit + 1", limit + 1), ("limit - 1", limit - 1)):
            args = (*check.args[:number], other, *check.args[number + 1 :])
            yield RuleMutation(name, f"a value of exactly {limit} or {other}", args)
        if other_unit and self.measure in _OTHER_UNIT:
            name, counted = _OTHER_UNIT[self.measure]
            shown_by = "a text at the limit with a letter like é"
            yield RuleMutation(name, shown_by, check.args, _of(check.function, counted))


def _as_bytes(text: str) -> str:
    """Return a text with a character for each byte."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def _as_characters(text: str) -> str:
    """Return a text with a byte for each character."""
    return "x" * len(text)


_OTHER_UNIT: Mapping[Measure, tuple[str, Callable[[str], str]]] = {
    "characters": ("bytes for characters", _as_bytes),
    "bytes": ("characters for bytes", _as_characters),
}


def _of(function: CheckFunction, counted: Callable[[str], str]) -> CheckFunction:
    def check(op: Any, path: Any, new: Any, old: Any, *args: Any) -> Any:
        return function(op, path, counted(new) if isinstance(new, str) else new, old, *args)

    return check
