"""Old and new made smaller together, to the smallest pair that still shows the same difference and nothing else.

First what shows it is looked for in pairs that are handed in, made of little else. Only where none of them does,
everything else that is wrong goes back to the accepted base. Then it goes by repairs that are handed in, which may make
the pair larger. From then on a step is kept when the difference is still there and no error came up that was not there
before, so that what remains of the object is what its other rules demand. Steps are asked in batches; every pass tries
to bring its successes together before it takes them one at a time. Ends, because every step makes the pair smaller or
its errors fewer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case, Json
from harness.fuzzers.pairs import Pair
from harness.fuzzers.places import (
    ABSENT,
    Place,
    count_differences,
    differences,
    digest,
    look,
    places,
    put,
    remove,
    size,
)

Verdict: TypeAlias = Callable[[Case, Answer], frozenset[str] | None]
"""What else there is to say of an answer (its errors, other mismatches), or None when the difference is not there."""

Mend: TypeAlias = Callable[[Case, Answer], Iterator[Pair]]
"""Yields pairs in which an error beside the difference may be gone."""

Sized: TypeAlias = tuple[int, float]
Steps: TypeAlias = Callable[[], Iterator[Pair]]
Measure: TypeAlias = Callable[[Pair], Sized]

BATCH = 48
REPAIRS = 8
"""Repairs that are made one after the other: where more is wrong, a repair seldom leaves the difference alone."""
KEPT = frozenset({("apiVersion",), ("kind",), ("metadata",), ("metadata", "name"), ("metadata", "namespace")})
"""Places that say which object this is."""


def _measure(pair: Pair) -> Sized:
    """Measure a pair: how much the update changes, then how large both are.

    So a member goes from both or from none, unless the difference is about its absence.
    """
    new, old = pair
    changes = count_differences(new, old) if old is not None else 0
    return changes, size(new) + size(old)


@dataclass(slots=True)
class Reducer:
    """The reduction of one case. `limit` is in cases; `protected` are places that are never touched.

    `first` are pairs that may show the difference too and have little else. `ground` is an accepted pair from which
    nothing can be taken: what stands there just so is not tried again.

    Afterwards `answer` is what was said of the result, and `is_gone` whether the difference did not show again.
    """

    case: Case
    verdict: Verdict
    base: Json = None
    mend: Mend = lambda case, answer: iter(())
    first: Sequence[Pair] = ()
    ground: Pair | None = None
    limit: int = 400
    protected: frozenset[Place] = KEPT
    is_over: Callable[[], bool] = bool
    asked: int = 0
    answer: Answer | None = None
    is_gone: bool = False
    _others: frozenset[str] = frozenset()
    _heard: Answer | None = None
    _seen: set[bytes] = field(default_factory=set)
    _results: dict[bytes, tuple[Case, Answer, frozenset[str]]] = field(default_factory=dict)

    def run(self) -> Generator[list[Case], list[Answer], Case]:
        """Return the smallest case that was found; the given one when the difference does not show again."""
        start = self.case.object, self.case.old
        batch = list(self._fresh(iter((start, *self.first)))) if not self.is_over() else [start]
        kept = yield from self._ask(batch, anything=True)
        self.answer = self._heard
        others = self._results.get(digest(start))
        if others is None:
            self.is_gone = True
            return self.case
        self._others = others[2]
        self._accept(self._fewest(kept))
        if self.case.object is start[0] and self.case.old is start[1]:
            yield from self._exhaust(self._reverts, self._distance)
        yield from self._exhaust(self._removals, _measure)  # most errors stand at places that nothing needs
        for _ in range(REPAIRS):
            if not (yield from self._mended()):
                break
        while (yield from self._round()):
            pass
        return self.case

    def _round(self) -> Generator[list[Case], list[Answer], bool]:
        before = _measure((self.case.object, self.case.old))
        yield from self._exhaust(self._unions, _measure)
        yield from self._exhaust(self._removals, _measure)
        yield from self._exhaust(partial(self._scalars, _plainest), _measure)
        yield from self._exhaust(partial(self._scalars, _simpler), _measure)
        return _measure((self.case.object, self.case.old)) < before and not self._done()

    def _mended(self) -> Generator[list[Case], list[Answer], bool]:
        """Take the repair that leaves the fewest errors, then the smallest one."""
        assert self.answer is not None
        batch = list(islice(self._fresh(self.mend(self.case, self.answer)), BATCH)) if not self._done() else []
        kept = (yield from self._ask(batch)) if batch else []
        best = self._fewest(kept) if kept else None
        if best is None or len(self._results[digest(best)][2]) >= len(self._others):
            self._results.clear()
            return False
        self._accept(best)
        return True

    def _fewest(self, pairs: list[Pair]) -> Pair:
        """Return the pair with the fewest errors, the smallest of those."""
        return min(pairs, key=lambda pair: (len(self._results[digest(pair)][2]), _measure(pair)))

    def _done(self) -> bool:
        return self.asked >= self.limit or self.is_over()

    def _exhaust(self, steps: Steps, measure: Measure) -> Generator[list[Case], list[Answer], None]:
        """Take steps of one sort until none succeeds."""
        while not self._done():
            limit = measure((self.case.object, self.case.old))
            batch = list(islice((pair for pair in self._fresh(steps()) if measure(pair) < limit), BATCH))
            if not batch:
                return
            yield from self._take(batch, measure)

    def _fresh(self, pairs: Iterator[Pair]) -> Iterator[Pair]:
        for pair in pairs:
            code = digest(pair)
            if code not in self._seen:
                self._seen.add(code)
                yield pair

    def _distance(self, pair: Pair) -> Sized:
        """How far a pair is from the accepted base."""
        return sum(count_differences(obj, self.base) for obj in pair if obj is not None), 0

    def _take(self, batch: list[Pair], measure: Measure) -> Generator[list[Case], list[Answer], None]:
        """Ask the steps one by one; then ask for growing runs of the successful ones together.

        Ends a pass in time: a step that was asked once is not asked again, and what is kept is smaller.
        """
        start = (self.case.object, self.case.old)
        limit = measure(start)
        kept = self._smaller((yield from self._ask(batch)), measure, limit)
        if not kept:
            return
        together, merged = start, []
        for _, pair in kept:
            together = _merge(start, together, pair)
            merged.append(together)
        best, smallest = kept[0]
        wider = [pair for _, pair in self._smaller(merged[1:], measure, best)]
        further = self._smaller((yield from self._ask(wider)), measure, best) if wider else []
        self._accept(further[0][1] if further else smallest)

    def _smaller(self, pairs: list[Pair], measure: Measure, limit: Sized) -> list[tuple[Sized, Pair]]:
        """Measure pairs once, and return those below a limit, the smallest first."""
        measured = [(measure(pair), pair) for pair in pairs]
        return sorted((one for one in measured if one[0] < limit), key=lambda one: one[0])

    def _ask(self, pairs: list[Pair], anything: bool = False) -> Generator[list[Case], list[Answer], list[Pair]]:
        """Ask pairs. Returns: those with the difference and no new error, or with any other errors."""
        cases = [msgspec.structs.replace(self.case, object=new, old=old) for new, old in pairs]
        self.asked += len(cases)
        answers = yield cases
        self._heard = answers[0]
        kept = []
        for pair, case, answer in zip(pairs, cases, answers, strict=True):
            others = self.verdict(case, answer)
            if others is not None and (anything or others <= self._others):
                kept.append(pair)
                self._results[digest(pair)] = (case, answer, others)
        return kept

    def _accept(self, pair: Pair) -> None:
        self.case, self.answer, self._others = self._results[digest(pair)]
        self._results.clear()

    def _stays(self, place: Place) -> bool:
        """Whether there is nothing to gain at a place: it is protected, or as bare as it can be."""
        if place in self.protected:
            return True
        if self.ground is None:
            return False
        new, old = self.case.object, self.case.old
        bare = look(new, place) == look(self.ground[0], place)
        return bare and (old is None or look(old, place) == look(self.ground[1], place))

    def _reverts(self) -> Iterator[Pair]:
        """Bring places back to what they are in the accepted base."""
        new, old = self.case.object, self.case.old
        if self.base is None:
            return
        for place in list(differences(new, self.base)):
            before = look(self.base, place)
            if old is not None:
                yield put(new, place, before), put(old, place, before)
            yield put(new, place, before), old

    def _unions(self) -> Iterator[Pair]:
        """Make old and new say the same at a place."""
        new, old = self.case.object, self.case.old
        if old is None:
            return
        for place in list(differences(new, old)):
            if place not in self.protected:
                yield put(new, place, look(old, place)), old
                yield new, put(old, place, look(new, place))

    def _removals(self) -> Iterator[Pair]:
        """Leave out a place, in both where both have it; large parts first."""
        new, old = self.case.object, self.case.old
        found = [place for place, _, _ in places(new) if not self._stays(place)]
        for place in sorted(found, key=len):
            before = look(old, place) if old is not None else ABSENT
            if before is not ABSENT:
                yield remove(new, place), remove(old, place)
            if before is ABSENT or before != look(new, place):
                yield remove(new, place), old
        for place, _, _ in list(places(old)) if old is not None else ():
            if not self._stays(place) and look(new, place) is ABSENT:
                yield new, remove(old, place)

    def _scalars(self, simpler_of: Callable[[Json], Iterator[Json]]) -> Iterator[Pair]:
        """Make strings shorter and numbers smaller, in both at once where both say the same."""
        new, old = self.case.object, self.case.old
        held = [value for place, _, value in places(new) if isinstance(value, str) and not self._stays(place)]
        for value, times in Counter(held).items():
            if times > 1:  # a name and who refers to it
                yield _replaced(new, value, "a"), _replaced(old, value, "a")
        for which, obj in (("new", new), ("old", old)):
            for place, _, value in list(places(obj)) if obj is not None else ():
                if self._stays(place):
                    continue
                for simpler in (one for one in simpler_of(value) if size(one) < size(value)):
                    if which == "new":
                        if old is not None and look(old, place) == value:
                            yield put(new, place, simpler), put(old, place, simpler)
                        yield put(new, place, simpler), old
                    else:
                        yield new, put(old, place, simpler)


def _plainest(value: Json) -> Iterator[Json]:
    if isinstance(value, str):
        yield from ("", "a")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from (0, 1)


def _simpler(value: Json) -> Iterator[Json]:
    if isinstance(value, str):
        # The last but one keeps the length: where only that counts, plain letters say so.
        half, most = len(value) // 2, len(value) * 7 // 8
        plain = "a" * len(value)
        yield from dict.fromkeys((plain[:half], value[:half], plain[:most], value[:most], plain, value[:-1]))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        half = int(value / 2)
        yield from (half, int(value * 7 / 8), int(value) - (1 if value > 0 else -1))
    elif isinstance(value, list) and len(value) > 3:
        yield from (value[: len(value) // 2], value[: len(value) * 7 // 8])
    elif value is True:
        yield False


def _replaced(obj: Json, value: Json, other: Json) -> Json:
    """Return a copy with another value wherever this one stands."""
    if isinstance(obj, dict):
        return {name: _replaced(below, value, other) for name, below in obj.items()}
    if isinstance(obj, list):
        return [_replaced(below, value, other) for below in obj]
    return other if obj == value and type(obj) is type(value) else obj


def _merge(start: Pair, one: Pair, other: Pair) -> Pair:
    """Bring to `one` what changed from `start` to `other`."""
    return _bring(start[0], one[0], other[0]), _bring(start[1], one[1], other[1])


def _bring(start: Json, one: Json, other: Json) -> Json:
    if other is start or one is start:
        return one if other is start else other
    if isinstance(start, dict) and isinstance(one, dict) and isinstance(other, dict):
        return _bring_members(start, one, other)
    return other


def _bring_members(start: dict[str, Json], one: dict[str, Json], other: dict[str, Json]) -> dict[str, Json]:
    merged = {}
    for name in one:
        if name in other:
            merged[name] = _bring(start.get(name), one[name], other[name])
        elif name not in start:
            merged[name] = one[name]
    return merged
