"""What follows a refusal for a reason that was not met before: the same value once more, in other company.

Whether a side forgives what an update leaves as it was, and whether it looks at a value at all beside another, is where
two sides differ most, and a pass over all places comes to it late.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from harness import tuning
from harness.case import Answer, Json, Operation
from harness.engine.asker import UnitAsker, Wanted
from harness.fuzzers.kin import company, kin
from harness.fuzzers.places import place_of
from harness.jsonpath import ABSENT, JsonPath, canonical_path, look
from harness.objectmodel import STATUS, is_in_metadata, is_in_status, stored


class RejectionReasons:
    """Tells what is refused for a reason that was not met before."""

    def __init__(self) -> None:
        self._met: set[int] = set()  # hashes: of hundreds of searches each keeps thousands

    def is_new(self, at: tuple[object, ...], answer: Answer) -> bool:
        """Whether an answer has an error that was not met `at` this before: one place may be refused for several."""
        errors = (*answer.handwritten, *answer.declarative)
        said = {hash((*at, error.type, error.origin, canonical_path(error.field))) for error in errors}
        is_new = not said <= self._met
        self._met |= said
        return is_new


class FollowUps:
    """Goes on from what one unit's validators refuse."""

    def __init__(self, search: UnitAsker) -> None:
        self._shape = search.plan.shape
        lanes = [state.lane for state in search.ledger.states.values() if state.lane.operation is Operation.UPDATE]
        self._every, self._updates = lanes, [lane for lane in lanes if not lane.info.subresource]
        self._reasons = RejectionReasons()

    def of(self, wanted: Sequence[Wanted], answers: Sequence[Answer]) -> list[Wanted]:
        """Choose what to ask after these answers."""
        following: list[Wanted] = []
        for (lane, new, old, base), answer in zip(wanted, answers, strict=False):
            if not self._reasons.is_new((lane.info.subresource,), answer):
                continue
            both = stored(new)
            place = self._place(both, answer)
            # Preparation for a subresource brings back what it puts aside: it stays as it was there too.
            following += [(one, both, both, base) for one in self._every]
            lanes = [lane] if old is not None else self._updates
            if not place or is_in_metadata(place):  # all kinds have it, with the same validators
                continue
            # A status is written through its own subresource, which puts all else aside.
            lanes = [one for one in lanes if (one.info.subresource == STATUS) == is_in_status(place)]
            pairs = list(islice(kin(self._shape, both, place), tuning.NEIGHBOURS if lanes else 0))
            following += [(one, *pair, base) for one in lanes for pair in pairs]
            if old is None:
                following += [(lane, other, None, base) for other in company(self._shape, new, place)]
        return following

    def _place(self, obj: Json, answer: Answer) -> JsonPath:
        """Return the place of the first error that has one, or the nearest around it that an object can have."""
        for error in (*answer.declarative, *answer.handwritten):
            place, _ = place_of(error.field, self._shape)
            while place and look(obj, place[:-1]) is ABSENT:
                place = place[:-1]
            if place:
                return place
        return ()
