"""Old and new made smaller together, to the smallest pair that still shows the same difference and nothing else.

First what shows it is looked for in pairs that are handed in, made of little else, then with fewer and fewer members of
what is large. Only where none of them does, everything else that is wrong goes back to the accepted base. Then it goes
by repairs that are handed in, which may make the pair larger. From then on a step is kept when the difference is still
there and no error came up that was not there before, so that what remains of the object is what its other rules demand.
Steps are asked in batches; every pass tries to bring its successes together before it takes them one at a time. What
fails in a pass is tried once more in the next round, not after every success. Ends, because every step makes the pair
smaller or its errors fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, TypeAlias

import msgspec

from harness.case import Answer, Case, Json
from harness.fuzzers.alike import ANY_ITEM, is_long, moved, quarters, runs, together
from harness.fuzzers.pairs import Pair, unchanged
from harness.fuzzers.places import Once, size
from harness.fuzzers.steps import Key, Step, Values, gain, plainest, removals, reverts, scalars, simpler, taken, unions
from harness.fuzzers.transplant import some_members
from harness.jsonpath import JsonPath, count_differences
from harness.objectmodel import IDENTITY, METADATA

Verdict: TypeAlias = Callable[[Case, Answer], frozenset[str] | None]
"""What else there is to say of an answer (its errors, other mismatches), or None when the difference is not there."""

Mend: TypeAlias = Callable[[Case, Answer], Iterator[Pair]]
"""Yields pairs in which an error beside the difference may be gone."""

Sized: TypeAlias = tuple[int, float]
Measure: TypeAlias = Callable[[Pair], Sized]
Steps: TypeAlias = Callable[[], Iterator[Step]]

BATCH = 48
FEW = 12
"""So many steps are asked at once even where some change what lies within the place of another."""
MANY_STEPS = 8
"""Fewer steps that fail together are taken one at a time."""
REPAIRS = 8
"""Repairs that are made one after the other: where more is wrong, a repair seldom leaves the difference alone."""
KEPT = IDENTITY | {(METADATA,)}
"""Places that say which object this is."""


def _measure(pair: Pair) -> Sized:
    """Measure a pair: how much the update changes, then how large both are.

    So a member goes from both or from none, unless the difference is about its absence.
    """
    new, old = pair
    if old is None:
        return 0, size(new)
    return count_differences(new, old), size(new) + size(old)


class _Shown(NamedTuple):
    """A case that shows the difference, and what else there is to say of it."""

    case: Case
    answer: Answer
    others: frozenset[str]

    @property
    def pair(self) -> Pair:
        return self.case.object, self.case.old


@dataclass(slots=True)
class Reducer:
    """The reduction of one case. `limit` is in cases; `protected` are places that are never touched.

    `first` are pairs that may show the difference too and have little else. `ground` is an accepted pair from which
    nothing can be taken: what stands there just so is not tried again. `seat` is the place that the difference is
    about: what is around it is the last that is left out.

    Afterwards `answer` is what was said of the result, `is_gone` whether the difference did not show again.
    """

    case: Case
    verdict: Verdict
    base: Json = None
    mend: Mend = lambda case, answer: iter(())
    first: Sequence[Pair] = ()
    ground: Pair | None = None
    seat: JsonPath = ()
    limit: int = 400
    protected: frozenset[JsonPath] = KEPT
    asked: int = 0
    answer: Answer | None = None
    is_gone: bool = False
    _others: frozenset[str] = frozenset()
    _is_long: bool = False
    _heard: Answer | None = None
    _tried: Once = field(default_factory=Once)
    _exhausted: dict[str, Case] = field(default_factory=dict)

    def run(self) -> Generator[list[Case], list[Answer], Case]:
        """Return the smallest case that was found; the given one when the difference does not show again."""
        start = self._pair
        batch = list(self._unasked([start, *self.first]))
        shown = yield from self._ask(batch, anything=True)
        self.answer = self._heard
        if shown[0] is None:
            self.is_gone = True
            return self.case
        self._others = shown[0].others
        self._accept(self._fewest(one for one in shown if one is not None) or shown[0])
        yield from self._by_members()
        if self.case is shown[0].case:
            yield from self._exhaust("reverts", lambda: reverts(self._pair, self.base), self._distance)
        yield from self._removed(self.seat)  # most errors stand at places that nothing needs
        for _ in range(REPAIRS):
            if not (yield from self._mended()):
                break
        while (yield from self._round()):
            pass
        return self.case

    @property
    def _pair(self) -> Pair:
        return self.case.object, self.case.old

    def _by_members(self) -> Generator[list[Case], list[Answer], None]:
        """Bring fewer and fewer members of what is large to the ground: mostly one or two are enough."""
        ground = self.ground or unchanged(self.base, self._pair)
        while ground[0] is not None and not self._done():
            batch = list(self._unasked(some_members(self._pair, self.seat, ground)))
            shown = (yield from self._ask(batch, anything=True)) if batch else []
            best = self._fewest(one for one in shown if one is not None and len(one.others) <= len(self._others))
            if best is None or not _measure(best.pair) < _measure(self._pair):
                return
            self._accept(best)

    def _round(self) -> Generator[list[Case], list[Answer], bool]:
        """Go through all sorts of steps. Returns: whether what is left of the pair changed what there is to do."""
        yield from self._made(plainest)
        yield from self._made(simpler)
        before = self.case
        yield from self._exhaust("unions", lambda: unions(self._pair, self.protected), _measure)
        yield from self._removed()
        return self.case is not before and not self._done()

    def _removed(self, seat: JsonPath = ()) -> Generator[list[Case], list[Answer], None]:
        """Leave places out; not those around the seat, of which one can seldom be spared."""
        kept = self.protected.union(seat[:depth] for depth in range(1, len(seat) + 1))
        name = "others" if seat else "removals"
        return self._exhaust(name, lambda: removals(self._pair, self.ground, kept), _measure)

    def _made(self, values: Values) -> Generator[list[Case], list[Answer], None]:
        """Put other values where values stand."""
        return self._exhaust(
            values.__name__, lambda: scalars(values, self._pair, self.ground, self.protected), _measure
        )

    def _mended(self) -> Generator[list[Case], list[Answer], bool]:
        """Take the repair that leaves the fewest errors, then the smallest one."""
        assert self.answer is not None
        if not self._others or self._done():
            return False
        repairs = islice(self._unasked(self.mend(self.case, self.answer)), BATCH)
        while batch := list(islice(repairs, FEW)):
            shown = yield from self._ask(batch)
            best = self._fewest(one for one in shown if one is not None and len(one.others) < len(self._others))
            if best is not None:
                self._accept(best)
                return True
        return False

    def _fewest(self, shown: Iterable[_Shown]) -> _Shown | None:
        """Return what has the fewest errors, the smallest of those."""
        found = list(shown)
        least = min((len(one.others) for one in found), default=0)
        found = [one for one in found if len(one.others) == least]
        return min(found, key=lambda one: _measure(one.pair)) if len(found) > 1 else next(iter(found), None)

    def _done(self) -> bool:
        return self.asked >= self.limit

    def _exhaust(self, name: str, steps: Steps, measure: Measure) -> Generator[list[Case], list[Answer], None]:
        """Take steps of one sort until none succeeds.

        What has failed is not tried again on the way, though the pair has become smaller; in the next round it is.
        """
        start = self.case
        if self._exhausted.get(name) is start:
            return
        failed: set[Key] = set()
        while not self._done():
            batch = self._batch(together(steps(), failed) if self._is_long else steps(), failed, measure)
            if not batch:
                break
            yield from self._take(batch, failed, measure)
        if self.case is start:
            self._exhausted[name] = start

    def _batch(self, steps: Iterator[Step], failed: set[Key], measure: Measure) -> list[tuple[Step, Pair]]:
        """Choose steps that make the pair smaller. What lies within the place of another waits for its answer."""
        batch: list[tuple[Step, Pair]] = []
        chosen: set[JsonPath] = set()
        few = 0 if self._is_long else FEW  # an object with long lists costs too much to be asked for nothing
        for step in steps:
            if step.key in failed or (len(batch) >= few and not chosen.isdisjoint(_around(step.place))):
                continue
            pair = taken(self._pair, (step,))
            if (not step.is_sure and not measure(pair) < measure(self._pair)) or not self._tried.is_new(pair):
                failed.add(step.key)
                continue
            batch.append((step, pair))
            if step.place[-1:] != (ANY_ITEM,):  # the items that stay lose their members all the same
                chosen.add(step.place)
            if len(batch) == BATCH:
                break
        return batch

    def _take(
        self, batch: list[tuple[Step, Pair]], failed: set[Key], measure: Measure
    ) -> Generator[list[Case], list[Answer], None]:
        """Ask the steps one by one; then ask for runs of the successful ones together."""
        start = self._pair
        shown = yield from self._ask([pair for _, pair in batch])
        kept = [(step, one) for (step, _), one in zip(batch, shown, strict=True) if one is not None]
        failed.update(step.key for (step, _), one in zip(batch, shown, strict=True) if one is None)
        if not kept:
            return
        steps = sorted((step for step, _ in kept), key=lambda step: gain(start, step), reverse=True)
        further = yield from self._taken(start, runs(steps))
        if not further and len(steps) >= MANY_STEPS:
            # Each of two may be left out as long as the other one stays: what is worth most fails, the rest does not.
            further = yield from self._taken(start, quarters(steps))
            if len(further) > 1:
                further += yield from self._taken(start, [[step for way, _ in further for step in way]])
        way, smallest = min(further or [([step], one) for step, one in kept], key=lambda found: measure(found[1].pair))
        if measure(smallest.pair) < measure(start):
            self._accept(smallest)
            moved(failed, way)

    def _taken(
        self, start: Pair, ways: Sequence[Sequence[Step]]
    ) -> Generator[list[Case], list[Answer], list[tuple[Sequence[Step], _Shown]]]:
        """Ask for steps taken together, in each of these ways. Returns those that are as good."""
        fresh = [(way, pair) for way in ways if self._tried.is_new(pair := taken(start, way))]
        shown = (yield from self._ask([pair for _, pair in fresh])) if fresh else []
        return [(way, one) for (way, _), one in zip(fresh, shown, strict=True) if one is not None]

    def _ask(
        self, pairs: list[Pair], anything: bool = False
    ) -> Generator[list[Case], list[Answer], list[_Shown | None]]:
        """Ask pairs. Returns: those with the difference and no new error, or with any other errors; None for others."""
        cases = [msgspec.structs.replace(self.case, object=new, old=old) for new, old in pairs]
        self.asked += len(cases)
        answers = yield cases
        self._heard = answers[0]
        shown: list[_Shown | None] = []
        for case, answer in zip(cases, answers, strict=True):
            others = self.verdict(case, answer)
            is_kept = others is not None and (anything or others <= self._others)
            shown.append(_Shown(case, answer, others) if others is not None and is_kept else None)
        return shown

    def _accept(self, shown: _Shown) -> None:
        self.case, self.answer, self._others = shown
        self._is_long = any(map(is_long, self._pair))

    def _unasked(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield what was not asked before, and remember it."""
        return filter(self._tried.is_new, pairs)

    def _distance(self, pair: Pair) -> Sized:
        """How far a pair is from the accepted base."""
        return sum(count_differences(obj, self.base) for obj in pair if obj is not None), 0


def _around(place: JsonPath) -> Iterator[JsonPath]:
    """Yield the places that a place lies within."""
    return (place[:depth] for depth in range(1, len(place)))
