"""What a mutant is: one small wrong thing that somebody could do to a validator, what would show it.

The record of what became of it can be pickled and written down, for a suite's rule and for a target's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import msgspec

from harness.subject import Rework

Side: TypeAlias = Literal["declarative", "handwritten"]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One wrong thing. `rule` and `location` say to what, `operator` what is done, `shown_by` which case shows it.

    It is done by `rework` to compiled validators, or by `files` to files of the suite's folder: new texts by name.
    """

    side: Side
    operator: str
    location: str
    rule: str
    shown_by: str
    rework: Rework | None = None
    files: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    number: int = 1

    @property
    def name(self) -> str:
        """A name that lasts while the rule or the code around it stays: no line numbers, no order of a search."""
        again = f" #{self.number}" if self.number > 1 else ""
        return f"{self.side} {self.location}: {self.rule}: {self.operator}{again}"


def number_mutants(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Tell apart those that would have the same name, by their order."""
    seen: dict[str, int] = {}
    for one in mutants:
        seen[one.name] = number = seen.get(one.name, 0) + 1
        yield replace(one, number=number) if number > 1 else one


State: TypeAlias = Literal["killed", "equivalent", "tolerated", "survived", "unjudged"]
"""Of surviving mutants: `equivalent` and `tolerated` are on the committed list, `survived` is not."""


class Record(msgspec.Struct, frozen=True, order=True):
    """One mutant, and what a run said of it.

    `name` lasts while the rule stays; `location` and `rule` say to what it was done, `operator` what. `shown` is the
    difference that it was killed by; of a surviving mutant `reason` says why nothing showed, as far as that is known,
    and `shown_by` which case would. `cases` is how many were asked for it, 0 when one run judged all.
    """

    name: str
    side: str
    operator: str
    location: str
    rule: str
    state: State
    shown: str = ""
    reason: str = ""
    shown_by: str = ""
    cases: int = 0
