"""Grow seed objects: add every optional member to an accepted object, as long as both validators accept the result.

The steps, in rounds until nothing is left to add:

1. add all absent members at once; without those that the errors name, then in halves;
2. add each rejected member alone, with repair;
3. keep a member that conflicts with the rest (another member of a union, another mode) in a variant of its own, a seed
   object whose focus is that member, and grow the variant too;
4. at the end, add a second item to every list, in a seed object of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from harness.case import Answer, Case, Json
from harness.field import FieldError
from harness.fuzzers.additions import Addition, absent_members, copy_to_alike_paths
from harness.fuzzers.feedback import Harvest, names_of
from harness.fuzzers.insertions import Insertion, repair_insertions, repair_quickly, second_items
from harness.fuzzers.lockstep import Steps, run_in_lockstep, yield_objects
from harness.fuzzers.pathbits import PathBits, PathSet
from harness.fuzzers.prune import Pruning, prune
from harness.fuzzers.repair import Ask, RepairResult, SeedObject, errors_of, is_accepted
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import resolve_path, shape_at, walk_paths
from harness.fuzzers.typepaths import path_of
from harness.jsonpath import JsonPath, differences, edits_to, first_items, look
from harness.objectmodel import STATUS

GrowthSteps: TypeAlias = Generator[list[Case], list[Answer], None]

MAX_ADDITIONS = 300
"""At most this many members are added in one case: the errors of a larger one say too little about each."""
MAX_VARIANTS = 120
"""At most this many variants are kept."""


@dataclass(slots=True)
class Growth:
    """The growth of one accepted object. `limit` is in cases; `main` is the fullest object so far.

    `plain` is the object from which all growth starts. `skip` are paths that are not added, usually the status, which
    requests for the root cannot write. Only `focus` and the paths inside it grow. `wanted_paths` restricts the paths to
    add; None adds all. `given_up` are paths that another search gave up, with their errors: they are tried once, with
    all others. Of the initial `variants` the first `grown_variants` are not grown again. `as_validated` returns the
    object that validators received, by the answer and the object that was sent.

    Results: `accepted` are the paths (see `type_paths`) of accepted objects, `rejected` those that were tried, with the
    last error, `tried` those that repair could not add either.
    """

    shape: Shape
    ask: Ask
    harvest: Harvest
    limit: int
    main: Json
    skip: frozenset[JsonPath] = frozenset({(STATUS,)})
    focus: JsonPath = ()
    as_validated: Callable[[Answer, Json], Json] = lambda answer, sent: sent
    wanted_paths: frozenset[str] | None = None
    given_up: dict[str, str] = field(default_factory=dict)
    grown_variants: int = 0
    variants: list[SeedObject] = field(default_factory=list)
    accepted: PathSet = field(init=False)
    rejected: dict[str, str] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    asked: int = 0
    plain: Json = None
    _choices: set[tuple[str, str]] = field(default_factory=set)
    _skipped_paths: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.plain is None:
            self.plain = self.main
        if self.shape.is_plain:
            self.skip = frozenset()
        self.accepted = PathSet(PathBits(self.shape))

    def run(self) -> Generator[list[Case], list[Answer], list[SeedObject]]:
        """Grow until nothing is left to add or the limit is reached. Returns the seed objects, the fullest first."""
        if self.wanted_paths is None:
            self.record_accepted(self.main)
        if self.variants:
            self._skipped_paths.update(self.accepted)
        yield from self._grow(self.focus)
        self._skipped_paths |= self.given_up.keys()
        fullest, done = self.main, self.grown_variants
        while done < len(self.variants) and not self._is_spent():
            wave = range(done, len(self.variants))
            searches = [self._grow_in_lockstep(self.variants[number], fullest) for number in wave]
            grown = yield from run_in_lockstep(searches, self.ask_about, self.left)
            for number, seed in zip(wave, grown, strict=True):
                self.variants[number] = seed
            done = wave.stop
        self.main = fullest
        yield from self._add_second_items(self.focus)
        with_second_items, self.main = self.main, fullest
        more = [SeedObject(with_second_items)] if with_second_items is not fullest else []
        self.rejected = self.given_up | self.rejected
        return [SeedObject(self.main), *self.variants, *more]

    def _grow_in_lockstep(self, seed: SeedObject, fullest: Json) -> Steps[SeedObject]:
        """Grow a variant side by side with others; all share `accepted`, `rejected` and `variants`."""
        growth = replace(self, ask=cast("Ask", yield_objects), main=seed.obj, asked=0)
        return cast("Steps[SeedObject]", growth._grow_variant(seed.focus, self._is_new_mode(seed, fullest)))

    def _grow_variant(self, focus: JsonPath, is_new_mode: bool) -> Generator[list[Case], list[Answer], SeedObject]:
        yield from self._grow(focus)
        if is_new_mode:
            yield from self._retry_rejected()
        yield from self._add_second_items(focus[:-1])
        return SeedObject(self.main, focus)

    def _is_spent(self) -> bool:
        return self.asked >= self.limit

    # Absent members

    def _grow(self, focus: JsonPath) -> GrowthSteps:
        """Add the absent members at and inside a path, in rounds, because added structs have members of their own."""
        tried: set[JsonPath] = set()
        while not self._is_spent():
            every = absent_members(
                self.main, self.shape, focus, lambda path: path not in tried and self._is_wanted(path)
            )
            additions = every[:MAX_ADDITIONS]
            if not additions:
                return
            tried.update(change.path for change in additions)
            rejected = yield from self.add_all(additions)
            yield from self._repair_and_add(rejected)

    def _is_wanted(self, path: JsonPath) -> bool:
        if path in self.skip:
            return False
        type_path = self._path(path)
        return (self.wanted_paths is None or type_path in self.wanted_paths) and type_path not in self._skipped_paths

    # Adding

    def add_all(self, changes: list[Addition]) -> Generator[list[Case], list[Answer], list[Addition]]:
        """Add all that both sides accept: without those that errors name, then in halves. Returns the rejected ones."""
        groups, rejected = [changes], []
        while groups and not self._is_spent():
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
            if is_accepted(answer):
                self.main = obj
                self.record_accepted(obj, answer)
                continue
            errors = errors_of(answer)
            self.harvest.learn(errors)
            if len(group) == 1:
                self._record_rejection(group[0], errors, answer)
                rejected.append(group[0])
                continue
            rejected_paths = self._find_rejected_additions(errors, group)
            if 0 < len(rejected_paths) < len(group):
                groups.append([change for change in group if change.path not in rejected_paths])
                for change in group:
                    if change.path in rejected_paths:
                        self._record_rejection(change, rejected_paths[change.path], answer)
                        rejected.append(change)
            else:
                half = len(group) // 2
                groups += [group[half:], group[:half]]
        return rejected

    def _find_rejected_additions(
        self, errors: list[FieldError], group: list[Addition]
    ) -> dict[JsonPath, list[FieldError]]:
        """Return the additions to which errors belong, by path: at or around an error, or named by it as a sibling."""
        additions = {path: change.path for change in group for path, _ in change.edits}
        rejected_paths: dict[JsonPath, list[FieldError]] = {}
        for error in errors:
            error_path, _ = resolve_path(error.field, self.shape)
            containing = [error_path[:depth] for depth in range(len(error_path), 0, -1)]
            found = [additions[path] for path in containing if path in additions][:1]
            if not found:
                parents = (error_path, error_path[:-1])
                named = [(*parent, name) for parent in parents for name in sorted(names_of(error.detail))]
                found = [additions[path] for path in named if path in additions]
            for path in found:
                rejected_paths.setdefault(path, []).append(error)
        return rejected_paths

    def _repair_and_add(self, rejected: list[Addition]) -> GrowthSteps:
        """Repair rejected additions one by one, then add all that go together; keep the others as variants.

        Members of one type at several paths (containers of every sort) are repaired once and copied.
        """
        same: dict[tuple[str, str | int], list[Addition]] = {}
        for change in rejected:
            path = self._path(change.path)
            if path not in self.accepted and path not in self.given_up:
                parent = shape_at(self.shape, change.path[:-1])
                same.setdefault((parent.type or path, change.path[-1]), []).append(change)
        groups = list(same.values())
        while groups and not self._is_spent():
            found = yield from self._repair_additions([group[0] for group in groups])
            alike = [
                copied
                for group, first in zip(groups, found, strict=True)
                if first is not None
                for copied in copy_to_alike_paths(first, group[1:])
            ]
            rest = yield from self.add_all([change for change in alike if self._path(change.path) not in self.accepted])
            groups = [group[1:] for group, first in zip(groups, found, strict=True) if first is None and group[1:]]
            groups += [[change] for change in rest]

    def _repair_additions(self, changes: list[Addition]) -> Generator[list[Case], list[Answer], list[Addition | None]]:
        """Repair each of these. Returns the additions that are accepted, None where repair failed."""
        insertions = [Insertion(change.path, self.shape, self.main) for change in changes]
        results = yield from self.repair_insertions(insertions)
        yield from self._add_to_plain_object(
            [insertion for insertion, found in zip(insertions, results, strict=True) if not found.accepted]
        )
        found: list[Addition | None] = []
        additions: list[Addition] = []
        variants: list[Addition] = []
        main_paths = self.paths_of(self.main)
        for insertion, result in zip(insertions, results, strict=True):
            if not result.accepted:
                self._record_failed_repair(insertion.path, result)
                found.append(None)
                continue
            change = Addition(insertion.path, edits_to(result.obj, self.main))
            (variants if main_paths & ~self.paths_of(result.obj) else additions).append(change)
            found.append(change)
        before = self.main
        conflicting = yield from self.add_all(additions)
        for change in (*conflicting, *variants):
            self.keep_variant(SeedObject(change.apply(before), change.path))
        return found

    def _add_to_plain_object(self, insertions: list[Insertion]) -> GrowthSteps:
        """Add paths to the plain object, where members with which they conflict may be absent."""
        if self.main is self.plain:
            return
        plain = [replace(insertion, obj=self.plain) for insertion in insertions]
        results = yield from repair_quickly(plain, self.ask_about, self.harvest, self.left)
        for insertion, result in zip(insertions, results, strict=True):
            if result.accepted:
                self.keep_variant(SeedObject(result.obj, insertion.path))

    def _is_new_mode(self, seed: SeedObject, fullest: Json) -> bool:
        """Whether a variant has a value of a closed set, outside of its focus, that no earlier variant had."""
        choices = {
            (path_of(path, self.shape), str(look(seed.obj, path)))
            for path in differences(seed.obj, fullest)
            if path[: len(seed.focus) - 1] != seed.focus[:-1] and shape_at(self.shape, path).choices
        }
        is_new = not choices <= self._choices
        self._choices |= choices
        return is_new

    def _retry_rejected(self) -> GrowthSteps:
        """Add to a variant what was rejected in all other objects: another mode may allow it."""

        def is_rejected(path: JsonPath) -> bool:
            type_path = self._path(path)
            return type_path in self.rejected and type_path not in self.accepted

        changes = absent_members(self.main, self.shape, (), is_rejected)
        if changes:
            yield from self.add_all(changes)

    def keep_variant(self, seed: SeedObject) -> None:
        """Keep an accepted object as a variant if it has a path that no other accepted object has."""
        new = self.paths_of(seed.obj) & ~self.accepted.bits
        if new and len(self.variants) < MAX_VARIANTS:
            self.variants.append(seed)
            self.record_accepted(seed.obj)

    def repair_insertions(self, insertions: list[Insertion]) -> Generator[list[Case], list[Answer], list[RepairResult]]:
        """Repair these side by side. Returns one result for each."""
        return (yield from repair_insertions(insertions, self.ask_about, self.harvest, self.left))

    def prune(self, objects: list[Json], path: JsonPath) -> Generator[list[Case], list[Answer], list[Pruning]]:
        """Remove the parts of these objects that errors name, side by side, except the value at the path."""
        return (yield from prune(objects, path, self.shape, self.ask_about, self.harvest, self.left))

    # Second items

    def _add_second_items(self, focus: JsonPath) -> GrowthSteps:
        """Add a second, different item to every list of one item, where no accepted object has two."""
        lists = [
            (path, shape, value)
            for path, shape, value in walk_paths(look(self.main, focus), shape_at(self.shape, focus), focus)
            if shape.kind == "list"
            and isinstance(value, list)
            and self._is_wanted((*path, 1))
            and len(value) == 1
            and self._path((*path, 1)) not in self.accepted
        ]
        options = {(*path, 1): list(second_items(value[0], shape.elem)) for path, shape, value in lists}
        changes = [Addition.of_value(at, values[0]) for at, values in options.items() if values]
        # Inner lists first: a second item is a copy of the first one and need not be as full.
        rejected = yield from self.add_all(sorted(changes, key=lambda change: -len(change.path)))
        insertions = [Insertion(change.path, self.shape, self.main, options[change.path]) for change in rejected]
        results = yield from self.repair_insertions(insertions)
        more = [
            Addition(insertion.path, edits_to(found.obj, self.main))
            for insertion, found in zip(insertions, results, strict=True)
            if found.accepted
        ]
        for insertion, found in zip(insertions, results, strict=True):
            if not found.accepted:
                self._record_failed_repair(insertion.path, found)
        yield from self.add_all(more)

    # Bookkeeping

    def left(self) -> int:
        """Return how many cases are left."""
        return max(0, self.limit - self.asked)

    def _path(self, path: JsonPath) -> str:
        return path_of(path, self.shape)

    def paths_of(self, obj: Json) -> int:
        """Return the paths of an object, as bits of `accepted`."""
        return self.accepted.path_bits.of(obj)

    def record_accepted(self, obj: Json, answer: Answer | None = None) -> None:
        """Record the paths of an accepted object, as far as its validators received them."""
        found = self.paths_of(obj)
        if answer is not None and answer.validated:
            found &= self.accepted.path_bits.of_unshared(self.as_validated(answer, obj))
        self.accepted.bits |= found

    def _record_failed_repair(self, path: JsonPath, result: RepairResult) -> None:
        type_path = self._path(path)
        if self.left() > 0:
            self.tried.add(type_path)
        errors = (*result.remaining, *filter(None, [self.rejected.get(type_path)]))
        if errors:  # an error at the path itself explains more than one inside its value
            own = first_items(type_path) + ": "
            self.rejected[type_path] = next((error for error in errors if error.startswith(own)), errors[0])

    def _record_rejection(self, change: Addition, errors: list[FieldError], answer: Answer) -> None:
        failure = answer.failure.message if answer.failure is not None else ""
        self.rejected[self._path(change.path)] = errors[0].text if errors else failure

    def ask_about(self, objects: list[Json]) -> Generator[list[Case], list[Answer], list[Answer]]:
        """Ask about objects. Fewer answers than objects end the growth: its time or its share of cases is used up."""
        self.asked += len(objects)
        answers = yield from self.ask(objects)
        if len(answers) < len(objects):
            self.limit = 0
        return answers
