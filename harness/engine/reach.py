"""Which places of a unit's type occur in an accepted object, and which error refused the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from harness.fuzzers.census import census
from harness.fuzzers.grow import Growth
from harness.fuzzers.shape import Shape
from harness.jsonpath import parent_of

DROPPED = "accepted, and put aside by the server"
MOST_TOLD = 1000
"""Places that are told about for one type."""


@dataclass(slots=True)
class TypeReach:
    """The places of one type. `told` are the outermost of those that were not reached, each with its error.

    `known_errors` counts all that were not reached and that an error refused, at their place or above.
    """

    shape: Shape
    reached: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    places: int = 0
    known_errors: int = 0
    told: tuple[tuple[str, str], ...] = ()

    def add(self, growth: Growth) -> None:
        """Take what one growth has reached."""
        self.reached.update(growth.reached)
        self.tried |= growth.tried
        self.refused |= {path: error for path, error in growth.refused.items() if error}

    def drop(self, places: Iterable[str]) -> None:
        """Take note of places that were sent and not given to the validators."""
        self.refused |= dict.fromkeys(sorted(places), DROPPED)

    def unreached(self) -> dict[str, str]:
        """Return the places that occur in no accepted object, with the error that refused them or what they lie in."""
        refused, why = self.refused, {"": self.refused.get("", "")}
        for path in census(self.shape):  # parents first, so that what they lie in is known
            at = path if path in refused else parent_of(path)
            while at not in why and at not in refused:  # a name with a dot in it
                at = parent_of(at)
            why[path] = refused[at] if at in refused else why[at]
        del why[""]
        return {path: error for path, error in why.items() if path not in self.reached}

    def tell(self) -> None:
        """Take stock, once the search for bases has ended."""
        left = self.unreached()
        self.reached.intersection_update(census(self.shape))
        self.places = len(self.reached) + len(left)
        self.known_errors = sum(map(bool, left.values()))
        outermost = ((path, error) for path, error in left.items() if parent_of(path) not in left)
        self.told = tuple(islice(outermost, MOST_TOLD))
