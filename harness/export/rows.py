"""The contents of an exported test in any format: rows with the answers of the target, and missing rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.case import Answer, Json, KindInfo, Operation

VALID = "valid"
"""The name of the row for the valid object itself."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table test: an object, or an update of `old` to it, with the answers of the target.

    `info` is the resource or subresource, in the version in which the objects are written. `answers` has the answer of
    each version to the same object. `wants` is the answer that the row was searched for, `accept` or `reject`, and
    empty for a row that records any answer.
    """

    name: str
    info: KindInfo
    operation: Operation
    new: Json
    old: Json = None
    wants: str = ""
    answers: Mapping[str, Answer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Missing:
    """A rule or row that is not in the test, and the reason."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class Table:
    """All rows of one kind. `base` is the valid object; a test writes each row as edits of it.

    `versions` are the API versions that were asked. `about` is the field path, empty for all fields of a kind.
    """

    info: KindInfo
    versions: tuple[str, ...]
    about: str
    base: Json
    rows: tuple[TableRow, ...]
    missing: tuple[Missing, ...] = ()
