"""Minimise a case (delta debugging): the smallest pair of old and new objects that still shows the same difference.

The passes, in order:

1. small pairs: try pairs that the caller hands in, made of the floor and the part that shows the difference;
2. members: put fewer and fewer members of a large object into the floor;
3. reverts: only where 1 and 2 found nothing, set everything else back to the accepted base;
4. repairs: apply fixes of the other errors, which the caller hands in and which may make the pair larger;
5. plainest values and keys, simpler ones, equalizations of old and new, and removals, round by round until a round
   equalizes and removes nothing;
6. pairs of steps that each bring up a new error, because one path requires the other; then 5 again;
7. removals of what the floor has too, which the difference may stand in for; then 5 again.

From the end of pass 1 on a step is kept only if the difference is still there and no error came up that was not there
before, so that the result holds what its other rules require. Steps are evaluated in batches; a pass tries combinations
of its successful steps before it keeps a single one. A step that failed is tried once more in the next round, not after
every success. Terminates, because every step makes the pair smaller or its errors fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import NamedTuple, TypeAlias

import msgspec

from harness.case import Answer, Case, Json
from harness.fuzzers.alike import (
    ANY_ITEM,
    forget_failures_in_shortened_lists,
    has_long_list,
    join_alike_steps,
    largest_runs,
    quarters,
)
from harness.fuzzers.pairs import Pair, unchanged
from harness.fuzzers.shape import ANY, Shape
from harness.fuzzers.shapepaths import SeenValues, digest, size
from harness.fuzzers.steps import (
    Key,
    OtherValues,
    Step,
    apply_steps,
    equalizations,
    estimate_gain,
    other_scalars,
    plainest_values,
    removals,
    reverts,
    shorter_keys,
    simpler_values,
)
from harness.fuzzers.transplant import some_members
from harness.jsonpath import ABSENT, JsonPath, count_differences, look
from harness.objectmodel import HEADER, IDENTITY, METADATA

FindOtherErrors: TypeAlias = Callable[[Case, Answer], frozenset[str] | None]
"""Returns the other errors and mismatches of an answer, or None when the answer does not show the difference."""

FindRepairs: TypeAlias = Callable[[Case, Answer], Iterator[Pair]]
"""Yields pairs that may have one error less beside the difference."""

Measurement: TypeAlias = tuple[int, float]
Measure: TypeAlias = Callable[[Pair], Measurement]
ListSteps: TypeAlias = Callable[[], Iterator[Step]]

BATCH = 48
"""At most this many steps are evaluated in one batch."""
MIN_BATCH = 12
"""A batch gets this many steps even if the path of one contains the path of another, whose results may conflict."""
MIN_STEPS_FOR_QUARTERS = 8
"""Quarters are tried of at least this many successful steps; fewer are kept one by one when they fail combined."""
PAIRED_STEPS = 8
"""At most this many steps that each bring up a new error are tried in pairs, those that gain most: 28 pairs.
In 150,000 cases of 1.37.1 the pairs took 2.3 % of the cases, and made 2 of 2,213 findings smaller."""
MAX_REPAIRS = 8
"""At most this many repairs in a row: where more is wrong, a repair seldom leaves the difference alone."""
KEPT = IDENTITY | {(METADATA,)}
"""Paths that identify the object."""
NAMES = IDENTITY - HEADER
"""Those whose values may become shorter, and not empty."""


def _measure(pair: Pair) -> Measurement:
    """Measure a pair: how many paths the update changes, then how large both objects are.

    A member that is in both objects is therefore removed from both or from none, unless the difference is about its
    absence.
    """
    new, old = pair
    if old is None:
        return 0, size(new)
    return count_differences(new, old), size(new) + size(old)


class _Success(NamedTuple):
    """A case that shows the difference, its answer, and the other errors of that answer."""

    case: Case
    answer: Answer
    other_errors: frozenset[str]

    @property
    def pair(self) -> Pair:
        return self.case.object, self.case.old


@dataclass(slots=True)
class Reducer:
    """The reduction of one case. `limit` is in cases; `protected` are paths that are never removed, nor changed unless
    they are names.

    `base` is the accepted object from which the case was edited. `floor` is an accepted pair that cannot be made
    smaller: a value that is equal in the floor is not reduced. `small_pairs` may show the difference too, and are tried
    first. `path` is the path of the difference: the paths that contain it are removed last. `shape` says which members
    are keys of maps, which are shortened.

    Afterwards `answer` is the answer to the result, and `is_gone` is true when the difference did not show again.
    """

    case: Case
    find_other_errors: FindOtherErrors
    base: Json = None
    find_repairs: FindRepairs = lambda case, answer: iter(())
    small_pairs: Sequence[Pair] = ()
    floor: Pair | None = None
    path: JsonPath = ()
    limit: int = 400
    protected: frozenset[JsonPath] = KEPT
    shape: Shape = ANY
    evaluated: int = 0
    answer: Answer | None = None
    is_gone: bool = False
    _other_errors: frozenset[str] = frozenset()
    _has_long_list: bool = False
    _first_answer: Answer | None = None
    _tried: SeenValues = field(default_factory=SeenValues)
    _exhausted: dict[str, Case] = field(default_factory=dict)
    _blocked: dict[Key, Step] = field(default_factory=dict)
    _with_new_errors: set[int] = field(default_factory=set)  # digests of the pairs that such steps led to
    _unused: list[_Success] = field(default_factory=list)  # successes of which another one was kept, or none

    def run(self) -> Generator[list[Case], list[Answer], Case]:
        """Return the smallest case that was found; the given one when the difference does not show again."""
        start = self._pair
        batch = list(self._not_yet_tried([start, *self.small_pairs]))
        results = yield from self._evaluate(batch, allow_new_errors=True)
        self.answer = self._first_answer
        if results[0] is None:
            self.is_gone = True
            return self.case
        self._other_errors = results[0].other_errors
        self._accept(self._best(one for one in results if one is not None) or results[0])
        yield from self._keep_some_members()
        if self.case is results[0].case:
            yield from self._exhaust("reverts", lambda: reverts(self._pair, self.base), self._distance)
        yield from self._remove_paths(self.path)  # most errors are at paths that no rule requires
        for _ in range(MAX_REPAIRS):
            if not (yield from self._repair()):
                break
        while (
            (yield from self._run_round()) or (yield from self._try_pairs()) or (yield from self._remove_from_floor())
        ):
            pass
        return self.case

    @property
    def _pair(self) -> Pair:
        return self.case.object, self.case.old

    def _keep_some_members(self) -> Generator[list[Case], list[Answer], None]:
        """Put fewer and fewer members of the pair into the floor: one or two are mostly enough."""
        floor = self.floor or unchanged(self.base, self._pair)
        while floor[0] is not None and not self._is_done():
            batch = list(self._not_yet_tried(some_members(self._pair, self.path, floor)))
            results = (yield from self._evaluate(batch, allow_new_errors=True)) if batch else []
            most = len(self._other_errors)
            best = self._best(one for one in results if one is not None and len(one.other_errors) <= most)
            if best is None or not _measure(best.pair) < _measure(self._pair):
                return
            self._accept(best)

    def _run_round(self) -> Generator[list[Case], list[Answer], bool]:
        """Run pass 5 once. Returns: whether equalizations or removals changed the pair, so that values may shrink."""
        yield from self._replace_scalars(plainest_values)
        yield from self._replace_scalars(simpler_values)
        before = self.case
        yield from self._exhaust("equalizations", lambda: equalizations(self._pair, self.protected), _measure)
        yield from self._remove_paths()
        return self.case is not before and not self._is_done()

    def _remove_paths(self, kept: JsonPath = ()) -> Generator[list[Case], list[Answer], None]:
        """Remove paths, except those that contain `kept`, which can seldom be removed."""
        protected = self.protected.union(kept[:depth] for depth in range(1, len(kept) + 1))
        name = "removals elsewhere" if kept else "removals"
        return self._exhaust(name, lambda: removals(self._pair, self.floor, protected), _measure)

    def _remove_from_floor(self) -> Generator[list[Case], list[Answer], bool]:
        """Remove what the floor has too, beside what it has not. Returns: whether that made the pair smaller.

        An accepted object may need a member only because it lacks another one: one of the two is enough.
        """
        floor, before = self.floor, self.case
        if floor is None:
            return False

        def is_beside_more(step: Step) -> bool:
            held = look(self.case.object, step.path[:-1])
            names = held if isinstance(held, dict) else ()
            return any(look(floor[0], (*step.path[:-1], name)) is ABSENT for name in names)

        def list_steps() -> Iterator[Step]:
            return filter(is_beside_more, removals(self._pair, None, self.protected))

        yield from self._exhaust("the floor", list_steps, _measure)
        return self.case is not before and not self._is_done()

    def _try_pairs(self) -> Generator[list[Case], list[Answer], bool]:
        """Apply two steps at once that fail alone because of a new error. Returns: whether two succeeded.

        Of two paths that require one another none can be removed alone; a discriminator and its member change together.
        """
        if self._is_done():
            return False
        start = self._pair
        steps = sorted(self._blocked.values(), key=lambda step: estimate_gain(start, step), reverse=True)[:PAIRED_STEPS]
        both = [steps] if len(steps) > 2 else []
        both += [[one, other] for one, other in combinations(steps, 2) if not _is_nested(one.path, other.path)]
        succeeded = yield from self._try_combinations(start, both)
        best = min(succeeded, key=lambda found: _measure(found[1].pair), default=None)
        if best is None or not _measure(best[1].pair) < _measure(start):
            return False
        self._accept(best[1])
        return True

    def _replace_scalars(self, other_values: OtherValues) -> Generator[list[Case], list[Answer], None]:
        """Replace scalars and the keys of maps by plainer ones."""

        def list_steps() -> Iterator[Step]:
            kept = self.protected if self.floor is None else self.protected - NAMES  # the floor has its own names
            for step in other_scalars(other_values, self._pair, self.floor, kept):
                if step.path not in self.protected or all(value for _, value in (*step.new, *step.old)):
                    yield step
            yield from shorter_keys(other_values, self._pair, self.floor, self.shape)

        return self._exhaust(other_values.__name__, list_steps, _measure)

    def _repair(self) -> Generator[list[Case], list[Answer], bool]:
        """Apply the repair that leaves the fewest errors, then the smallest. Returns: whether there was one."""
        assert self.answer is not None
        if not self._other_errors or self._is_done():
            return False
        repairs = islice(self._not_yet_tried(self.find_repairs(self.case, self.answer)), BATCH)
        while batch := list(islice(repairs, MIN_BATCH)):
            results = yield from self._evaluate(batch)
            most = len(self._other_errors)
            best = self._best(one for one in results if one is not None and len(one.other_errors) < most)
            if best is not None:
                self._accept(best)
                return True
        self._forget_unused()
        return False

    def _best(self, results: Iterable[_Success]) -> _Success | None:
        """Return the result with the fewest other errors, the smallest of those."""
        found = list(results)
        fewest = min((len(one.other_errors) for one in found), default=0)
        found = [one for one in found if len(one.other_errors) == fewest]
        return min(found, key=lambda one: _measure(one.pair)) if len(found) > 1 else next(iter(found), None)

    def _is_done(self) -> bool:
        return self.evaluated >= self.limit

    def _exhaust(self, name: str, list_steps: ListSteps, measure: Measure) -> Generator[list[Case], list[Answer], None]:
        """Apply steps of one pass until none succeeds.

        A step that failed is not tried again in this call, though the pair has become smaller since; the next round
        tries it again.
        """
        start = self.case
        if self._exhausted.get(name) is start:
            return
        failed: set[Key] = set()
        while not self._is_done():
            steps = join_alike_steps(list_steps(), failed) if self._has_long_list else list_steps()
            batch = self._choose_batch(steps, failed, measure)
            if not batch:
                break
            yield from self._try_batch(batch, failed, measure)
        if self.case is start:
            self._exhausted[name] = start

    def _choose_batch(self, steps: Iterator[Step], failed: set[Key], measure: Measure) -> list[tuple[Step, Pair]]:
        """Choose steps that make the pair smaller; a step inside the path of a chosen one waits for the next batch."""
        batch: list[tuple[Step, Pair]] = []
        chosen: set[JsonPath] = set()
        # Cases with long lists take so long to evaluate that none is spent on a step whose result may not count.
        least = 0 if self._has_long_list else MIN_BATCH
        for step in steps:
            if step.key in failed or (len(batch) >= least and not chosen.isdisjoint(_parents(step.path))):
                continue
            pair = apply_steps(self._pair, (step,))
            if (not step.is_sure and not measure(pair) < measure(self._pair)) or not self._tried.is_new(pair):
                failed.add(step.key)
                if digest(pair) in self._with_new_errors:
                    self._blocked[step.key] = step
                continue
            batch.append((step, pair))
            if step.path[-1:] != (ANY_ITEM,):  # the members of items that stay can be removed in the same batch
                chosen.add(step.path)
            if len(batch) == BATCH:
                break
        return batch

    def _try_batch(
        self, batch: list[tuple[Step, Pair]], failed: set[Key], measure: Measure
    ) -> Generator[list[Case], list[Answer], None]:
        """Evaluate steps one by one, then combinations of the successful ones, and keep the smallest pair."""
        start = self._pair
        shown = yield from self._evaluate([pair for _, pair in batch], allow_new_errors=True)
        results = [one if one is not None and one.other_errors <= self._other_errors else None for one in shown]
        successes = [(step, one) for (step, _), one in zip(batch, results, strict=True) if one is not None]
        failed.update(step.key for (step, _), one in zip(batch, results, strict=True) if one is None)
        for (step, pair), one, result in zip(batch, shown, results, strict=True):
            if one is not None and result is None:
                self._blocked[step.key] = step
                self._with_new_errors.add(digest(pair))
        if not successes:
            return
        steps = sorted((step for step, _ in successes), key=lambda step: estimate_gain(start, step), reverse=True)
        combined = yield from self._try_combinations(start, largest_runs(steps))
        if not combined and len(steps) >= MIN_STEPS_FOR_QUARTERS:
            # Steps may conflict: of two members that are required as alternatives one can be removed, never both. A
            # quarter without conflicting steps succeeds.
            combined = yield from self._try_combinations(start, quarters(steps))
            if len(combined) > 1:
                every = [step for combination, _ in combined for step in combination]
                combined += yield from self._try_combinations(start, [every])
        options = combined or [([step], one) for step, one in successes]
        combination, smallest = min(options, key=lambda found: measure(found[1].pair))
        if measure(smallest.pair) < measure(start):
            self._accept(smallest)
            forget_failures_in_shortened_lists(failed, combination)

    def _try_combinations(
        self, start: Pair, combinations: Sequence[Sequence[Step]]
    ) -> Generator[list[Case], list[Answer], list[tuple[Sequence[Step], _Success]]]:
        """Evaluate each combination of steps. Returns: the successful ones with their results."""
        batch = [(steps, pair) for steps in combinations if self._tried.is_new(pair := apply_steps(start, steps))]
        results = (yield from self._evaluate([pair for _, pair in batch])) if batch else []
        return [(steps, one) for (steps, _), one in zip(batch, results, strict=True) if one is not None]

    def _evaluate(
        self, pairs: list[Pair], allow_new_errors: bool = False
    ) -> Generator[list[Case], list[Answer], list[_Success | None]]:
        """Evaluate pairs. Returns: for each its success, None when it lacks the difference or has a new error."""
        cases = [msgspec.structs.replace(self.case, object=new, old=old) for new, old in pairs]
        self.evaluated += len(cases)
        answers = yield cases
        self._first_answer = answers[0]
        results: list[_Success | None] = []
        for case, answer in zip(cases, answers, strict=True):
            other_errors = self.find_other_errors(case, answer)
            is_success = other_errors is not None and (allow_new_errors or other_errors <= self._other_errors)
            results.append(_Success(case, answer, other_errors) if other_errors is not None and is_success else None)
        self._unused += [one for one in results if one is not None]
        return results

    def _accept(self, success: _Success) -> None:
        if _measure(self._pair) < _measure(success.pair):
            self._tried = SeenValues()  # a revert or a repair: without what it adds the pair may be one of those again
        self.case, self.answer, self._other_errors = success
        self._forget_unused()
        self._has_long_list = any(map(has_long_list, self._pair))
        self._blocked = {}  # their edits are those of another pair

    def _forget_unused(self) -> None:
        """Let pairs that showed the difference and were not kept be tried again: a step may make one of them the best.

        Called where something else was kept, or where another pass begins, so that no pass goes on forever.
        """
        for other in self._unused:
            if other.other_errors <= self._other_errors:
                self._tried.forget(other.pair)
        self._unused = []

    def _not_yet_tried(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield the pairs that were not tried before, and remember them."""
        return filter(self._tried.is_new, pairs)

    def _distance(self, pair: Pair) -> Measurement:
        """Count the paths in which a pair differs from the accepted base."""
        return sum(count_differences(obj, self.base) for obj in pair if obj is not None), 0


def _is_nested(path: JsonPath, other: JsonPath) -> bool:
    """Whether one path contains the other, or is the same."""
    return path[: len(other)] == other or other[: len(path)] == path


def _parents(path: JsonPath) -> Iterator[JsonPath]:
    """Yield the paths that contain a path, without the root and the path itself."""
    return (path[:depth] for depth in range(1, len(path)))
