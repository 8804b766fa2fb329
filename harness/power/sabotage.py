"""What a sabotage is: one small wrong thing that somebody could do to a validator, what would show it.

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
class Sabotage:
    """One wrong thing. `rule` and `place` say to what, `operator` what is done, `shown_by` which case shows it.

    It is done by `rework` to compiled validators, or by `files` to files of the suite's folder: new texts by name.
    """

    side: Side
    operator: str
    place: str
    rule: str
    shown_by: str
    rework: Rework | None = None
    files: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    number: int = 1

    @property
    def name(self) -> str:
        """A name that lasts while the rule or the code around it stays: no line numbers, no order of a search."""
        again = f" #{self.number}" if self.number > 1 else ""
        return f"{self.side} {self.place}: {self.rule}: {self.operator}{again}"


def numbered(sabotages: Iterable[Sabotage]) -> Iterator[Sabotage]:
    """Tell apart those that would have the same name, by their order."""
    seen: dict[str, int] = {}
    for one in sabotages:
        seen[one.name] = number = seen.get(one.name, 0) + 1
        yield replace(one, number=number) if number > 1 else one


State: TypeAlias = Literal["noticed", "equivalent", "hole", "survived", "unjudged"]
"""Of survivors: `equivalent` and `hole` are on the committed list, `survived` is not."""


class Record(msgspec.Struct, frozen=True, order=True):
    """One sabotage, and what a run said of it.

    `name` lasts while the rule stays; `place` and `rule` say to what it was done, `operator` what. `shown` is the
    difference that it was noticed by; of a survivor `reason` says why nothing showed, as far as that is known, and
    `shown_by` which case would. `cases` is how many were asked for it, 0 when one run judged all.
    """

    name: str
    side: str
    operator: str
    place: str
    rule: str
    state: State
    shown: str = ""
    reason: str = ""
    shown_by: str = ""
    cases: int = 0
