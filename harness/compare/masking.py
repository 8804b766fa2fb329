"""Is an error only hidden? Repairs what else is wrong with a case until the silent side speaks, or nothing is left.

A validator that returned early goes on once the other error is gone; a rule that was stopped runs. Some errors vanish
by leaving their field out, others want another value: those repairs are handed in.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice
from typing import NamedTuple

import msgspec

from harness.case import Answer, Case, Json
from harness.compare.comparator import PANIC, Comparator
from harness.compare.means import Mend
from harness.compare.mismatch import Mismatch
from harness.compare.objects import MISSING, Steps, steps, value_at, without
from harness.compare.obvious import CauseFound, short_circuit
from harness.compare.speaking import agrees, remains_in
from harness.field import FieldError

_ROUNDS = 3
_ERRORS = 6  # other errors that are repaired one by one
_REPAIRS = 8  # repairs asked of each
_KEPT = 3  # candidates that are repaired further


class _Tried(NamedTuple):
    """A case on the way to one without other errors, and the first error that was repaired."""

    case: Case
    repaired: FieldError | None
    others: tuple[FieldError, ...]


class Unmasking:
    """The repairs of one case. `contradicted` says that an error went away and the mismatch did not.

    That disproves that the two are one error in two forms.
    """

    def __init__(
        self, mismatch: Mismatch, comparator: Comparator, mend: Mend, partner: FieldError | None = None
    ) -> None:
        self.mismatch, self.comparator, self.mend, self.partner = mismatch, comparator, mend, partner
        self.early = mismatch.side == "declarative"
        self.contradicted = False
        self._asked: set[bytes] = set()

    def run(self, case: Case, answer: Answer) -> Generator[list[Case], list[Answer], CauseFound | None]:
        """Return the cause when the silent side speaks after a repair."""
        open_ = [_Tried(case, None, self._others(answer))]
        for _ in range(_ROUNDS):
            trials = [trial for tried in open_ for trial in self._repaired(tried)]
            if not trials:
                return None
            answers = yield [msgspec.structs.replace(trial.case, id=index) for index, trial in enumerate(trials)]
            open_ = []
            for trial, said in zip(trials, answers, strict=True):
                if said.failure is not None:
                    continue
                if trial.repaired is not None and agrees(trial.case, said, self.mismatch, self.comparator):
                    return self._found(trial.repaired)
                others = self._others(said)
                if remains_in(trial.case, said, self.mismatch, self.comparator):
                    self.contradicted |= self.partner is not None and self.partner not in self._silent(said)
                    if others and _count(others) < _count(trial.others):
                        open_.append(trial._replace(others=others))
            open_ = sorted(open_, key=lambda tried: _count(tried.others))[:_KEPT]
        return None

    def _silent(self, answer: Answer) -> tuple[FieldError, ...]:
        """What the side says that is silent on the mismatch."""
        return answer.handwritten if self.early else answer.declarative

    def _others(self, answer: Answer) -> tuple[FieldError, ...]:
        said = self._silent(answer)
        found = [e for e in said if not self.comparator.concerns(self.mismatch, e) and not e.detail.startswith(PANIC)]
        return tuple(dict.fromkeys(found))

    def _repaired(self, tried: _Tried) -> Iterator[_Tried]:
        """Yield what a candidate becomes: without every wrong place, without one, with one other value."""
        case, place = tried.case, steps(self.mismatch.path)
        ways = [(error, way) for error in tried.others for way in _removable(case, error, place)]
        for some in (*([ways] if len(ways) > 1 else []), *([one] for one in ways[:_ERRORS])):
            new, old = case.object, case.old
            # From the end, so that removing an item does not move those that are still to be removed.
            for way in sorted({way for _, way in some}, key=_by_index, reverse=True):
                new, old = without(new, way), without(old, way)
            yield from self._fresh(tried, some[0][0], new, old)
        for error in tried.others[:_ERRORS]:
            for new, old in islice(self.mend(case, error), _REPAIRS):
                yield from self._fresh(tried, error, new, old)

    def _fresh(self, tried: _Tried, error: FieldError, new: Json, old: Json) -> Iterator[_Tried]:
        code = msgspec.json.encode((new, old))
        if code not in self._asked:
            self._asked.add(code)
            case = msgspec.structs.replace(tried.case, object=new, old=old)
            yield _Tried(case, tried.repaired or error, tried.others)

    def _found(self, error: FieldError) -> CauseFound:
        if not self.early:
            return short_circuit(error)
        detail = f"the handwritten validator returned early because of {error.text}; without it both sides agree"
        return CauseFound("masked", detail, f"let the handwritten validator go on after the error on {error.field}")


def _count(errors: tuple[FieldError, ...]) -> int:
    return len({(error.type, error.field) for error in errors})


def _by_index(way: Steps) -> tuple[tuple[int, str], ...]:
    return tuple((int(step) if step.isdecimal() else -1, step) for step in way)


def _removable(case: Case, error: FieldError, place: Steps) -> Iterator[Steps]:
    """Yield what may be removed to repair an error, without touching what the mismatch is about."""
    way = steps(error.field)
    while way and value_at(case.object, way) is MISSING:
        way = way[:-1]  # something is missing: without its parent nothing is
    if way and way != place[: len(way)]:
        yield way
