"""Cases for the conformance with releases: objects that nearly fit, edited once or twice, and what they were before.

Random noise fires the same few rules again and again. So each kind first gets a collection of objects, grown with the
compiled validator as a quick guide: an object is kept when it fires a rule that no other did, or when it has fewer
errors than the others. Cases are then drawn around these. Nothing is left out by the guide: every edit may put any
value anywhere, and a tenth of the objects is drawn with no guide at all. The same seed gives the same cases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

from harness.case import Case, Json, Operation, RuledKind
from harness.compiler import Compiled
from harness.field import FieldError
from harness.fuzzers.places import place_of
from harness.fuzzers.scalars import candidates, edges
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.values import LIMITS
from harness.targets.wire import shortened

Key: TypeAlias = tuple[str, str, str]
"""What tells one declared rule from another at a kind: canonical path, type, origin."""

_TEXTS: tuple[str, ...] = (
    "a", "b", "ab", "", "A", "a.b", "a-b", "-a", "a_b", "a/b", "a/b/c", "/a", "a/", "//", "..", ".", "a%b", "é",
    "example.com", "example.com/a", "example.com/A_b", "Example.com/a", "x.kubernetes.io/a", "k8s.io/a", "requests.a/b",
    "a.kubernetes.io/b", "1", "True", "10.0.0.1", "2001:db8::1", "2001:DB8::1", "10.0.0.0/24", "a@b", "a b", " ", "a\n",
    "\u212aelvin", "\u0130", "\u017f", "<a>&", "\u2028", "😀", '"', "\\", "\x00", "\x7f",
    "123e4567-e89b-12d3-a456-426614174000", "123E4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000",
    "example.com/" + "a" * 33, "b" * 63 + ".com/a", "b" * 64 + ".com/a", "sha256:" + "a" * 64,
)  # fmt: skip
_LENGTHS = (15, 16, 32, 33, 63, 64, 128, 129, 253, 254, 256, 257, 1024, 1025)
_SHORT = 130
"""The longest list that is drawn for a limit; a longer one would make all cases of its kind slow."""
_QUANTITIES = (
    "0.1n", "-0.1n", "1.500", "01", "+1", "0.0", "-1000", "1000E", "1.5Ki", "1.5Gi", "1000Ki", "0.5Ki", "9Ki", "8Ki",
    "2000Ei", "0.1Ki", "1.0001Ki", "10e1", "1e-3", "1E3", "123456789012345678901", "1e30", 5, 1.5, "1023", "1025Mi",
)  # fmt: skip
_BRACKETS = re.compile(r"\[[^\]]*\]")
_HEAD = ("apiVersion", "kind")
_TRIES = 1000
"""For a rule that the collection leaves alone. The rarest one that can fire takes some hundreds."""


def key_of(error: FieldError) -> Key:
    """Return what rule an error tells of, as the declared rules are written."""
    path = "" if error.field == "<nil>" else error.field
    return _BRACKETS.sub("[*]", path), error.type, error.origin


@dataclass(slots=True)
class Kind:
    """A kind under examination: how to ask for it, how to draw it, how to validate it."""

    ruled: RuledKind
    shape: Shape
    compiled: Compiled
    decode: Callable[[Json], Json]
    name: str = ""
    options: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    telling: frozenset[str] = frozenset()
    declared: frozenset[Key] = frozenset()
    fired: dict[Key, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.name = self.ruled.type.rpartition(".")[2]
        self.options = tuple(sorted(self.compiled.options(self.name)))
        root = self.compiled.plan.roots[self.name]
        self.subresources = tuple(sorted(path.strip("/") for path in root.paths))
        self.telling = telling_members(self.compiled)

    def validate(self, case: Case) -> list[FieldError]:
        """Validate a case as the compiled types do."""
        old = None if case.old is None else self.decode(case.old)
        new = self.decode(case.object)
        errors = self.compiled.validate(self.name, case.operation, new, old, case.options, case.subresource)
        return shortened(errors)


def telling_members(compiled: Compiled) -> frozenset[str]:
    """Return `type.member` for every member that has rules, leads to rules, or bears a tag that other rules look at."""
    found = set()
    for name, plan in compiled.plan.types.items():
        planned = {one.field.name for one in plan.fields}
        for member in plan.struct.fields if plan.struct else ():
            if member.name in planned or any("+k8s:" in line.text for line in member.comments):
                found.add(f"{name}.{member.json_name}")
    return frozenset(found)


class Drawer:
    """Draws objects of one kind, and edits of them."""

    def __init__(self, kind: Kind, dice: Random) -> None:
        self.kind, self.dice = kind, dice

    def tells(self, owner: Shape, member: FieldShape) -> bool:
        """Whether rules look at a member. Inlined members are looked at, whoever declares them."""
        return f"{owner.type}.{member.name}" in self.kind.telling or owner.type not in self.kind.compiled.plan.types

    def root(self, density: float) -> Json:
        """Draw a whole object."""
        ruled = self.kind.ruled
        version = f"{ruled.group}/{ruled.version}" if ruled.group else ruled.version
        drawn = self.struct(self.kind.shape, density, 0)
        return {**drawn, "apiVersion": version, "kind": ruled.kind}

    def struct(self, shape: Shape, density: float, depth: int) -> dict[str, Json]:
        """Draw members of a struct: most of those that rules look at, few of the others."""
        drawn = {}
        chance = density if depth < 3 else density * 0.75 if depth < 6 else density * 0.3
        for member in shape.fields:
            wanted = chance if self.tells(shape, member) else 0.02
            if member.shape.is_object_meta:
                wanted = max(wanted, 0.1)
            if self.dice.random() < wanted and depth < 14:
                drawn[member.name] = self.value(member.shape, density, depth + 1, member)
        return drawn

    def value(self, shape: Shape, density: float, depth: int, member: FieldShape | None = None) -> Json:
        """Draw any value of a shape."""
        dice = self.dice
        if shape.kind == "struct":
            return self.struct(shape, density, depth)
        if shape.kind == "list":
            many = dice.choice((0, 1, 1, 2, 2, 3)) if depth < 7 else dice.choice((0, 1))
            return [self.value(shape.elem, density, depth + 1) for _ in range(many)]
        if shape.kind == "map":
            many = dice.choice((0, 1, 2, 3)) if depth < 7 else 1
            return {self.text(shape.key, None): self.value(shape.elem, density, depth + 1) for _ in range(many)}
        return self.scalar(shape, member)

    def scalar(self, shape: Shape, member: FieldShape | None) -> Json:
        """Draw a scalar: declared constants first, then what its name promises, then values at edges."""
        dice = self.dice
        if shape.choices and dice.random() < 0.8:
            return dice.choice(shape.choices)
        if shape.kind == "string":
            return self.text(shape, member)
        if shape.kind == "int":
            return self.number(shape, member)
        if shape.kind == "quantity" and dice.random() < 0.3:
            return dice.choice(_QUANTITIES)
        if shape.kind == "bytes":
            return dice.choice(("", "YQ==", "YWI=", "AAECAw==", "YWFh" * 40))
        name = member.name if member else ""
        values = (dice.random() < 0.3 and edges(shape.kind, name)) or candidates(shape.kind, name) or ({},)
        drawn = dice.choice(values)
        return values[0] if drawn is None else drawn

    def text(self, shape: Shape, member: FieldShape | None) -> str:
        """Draw a string, some of them just as long as a rule allows and one longer."""
        dice = self.dice
        roll = dice.random()
        if roll < 0.45:
            return str(dice.choice(candidates("string", member.name if member else "")))
        if roll < 0.75:
            return dice.choice(_TEXTS)
        if roll < 0.87:
            limits = [hint for hint in (member.hints if member else ()) if isinstance(hint, int) and 0 < hint < 5000]
            length = dice.choice([n for limit in limits for n in (limit, limit + 1, limit - 1)] or _LENGTHS)
            return dice.choice("aaé") * length
        if shape.choices:
            return str(dice.choice(shape.choices)) + dice.choice("ax ")
        return str(dice.choice(edges("string", member.name if member else "")))[:400]

    def number(self, shape: Shape, member: FieldShape | None) -> int:
        """Draw a number, most of them around those that the tags name."""
        hints = [hint for hint in (member.hints if member else ()) if isinstance(hint, int)]
        around = [near for hint in hints for near in (hint - 1, hint, hint + 1)]
        low, high = LIMITS.get(shape.bits, LIMITS[64])
        low, high = (low, high) if shape.signed else (0, 2 * high + 1)
        pool = around if around and self.dice.random() < 0.6 else (0, 1, 2, 3, 10, 100, 999, 1000, 65535, -1, low, high)
        drawn = self.dice.choice(pool)
        return max(low, min(high, drawn))

    # Edits

    def edited(self, obj: Json) -> Json:
        """Change one thing somewhere below the root."""
        changed = self.edit(self.kind.shape, obj, None, 0)
        return {**changed, **{name: obj[name] for name in _HEAD}}

    def edit(self, shape: Shape, value: Json, member: FieldShape | None, depth: int) -> Json:
        """Change one thing in a value: itself, or something within."""
        if shape.kind == "struct" and isinstance(value, dict):
            return self.edit_struct(shape, value, depth)
        if shape.kind == "list" and isinstance(value, list):
            return self.edit_list(shape, value, member, depth)
        if shape.kind == "map" and isinstance(value, dict):
            return self.edit_map(shape, value, depth)
        return self.value(shape, 0.7, depth, member)

    def edit_struct(self, shape: Shape, value: dict[str, Json], depth: int) -> Json:
        """Set, unset, clear or change one member."""
        members = [one for one in shape.fields if self.tells(shape, one) or one.name in value]
        if not members:
            return value
        member, dice = self.dice.choice(members), self.dice
        # Structures are deep and errors sit at the leaves: rather go down than replace.
        inside = [one for one in members if one.name in value and one.shape.kind in ("struct", "list", "map")]
        if inside and dice.random() < 0.6:
            member = dice.choice(inside)
        name = member.name
        if name not in value:
            return {**value, name: self.value(member.shape, dice.choice((0.1, 0.5, 0.9)), depth + 1, member)}
        roll = dice.random()
        if roll < 0.75:
            return {**value, name: self.edit(member.shape, value[name], member, depth + 1)}
        if roll < 0.9:
            return {key: kept for key, kept in value.items() if key != name}
        if roll < 0.95:
            return {**value, name: _CLEARED.get(member.shape.kind, self.value(member.shape, 0.5, depth + 1, member))}
        return {**value, name: self.value(member.shape, dice.choice((0.1, 0.5, 0.9)), depth + 1, member)}

    def edit_list(self, shape: Shape, value: list[Json], member: FieldShape | None, depth: int) -> Json:
        """Change an item, add, remove, rename, repeat, move or blow up."""
        dice = self.dice
        roll = dice.random()
        if value and roll < 0.55:
            at = dice.randrange(len(value))
            return [*value[:at], self.edit(shape.elem, value[at], member, depth + 1), *value[at + 1 :]]
        if not value or roll < 0.7:
            at = dice.randrange(len(value) + 1)
            return [*value[:at], self.value(shape.elem, 0.6, depth + 1, member), *value[at:]]
        at = dice.randrange(len(value))
        if roll < 0.78:
            return [*value[:at], *value[at + 1 :]]
        if roll < 0.85:
            return [*value, value[at]]
        if roll < 0.9:
            return value[::-1] if dice.random() < 0.5 else [*value[1:], value[0]]
        if roll < 0.92:
            return [*value[:at], None, *value[at:]]
        if roll < 0.94:
            return []
        return self.many(shape, value, member, depth)

    def many(self, shape: Shape, value: list[Json], member: FieldShape | None, depth: int) -> Json:
        """Fill a list up to a limit that its tags name, or one beyond."""
        limits = [hint for hint in (member.hints if member else ()) if isinstance(hint, int) and 0 <= hint <= _SHORT]
        size = self.dice.choice([n for limit in limits for n in (limit, limit + 1)] or (4, 9, 17))
        first = value[0]
        if isinstance(first, str):
            return [f"{first}{number}" for number in range(size)] if self.dice.random() < 0.7 else [first] * size
        if isinstance(first, dict) and self.dice.random() < 0.7:
            members = shape.elem.by_name
            named = [name for name in first if name in members and members[name].shape.kind == "string"]
            return [{**first, **{name: f"{first[name] or 'a'}{number}" for name in named}} for number in range(size)]
        return [first] * size

    def edit_map(self, shape: Shape, value: dict[str, Json], depth: int) -> Json:
        """Change a value, add, remove or rename a key, or fill up."""
        dice = self.dice
        roll = dice.random()
        if value and roll < 0.4:
            key = dice.choice(list(value))
            return {**value, key: self.edit(shape.elem, value[key], None, depth + 1)}
        if not value or roll < 0.65:
            return {**value, self.text(shape.key, None): self.value(shape.elem, 0.6, depth + 1)}
        key = dice.choice(list(value))
        kept = {name: held for name, held in value.items() if name != key}
        if roll < 0.8:
            return kept
        if roll < 0.94:
            return {**kept, self.text(shape.key, None): value[key]}
        return {f"k{number}": value[key] for number in range(dice.choice((9, 33, 65)))}

    def mended(self, obj: Json, errors: Sequence[FieldError]) -> Json:
        """Put another value where an error is, or beside it."""
        error = self.dice.choice(errors)
        place, _ = place_of(error.field, self.kind.shape)
        return self._mend(self.kind.shape, obj, place, None, 0)

    def _mend(
        self, shape: Shape, value: Json, place: Sequence[str | int], member: FieldShape | None, depth: int
    ) -> Json:
        if not place:
            if shape.kind in ("struct", "list", "map") and value and self.dice.random() < 0.7:
                return self.edit(shape, value, member, depth)
            return self.value(shape, 0.5, depth, member)
        part, rest = place[0], place[1:]
        if shape.kind == "list" and isinstance(value, list) and isinstance(part, int) and part < len(value):
            if self.dice.random() < 0.15:
                return [*value[:part], *value[part + 1 :]]
            item = self._mend(shape.elem, value[part], rest, member, depth + 1)
            return [*value[:part], item, *value[part + 1 :]]
        if shape.kind == "map" and isinstance(value, dict) and part in value:
            return {**value, part: self._mend(shape.elem, value[part], rest, None, depth + 1)}
        if shape.kind == "struct" and isinstance(value, dict):
            below = shape.by_name.get(str(part))
            if below is None:
                return self.edit(shape, value, member, depth)
            if below.name not in value:
                return {**value, below.name: self.value(below.shape, 0.5, depth + 1, below)}
            if not rest and self.dice.random() < 0.3:
                return {name: held for name, held in value.items() if name != below.name}
            return {**value, below.name: self._mend(below.shape, value[below.name], rest, below, depth + 1)}
        return self.edit(shape, value, member, depth)

    # Aims

    def aimed(self, base: Json, key: Key) -> tuple[Json, Json]:
        """Return an object, and an old one for an update, in which a declared rule has a reason to fire."""
        path, wanted, origin = key
        parts = _PARTS.findall(path)
        if wanted == "FieldValueDuplicate":
            parts = parts[:-1]
        new = self.at(self.kind.shape, base, parts, None, 0, wanted)
        if origin not in ("immutable", "update", "monotonic") and self.dice.random() < 0.7:
            return new, None
        return (new, base) if self.dice.random() < 0.5 else (self.at(self.kind.shape, new, parts, None, 0, ""), new)

    def at(
        self, shape: Shape, value: Json, parts: Sequence[str], member: FieldShape | None, depth: int, wanted: str
    ) -> Json:
        """Lead to a place, making what is not there, and spoil what is there."""
        if not parts:
            return self.spoiled(shape, value, member, depth, wanted)
        part, rest = parts[0], parts[1:]
        if shape.kind == "struct":
            below = shape.by_name.get(part)
            members = value if isinstance(value, dict) else self.struct(shape, 0.3, depth)
            if below is None:
                return members
            held = members.get(part)
            if held is None and rest:
                held = self.value(below.shape, 0.3, depth + 1, below)
            return {**members, part: self.at(below.shape, held, rest, below, depth + 1, wanted)}
        if shape.kind == "list":
            items = (isinstance(value, list) and value) or [self.value(shape.elem, 0.3, depth + 1, member)]
            return [self.at(shape.elem, items[0], rest, member, depth + 1, wanted), *items[1:]]
        if shape.kind == "map":
            values = (isinstance(value, dict) and value) or {"a": self.value(shape.elem, 0.3, depth + 1)}
            name = next(iter(values))
            return {**values, name: self.at(shape.elem, values[name], rest, None, depth + 1, wanted)}
        return value

    def spoiled(self, shape: Shape, value: Json, member: FieldShape | None, depth: int, wanted: str) -> Json:
        """Make a value that a rule of this type of error may refuse."""
        limits = [hint for hint in (member.hints if member else ()) if isinstance(hint, int) and 0 <= hint <= 5000]
        dice = self.dice
        if shape.kind == "list" and wanted in ("FieldValueTooMany", "FieldValueDuplicate", "FieldValueTooFew"):
            items = (isinstance(value, list) and value) or [self.value(shape.elem, 0.1, depth + 1, member)]
            if wanted == "FieldValueDuplicate":
                return [*items, items[0]]
            return items[:1] * (dice.choice(limits or [40]) + 1) if wanted == "FieldValueTooMany" else []
        if wanted == "FieldValueTooLong":
            return "a" * (dice.choice(limits or [300]) + 1)
        if wanted in ("FieldValueRequired", "FieldValueTooShort"):
            return _CLEARED.get(shape.kind)
        if wanted == "FieldValueNotSupported":
            return "nothing"
        return self.value(shape, dice.choice((0.1, 0.5, 0.9)), depth, member)


_PARTS = re.compile(r"[^.\[\]]+|\[\*\]")
_CLEARED: dict[str, Json] = {"struct": {}, "list": [], "map": {}, "string": "", "int": 0, "bool": False}


@dataclass(slots=True)
class Collection:
    """Objects worth editing: those that fired something first, and those with the fewest errors."""

    objects: list[Json] = field(default_factory=list)
    best: list[tuple[int, int, Json]] = field(default_factory=list)

    def pick(self, dice: Random) -> Json:
        """Draw one; half of the time one that nearly fits."""
        if self.best and dice.random() < 0.5:
            return dice.choice(self.best)[2]
        return dice.choice(self.objects)


def case_of(kind: Kind, dice: Random, new: Json, old: Json) -> Case:
    """Ask about an object: any subresource, every option on or off or, rarely, not defined at all."""
    options = {name: dice.random() < 0.5 for name in kind.options if dice.random() > 0.01}
    subresource = dice.choice(kind.subresources)
    if dice.random() < 0.01:
        subresource = dice.choice(("status", "scale", "nothing", "a/b", ""))
    operation = Operation.CREATE if old is None else Operation.UPDATE
    ruled = kind.ruled
    return Case(
        0, ruled.group, ruled.version, ruled.kind, operation, new, old, "", subresource, "declarative", options
    )  # fmt: skip


def collected(kind: Kind, drawer: Drawer, steps: int) -> Collection:
    """Grow the objects that cases are drawn around."""
    dice, collection = drawer.dice, Collection()
    for number in range(12):
        _keep(kind, collection, drawer.root((0.0, 0.4, 0.7, 0.95)[number % 4]), dice)
    for _ in range(steps):
        base = collection.pick(dice)
        case = case_of(kind, dice, base, None)
        errors = kind.validate(case)
        mend = errors and dice.random() < 0.5
        _keep(kind, collection, drawer.mended(base, errors) if mend else drawer.edited(base), dice)
    return collection


def _keep(kind: Kind, collection: Collection, obj: Json, dice: Random) -> None:
    obj = {**obj, "apiVersion": _api_version(kind.ruled), "kind": kind.ruled.kind}
    errors = kind.validate(case_of(kind, dice, obj, None))
    new = [key for key in map(key_of, errors) if key not in kind.fired]
    kind.fired.update(dict.fromkeys(new))
    if new or not collection.objects:
        collection.objects.append(obj)
    # Few errors in a rich object beat none in an empty one.
    score = 3 * len(errors) - min(12, len(str(obj)) // 60)
    collection.best.append((score, len(collection.best), obj))
    collection.best = sorted(collection.best, key=lambda one: one[0])[:24]


def _api_version(ruled: RuledKind) -> str:
    return f"{ruled.group}/{ruled.version}" if ruled.group else ruled.version


def aimed(kind: Kind, drawer: Drawer, collection: Collection) -> Iterator[Case]:
    """Go for every declared rule that the collection does not fire, until it fires or there is little hope."""
    dice = drawer.dice
    for key in sorted(kind.declared.difference(kind.fired)):
        for _ in range(_TRIES):
            new, old = drawer.aimed(collection.pick(dice), key)
            case = case_of(kind, dice, new, old)
            found = [key_of(error) for error in kind.validate(case)]
            kind.fired.update(dict.fromkeys(found))
            if key in found:
                collection.objects.append(new)
                break
        yield case


def pair(drawer: Drawer, base: Json) -> tuple[Json, Json]:
    """Return a new object and the old one, related: the same, one edit, two, edited before, edited apart."""
    dice = drawer.dice
    roll = dice.random()
    if roll < 0.1:
        return base, base
    if roll < 0.55:
        return drawer.edited(base), base
    if roll < 0.7:
        return base, drawer.edited(base)
    if roll < 0.85:
        return drawer.edited(drawer.edited(base)), base
    common = drawer.edited(base)
    return drawer.edited(common), drawer.edited(base) if roll < 0.95 else common


def cases_of(kind: Kind, seed: int, many: int, steps: int) -> Iterator[Case]:
    """Draw the cases of a kind: half of them creates, half of them updates."""
    dice = Random(f"{seed} {kind.ruled.type}")
    drawer = Drawer(kind, dice)
    collection = collected(kind, drawer, steps)
    yield from aimed(kind, drawer, collection)
    for obj in collection.objects:
        yield case_of(kind, dice, obj, None)
    for number in range(many):
        base = collection.pick(dice) if dice.random() < 0.9 else drawer.root(dice.random())
        if number % 2:
            yield case_of(kind, dice, *pair(drawer, base))
        else:
            yield case_of(kind, dice, drawer.edited(base) if dice.random() < 0.8 else base, None)


def in_order(errors: Sequence[FieldError], kind: Kind) -> list[tuple[Any, ...]]:
    """Return errors in a form that may be compared, exactly, but for what Go leaves open.

    Go walks maps in random order. A run of errors below one map is therefore put in the order of the map's keys, which
    keeps the order of all errors of one key; a run of errors of one rule at the map itself (rules for keys report
    there) in the order of the keys that they show. Nothing else moves: not across other errors, not in lists.
    """
    rows = [(e.field, e.type, e.detail, e.origin, e.level, e.short_circuit, e.value) for e in errors]
    maps = [map_above(kind.shape, e.field) for e in errors]
    out: list[tuple[Any, ...]] = []
    start = 0
    while start < len(rows):
        top = maps[start]
        end = start + 1
        if top is None:
            out.append(rows[start])
            start = end
            continue
        at_map = rows[start][0] == top
        while end < len(rows) and maps[end] == top and (rows[end][0] == top) == at_map:
            if at_map and rows[end][3] != rows[start][3]:
                break
            end += 1
        length = len(top)
        run = rows[start:end]
        out += sorted(run, key=lambda r: r[6]) if at_map else sorted(run, key=lambda r: _key_after(r[0], length))
        start = end
    return out


def _key_after(path: str, start: int) -> str:
    return path[start:].partition("]")[0]


def map_above(shape: Shape, path: str) -> str | None:
    """Return the path of the outermost map on the way to a place, None when there is none."""
    if path == "<nil>":
        return None
    at = 0
    for part in re.finditer(r"\.?([^.\[\]]+)|\[(\d+)\]", path):
        if part.start() != at:
            return None
        at = part.end()
        shape = shape.child(int(part[2]) if part[2] else part[1])
        if shape.kind == "map":
            return path[:at]
    return None
