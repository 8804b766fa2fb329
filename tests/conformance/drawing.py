"""Objects of a kind, and edits of them: near limits, near what its rules name, and anything at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from harness.case import Json
from harness.field import FieldError
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.shapepaths import resolve_path
from harness.fuzzers.values import LIMITS, boundary_values, common_values
from tests.conformance.kinds import Key, Kind

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
_HEAD = ("apiVersion", "kind")


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
        values = (dice.random() < 0.3 and boundary_values(shape)) or common_values(shape) or ({},)
        drawn = dice.choice(values)
        return values[0] if drawn is None else drawn

    def text(self, shape: Shape, member: FieldShape | None) -> str:
        """Draw a string, some of them just as long as a rule allows and one longer."""
        dice = self.dice
        roll = dice.random()
        if roll < 0.45:
            return str(dice.choice(common_values(shape)))
        if roll < 0.75:
            return dice.choice(_TEXTS)
        if roll < 0.87:
            limits = [hint for hint in (member.hints if member else ()) if isinstance(hint, int) and 0 < hint < 5000]
            length = dice.choice([n for limit in limits for n in (limit, limit + 1, limit - 1)] or _LENGTHS)
            return dice.choice("aaé") * length
        if shape.choices:
            return str(dice.choice(shape.choices)) + dice.choice("ax ")
        return str(dice.choice(boundary_values(shape)))[:400]

    def number(self, shape: Shape, member: FieldShape | None) -> int:
        """Draw a number, most of them around those that the tags name."""
        hints = [hint for hint in (member.hints if member else ()) if isinstance(hint, int)]
        around = [near for hint in hints for near in (hint - 1, hint, hint + 1)]
        low, high = LIMITS.get(shape.bits, LIMITS[64])
        low, high = (low, high) if shape.signed else (0, 2 * high + 1)
        usual = (0, 1, 2, 3, 10, 100, 999, 1000, 65535, -1, low, high)
        drawn = self.dice.choice(around if around and self.dice.random() < 0.6 else usual)
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

    def fixed(self, obj: Json, errors: Sequence[FieldError]) -> Json:
        """Put another value where an error is, or beside it."""
        error = self.dice.choice(errors)
        place, _ = resolve_path(error.field, self.kind.shape)
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
