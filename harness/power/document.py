"""The JSON document of `harness power` and its published schema."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from harness import __version__
from harness.power.known import Known, KnownState
from harness.power.mutant import Record

NAME = "urn:equivalence-harness:power:2"
SCHEMA = Path(__file__).parent / "power.schema.json"


class Stale(msgspec.Struct, frozen=True):
    """An entry of the list of known surviving mutants that matches none any more."""

    mutant: str
    state: KnownState
    reason: str


class Row(msgspec.Struct, frozen=True):
    """The counts of one operator: mutants made, and by result. `uncompared` counts those of the surviving ones."""

    side: str
    operator: str
    made: int
    killed: int
    equivalent: int
    tolerated: int
    survived: int
    unjudged: int
    unreached: int = 0
    uncompared: int = 0


class Uncompiled(msgspec.Struct, frozen=True):
    """A mutant of Go code that does not compile, and what the compiler says."""

    mutant: str
    reason: str


class Part(msgspec.Struct, frozen=True):
    """The results of one subject. `cases` is the number of cases asked in all."""

    subject: str
    seed: int
    max_cases: int | None
    max_time: float | None
    every: int
    seconds: float
    cases: int
    operators: tuple[Row, ...]
    mutants: tuple[Record, ...]
    stale: tuple[Stale, ...] = ()
    interrupted: bool = False
    left_out: tuple[Uncompiled, ...] = ()

    @property
    def surviving(self) -> list[Record]:
        """The surviving mutants that are not on the list of known ones."""
        return [one for one in self.mutants if one.state == "survived"]


class Document(msgspec.Struct, frozen=True):
    """The document of `harness power`: one part for each subject."""

    schema: str
    harness_version: str
    parts: tuple[Part, ...]


def document_of(parts: Iterable[Part]) -> Document:
    """Return the document of these parts."""
    return Document(NAME, __version__, tuple(parts))


def stale_of(entries: Iterable[Known]) -> tuple[Stale, ...]:
    """Return the entries as records of the document."""
    return tuple(Stale(one.mutant, one.state, one.reason) for one in entries)


def rows_of(records: Sequence[Record]) -> tuple[Row, ...]:
    """Count by operator without its argument, the operators with most surviving mutants first."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for record in records:
        own = counts.setdefault((record.side, family_of(record.operator)), Counter())
        own[record.state] += 1
        own["uncompared"] += record.uncompared and record.state == "survived"
    rows = [
        Row(
            side, name, n.total() - n["uncompared"], n["killed"], n["equivalent"], n["tolerated"], n["survived"],
            n["unjudged"], n["unreached"], n["uncompared"],
        )
        for (side, name), n in counts.items()
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda row: (-row.survived, row.side, row.operator)))


def family_of(operator: str) -> str:
    """Return the operator without its argument: `drop 'Erase'` is `drop …`."""
    word, _, rest = operator.partition(" ")
    return f"{word} …" if rest[:1] in ("'", '"') or rest.startswith(("key ", "mode ", "No")) else operator


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": NAME} | msgspec.json.schema(Document)


def written_schema() -> str:
    """Return the text of the committed schema."""
    return json.dumps(schema(), indent=1) + "\n"
