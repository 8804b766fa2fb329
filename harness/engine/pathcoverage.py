"""Which paths of a unit's type occur in an accepted object, and which error rejected the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from harness.fuzzers.census import census
from harness.fuzzers.grow import Growth
from harness.fuzzers.shape import Shape
from harness.jsonpath import parent_of

DROPPED = "accepted, and put aside by the server"
MOST_OUTERMOST = 1000
"""Paths that are reported for one type."""


@dataclass(slots=True)
class PathCoverage:
    """The paths of one type. `outermost` are the outermost of those that were not accepted, each with its error.

    `rejections` counts all that were not accepted and that an error rejected, at their place or above.
    """

    shape: Shape
    accepted: set[str] = field(default_factory=set)
    rejected: dict[str, str] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    paths: int = 0
    rejections: int = 0
    outermost: tuple[tuple[str, str], ...] = ()

    def add(self, growth: Growth) -> None:
        """Take what one growth has accepted."""
        self.accepted.update(growth.accepted)
        self.tried |= growth.tried
        self.rejected |= {path: error for path, error in growth.rejected.items() if error}

    def drop(self, paths: Iterable[str]) -> None:
        """Take note of paths that were sent and not given to the validators."""
        self.rejected |= dict.fromkeys(sorted(paths), DROPPED)

    def unaccepted(self) -> dict[str, str]:
        """Return the paths that occur in no accepted object, with the error that rejected them or what they lie in."""
        rejected, why = self.rejected, {"": self.rejected.get("", "")}
        for path in census(self.shape):  # parents first, so that what they lie in is known
            at = path if path in rejected else parent_of(path)
            while at not in why and at not in rejected:  # a name with a dot in it
                at = parent_of(at)
            why[path] = rejected[at] if at in rejected else why[at]
        del why[""]
        return {path: error for path, error in why.items() if path not in self.accepted}

    def close(self) -> None:
        """Take stock, once the search for bases has ended."""
        left = self.unaccepted()
        self.accepted.intersection_update(census(self.shape))
        self.paths = len(self.accepted) + len(left)
        self.rejections = sum(map(bool, left.values()))
        outermost = ((path, error) for path, error in left.items() if parent_of(path) not in left)
        self.outermost = tuple(islice(outermost, MOST_OUTERMOST))
