"""What goes into an exported test: rows that a target has answered, and what could not be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.case import Answer, Json, KindInfo, Operation

VALID = "valid"
"""The name of the row that is the valid object itself."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of a table: an object, or a change of `old`, with what both sides answered.

    `info` is the resource or subresource that was asked, in the version whose form the objects have. `answers` hold
    what each version answered of the same object. `wants` says what the row is to show: `accept`, `reject`, or nothing
    when it is there to show whatever the answer is.
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
    """Something about a rule or a row that could not be shown, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class Table:
    """All rows of one kind. `base` is the accepted object that rows are told from.

    `versions` are those of the request that were asked. `about` is the field, empty for all fields of a kind.
    """

    info: KindInfo
    versions: tuple[str, ...]
    about: str
    base: Json
    rows: tuple[TableRow, ...]
    missing: tuple[Missing, ...] = ()
