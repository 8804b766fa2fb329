"""Values for which a CEL rule may be false, from the names and the literals of its text: nothing is evaluated.

A rule tells which members it reads and what it compares them with. So all that it names is set at once, with its own
literals where they fit; then one of them is changed, left out or repeated in a list, and then two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, pairwise
from typing import NamedTuple

from harness.case import Json
from harness.fuzzers.celtext import names_of, numbers_of, texts_of
from harness.fuzzers.pairs import Pair
from harness.fuzzers.patternpaths import follow, put_at_pattern
from harness.fuzzers.shape import Shape
from harness.fuzzers.sized import list_of_size, rename
from harness.fuzzers.values import common_values, fits, sparse_value
from harness.jsonpath import ABSENT, ITEMS

_DEEPEST, _MOST_LEAVES, _MOST_VALUES, _MOST_OF_PAIRS, _LONGEST, _LONGEST_LIST = 7, 24, 24, 3, 300, 64
_MOST_CHOICES = 8


class _RuleWords(NamedTuple):
    """What a rule names: members, texts and whole numbers."""

    names: frozenset[str]
    texts: tuple[str, ...]
    numbers: tuple[int, ...]


def _read(rule: str) -> _RuleWords:
    texts = texts_of(rule)  # one may name a member: self['name']
    return _RuleWords(frozenset((*names_of(rule), *texts)), tuple(texts), tuple(numbers_of(rule)))


def cel_values(rule: str, shape: Shape, value: Json) -> Iterator[Json]:
    """Yield values for where a rule stands, the likeliest to make it false first."""
    read = _read(rule)
    held = sparse_value(shape) if value is ABSENT or value is None else value
    leaves = list(islice(_named(shape, read.names, ()), _MOST_LEAVES))
    if not leaves:
        yield from _scalars(shape, held, read)
    whole = held
    for parts, below in leaves:
        whole = _with(shape, whole, parts, next(iter(_values(below, read)), sparse_value(below)))
    yield whole
    for base in (whole, held):
        yield from _repeated(shape, base, leaves)
        for parts, below in leaves:
            for other in (ABSENT, *_values(below, read)):
                yield _with(shape, base, parts, other)
    for (one, shape_of_one), (other, shape_of_other) in combinations(leaves, 2):
        for first in (ABSENT, *_values(shape_of_one, read)[:_MOST_OF_PAIRS]):
            changed = _with(shape, whole, one, first)
            for second in (ABSENT, *_values(shape_of_other, read)[:_MOST_OF_PAIRS]):
                yield _with(shape, changed, other, second)


def cel_updates(rule: str, shape: Shape, seed: Json, at: Sequence[str]) -> Iterator[Pair]:
    """Yield updates of an object for a rule about changes: what it names is changed, added, removed."""
    read = _read(rule)
    held, here, _ = follow(shape, seed, at, sparse_value)
    held = sparse_value(here) if held is ABSENT or held is None else held
    leaves = list(islice(_named(here, read.names, ()), _MOST_LEAVES)) or [((), here)]
    for parts, below in leaves:
        values = [*_values(below, read), ABSENT] if parts else [*_scalars(here, held, read)][:_MOST_VALUES]
        made = [put_at_pattern(shape, seed, at, _with(here, held, parts, one)) for one in values]
        for one, other in pairwise(made):
            yield one, other
            yield other, one
    whole = put_at_pattern(shape, seed, at, held)
    without = put_at_pattern(shape, seed, at, ABSENT) if at else whole
    yield without, whole
    yield whole, without


def _named(shape: Shape, names: frozenset[str], at: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Shape]]:
    """Yield the innermost named members below a shape, each with its shape, and structs that are only asked to be."""
    if len(at) > _DEEPEST:
        return
    if shape.kind in ("list", "map"):
        yield from _named(shape.elem, names, (*at, ITEMS))
        return
    for member in shape.fields if shape.kind == "struct" else ():
        if member.name in names:
            inner = list(_named(member.shape, names, (*at, member.name)))
            yield from inner or [((*at, member.name), member.shape)]


def _values(shape: Shape, read: _RuleWords) -> list[Json]:
    """Return values of one member: literals that fit, choices, and what stands around a literal or beside a number."""
    found: list[Json] = []
    if shape.choices:
        found = [choice for choice in shape.choices if choice in read.texts]
        found += [choice for choice in shape.choices if choice not in found]
    elif shape.kind in ("string", "any"):
        texts = [text for text in read.texts if len(text) <= _LONGEST]
        found = [*texts, *(f"/a{text}b" for text in texts), *(f"/a{text}" for text in texts), *common_values(shape)[:2]]
        found += ["x" * size for number in read.numbers if 0 <= number < 5000 for size in (number, number + 1)] + [""]
    elif shape.kind == "list":
        sizes = [size for number in read.numbers if 0 <= number <= _LONGEST_LIST for size in (number, number + 1)]
        found = [sparse_value(shape), *([text] for text in read.texts if shape.elem.kind in ("string", "any"))]
        found += [*(list_of_size([], shape, size) for size in sizes), []]
    elif shape.kind == "map":
        found = [sparse_value(shape), {}]
    elif shape.kind == "bool":
        found = [True, False]
    elif shape.kind == "struct":
        found = [sparse_value(shape), {}]
    elif shape.kind in ("int", "float", "quantity", "int-or-string"):
        found = [near for number in read.numbers for near in (number, number - 1, number + 1)]
    found += [value for value in common_values(shape)[:4] if value not in found]
    return [value for value in found if shape.kind != "int" or fits(value, shape)][:_MOST_VALUES]


def _scalars(shape: Shape, held: Json, read: _RuleWords) -> Iterator[Json]:
    """Yield values where a rule names no member: it is about the value itself, or about the items of a list."""
    if shape.kind == "list":
        items = _values(shape.elem, read)
        yield from ([one] for one in items)
        yield from ([one, one] for one in items[:3])
        yield from ([one, other] for one, other in combinations(items[:6], 2))
        yield from _values(shape, read)
    elif shape.kind == "map":
        keys = [text for text in (*read.texts, "", "a") if len(text) <= _LONGEST]
        yield from ({key: one} for key in keys for one in _values(shape.elem, read)[:3])
        yield {}
    else:
        yield from _values(shape, read)
        yield held


def _repeated(shape: Shape, value: Json, leaves: Sequence[tuple[tuple[str, ...], Shape]]) -> Iterator[Json]:
    """Yield values whose lists have an item twice, once more with another name, and once more without a member."""
    lists = dict.fromkeys(parts[:number] for parts, _ in leaves for number, part in enumerate(parts) if part == ITEMS)
    for at in lists:
        held, here, _ = follow(shape, value, at, sparse_value)
        items = held if isinstance(held, list) and held else [sparse_value(here.elem)] if here.kind == "list" else []
        if not items:
            continue
        first = items[0]
        yield _with(shape, value, at, [first, first])
        yield _with(shape, value, at, [first, rename(first, here.elem, 2)])
        for parts, below in leaves:
            if parts[: len(at) + 1] != (*at, ITEMS) or len(parts) == len(at) + 1:
                continue
            inner = parts[len(at) + 1 :]
            for one, other in combinations(below.choices[:_MOST_CHOICES], 2):
                both = [_with(here.elem, first, inner, one), _with(here.elem, first, inner, other)]
                yield _with(shape, value, at, both)
            for other in (ABSENT, *islice(common_values(below), 3)):
                yield _with(shape, value, at, [first, _with(here.elem, first, inner, other)])
                yield _with(shape, value, at, [_with(here.elem, first, inner, other)] * 2)
        yield _with(shape, value, at, [])


def _with(shape: Shape, value: Json, parts: Sequence[str], new: Json) -> Json:
    return put_at_pattern(shape, value, parts, new)
