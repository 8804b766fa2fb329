"""Asks whether a rule and its check take empty and absent values for one, below what they compare with the old value.

A rule compares objects of its version, and a check compares internal ones, in which an empty list may have become a
struct that is not nil. A random search seldom writes such updates, so that they are asked here, on the real validators:
each differs by one empty list, map or struct at one path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TypeAlias

from harness.case import Answer, Case, Json, KindInfo, Operation
from harness.errormatch.matcher import Matcher, matcher_for
from harness.errormatch.trusted import Wordings
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import shape_at
from harness.graduate.after import RuleErrors, compare_after
from harness.graduate.observer import ShownEffect, Watched
from harness.jsonpath import ABSENT, ITEMS, JsonPath, look, put, remove
from harness.rulecov.inventory import KnownRule
from harness.subject import Subject

Pattern: TypeAlias = tuple[str, ...]
"""A path with `ITEMS` for items of lists and values of maps."""

_BATCH = 100
_MAX_PAIRS = 4_000
"""At most so many updates are asked for one rule and request."""
_MAX_PATTERNS = 400
_MAX_DEPTH = 12
_KEY = "a"
"""The key of a map that is made to hold a value."""


@dataclass(slots=True)
class LateProbes:
    """What cases asked after the search show of a rule: their effects, and paths at which no update was heard."""

    shown: list[ShownEffect] = field(default_factory=list)
    unheard: set[str] = field(default_factory=set)
    asked: int = 0


def ask_empties(subject: Subject, known: KnownRule, seen: Watched, trusted: Wordings) -> LateProbes:
    """Ask updates from empty to absent and back below what a rule compares, in every request that can write it."""
    found = LateProbes()
    for info in subject.target.info.kinds:
        own = [one for one in seen.asked.values() if (one.version, one.subresource) == (info.version, info.subresource)]
        if info.type == known.type and info.served and any(one.operation == "update" for one in own):
            _ask_request(subject, known, seen.compared, info, trusted, found)
    return found


def _ask_request(
    subject: Subject, known: KnownRule, bases: Sequence[Case], info: KindInfo, trusted: Wordings, found: LateProbes
) -> None:
    shape, start = subject.shape(info), compared_at(known)
    wanted = set(islice(patterns_below(shape, start), _MAX_PATTERNS))
    rule, matcher = known.rule, matcher_for(info.normalization)
    errors = RuleErrors.of(known.places, rule.type, rule.origin, rule.level, matcher)
    heard: dict[Pattern, set[bool]] = {}
    updates = islice(chain.from_iterable(updates_of(one.object, start, wanted, shape) for one in bases), _MAX_PAIRS)
    while batch := list(islice(updates, _BATCH)):
        answered = _ask(subject, info, [(new, old) for _, _, new, old in batch])
        # The same new object beside an old one without the value: if both report that, nothing comes before them.
        controls = (
            _ask(subject, info, [(new, remove(new, start)) for _, _, new, _ in batch]) if known.update else answered
        )
        found.asked += len(batch)
        for (pattern, fills, _, _), (case, answer), (_, control) in zip(batch, answered, controls, strict=True):
            if answer.failure is not None or answer.unreachable:
                continue
            if any((_is_alone(answer, errors, matcher), *(_both(one, errors, matcher) for one in (answer, control)))):
                heard.setdefault(pattern, set()).add(fills)
            effects = compare_after(answer.handwritten, answer.declarative, errors, info, trusted)
            if effects is not None:
                found.shown.append(ShownEffect(effects, case, ratcheting=True))
    if known.update:
        found.unheard |= {write_pattern(one) for one in wanted if len(heard.get(one, ())) < 2}


def _ask(subject: Subject, info: KindInfo, pairs: Sequence[tuple[Json, Json]]) -> list[tuple[Case, Answer]]:
    cases = [
        info.case(Operation.UPDATE, new, old, id=number, mode=subject.spec.mode)
        for number, (new, old) in enumerate(pairs, 1)
    ]
    return list(zip(cases, subject.target.ask(cases), strict=True))


def _is_alone(answer: Answer, errors: RuleErrors, matcher: Matcher) -> bool:
    """Whether no error of another rule or check may have come before those of the rule."""
    return all(errors.counts(one, matcher) for one in answer.handwritten) and all(
        map(errors.reports, answer.declarative)
    )


def _both(answer: Answer, errors: RuleErrors, matcher: Matcher) -> bool:
    """Whether the rule and the check report the error, whatever else there is."""
    return any(errors.counts(one, matcher) for one in answer.handwritten) and any(
        map(errors.reports, answer.declarative)
    )


def compared_at(known: KnownRule) -> JsonPath:
    """Return the path to the outermost value that may be compared as a whole: the first list, or the value itself."""
    steps: list[str] = []
    for step in known.steps:
        if step == ITEMS or not isinstance(step, str):
            break
        steps.append(step)
    return tuple(steps)


def patterns_below(shape: Shape, start: JsonPath) -> Iterator[Pattern]:
    """Yield the paths of the lists, maps and structs that a value may hold, itself first; a type within itself once."""
    pattern = tuple(map(str, start))
    if start and shape_at(shape, start).kind in ("list", "map", "struct"):
        yield pattern
    yield from _below(shape_at(shape, start), pattern, ())


def _below(shape: Shape, at: Pattern, outer: tuple[str, ...]) -> Iterator[Pattern]:
    if len(at) > _MAX_DEPTH or (shape.kind == "struct" and shape.type in outer):
        return
    if shape.kind == "struct":
        for member in shape.fields:
            if member.shape.kind in ("list", "map", "struct") and not member.shape.is_object_meta:
                yield (*at, member.name)
                yield from _below(member.shape, (*at, member.name), (*outer, shape.type))
    elif shape.kind in ("list", "map"):
        yield from _below(shape.elem, (*at, ITEMS), outer)


def updates_of(
    base: Json, start: JsonPath, patterns: set[Pattern], shape: Shape
) -> Iterator[tuple[Pattern, bool, Json, Json]]:
    """Yield (pattern, whether the new object has the empty value, new, old) at each path of an object, and at one made.

    The one that is made has nothing beside the empty value: what stands there may be why both are converted alike.
    """
    for pattern in sorted(patterns):
        path = _first_path(pattern, shape)
        empty: Json = [] if shape_at(shape, path).kind == "list" else {}
        alone = put(base, path[:-1], {}) if len(path) > len(start) else base
        for obj, at in (*((base, one) for one in _paths(base, pattern)), (alone, path)):
            filled, bare = put(obj, at, empty), remove(obj, at)
            yield pattern, True, filled, bare
            yield pattern, False, bare, filled


def _first_path(pattern: Pattern, shape: Shape) -> JsonPath:
    """Return the path of the first items."""
    path: list[str | int] = []
    for step in pattern:
        is_list = shape_at(shape, tuple(path)).kind == "list"
        path.append(step if step != ITEMS else 0 if is_list else _KEY)
    return tuple(path)


def _paths(obj: Json, pattern: Pattern, at: JsonPath = ()) -> Iterator[JsonPath]:
    """Yield the paths of a pattern whose parents an object has."""
    if not isinstance(obj, (dict, list)):
        return
    step, rest = pattern[0], pattern[1:]
    names: Sequence[str | int]
    if step == ITEMS:
        names = range(len(obj)) if isinstance(obj, list) else list(obj)
    else:
        names = [step] if isinstance(obj, dict) else []
    for name in names:
        if not rest:
            yield (*at, name)
        elif (below := look(obj, (name,))) is not ABSENT:
            yield from _paths(below, rest, (*at, name))


def write_pattern(pattern: Pattern) -> str:
    """Format a pattern as a path."""
    return "".join("[*]" if step == ITEMS else f".{step}" for step in pattern).removeprefix(".")


def effects_of(probes: LateProbes) -> Mapping[str, ShownEffect]:
    """Return the smallest update for each effect."""
    found: dict[str, ShownEffect] = {}
    for one in probes.shown:
        found[one.name] = one if one.name not in found else found[one.name].joined(one)
    return found
