"""What a campaign keeps of mutation testing: how many mutants of a target a search killed, and which survived.

Read from the document that `harness power --json` writes.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

_SURVIVED = ("survived", "tolerated")
"""The states of mutants that a case could kill and none did."""


class MutantState(msgspec.Struct, frozen=True):
    """A mutant in the document of `harness power`: its name, and what became of it."""

    name: str
    state: str


class MutantsPart(msgspec.Struct, frozen=True):
    """The mutants of one subject in that document, and the cases that were asked."""

    cases: int
    mutants: tuple[MutantState, ...]


class PowerDocument(msgspec.Struct, frozen=True):
    """What a campaign reads of the document of `harness power`."""

    parts: tuple[MutantsPart, ...]


class MutantCount(msgspec.Struct, frozen=True):
    """The mutants of a target that a search killed, of those that some case could kill, and which survived."""

    started: str = ""
    killed: int = 0
    tested: int = 0
    surviving: tuple[str, ...] = ()


def count_mutants(document: PowerDocument, started: str) -> MutantCount:
    """Count the mutants of a document. Those that are known to be equivalent, or were not tested, do not count."""
    mutants = [one for part in document.parts for one in part.mutants]
    killed = sum(one.state == "killed" for one in mutants)
    surviving = tuple(sorted(one.name for one in mutants if one.state in _SURVIVED))
    return MutantCount(started, killed, killed + len(surviving), surviving)


def add_counts(counts: Iterable[MutantCount]) -> MutantCount:
    """Add counts of different units, which began at different times."""
    found = list(counts)
    return MutantCount(
        max((one.started for one in found), default=""), sum(one.killed for one in found),
        sum(one.tested for one in found), tuple(sorted({name for one in found for name in one.surviving})),
    )  # fmt: skip
