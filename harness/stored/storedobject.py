"""An object of a cluster, and what could not be read of the file that it is in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from harness.case import Json, Operation
from harness.diagnostics import Diagnostic
from harness.objectmodel import name_of, type_of

MAX_KEPT = 100
"""At most this many problems are kept; all are counted."""


class RequestAddress(NamedTuple):
    """Where a request was sent: the parts of its URL. The object may be of another group, as a scale is."""

    group: str
    version: str
    resource: str
    subresource: str


class StoredObject(msgspec.Struct, frozen=True):
    """An object without secrets, and its position in a file.

    `request` is None for an object as a cluster stores it, else the operation that it was sent with, to `address`;
    `old` is the object that an update replaced.
    """

    object: dict[str, Json]
    source: str
    old: dict[str, Json] | None = None
    request: Operation | None = None
    address: RequestAddress | None = None

    @property
    def type(self) -> tuple[str, str]:
        """The apiVersion and the kind."""
        return type_of(self.object)

    @property
    def name(self) -> str:
        """The namespace and the name, as `namespace/name`; the name alone outside of namespaces."""
        return "/".join(part for part in name_of(self.object) if part)


@dataclass(slots=True)
class Reading:
    """What came of reading files: how much was read, and everything that could not be.

    `tell` is called with each problem that is kept. `counts` has what was left out on purpose, by its reason, and
    `encrypted` the objects that only a server can decrypt: how many by their provider, and the first.
    """

    tell: Callable[[Diagnostic], None] = lambda problem: None
    objects: int = 0
    problems: list[Diagnostic] = field(default_factory=list)
    problem_count: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    encrypted: dict[str, tuple[int, str]] = field(default_factory=dict)

    def fail(self, problem: Diagnostic) -> None:
        """Count what could not be read."""
        self.problem_count += 1
        if len(self.problems) < MAX_KEPT:
            self.problems.append(problem)
            self.tell(problem)

    def miss_encrypted(self, provider: str, source: str) -> None:
        """Count an object that is encrypted."""
        number, first = self.encrypted.get(provider, (0, source))
        self.encrypted[provider] = number + 1, first

    def leave_out(self, reason: str) -> None:
        """Count what is left out on purpose."""
        self.counts[reason] = self.counts.get(reason, 0) + 1
