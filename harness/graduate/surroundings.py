"""Asks whether a check is made in other surroundings of its value: in long lists, and beside other members.

Handwritten code may return at a list that is too long, or take another branch of a `switch` where two members of a
union are set, and then makes no check that stands behind it, while rules look at each item and each member. A search
seldom writes a list of a thousand items with a bad one among them, or both members of a union with a bad value in one,
so that these are asked here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, cycle, islice

import msgspec

from harness.case import Case, Json, KindInfo
from harness.errormatch.matcher import matcher_for
from harness.errormatch.trusted import Wordings
from harness.fuzzers.othervalues import sibling_values
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import resolve_path
from harness.graduate.after import RuleErrors, compare_after
from harness.graduate.empties import LateProbes
from harness.graduate.observer import ShownEffect, Watched
from harness.jsonpath import ABSENT, ITEMS, JsonPath, find, look, put
from harness.rulecov.inventory import KnownRule
from harness.subject import Subject

_LENGTH = 2_001
"""More items than any limit of a release allows: the largest of 1.37.1 is 1,000."""
_MOST_PLACES = 3
"""At most so many values of the rule in the object have the members beside them changed."""


def ask_surroundings(subject: Subject, known: KnownRule, seen: Watched, trusted: Wordings) -> LateProbes:
    """Ask a case of the check with each list around its value made longer than a limit, then with each member beside
    the value and its parents set, set otherwise, or left out.
    """
    found, example = LateProbes(), seen.example
    info = next((one for one in subject.target.info.kinds if example is not None and _takes(one, example)), None)
    if example is None or info is None:
        return found
    objects = chain(lengthened(example.object, known), beside(example.object, known, subject.shape(info)))
    cases = [msgspec.structs.replace(example, id=number, object=obj) for number, obj in enumerate(objects, 1)]
    rule, matcher = known.rule, matcher_for(info.normalization)
    errors = RuleErrors.of(known.places, rule.type, rule.origin, rule.level, matcher)
    found.asked = len(cases)
    for case, answer in zip(cases, subject.target.ask(cases), strict=True):
        if answer.failure is None and not answer.unreachable:
            effects = compare_after(answer.handwritten, answer.declarative, errors, info, trusted)
            if effects is not None:
                found.shown.append(ShownEffect(effects, case))
    return found


def _takes(info: KindInfo, case: Case) -> bool:
    return info.served and info.key == (case.group, case.version, case.resource, case.subresource)


def lengthened(obj: Json, known: KnownRule) -> Iterator[Json]:
    """Yield the object with the first list or map at each step around the value, its items written again and again."""
    pattern = _pattern(known)
    for number, step in enumerate(pattern):
        if step == ITEMS:
            held = next(((text, value) for text, value in find(obj, pattern[:number]) if value), None)
            if held is not None:
                yield put(obj, resolve_path(held[0])[0], _longer(held[1]))


def beside(obj: Json, known: KnownRule, shape: Shape) -> Iterator[Json]:
    """Yield the object with other values of each member beside the value and its parents, or without it."""
    for field, _ in islice(find(obj, _pattern(known)), _MOST_PLACES):
        given: set[JsonPath] = set()
        for edit in sibling_values(obj, field, shape, str):
            yield edit.apply(obj)
            if edit.path not in given and look(obj, edit.path) is not ABSENT:
                yield put(obj, edit.path, ABSENT)
            given.add(edit.path)


def _pattern(known: KnownRule) -> list[str]:
    return [step if isinstance(step, str) else ITEMS for step in known.steps]


def _longer(value: Json) -> Json:
    if isinstance(value, list):
        return list(islice(cycle(value), _LENGTH))
    return value | {f"k{number}": one for number, one in zip(range(_LENGTH), cycle(value.values()), strict=False)}
