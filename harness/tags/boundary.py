"""The boundary of a tag with a limit: its unit, its direction, and everything that is derived from them.

Boundary values, the guard in compiled code, lint conclusions and wrong versions of the rule for mutation testing are
derived in the same way for every limit. A tag declares only `Boundary("characters", upper=True)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from harness.case import Json
from harness.field.facts import Measure, RuleLimit
from harness.tags.rules import Check, CheckFunction

Dimension: TypeAlias = Literal["value", "length", "count"]
"""Limits of one dimension can contradict each other: bytes and characters are both a length."""

_DIMENSIONS: Mapping[Measure, Dimension] = {
    "value": "value", "characters": "length", "bytes": "length", "items": "count",
}  # fmt: skip


class RuleMutation(NamedTuple):
    """A plausible wrong version of a rule, with other arguments or another check.

    `shown_by` describes an object for which the two differ.
    """

    operator: str
    shown_by: str
    args: tuple[Any, ...]
    function: CheckFunction | None = None


class Bounds(NamedTuple):
    """The values that a limit accepts: their dimension, minimum and maximum."""

    dimension: Dimension
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Boundary:
    """The unit of a limit, and whether it is an upper limit. The limit itself is accepted.

    `argument` is the index of the limit in the arguments of the check, `offset` what is added to a tag's number to get
    the limit: -1 for a number that values may not reach.
    """

    measure: Measure
    upper: bool
    argument: int = 0
    offset: int = 0

    @property
    def limit(self) -> RuleLimit:
        """The boundary as a fact, for code that sees errors but no rules."""
        return RuleLimit(self.measure, self.beyond)

    @property
    def beyond(self) -> int:
        """The direction in which values are rejected: 1 above the limit, -1 below."""
        return 1 if self.upper else -1

    @property
    def dimension(self) -> Dimension:
        """The dimension of the unit."""
        return _DIMENSIONS[self.measure]

    @property
    def is_size(self) -> bool:
        """Whether the limit is about the size of a value, which it is for all values but numbers."""
        return self.measure != "value"

    @property
    def guard(self) -> str:
        """The condition under which the check must be called; empty if it must be called always.

        A lower limit of items has none, because it rejects None.
        """
        if self.measure == "bytes" or (self.measure == "items" and not self.upper):
            return ""
        return f"{'len({})' if self.is_size else '{}'} {'>' if self.upper else '<'} {{}}"

    def probes(self, limit: int) -> Sequence[Json]:
        """Return values, or sizes of lists or maps, at the limit and one beyond; strings of two-byte runes too."""
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
        """Return the accepted values. A string of N bytes has at most N characters, and at least N/4."""
        if self.upper:
            return Bounds(self.dimension, most=limit)
        return Bounds(self.dimension, least=-(-limit // 4) if self.measure == "bytes" else limit)

    def mutations(self, check: Check, *, other_unit: bool) -> Iterator[RuleMutation]:
        """Yield the rule with its limit off by one, and with `other_unit` in bytes for characters or the reverse."""
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
