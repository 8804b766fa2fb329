"""Searches the rows of a table: for every rule of a field, minimal objects that the target accepts and rejects.

The rules only direct the search; the expected errors are the answers of the target.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice

import msgspec

from harness.case import Case, Json, KindInfo, Mode, Operation
from harness.diagnostics import UsageError, near_miss
from harness.export.asker import Asker
from harness.export.ground import StartingPoint, find_starting_point, fuller
from harness.export.nearest import distance, nearest
from harness.export.rows import VALID, Missing, Table, TableRow
from harness.export.slots import Slot, slots_of, word
from harness.export.unruled import is_field, observed
from harness.export.witness import witnessed
from harness.fuzzers.aimedpairs import aimed_pairs, parts_of
from harness.fuzzers.aims import Aim
from harness.fuzzers.invalidvalues import CLEARED
from harness.fuzzers.pairs import Pair
from harness.fuzzers.patternpaths import put_at_pattern
from harness.fuzzers.shape import Shape
from harness.fuzzers.values import sparse_value
from harness.jsonpath import ABSENT, ITEMS, canonical_path, is_within
from harness.objectmodel import STATUS, is_status_field, metadata_of, with_metadata
from harness.rulecov.inventory import Inventory, KnownRule
from harness.subject import Note, Subject
from harness.subject.subject import silent

MAX_TRIES, BATCH_SIZE = 420, 70
"""At most so many objects are tried for one slot, in batches of this size."""


def tabulate_rules(
    subject: Subject, inventory: Inventory, info: KindInfo, field: str, mode: Mode, tell: Note = silent
) -> Table:
    """Search the rows for a field of a kind, or for all its fields. Raises: UsageError for an unknown field."""
    rules = [known for known in inventory.rules if known.type == info.type]
    shape = subject.shape(info)
    if not rules and not field:
        raise UsageError(
            f"{info.name} has no declared rules\n  fix: add --field to export the handwritten validation of a field"
        )
    path = canonical_path(field)
    if not any(is_within(known.rule.path, path) for known in rules) and not is_field(shape, path):
        paths = sorted({known.rule.path for known in rules})
        hint = near_miss(path, paths) or f"it has {', '.join(paths[:6])}" + (", ..." if len(paths) > 6 else "")
        raise UsageError(f"{info.name} has no field {field}, and no rule for its subfields\n  fix: {hint}")
    return RowSearch(Asker(subject, info, mode), shape, rules, tell).table(path)


def tabulate_chosen(
    subject: Subject, rules: Sequence[KnownRule], info: KindInfo, mode: Mode, tell: Note = silent
) -> Table:
    """Search the rows for some rules of a kind, and for the fields that they are about."""
    return RowSearch(Asker(subject, info, mode), subject.shape(info), rules, tell).table()


@dataclass(frozen=True, slots=True)
class _RowCandidate:
    """A row that shows a slot, the number of its other errors, and its distance from the valid object."""

    wrong: int
    far: tuple[int, float]
    row: TableRow


@dataclass(slots=True)
class RowSearch:
    """The search for the rows of one resource."""

    asker: Asker
    shape: Shape
    rules: Sequence[KnownRule]
    tell: Note = silent
    ground: StartingPoint = field(init=False)
    _more: tuple[Json, ...] | None = None
    _missing: list[Missing] = field(default_factory=list)

    def table(self, about: str = "") -> Table:
        """Find the rows of a field, or of all fields."""
        self.tell(f"looking for an accepted object of {self.asker.info.name}")
        self.ground = find_starting_point(self.asker, self.shape)
        if not self.ground.is_accepted:
            self._missing.append(Missing("an accepted object", "; ".join(self.ground.remaining) or "none was found"))
        rules = [known for known in self.rules if is_within(known.rule.path, about)]
        shown: list[tuple[Slot, TableRow | None]] = []
        for number, known in enumerate(rules):
            self.tell(f"{number + 1}/{len(rules)} {word(known)}")
            shown += self._rule(known)
        rows = (
            [TableRow(VALID, *self._first_door(), self.ground.new, wants="accept")] if self.ground.is_accepted else []
        )
        rows += self._rows(self._filled(shown)) if rules else self._unruled(about)
        for path in dict.fromkeys(known.rule.path for known in rules) if rules else (about,):
            rows += self._member(path, rows)
        asked = self._answered(_deduplicate(rows))
        versions = tuple(one.version for one in self.asker.versions(self.asker.info))
        return Table(self.asker.info, versions, about, self.ground.new, asked, tuple(self._missing))

    def _first_door(self) -> tuple[KindInfo, Operation]:
        return self.asker.creates()

    # Rules

    def _rule(self, known: KnownRule) -> Iterator[tuple[Slot, TableRow | None]]:
        """Yield the slots of a rule with their rows. An accepted object is the start for a rejected one."""
        good: list[Json] = []
        for slot in slots_of(known):
            found = self._shown(slot, good)
            if found is not None and slot.wants == "accept":
                good.append(found.new)
            yield slot, found

    def _filled(self, shown: Sequence[tuple[Slot, TableRow | None]]) -> Iterator[tuple[Slot, TableRow | None]]:
        """Yield slots with rows; a short random search fills those that have none."""
        empty = {number: slot for number, (slot, row) in enumerate(shown) if row is None}
        met = {}
        if empty and self.ground.is_accepted:
            self.tell(f"searching for {len(empty)} more")
            met = witnessed(self.asker, empty)
        for number, (slot, row) in enumerate(shown):
            if number in met:
                one = met[number]
                base, operation = self._ground(one.case.operation), one.case.operation
                ask = partial(self.asker.pairs, one.door, operation)
                pair = nearest(one.pair, one.wrong, base, slot.judge, ask)
                yield slot, TableRow(slot.name, one.door, operation, *pair, slot.wants)
            else:
                yield slot, row

    def _unruled(self, path: str) -> Iterator[TableRow]:
        """Yield the rows of a field without rules: one for each distinct answer."""
        door, operation = next(self._doors(path, updates=False))
        for row in observed(self.asker, self.shape, path, door, self._ground(operation)[0]):
            yield row
            if row.wants == "reject" and operation is Operation.CREATE:
                yield from self._updates(row)

    def _rows(self, shown: Iterable[tuple[Slot, TableRow | None]]) -> Iterator[TableRow]:
        for slot, row in shown:
            if row is None:
                self._missing.append(Missing(slot.name, self._reason(slot.known)))
                continue
            yield row
            if slot.wants == "reject" and row.operation is Operation.CREATE:
                yield from self._updates(row)

    def _reason(self, known: KnownRule) -> str:
        option, wanted = known.option or ("", False)
        if option and self.asker.info.options.get(option, False) is not wanted:
            return f"the rule holds only with {option}={str(wanted).lower()}; add --gates"
        return "no object was found that shows it"

    def _shown(self, slot: Slot, good: Sequence[Json]) -> TableRow | None:
        """Find the row of a slot, starting from accepted objects, then fuller ones; the fewest other errors win."""
        found = []
        start = list(good[-1:]) if slot.wants == "reject" else []
        for seeds in chain([start] if start else [], self._bases()):
            one = self._first(slot, seeds)
            if one is not None:
                found.append(one)
            if found and (found[-1].wrong == 0 or seeds is not start):
                break
        if found:
            return min(found, key=lambda one: (one.wrong, one.far)).row
        if slot.looser is not None:
            return self._shown(slot.looser, good)
        return self._repair(slot) if slot.wants == "accept" else None

    def _first(self, slot: Slot, seeds: Sequence[Json]) -> _RowCandidate | None:
        through = (self._through(slot, *door, seeds) for door in self._doors(slot.known.rule.path, slot.known.update))
        return next((one for one in through if one is not None), None)

    def _repair(self, slot: Slot) -> TableRow | None:
        """Find an accepted row by repairing everything but the value of the slot."""
        for door, operation in self._doors(slot.known.rule.path, slot.known.update):
            path = tuple(part if part != ITEMS else 0 for part in parts_of(slot.aim))
            base = self._ground(operation)
            for pair in islice(_pairs(slot, self.shape, [self.ground.new], operation, self.ground), 1, 4):
                found = self.asker.repair(door, operation, pair, self.shape, path)
                if found is None:
                    continue
                [(_, answer)] = self.asker.pairs(door, operation, [found])
                if slot.judge(found, answer) is not None:
                    ask = partial(self.asker.pairs, door, operation)
                    new, old = nearest(found, 0, base, slot.judge, ask)
                    return TableRow(slot.name, door, operation, new, old, slot.wants)
        return None

    def _bases(self) -> Iterator[Sequence[Json]]:
        yield [self.ground.new]
        if self.ground.is_accepted:
            if self._more is None:
                self._more = fuller(self.asker, self.shape, self.ground)
            if self._more:
                yield self._more

    def _doors(self, path: str, updates: bool) -> Iterator[tuple[KindInfo, Operation]]:
        """Yield the subresources and operations to try: status fields by `status`, rules of updates by update."""
        doors = self.asker.doors
        main = doors.get("", self.asker.info)
        if is_status_field(path) and STATUS in doors:
            main = doors[STATUS]
        others = [one for name, one in doors.items() if one is not main and name not in ("", STATUS)]
        for door in (main, *others):
            for operation in door.operations:
                if operation is Operation.UPDATE or not updates:
                    yield door, operation

    def _through(self, slot: Slot, door: KindInfo, operation: Operation, seeds: Sequence[Json]) -> _RowCandidate | None:
        tries = islice(_pairs(slot, self.shape, seeds, operation, self.ground), MAX_TRIES)
        base = self._ground(operation)
        while batch := list(islice(tries, BATCH_SIZE)):
            kept: list[tuple[int, tuple[int, float], int, Pair]] = []
            for pair, answer in self.asker.pairs(door, operation, batch):
                wrong = slot.judge(pair, answer)
                if wrong is not None:
                    kept.append((wrong, distance(pair, base), len(kept), pair))
            if kept:
                wrong, _, _, start = min(kept)
                near = nearest(start, wrong, base, slot.judge, partial(self.asker.pairs, door, operation))
                row = TableRow(slot.name, door, operation, *near, slot.wants)
                return _RowCandidate(wrong, distance(near, base), row)
        return None

    def _ground(self, operation: Operation) -> Pair:
        ground = self.ground
        return (ground.new, None) if operation is Operation.CREATE else (ground.old, ground.old)

    def _updates(self, row: TableRow) -> Iterator[TableRow]:
        """Yield an update that sets the rejected value, and one that leaves it unchanged."""
        old = self.ground.old
        if Operation.UPDATE in row.info.operations and self.ground.is_accepted:
            new = _as_stored(row.new, old)
            update = replace(row, operation=Operation.UPDATE, new=new, old=old)
            yield replace(update, name=f"{row.name}, set by an update")
            yield replace(update, name=f"{row.name}, left by an update", old=new, wants="")

    # Fields, independent of the rules

    def _member(self, path: str, rows: Sequence[TableRow]) -> Iterator[TableRow]:
        """Yield rows that leave out, empty, set and unset a field; they record whatever the target answers."""
        steps = parts_of(Aim(path, ""))
        doors = list(self._doors(path, updates=False))
        if not steps or steps[-1] == ITEMS or not self.ground.is_accepted or not doors:
            return
        fitting = (row for row in rows if row.wants == "accept" and row.name.startswith(f"{path}:"))
        start = next((row.new for row in fitting if row.operation is doors[0][1]), self.ground.new)
        here = self.shape
        for part in steps:
            here = here.child(part)
        unset = put_at_pattern(self.shape, start, steps, ABSENT)
        held = start if start != unset else put_at_pattern(self.shape, start, steps, sparse_value(here))
        door, operation = doors[0]
        if operation is Operation.CREATE:
            yield TableRow(f"{path}: nil", door, operation, unset)
            if here.kind in CLEARED:
                yield TableRow(
                    f"{path}: empty", door, operation, put_at_pattern(self.shape, start, steps, CLEARED[here.kind])
                )
        if Operation.UPDATE in door.operations:
            old, new = _as_stored(unset, self.ground.old), _as_stored(held, self.ground.old)
            yield TableRow(f"{path}: unset to set", door, Operation.UPDATE, new, old)
            yield TableRow(f"{path}: set to unset", door, Operation.UPDATE, old, new)

    # Every version

    def _answered(self, rows: Sequence[TableRow]) -> tuple[TableRow, ...]:
        """Ask each row in every version, with the served errors."""
        if self.asker.mode == "given":
            return tuple(row for row in map(self._in_every_version, rows) if row is not None)
        answers = self.asker.ask([self._wide(row.info, row) for row in rows])
        both = zip(rows, answers, strict=True)
        return tuple(replace(row, answers={row.info.version: one}) for row, one in both if one.failure is None)

    def _in_every_version(self, row: TableRow) -> TableRow | None:
        [forms] = self.asker.given(row.info, row.operation, [(row.new, row.old)], "given")
        doors = [door for door in self.asker.versions(row.info) if door.version in forms]
        wide = [
            self._wide(door, replace(row, new=forms[door.version][0], old=forms[door.version][1])) for door in doors
        ]
        found = dict(zip((door.version for door in doors), self.asker.ask(wide), strict=True))
        failed = [f"{name}: {one.failure.message}" for name, one in found.items() if one.failure is not None]
        if failed or not found:
            self._missing.append(Missing(row.name, "; ".join(failed) or "the server does not validate it"))
            return None
        return replace(row, answers=found)

    def _wide(self, door: KindInfo, row: TableRow) -> Case:
        able = self.asker.subject.target.info.abilities
        case = self.asker.case(door, row.operation, row.new, row.old)
        return msgspec.structs.replace(case, served="served" in able, versions="versions" in able)


def _deduplicate(rows: Sequence[TableRow]) -> list[TableRow]:
    """Drop rows with the same case as an earlier row. The valid object stays, even when it is also at a limit."""
    first: dict[bytes, TableRow] = {}
    for row in rows:
        first.setdefault(msgspec.json.encode((row.info.key, row.operation, row.new, row.old, row.name == VALID)), row)
    return list(first.values())


def _as_stored(obj: Json, old: Json) -> Json:
    """Return an object with the metadata of a stored one; its own metadata wins."""
    held, own = metadata_of(old), metadata_of(obj)
    return obj if held is None or own is None else with_metadata(obj, {**held, **own})


def _pairs(
    slot: Slot, shape: Shape, seeds: Sequence[Json], operation: Operation, ground: StartingPoint
) -> Iterator[Pair]:
    """Yield pairs that may show a slot, the valid object itself first."""
    if operation is Operation.CREATE:
        yield ground.new, None
        yield from (pair for pair in aimed_pairs(slot.aim, shape, seeds) if pair[1] is None)
        return
    yield ground.old, ground.old
    aim = replace(slot.aim, update=False, origin="") if slot.wants == "accept" else slot.aim
    for new, old in aimed_pairs(aim, shape, seeds):
        stored = _as_stored(new, ground.old)
        if slot.wants == "accept" and slot.known.update:
            yield stored, stored
        else:
            yield stored, ground.old if old is None else _as_stored(old, ground.old)
