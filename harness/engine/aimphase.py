"""The aim phase: asks cases that should fire the rules that observers have not seen fire yet.

Observers name aims (see `harness.fuzzers.aims`); all aims get their first cases before any gets more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

from harness import tuning
from harness.case import Json, Operation
from harness.engine.asker import BATCH, CaseSpec, UnitAsker
from harness.engine.followups import FollowUps
from harness.engine.plan import Search
from harness.fuzzers.aimedpairs import aimed_pairs
from harness.fuzzers.aims import Aim
from harness.fuzzers.pairs import Pair
from harness.fuzzers.shapepaths import SeenValues
from harness.objectmodel import STATUS, is_status_field, stored, without_status


class AimPhase:
    """The directed part of one unit's search."""

    def __init__(self, search: UnitAsker) -> None:
        self.search = search
        states = search.ledger.states.values()
        self._creates = [state.request for state in states if state.request.operation is Operation.CREATE]
        self._updates = [state.request for state in states if state.request.operation is Operation.UPDATE]
        self._asked = SeenValues()
        self._follow_ups = FollowUps(search)

    def run(
        self,
        seeds: Sequence[Json],
        turns: Sequence[int],
        wants: str = "reject",
        settle: bool = True,
        until: float = math.inf,
    ) -> Search:
        """Pursue every aim from these objects, until all are reached, no case is left to try or the share is spent.

        `turns` are the numbers of pairs to try for each aim, turn by turn. No group of aims starts once the search has
        asked `until` cases; what follows up an answer, which may be hundreds of cases, leaves half of the rest then.
        """
        end = self.search.asked + self.search.left() // (1 if until == math.inf else 2)
        running: dict[tuple[object, ...], Iterator[Pair]] = {}
        for turn, width in enumerate(turns):
            for aims in self._groups(width, wants, until):
                specs: list[CaseSpec] = []
                for aim in aims:
                    pairs = running.setdefault(_key(aim), aimed_pairs(aim, self.search.plan.shape, seeds))
                    for pair in islice(pairs, width):
                        specs += self._select_new(self._specs_for(aim, pair, seeds[0], all_requests=turn > 0))
                # Where generated code has lost a rule, no answer shows it; its tags do.
                answers = yield from self.search.ask(specs, settle=False, compiled=not turn)
                further = self._select_new(self._follow_ups.choose(specs, answers))
                further = further[: max(0, end - self.search.asked)]
                follow_ups = self.search.ask(further, settle, compiled=not turn)
                del specs, answers, further  # hundreds of searches pause at the next line and should not hold them
                yield from follow_ups

    def run_as_given(self, seeds: Sequence[Json], prefix: str = "", until: float = math.inf) -> Search:
        """Pursue aims that were not reached, in mode `given`: without defaults and preparation.

        No server validates such objects, so answers are not compared. A rule that fires only here is one that no
        request can violate. `prefix` restricts the aims to paths that start with it.
        """
        if not self.search.plan.abilities.modes:
            return
        for aims in self._groups(tuning.AIM_AS_IT_STANDS, "reject", until):
            by_option: dict[tuple[tuple[str, bool], ...], list[CaseSpec]] = {}
            for aim in aims:
                if aim.path.startswith(prefix):
                    # Perhaps no feature gate sets the option to the value that the rule needs, so set it in the case.
                    argument = aim.argument
                    option: tuple[tuple[str, bool], ...] = ()
                    if "option" in argument:
                        option = ((argument["option"], argument["wanted"]),)
                    for pair in islice(aimed_pairs(aim, self.search.plan.shape, seeds), tuning.AIM_AS_IT_STANDS):
                        specs = self._specs_for(aim, pair, seeds[0], all_requests=False)
                        by_option.setdefault(option, []).extend(self._select_new(specs, "given", *option))
            for options, specs in by_option.items():
                yield from self.search.show(specs, dict(options))

    def _groups(self, width: int, wants: str, until: float) -> Iterator[list[Aim]]:
        """Split the current aims into groups that fill a batch, for at most a third of the cases left."""
        aims, end = self._aims(wants), min(until, self.search.asked + self.search.left() // 3)
        while aims and self.search.asked < end and not self.search.is_spent():
            size = max(1, int(min(BATCH, end - self.search.asked)) // width)
            group, aims = aims[:size], aims[size:]
            yield group

    def _aims(self, wants: str) -> list[Aim]:
        """Return the current aims of all observers, each once; those at focused paths come first."""
        aims = [aim for observer in self.search.plan.observers.values() for aim in observer.aims()]
        focused = self.search.plan.focused
        return sorted(
            {_key(aim): aim for aim in aims if aim.wants == wants}.values(), key=lambda aim: not focused.has(aim.path)
        )

    def _specs_for(self, aim: Aim, pair: Pair, base: Json, all_requests: bool) -> list[CaseSpec]:
        """Choose the requests for a pair: the status subresource for a status, else the resource; or all requests."""
        new, old = pair
        is_status = is_status_field(aim.path)
        specs: list[CaseSpec] = []
        if old is None:
            if self._creates and not aim.update and (all_requests or not is_status):
                specs = [(request, new, None, base) for request in self._creates[:1]]
                if not all_requests:
                    return specs
            new = stored(new)
            # The status subresource cannot change other fields, so old and new have them in common.
            old = _with_status_of(base if all_requests else None, new) if is_status else stored(base)
        requests = [
            request for request in self._updates if all_requests or (request.info.subresource == STATUS) == is_status
        ]
        return [*specs, *((request, new, old, base) for request in requests or self._updates)]

    def _select_new(self, specs: Sequence[CaseSpec], *how: object) -> list[CaseSpec]:
        """Drop cases that were asked before: aims at one path, or below an absent parent, often make the same pairs."""
        return [
            spec for spec in specs if self._asked.is_new([spec[0].info.key, spec[0].operation, how, spec[1], spec[2]])
        ]


def _with_status_of(base: Json, obj: Json) -> Json:
    """Return a copy of an object with the status of `base`, or without a status if that has none."""
    status, rest = base.get(STATUS) if isinstance(base, dict) else None, without_status(obj)
    return {**rest, STATUS: status} if status else rest


def _key(aim: Aim) -> tuple[object, ...]:
    return aim.path, aim.type, aim.origin, aim.tag, aim.wants, aim.update
