"""Bases grow: every optional member is added to an accepted object, many at once, as long as both sides agree.

What is rejected is taken out again by what the errors say, and tried alone with repair. What cannot stand beside the
rest (another member of a union, another mode) becomes a base of its own, with the focus on that member, and grows too.
In the end every list that may have two items gets them, in a base of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from harness.case import Answer, Case, Json
from harness.field import FieldError
from harness.fuzzers.abreast import Steps, abreast, plainly
from harness.fuzzers.additions import Addition, copies, lacking
from harness.fuzzers.bases import Ask, Base, Repaired, accepted, errors_of
from harness.fuzzers.census import path_of
from harness.fuzzers.feedback import Harvest, names_of
from harness.fuzzers.graft import Graft, grafted, others, quickly
from harness.fuzzers.holding import Holding, Reached
from harness.fuzzers.places import place_of, places, shape_at
from harness.fuzzers.prune import Pruning, pruned
from harness.fuzzers.shape import Shape
from harness.jsonpath import JsonPath, differences, edits_to, first_items, look
from harness.objectmodel import STATUS

Growing: TypeAlias = Generator[list[Case], list[Answer], None]

MOST_AT_ONCE = 300
"""Places that are added with one question. Above it a refusal says too little."""
MOST_VARIANTS = 120


@dataclass(slots=True)
class Growth:
    """The growth of one accepted object. `limit` is in cases; `main` is the fullest object so far.

    `skip` are places left alone: usually the status, which requests for the root cannot write. Only what lies at or
    below `focus` grows. `accepted` are the paths (see `census`) that occur in an accepted object, `rejected` those that
    were tried, with the last error, `tried` those that no repair brought in either. `given` says what the validators
    saw of an accepted object, `only` which places are worth adding; None for all of them. `given_up` are places that
    another search gave up, with their errors: these are tried once, with all the rest. Of the `variants` that are there
    from the start the first `grown` need no growth. `plain` is what all of it grows from.
    """

    shape: Shape
    ask: Ask
    harvest: Harvest
    limit: int
    main: Json
    skip: frozenset[JsonPath] = frozenset({(STATUS,)})
    focus: JsonPath = ()
    given: Callable[[Answer, Json], Json] = lambda answer, sent: sent
    only: frozenset[str] | None = None
    given_up: dict[str, str] = field(default_factory=dict)
    grown: int = 0
    variants: list[Base] = field(default_factory=list)
    accepted: Reached = field(init=False)
    rejected: dict[str, str] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    asked: int = 0
    plain: Json = None
    _modes: set[tuple[str, str]] = field(default_factory=set)
    _settled: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.plain is None:
            self.plain = self.main
        self.accepted = Reached(Holding(self.shape))

    def run(self) -> Generator[list[Case], list[Answer], list[Base]]:
        """Grow until nothing is left to add or the limit is reached; the fullest object comes first."""
        if self.only is None:
            self.arrive(self.main)
        if self.variants:
            self._settled.update(self.accepted)
        yield from self._grow(self.focus)
        self._settled |= self.given_up.keys()
        plain, done = self.main, self.grown
        while done < len(self.variants) and not self._spent():
            wave = range(done, len(self.variants))
            parts = [self._part(self.variants[number], plain) for number in wave]
            for number, base in zip(wave, (yield from abreast(parts, self.ask_about, self.left)), strict=True):
                self.variants[number] = base
            done = wave.stop
        self.main = plain
        yield from self._double(self.focus)
        doubled, self.main = self.main, plain
        more = [Base(doubled)] if doubled is not plain else []
        self.rejected = self.given_up | self.rejected
        return [Base(self.main), *self.variants, *more]

    def _part(self, base: Base, plain: Json) -> Steps[Base]:
        """Grow a variant beside others: what is reached and rejected, and what varies again, is known to all."""
        one = replace(self, ask=cast("Ask", plainly), main=base.obj, asked=0)
        return cast("Steps[Base]", one._alter(base.focus, self._is_new_mode(base, plain)))

    def _alter(self, focus: JsonPath, is_new_mode: bool) -> Generator[list[Case], list[Answer], Base]:
        yield from self._grow(focus)
        if is_new_mode:
            yield from self._revisit()
        yield from self._double(focus[:-1])
        return Base(self.main, focus)

    def _spent(self) -> bool:
        return self.asked >= self.limit

    # What is absent

    def _grow(self, focus: JsonPath) -> Growing:
        """Add what is absent below a place, in rounds, since what was added has members of its own."""
        tried: set[JsonPath] = set()
        while not self._spent():
            todo = lacking(self.main, self.shape, focus, lambda at: at not in tried and self._wanted(at))[:MOST_AT_ONCE]
            if not todo:
                return
            tried.update(change.place for change in todo)
            rejected = yield from self.together(todo)
            yield from self._alone(rejected)

    def _wanted(self, place: JsonPath) -> bool:
        if place in self.skip:
            return False
        path = self._path(place)
        return (self.only is None or path in self.only) and path not in self._settled

    # Adding

    def together(self, changes: list[Addition]) -> Generator[list[Case], list[Answer], list[Addition]]:
        """Add as many as can stand together: what errors speak of goes, then halves are tried. Returns the rest."""
        groups, rejected = [changes], []
        while groups and not self._spent():
            group = groups.pop()
            if not group:
                continue
            obj = self.main
            for change in group:
                obj = change.apply(obj)
            answers = yield from self.ask_about([obj])
            if not answers:
                break
            answer = answers[0]
            if accepted(answer):
                self.main = obj
                self.arrive(obj, answer)
                continue
            errors = errors_of(answer)
            self.harvest.learn(errors)
            if len(group) == 1:
                self._refuse(group[0], errors, answer)
                rejected.append(group[0])
                continue
            blamed = self._blamed(errors, group)
            if 0 < len(blamed) < len(group):
                groups.append([change for change in group if change.place not in blamed])
                for change in group:
                    if change.place in blamed:
                        self._refuse(change, blamed[change.place], answer)
                        rejected.append(change)
            else:
                half = len(group) // 2
                groups += [group[half:], group[:half]]
        return rejected

    def _blamed(self, errors: list[FieldError], group: list[Addition]) -> dict[JsonPath, list[FieldError]]:
        """Return the changes that errors speak of: those at or above the place of an error, or named beside it."""
        steps = {place: change.place for change in group for place, _ in change.edits}
        blamed: dict[JsonPath, list[FieldError]] = {}
        for error in errors:
            at, _ = place_of(error.field, self.shape)
            above = [at[:depth] for depth in range(len(at), 0, -1)]
            found = [steps[place] for place in above if place in steps][:1]
            if not found:
                named = [(*near, name) for near in (at, at[:-1]) for name in sorted(names_of(error.detail))]
                found = [steps[place] for place in named if place in steps]
            for place in found:
                blamed.setdefault(place, []).append(error)
        return blamed

    def _alone(self, rejected: list[Addition]) -> Growing:
        """Try what was rejected alone, with repair; keep together what can stand together, the rest as variants.

        Members of one type in several places (containers of every sort) are repaired once and copied.
        """
        same: dict[tuple[str, str | int], list[Addition]] = {}
        for change in rejected:
            path = self._path(change.place)
            if path not in self.accepted and path not in self.given_up:
                parent = shape_at(self.shape, change.place[:-1])
                same.setdefault((parent.type or path, change.place[-1]), []).append(change)
        groups = list(same.values())
        while groups and not self._spent():
            found = yield from self._repaired([group[0] for group in groups])
            alike = [
                copied
                for group, first in zip(groups, found, strict=True)
                if first is not None
                for copied in copies(first, group[1:])
            ]
            rest = yield from self.together(
                [change for change in alike if self._path(change.place) not in self.accepted]
            )
            groups = [group[1:] for group, first in zip(groups, found, strict=True) if first is None and group[1:]]
            groups += [[change] for change in rest]

    def _repaired(self, changes: list[Addition]) -> Generator[list[Case], list[Answer], list[Addition | None]]:
        """Repair these, one graft each. Returns what brings them in, None where nothing did."""
        grafts = [Graft(change.place, self.shape, self.main) for change in changes]
        results = yield from self.grafted(grafts)
        yield from self._from_plain([graft for graft, found in zip(grafts, results, strict=True) if not found.accepted])
        found: list[Addition | None] = []
        additions: list[Addition] = []
        variants: list[Addition] = []
        held = self.held(self.main)
        for graft, result in zip(grafts, results, strict=True):
            if not result.accepted:
                self._remember(graft.place, result)
                found.append(None)
                continue
            change = Addition(graft.place, edits_to(result.obj, self.main))
            (variants if held & ~self.held(result.obj) else additions).append(change)
            found.append(change)
        before = self.main
        apart = yield from self.together(additions)
        for change in (*apart, *variants):
            self.keep_variant(Base(change.apply(before), change.place))
        return found

    def _from_plain(self, grafts: list[Graft]) -> Growing:
        """Bring places into the object that all of this grew from: what stands in their way may not be there."""
        if self.main is self.plain:
            return
        plain = [replace(graft, obj=self.plain) for graft in grafts]
        results = yield from quickly(plain, self.ask_about, self.harvest, self.left)
        for graft, result in zip(grafts, results, strict=True):
            if result.accepted:
                self.keep_variant(Base(result.obj, graft.place))

    def _is_new_mode(self, base: Base, plain: Json) -> bool:
        """Whether a word of a fixed set is another one outside of what a variant is made for, as in none before it."""
        words = {
            (path_of(at, self.shape), str(look(base.obj, at)))
            for at in differences(base.obj, plain)
            if at[: len(base.focus) - 1] != base.focus[:-1] and shape_at(self.shape, at).choices
        }
        is_new = not words <= self._modes
        self._modes |= words
        return is_new

    def _revisit(self) -> Growing:
        """Try in a variant what was rejected everywhere else: another mode may allow it."""

        def missed(place: JsonPath) -> bool:
            path = self._path(place)
            return path in self.rejected and path not in self.accepted

        changes = lacking(self.main, self.shape, (), missed)
        if changes:
            yield from self.together(changes)

    def keep_variant(self, base: Base) -> None:
        """Take an accepted object for a base of its own, if it holds what no other does."""
        new = self.held(base.obj) & ~self.accepted.bits
        if new and len(self.variants) < MOST_VARIANTS:
            self.variants.append(base)
            self.arrive(base.obj)

    def grafted(self, grafts: list[Graft]) -> Generator[list[Case], list[Answer], list[Repaired]]:
        """Repair these side by side, one place each."""
        return (yield from grafted(grafts, self.ask_about, self.harvest, self.left))

    def pruned(self, objects: list[Json], seat: JsonPath) -> Generator[list[Case], list[Answer], list[Pruning]]:
        """Take out of these what errors speak of, side by side, but for what is at the seat."""
        return (yield from pruned(objects, seat, self.shape, self.ask_about, self.harvest, self.left))

    # Two items

    def _double(self, focus: JsonPath) -> Growing:
        """Give every list of one item a second one that differs, where no base has two."""
        lists = [
            (place, shape, value)
            for place, shape, value in places(look(self.main, focus), shape_at(self.shape, focus), focus)
            if shape.kind == "list"
            and isinstance(value, list)
            and self._wanted((*place, 1))
            and len(value) == 1
            and self._path((*place, 1)) not in self.accepted
        ]
        options = {(*place, 1): list(others(value[0], shape.elem)) for place, shape, value in lists}
        changes = [Addition.alone(at, values[0]) for at, values in options.items() if values]
        # Inner lists first: a second item is a copy of the first one and need not be as full.
        rejected = yield from self.together(sorted(changes, key=lambda change: -len(change.place)))
        grafts = [Graft(change.place, self.shape, self.main, options[change.place]) for change in rejected]
        results = yield from self.grafted(grafts)
        more = [
            Addition(graft.place, edits_to(found.obj, self.main))
            for graft, found in zip(grafts, results, strict=True)
            if found.accepted
        ]
        for graft, found in zip(grafts, results, strict=True):
            if not found.accepted:
                self._remember(graft.place, found)
        yield from self.together(more)

    # Books

    def left(self) -> int:
        """Return how many questions are left."""
        return max(0, self.limit - self.asked)

    def _path(self, place: JsonPath) -> str:
        return path_of(place, self.shape)

    def held(self, obj: Json) -> int:
        """Return the places that an object holds, as bits of those that are `reached`."""
        return self.accepted.holding.of(obj)

    def arrive(self, obj: Json, answer: Answer | None = None) -> None:
        """Take note of the places of an accepted object."""
        found = self.held(obj)
        if answer is not None and answer.validated:
            found &= self.accepted.holding.of_stranger(self.given(answer, obj))
        self.accepted.bits |= found

    def _remember(self, place: JsonPath, result: Repaired) -> None:
        if self.left() > 0:
            self.tried.add(self._path(place))
        path = self._path(place)
        told = (*result.remaining, *filter(None, [self.rejected.get(path)]))
        if told:  # what is said of the very place says more than what is said of something within
            own = first_items(path) + ": "
            self.rejected[path] = next((error for error in told if error.startswith(own)), told[0])

    def _refuse(self, change: Addition, errors: list[FieldError], answer: Answer) -> None:
        failure = answer.failure.message if answer.failure is not None else ""
        self.rejected[self._path(change.place)] = errors[0].text if errors else failure

    def ask_about(self, objects: list[Json]) -> Generator[list[Case], list[Answer], list[Answer]]:
        """Ask about objects; with fewer answers than objects the time or the share of the search is over."""
        self.asked += len(objects)
        answers = yield from self.ask(objects)
        if len(answers) < len(objects):
            self.limit = 0
        return answers
