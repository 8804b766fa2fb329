"""What a table is to show of a rule: which answer, and at which value. The rule says it, the target answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from harness.case import Answer, Json
from harness.field import FieldError
from harness.fuzzers.aims import Aim
from harness.fuzzers.bases import accepted
from harness.fuzzers.pairs import Pair
from harness.fuzzers.places import place_of
from harness.jsonpath import ABSENT, ITEMS, canonical_path, find, look
from harness.rulecov.accepting import CREATED, Waiting, is_at
from harness.rulecov.inventory import KnownRule

Judge = Callable[[Pair, Answer], int | None]
"""How much else is wrong, None when the slot is not shown."""

_UNITS = {"value": "", "characters": " characters", "bytes": " bytes", "items": " items"}
_EMPTY: tuple[Json, ...] = (None, "", [], {})
_SHORT = {"FieldValueRequired": "required", "FieldValueForbidden": "forbidden", "FieldValueDuplicate": "unique"}


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing to show of a rule. `aim` says what to go for, `judge` whether it is there.

    `looser` asks for less, for where something else stands in the way.
    """

    name: str
    wants: str
    known: KnownRule
    aim: Aim
    judge: Judge
    looser: Slot | None = None


def slots_of(known: KnownRule) -> Iterator[Slot]:
    """Yield what there is to show of a rule: inside of its limit, at it and beyond; or accepted and rejected."""
    name = word(known)
    if known.limit is None:
        yield Slot(f"{name}: accepted", "accept", known, aim_of(known, "accept"), _accepts(known))
        yield Slot(f"{name}: rejected", "reject", known, aim_of(known, "reject"), _rejects(known))
        return
    for distance, said in ((-1, "inside"), (0, "at"), (1, "beyond")):
        value = known.limit + distance * known.beyond
        if value < 0 and known.measure != "value":
            continue
        told = f"{name}: {said} the limit, {value}{_UNITS.get(known.measure, '')}"
        if distance == 1:
            # Of numbers, zero may mean that there is none: then another rule speaks, and this one farther on.
            aim, anywhere = aim_of(known, "reject"), _rejects(known, exactly=False)
            farther = Slot(f"{name}: rejected", "reject", known, aim, anywhere)
            yield Slot(told, "reject", known, aim, _rejects(known), farther)
        else:
            moved = msgspec.structs.replace(known, limit=value)
            yield Slot(told, "accept", known, aim_of(moved, "accept"), _accepts(moved))


def word(known: KnownRule) -> str:
    """Name a rule for people: its place, and the origin or the sort of its error."""
    rule = known.rule
    what = rule.origin or _SHORT.get(rule.type, rule.tag.rpartition(":")[2])
    return f"{rule.path or 'the object'}: {what}" + ("" if known.limit is None else f" {known.limit}")


def aim_of(known: KnownRule, wants: str) -> Aim:
    """Say what objects are to go for."""
    rule = known.rule
    return Aim(
        rule.path, rule.type, rule.origin, rule.tag, known.limit, wants, known.update, known.argument,
    )  # fmt: skip


def is_its(known: KnownRule, error: FieldError) -> bool:
    """Whether an error is one of this rule."""
    rule = known.rule
    return (error.type, error.origin) == (rule.type, rule.origin) and canonical_path(error.field) in known.places


def _rejects(known: KnownRule, *, exactly: bool = True) -> Judge:
    def judge(pair: Pair, answer: Answer) -> int | None:
        own = [error for error in answer.declarative if is_its(known, error)]
        if known.limit is not None and exactly:
            own = [error for error in own if is_at(known, look(pair[0], place_of(error.field)[0]), 1)]
        if not own:
            return None
        fields = {error.field for error in own}
        both = (*answer.declarative, *answer.handwritten)
        return sum(1 for error in both if error.field not in fields or error.type != known.rule.type)

    return judge


def _accepts(known: KnownRule) -> Judge:
    def judge(pair: Pair, answer: Answer) -> int | None:
        if not accepted(answer):
            return None
        new, old = pair
        if known.update:
            pattern = [ITEMS if isinstance(step, dict) else step for step in known.steps]
            is_set = any(value is not ABSENT and value not in _EMPTY for _, value in find(new, pattern))
            return 0 if is_set and new == old else None
        waiting, seen = Waiting(), list[int]()
        waiting.add(0, known)
        waiting.look(new, CREATED if old is None else old, seen)
        return 0 if seen else None

    return judge
