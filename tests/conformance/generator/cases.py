"""Cases for one root type: objects drawn from its shape, related pairs, options, subresources. One seed, same cases.

Values are small on purpose: the words and numbers that the package's tags name, the neighbours of those numbers, the
fuzzer's own pools and edges, absent beside empty beside null. Whether a value makes sense is nobody's concern here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import msgspec

from harness.case import Json
from harness.fuzzers.edits import random_edit, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.shapepaths import walk_paths
from harness.fuzzers.values import LIMITS, boundary_values, common_values, full_value, sparse_value
from harness.jsonpath import put
from harness.tags.registry import SPECS

_TAG_LINE = re.compile(r"^\s*//\s*\+k8s:(?!validat)(.*)$", re.M)
_WORD = re.compile(r"\"([^\" ]{0,40})\"|`([^` ]{0,40})`|[:=(]\s*([A-Za-z][\w./-]{0,39})(?=[),\s]|$)")
_ITEM = re.compile(r"(?:^|k8s:)item\(([^)]*)\)")
_PAIR = re.compile(r"(\w+):\s*(\"[^\"]*\"|[\w.-]+)")
_NUMBER = re.compile(r"(?<![\w.])-?\d{1,6}(?![\w.])")
_LETTERS = ("a", "b", "Z", "0", "9", "-", ".", "/", "_", "é", " ")
_DEPTH = 5
_MOST_ITEMS = 12
_OPTION_STATES = (True, True, True, False, False, False, None)
_WRONG_PATHS = ("nothing", "status", "scale", "status/scale", "a/b")


class Question(msgspec.Struct, frozen=True):
    """One case, as the worker reads it. `old` counts for updates alone; None is no object at all."""

    package: str
    type: str
    update: bool
    new: Json
    old: Json = None
    options: dict[str, bool] = {}
    subresources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Vocabulary:
    """Words, numbers and items of lists that the tags of a package name."""

    words: tuple[str, ...]
    numbers: tuple[int, ...]
    items: tuple[dict[str, Json], ...]

    @classmethod
    def of(cls, folders: Sequence[Path]) -> Vocabulary:
        """Read the tags of the packages in these folders."""
        texts = [file.read_text(encoding="utf-8") for folder in folders for file in sorted(folder.glob("*.go"))]
        lines = [line for text in texts for line in _TAG_LINE.findall(text)]
        found = dict.fromkeys("".join(match) for line in lines for match in _WORD.findall(line))
        words = [word for word in found if f"k8s:{word}" not in SPECS]
        numbers = dict.fromkeys(int(match) for line in lines for match in _NUMBER.findall(line))
        items = [dict(_PAIR.findall(inside)) for line in lines for inside in _ITEM.findall(line)]
        read = [{key: _scalar(text) for key, text in one.items()} for one in items]
        return cls(tuple(words[:60]), tuple(numbers)[:40], tuple(read))

    def harvest(self) -> Harvest:
        """The same as what edits know as learned from messages."""
        harvest = Harvest()
        harvest.words.update((word, None) for word in self.words)
        harvest.numbers.update((number, None) for number in self.numbers)
        return harvest


def _scalar(text: str) -> Json:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return {"true": True, "false": False}.get(text, text.strip('"'))


@dataclass
class Objects:
    """Draws objects of a shape, and changes them."""

    random: Random
    shape: Shape
    vocabulary: Vocabulary
    harvest: Harvest = field(init=False)

    def __post_init__(self) -> None:
        self.harvest = self.vocabulary.harvest()

    def draw(self) -> Json:
        """Return an object; how much of it is there differs from one to the next."""
        return self._value(self.shape, None, self.random.choice((0.15, 0.4, 0.6, 0.85, 1.0)), _DEPTH)

    def edit(self, obj: Json) -> Json:
        """Return a copy with one change, or another object where there is nothing to change."""
        if self.random.random() < 0.3:
            return self._replaced(obj)
        sites = sites_of(obj, self.shape)
        return random_edit(self.random, sites, self.harvest, obj).apply(obj) if sites else self.draw()

    def reorder(self, obj: Json) -> Json:
        """Return a copy with the items of one list in another order."""
        lists = [(place, value) for place, _, value in walk_paths(obj, self.shape) if isinstance(value, list)]
        lists += [((), obj)] if isinstance(obj, list) else []
        if not lists:
            return self.edit(obj)
        place, items = self.random.choice(lists)
        return put(obj, place, self.random.sample(items, len(items)))

    def blur(self, obj: Json) -> Json:
        """Return a copy in which something empty is written in another way: absent, null, empty."""
        sites = [site for site in sites_of(obj, self.shape) if isinstance(site.path[-1], str)]
        if not sites:
            return self.edit(obj)
        site = self.random.choice(sites)
        empty: Json = {"list": [], "map": {}, "struct": {}, "string": "", "int": 0, "bool": False}.get(site.shape.kind)
        return put(obj, site.path, self.random.choice((None, empty)))

    def _replaced(self, obj: Json) -> Json:
        """Put a new value at one place: what edits draw from pools is poorer in nulls and twins."""
        sites = sites_of(obj, self.shape)
        if not sites:
            return self.draw()
        site = self.random.choice(sites)
        return put(obj, site.path, self._value(site.shape, site.member, 0.6, _DEPTH - len(site.path)))

    def _value(self, shape: Shape, member: FieldShape | None, density: float, depth: int) -> Json:
        random = self.random
        match shape.kind:
            case "struct":
                return self._struct(shape, density, depth)
            case "list":
                return self._list(shape, member, density, depth)
            case "map":
                limits = [limit + step for limit in self._limits(member) for step in (0, 1) if 0 <= limit < _MOST_ITEMS]
                size = random.choice((0, 1, 1, 1, 1, 2, 3, *limits[:4]))
                keys = {self._text(shape.key, None) for _ in range(size)}
                return {key: self._item(shape.elem, density, depth - 1) for key in sorted(keys)}
            case "string":
                return self._text(shape, member)
            case "int":
                return self._number(shape, member)
        return random.choice(common_values(shape) or (None,))

    def _struct(self, shape: Shape, density: float, depth: int) -> Json:
        if depth <= 0:
            return {}
        present = [f for f in shape.fields if self.random.random() < density]
        return {
            f.name: None if self.random.random() < 0.04 else self._value(f.shape, f, density, depth - 1)
            for f in present
        }

    def _list(self, shape: Shape, member: FieldShape | None, density: float, depth: int) -> Json:
        random = self.random
        if depth <= 0:
            return []
        limits = [near for limit in self._limits(member) for near in (limit - 1, limit, limit + 1)]
        sizes = [0, 1, 1, 2, 2, 3, *(size for size in limits if 0 <= size <= _MOST_ITEMS)]
        items: list[Json] = []
        for _ in range(random.choice(sizes)):
            twin = items and random.random() < 0.25
            items.append(self._twin(random.choice(items)) if twin else self._item(shape.elem, density, depth - 1))
        return items

    def _item(self, shape: Shape, density: float, depth: int) -> Json:
        if self.random.random() < 0.04:
            return None
        value = self._value(shape, None, density, depth)
        named = [one for one in self.vocabulary.items if one.keys() <= shape.by_name.keys()]
        if named and isinstance(value, dict) and self.random.random() < 0.4:
            return {**value, **self.random.choice(named)}
        return value

    def _twin(self, item: Json) -> Json:
        """The same item again, or one that differs in a member."""
        if isinstance(item, dict) and item and self.random.random() < 0.7:
            name = self.random.choice(sorted(item))
            return {key: value for key, value in item.items() if key != name}
        return item

    def _limits(self, member: FieldShape | None) -> Sequence[int]:
        return [*(hint for hint in (member.hints if member else ()) if isinstance(hint, int)), *self.vocabulary.numbers]

    def _text(self, shape: Shape, member: FieldShape | None) -> str:
        random, roll = self.random, self.random.random()
        if shape.choices and roll < 0.6:
            return str(random.choice(shape.choices))
        if self.vocabulary.words and roll < 0.45:
            return random.choice(self.vocabulary.words)
        limits = [limit for limit in self._limits(member) if 0 <= limit <= 2000]
        if limits and roll < 0.6:
            letter = random.choice(("a", "a", "é", "😀"))
            return letter * max(0, random.choice(limits) + random.choice((-1, 0, 1)))
        if roll < 0.7:
            return "".join(random.choice(_LETTERS) for _ in range(random.randrange(7)))
        if roll < 0.78:
            return _twisted(random, random.choice(common_values(shape)))
        return str(random.choice((*common_values(shape), *boundary_values(shape), "", "a", "b")))

    def _number(self, shape: Shape, member: FieldShape | None) -> int:
        random, limits = self.random, self._limits(member)
        low, high = LIMITS[shape.bits] if shape.signed else (0, 2 * LIMITS[shape.bits][1] + 1)
        near = [limit + step for limit in limits for step in (-1, 0, 1)]
        choices = [c for c in shape.choices if isinstance(c, int)]
        drawn = random.choice((*choices, *near, *near, 0, 0, 1, 2, *boundary_values(shape), *common_values(shape)))
        return drawn if low <= drawn <= high else 0


def _twisted(random: Random, text: str) -> str:
    """Change how something that is known looks: its letters, its ends, a character."""
    twists = (text.upper(), text.swapcase(), text.replace("-", ""), "{" + text + "}", text + "-", "urn:uuid:" + text)
    at = random.randrange(len(text) + 1)
    return random.choice((*twists, text[:at] + random.choice(_LETTERS) + text[at:], text[:at] + text[at + 1 :]))


def pairs(objects: Objects) -> Iterator[tuple[bool, Json, Json]]:
    """Yield without end whether to update, new, and old."""
    random = objects.random
    starts: tuple[Json, ...] = ({}, sparse_value(objects.shape), full_value(objects.shape))
    for first in starts:
        if objects.shape.kind == "struct":
            yield False, first, None
            yield True, first, first
    while True:
        base = objects.draw()
        match random.randrange(16):
            case 0 | 1 | 2 | 3 | 4:
                yield False, base, None
            case 5:
                yield True, base, base
            case 6 | 7 | 8:
                yield True, objects.edit(base), base
            case 9:
                yield True, base, objects.edit(base)
            case 10:
                yield True, objects.edit(objects.edit(base)), base
            case 11:
                yield True, objects.reorder(base), base
            case 12:
                yield True, objects.blur(base), base
            case 13:
                yield True, objects.edit(base), objects.edit(base)
            case 14:
                yield True, objects.draw(), base
            case _:
                yield True, base, None if random.random() < 0.3 else objects.blur(objects.blur(base))


def questions(
    package: str, type_name: str, objects: Objects, options: Sequence[str], paths: Sequence[str], count: int
) -> list[Question]:
    """Return the cases of one root type. `paths` are the subresources it knows, `/` for the object itself.

    No paths at all: there is no dispatcher that could know any.
    """
    random, drawn = objects.random, pairs(objects)
    asked = []
    for _ in range(count):
        update, new, old = next(drawn)
        states = {name: random.choice(_OPTION_STATES) for name in options}
        path = random.choice(_WRONG_PATHS if random.random() < 0.03 else paths).strip("/") if paths else ""
        given = {name: state for name, state in states.items() if state is not None}
        asked.append(Question(package, type_name, update, new, old, given, tuple(path.split("/")) if path else ()))
    return asked
