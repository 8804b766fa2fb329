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
    """An entry of the list of known surviving mutants of which nothing survives."""

    mutant: str
    state: KnownState
    reason: str


class Row(msgspec.Struct, frozen=True):
    """How often an operator was applied, and what came of it."""

    side: str
    operator: str
    made: int
    killed: int
    equivalent: int
    tolerated: int
    survived: int
    unjudged: int


class Part(msgspec.Struct, frozen=True):
    """What came of one subject. `cases` is how many were asked of it in all."""

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

    @property
    def surviving(self) -> list[Record]:
        """The mutants that nothing killed and no list explains."""
        return [one for one in self.mutants if one.state == "survived"]


class Document(msgspec.Struct, frozen=True):
    """All of it."""

    schema: str
    harness_version: str
    parts: tuple[Part, ...]


def document_of(parts: Iterable[Part]) -> Document:
    """Put the parts together."""
    return Document(NAME, __version__, tuple(parts))


def stale_of(entries: Iterable[Known]) -> tuple[Stale, ...]:
    """Write entries down."""
    return tuple(Stale(one.mutant, one.state, one.reason) for one in entries)


def rows_of(records: Sequence[Record]) -> tuple[Row, ...]:
    """Count by operator, those most often survived first. What an operator says in quotes is left out."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for record in records:
        counts.setdefault((record.side, family_of(record.operator)), Counter())[record.state] += 1
    rows = [
        Row(side, name, sum(n.values()), n["killed"], n["equivalent"], n["tolerated"], n["survived"], n["unjudged"])
        for (side, name), n in counts.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.survived, row.side, row.operator)))


def family_of(operator: str) -> str:
    """Return what an operator does, without what it does it to: `drop 'Erase'` is `drop …`."""
    word, _, rest = operator.partition(" ")
    return f"{word} …" if rest[:1] in ("'", '"') or rest.startswith(("key ", "mode ", "No")) else operator


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": NAME} | msgspec.json.schema(Document)


def written_schema() -> str:
    """Return the schema as it is committed."""
    return json.dumps(schema(), indent=1) + "\n"
