"""Looks for the rows of a table: for every rule of a field, the smallest objects that the target accepts and rejects.

Nothing is guessed: rules say where to look, and what is written down is what the target answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice

import msgspec

from harness.case import Case, Json, KindInfo, Mode, Operation
from harness.diagnostics import UsageError, near_miss
from harness.export.asker import Asker
from harness.export.ground import Ground, find_ground, fuller
from harness.export.nearest import distance, nearest
from harness.export.rows import VALID, Missing, Table, TableRow
from harness.export.slots import Slot, slots_of, word
from harness.export.unruled import is_field, observed
from harness.export.witness import witnessed
from harness.fuzzers.aiming import lead, parts_of, shots
from harness.fuzzers.aims import Aim
from harness.fuzzers.pairs import Pair
from harness.fuzzers.shape import Shape
from harness.fuzzers.spoiling import CLEARED
from harness.fuzzers.values import filled
from harness.jsonpath import ABSENT, ITEMS, canonical_path, is_within
from harness.objectmodel import STATUS, is_status_field, metadata_of, with_metadata
from harness.rulecov.inventory import Inventory, KnownRule
from harness.subject import Subject

_SHOTS, _STEP = 420, 70
"""Objects that are tried for one slot, and how many before looking whether one shows it."""

Told = Callable[[str], None]


def _silent(_text: str) -> None:
    """Tell nobody."""


def table_of_rules(
    subject: Subject, inventory: Inventory, info: KindInfo, field: str, mode: Mode, tell: Told = _silent
) -> Table:
    """Return the table of a field of a kind, or of all its fields. Raises: UsageError for a field that is not there."""
    rules = [known for known in inventory.rules if known.type == info.type]
    shape = subject.shape(info)
    if not rules and not field:
        raise UsageError(f"{info.name} has no declared rules\n  fix: add --field for what is handwritten of a field")
    path = canonical_path(field)
    if not any(is_within(known.rule.path, path) for known in rules) and not is_field(shape, path):
        paths = sorted({known.rule.path for known in rules})
        hint = near_miss(path, paths) or f"it has {', '.join(paths[:6])}" + (", ..." if len(paths) > 6 else "")
        raise UsageError(f"{info.name} has no field {field}, and no rule below it\n  fix: {hint}")
    return RowSearch(Asker(subject, info, mode), shape, rules, tell).table(path)


@dataclass(frozen=True, slots=True)
class _RowCandidate:
    """A row that shows a slot, how much else is wrong with it, and how far it is from the accepted object."""

    wrong: int
    far: tuple[int, float]
    row: TableRow


@dataclass(slots=True)
class RowSearch:
    """The search for the rows of one resource."""

    asker: Asker
    shape: Shape
    rules: Sequence[KnownRule]
    tell: Told = _silent
    ground: Ground = field(init=False)
    _more: tuple[Json, ...] | None = None
    _missing: list[Missing] = field(default_factory=list)

    def table(self, about: str = "") -> Table:
        """Find the rows of a field, or of all fields."""
        self.tell(f"looking for an accepted object of {self.asker.info.name}")
        self.ground = find_ground(self.asker, self.shape)
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
        asked = self._answered(_once(rows))
        versions = tuple(one.version for one in self.asker.versions(self.asker.info))
        return Table(self.asker.info, versions, about, self.ground.new, asked, tuple(self._missing))

    def _first_door(self) -> tuple[KindInfo, Operation]:
        return self.asker.creates()

    # Rules

    def _rule(self, known: KnownRule) -> Iterator[tuple[Slot, TableRow | None]]:
        """Yield what is shown of a rule. What it accepts is a start for what it rejects: all else is right there."""
        good: list[Json] = []
        for slot in slots_of(known):
            found = self._shown(slot, good)
            if found is not None and slot.wants == "accept":
                good.append(found.new)
            yield slot, found

    def _filled(self, shown: Sequence[tuple[Slot, TableRow | None]]) -> Iterator[tuple[Slot, TableRow | None]]:
        """Yield slots with rows; those that have none get what a short search comes across."""
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
        """Yield what is said of a field without rules."""
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
        """Show a slot from what the rule accepts, the smallest object, or fuller ones; the cleanest counts."""
        found = []
        start = list(good[-1:]) if slot.wants == "reject" else []
        for bases in chain([start] if start else [], self._bases()):
            one = self._first(slot, bases)
            if one is not None:
                found.append(one)
            if found and (found[-1].wrong == 0 or bases is not start):
                break
        if found:
            return min(found, key=lambda one: (one.wrong, one.far)).row
        if slot.looser is not None:
            return self._shown(slot.looser, good)
        return self._mended(slot) if slot.wants == "accept" else None

    def _first(self, slot: Slot, bases: Sequence[Json]) -> _RowCandidate | None:
        through = (self._through(slot, *door, bases) for door in self._doors(slot.known.rule.path, slot.known.update))
        return next((one for one in through if one is not None), None)

    def _mended(self, slot: Slot) -> TableRow | None:
        """Show what is accepted by mending everything else about an object that has the value."""
        for door, operation in self._doors(slot.known.rule.path, slot.known.update):
            place = tuple(part if part != ITEMS else 0 for part in parts_of(slot.aim))
            base = self._ground(operation)
            for pair in islice(_pairs(slot, self.shape, [self.ground.new], operation, self.ground), 1, 4):
                found = self.asker.mended(door, operation, pair, self.shape, place)
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
        """Yield the doors that may show it: status goes through its own, what is about updates through updates."""
        doors = self.asker.doors
        main = doors.get("", self.asker.info)
        if is_status_field(path) and STATUS in doors:
            main = doors[STATUS]
        others = [one for name, one in doors.items() if one is not main and name not in ("", STATUS)]
        for door in (main, *others):
            for operation in door.operations:
                if operation is Operation.UPDATE or not updates:
                    yield door, operation

    def _through(self, slot: Slot, door: KindInfo, operation: Operation, bases: Sequence[Json]) -> _RowCandidate | None:
        tries = islice(_pairs(slot, self.shape, bases, operation, self.ground), _SHOTS)
        base = self._ground(operation)
        while batch := list(islice(tries, _STEP)):
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
        """Yield the updates that bring a rejected value in, and that leave it as it is."""
        old = self.ground.old
        if Operation.UPDATE in row.info.operations and self.ground.is_accepted:
            new = _as_stored(row.new, old)
            update = replace(row, operation=Operation.UPDATE, new=new, old=old)
            yield replace(update, name=f"{row.name}, set by an update")
            yield replace(update, name=f"{row.name}, left by an update", old=new, wants="")

    # Members, whatever the rules say

    def _member(self, path: str, rows: Sequence[TableRow]) -> Iterator[TableRow]:
        """Yield the rows of a field that is absent, empty, set and unset: the target says what it thinks of them."""
        steps = parts_of(Aim(path, ""))
        doors = list(self._doors(path, updates=False))
        if not steps or steps[-1] == ITEMS or not self.ground.is_accepted or not doors:
            return
        fitting = (row for row in rows if row.wants == "accept" and row.name.startswith(f"{path}:"))
        start = next((row.new for row in fitting if row.operation is doors[0][1]), self.ground.new)
        here = self.shape
        for part in steps:
            here = here.child(part)
        unset = lead(self.shape, start, steps, ABSENT)
        held = start if start != unset else lead(self.shape, start, steps, filled(here))
        door, operation = doors[0]
        if operation is Operation.CREATE:
            yield TableRow(f"{path}: nil", door, operation, unset)
            if here.kind in CLEARED:
                yield TableRow(f"{path}: empty", door, operation, lead(self.shape, start, steps, CLEARED[here.kind]))
        if Operation.UPDATE in door.operations:
            old, new = _as_stored(unset, self.ground.old), _as_stored(held, self.ground.old)
            yield TableRow(f"{path}: unset to set", door, Operation.UPDATE, new, old)
            yield TableRow(f"{path}: set to unset", door, Operation.UPDATE, old, new)

    # Every version

    def _answered(self, rows: Sequence[TableRow]) -> tuple[TableRow, ...]:
        """Ask each row again in every version, with what users would be served."""
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
            self._missing.append(Missing(row.name, "; ".join(failed) or "the server asks no rules of it"))
            return None
        return replace(row, answers=found)

    def _wide(self, door: KindInfo, row: TableRow) -> Case:
        able = self.asker.subject.target.info.abilities
        case = self.asker.case(door, row.operation, row.new, row.old)
        return msgspec.structs.replace(case, served="served" in able, versions="versions" in able)


def _once(rows: Sequence[TableRow]) -> list[TableRow]:
    """Drop rows that ask what an earlier one asks. The valid object stays, and may be at a limit besides."""
    first: dict[bytes, TableRow] = {}
    for row in rows:
        first.setdefault(msgspec.json.encode((row.info.key, row.operation, row.new, row.old, row.name == VALID)), row)
    return list(first.values())


def _as_stored(obj: Json, old: Json) -> Json:
    """Return an object with what a stored one has in its metadata, as far as it has nothing of its own there."""
    held, own = metadata_of(old), metadata_of(obj)
    return obj if held is None or own is None else with_metadata(obj, {**held, **own})


def _pairs(slot: Slot, shape: Shape, bases: Sequence[Json], operation: Operation, ground: Ground) -> Iterator[Pair]:
    """Yield what may show a slot: the accepted object itself first."""
    if operation is Operation.CREATE:
        yield ground.new, None
        yield from (pair for pair in shots(slot.aim, shape, bases) if pair[1] is None)
        return
    yield ground.old, ground.old
    aim = replace(slot.aim, update=False, origin="") if slot.wants == "accept" else slot.aim
    for new, old in shots(aim, shape, bases):
        stored = _as_stored(new, ground.old)
        if slot.wants == "accept" and slot.known.update:
            yield stored, stored
        else:
            yield stored, ground.old if old is None else _as_stored(old, ground.old)
