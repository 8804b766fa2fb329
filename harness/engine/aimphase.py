"""The directed pass: what observers still want to see is gone for, all aims at once, breadth first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from harness import tuning
from harness.case import Json, Operation
from harness.engine.asker import BATCH, UnitAsker, Wanted
from harness.engine.followups import FollowUps
from harness.engine.plan import Search
from harness.fuzzers.aiming import shots
from harness.fuzzers.aims import Aim
from harness.fuzzers.pairs import Pair
from harness.fuzzers.places import Once
from harness.objectmodel import STATUS, is_status_field, stored, without_status


class AimPhase:
    """The directed pass of one unit's search."""

    def __init__(self, search: UnitAsker) -> None:
        self.search = search
        states = search.ledger.states.values()
        self._creates = [state.lane for state in states if state.lane.operation is Operation.CREATE]
        self._updates = [state.lane for state in states if state.lane.operation is Operation.UPDATE]
        self._asked = Once()
        self._following = FollowUps(search)

    def run(
        self,
        bases: Sequence[Json],
        turns: Sequence[int],
        wants: str = "reject",
        settle: bool = True,
        most: int = 1 << 30,
    ) -> Search:
        """Go for every aim from these objects, until all are reached, nothing is left to try or the share is spent.

        `most` is how many cases this may take, as far as whole groups allow.
        """
        until = self.search.asked + most
        running: dict[tuple[object, ...], Iterator[Pair]] = {}
        for turn, width in enumerate(turns):
            for aims in self._groups(width, wants):
                if self.search.asked >= until:
                    return
                wanted: list[Wanted] = []
                for aim in aims:
                    steps = running.setdefault(_key(aim), shots(aim, self.search.plan.shape, bases))
                    for shot in islice(steps, width):
                        wanted += self._fresh(self._through(aim, shot, bases[0], everywhere=turn > 0))
                answers = yield from self.search.ask(wanted, settle=False)
                questions = self.search.ask(self._fresh(self._following.of(wanted, answers)), settle)
                del wanted, answers  # hundreds of searches stand here
                yield from questions

    def as_it_stands(self, bases: Sequence[Json], below: str = "") -> Search:
        """Go for what does not fire with defaults and preparation: without them.

        No user sends such a thing to a server, so nothing is compared. What fires here alone is a rule that the server
        never gives a reason to. `below` is how the paths of the aims begin.
        """
        if not self.search.plan.abilities.modes:
            return
        for aims in self._groups(tuning.AIM_AS_IT_STANDS, "reject"):
            by_option: dict[tuple[tuple[str, bool], ...], list[Wanted]] = {}
            for aim in aims:
                if aim.path.startswith(below):
                    # Under no setting of the gates a kind may be served with this option as its rule wants it.
                    told = aim.argument
                    option: tuple[tuple[str, bool], ...] = ()
                    if "option" in told:
                        option = ((told["option"], told["wanted"]),)
                    for shot in islice(shots(aim, self.search.plan.shape, bases), tuning.AIM_AS_IT_STANDS):
                        through = self._through(aim, shot, bases[0], everywhere=False)
                        by_option.setdefault(option, []).extend(self._fresh(through, "as it stands", *option))
            for options, wanted in by_option.items():
                yield from self.search.show(wanted, dict(options))

    def _groups(self, width: int, wants: str) -> Iterator[list[Aim]]:
        """Part what is wanted now into groups that fill a batch, for at most a third of what is left of the share."""
        aims = self._aims(wants)
        size, end = max(1, BATCH // width), self.search.asked + self.search.left() // 3
        for start in range(0, len(aims), size):
            if self.search.is_spent() or self.search.asked > end:
                return
            yield aims[start : start + size]

    def _aims(self, wants: str) -> list[Aim]:
        """Return what is wanted now, by all observers, each once; what the search leans to comes first."""
        every = [aim for observer in self.search.plan.observers.values() for aim in observer.aims()]
        near = self.search.plan.near
        return sorted(
            {_key(aim): aim for aim in every if aim.wants == wants}.values(), key=lambda a: not near.has(a.path)
        )

    def _through(self, aim: Aim, shot: Pair, base: Json, everywhere: bool) -> list[Wanted]:
        """Choose the lanes for a shot: a status is written through subresources, all else through the main resource."""
        new, old = shot
        is_status = is_status_field(aim.path)
        wanted: list[Wanted] = []
        if old is None:
            if self._creates and not aim.update and (everywhere or not is_status):
                wanted = [(lane, new, None, base) for lane in self._creates[:1]]
                if not everywhere:
                    return wanted
            new = stored(new)
            # Whoever writes a status cannot change the rest: old and new have it in common.
            old = _without_status(new, base if everywhere else None) if is_status else stored(base)
        lanes = [lane for lane in self._updates if everywhere or (lane.info.subresource == STATUS) == is_status]
        return [*wanted, *((lane, new, old, base) for lane in lanes or self._updates)]

    def _fresh(self, wanted: Sequence[Wanted], *how: object) -> list[Wanted]:
        """Leave out what was asked before: aims of one place, and of places that are not there, make much the same."""
        return [one for one in wanted if self._asked.is_new([one[0].info.key, one[0].operation, how, one[1], one[2]])]


def _without_status(new: Json, base: Json) -> Json:
    """Return a copy with the status of another object, without one where that has none."""
    status, rest = base.get(STATUS) if isinstance(base, dict) else None, without_status(new)
    return {**rest, STATUS: status} if status else rest


def _key(aim: Aim) -> tuple[object, ...]:
    return aim.path, aim.type, aim.origin, aim.tag, aim.wants, aim.update
