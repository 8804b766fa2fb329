"""The records of mutation testing: a mutant is one small fault in a validator, a record is the result for it.

Records can be pickled and written to a document. Mutants of suites and of targets share them.
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
    """One fault. `operator` names the change to `rule` at `location`; `shown_by` describes a case that would show it.

    `rework` changes compiled validators; `files` has the new texts of files of the suite's folder, by name. `lines` are
    the lines of what is changed, as file and number: of the tags, or of the code below the suite's folder.
    """

    side: Side
    operator: str
    location: str
    rule: str
    shown_by: str
    rework: Rework | None = None
    files: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    number: int = 1
    lines: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """A name that is stable while the rule or its code stays: without line numbers or the order of a search."""
        again = f" #{self.number}" if self.number > 1 else ""
        return f"{self.side} {self.location}: {self.rule}: {self.operator}{again}"


def number_mutants(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Number mutants that would have the same name, by their order."""
    seen: dict[str, int] = {}
    for one in mutants:
        seen[one.name] = number = seen.get(one.name, 0) + 1
        yield replace(one, number=number) if number > 1 else one


State: TypeAlias = Literal["killed", "equivalent", "tolerated", "survived", "unreached", "unjudged"]
"""Surviving mutants on the committed list are `equivalent` or `tolerated`, others `survived`. No case runs the code of
`unreached` ones."""


class Record(msgspec.Struct, frozen=True, order=True):
    """The result for one mutant.

    `name` is stable while the rule stays; `operator` names the change to `rule` at `location`. `shown` is the
    difference that killed it. For a surviving mutant, `reason` says why no difference was seen, if that is known, and
    `shown_by` describes a case that would show one. `cases` were asked for it, 0 when one run judged all mutants.
    `changed` of them have another answer than without the mutant, where both are asked; `uncompared`: the errors that
    changed are none that a rule reports, so that no run can notice it.
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
    changed: int = 0
    uncompared: bool = False
