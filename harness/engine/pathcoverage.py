"""The path coverage of a unit: the paths of its type that occur in an accepted object, and the errors on the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from harness.fuzzers.growth import Growth
from harness.fuzzers.shape import Shape
from harness.fuzzers.typepaths import type_paths
from harness.jsonpath import parent_of

DROPPED = "accepted, and put aside by the server"
MAX_OUTERMOST = 1000
"""At most so many unaccepted paths are reported for one type."""


@dataclass(slots=True)
class PathCoverage:
    """The path coverage of one type. `outermost` are the outermost unaccepted paths, each with its error.

    `rejections` counts the unaccepted paths that an error rejected, at the path itself or at an ancestor.
    """

    shape: Shape
    accepted: set[str] = field(default_factory=set)
    rejected: dict[str, str] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    paths: int = 0
    rejections: int = 0
    outermost: tuple[tuple[str, str], ...] = ()

    def add(self, growth: Growth) -> None:
        """Add the paths that one growth accepted, tried and rejected."""
        self.accepted.update(growth.accepted)
        self.tried |= growth.tried
        self.rejected |= {path: error for path, error in growth.rejected.items() if error}

    def drop(self, paths: Iterable[str]) -> None:
        """Add paths that were sent and that the validators did not receive."""
        self.rejected |= dict.fromkeys(sorted(paths), DROPPED)

    def unaccepted(self) -> dict[str, str]:
        """Return the paths that occur in no accepted object, with the error that rejected them or an ancestor."""
        rejected, why = self.rejected, {"": self.rejected.get("", "")}
        for path in type_paths(self.shape):  # parents come before their children
            source = path if path in rejected else parent_of(path)
            while source not in why and source not in rejected:  # a name with a dot in it
                source = parent_of(source)
            why[path] = rejected[source] if source in rejected else why[source]
        del why[""]
        return {path: error for path, error in why.items() if path not in self.accepted}

    def close(self) -> None:
        """Compute the reported counts, once the search for seeds has ended."""
        left = self.unaccepted()
        self.accepted.intersection_update(type_paths(self.shape))
        self.paths = len(self.accepted) + len(left)
        self.rejections = sum(map(bool, left.values()))
        outermost = ((path, error) for path, error in left.items() if parent_of(path) not in left)
        self.outermost = tuple(islice(outermost, MAX_OUTERMOST))
