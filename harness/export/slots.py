"""Slots: the rows that a table should have for a rule, each with the wanted answer and the value to try."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from harness.case import Answer, Json
from harness.field import FieldError
from harness.fuzzers.aims import Aim
from harness.fuzzers.pairs import Pair
from harness.fuzzers.repair import is_accepted
from harness.fuzzers.shapepaths import resolve_path
from harness.jsonpath import ABSENT, ITEMS, canonical_path, find, look
from harness.rulecov.accepting import CREATED, UncoveredRules, is_at
from harness.rulecov.inventory import KnownRule

Judge = Callable[[Pair, Answer], int | None]
"""Returns the number of other errors, None when the slot is not shown."""

_UNITS = {"value": "", "characters": " characters", "bytes": " bytes", "items": " items"}
_EMPTY: tuple[Json, ...] = (None, "", [], {})
_SHORT = {"FieldValueRequired": "required", "FieldValueForbidden": "forbidden", "FieldValueDuplicate": "unique"}


@dataclass(frozen=True, slots=True)
class Slot:
    """One wanted row. `aim` directs the search, `judge` decides whether a pair and its answer show the slot.

    `looser` is a slot with a weaker condition, for when another rule prevents this one.
    """

    name: str
    wants: str
    known: KnownRule
    aim: Aim
    judge: Judge
    looser: Slot | None = None


def slots_of(known: KnownRule) -> Iterator[Slot]:
    """Yield the slots of a rule: inside its limit, at it and beyond it; without a limit, accepted and rejected."""
    name = word(known)
    if known.limit is None:
        yield Slot(f"{name}: accepted", "accept", known, aim_of(known, "accept"), _accepts(known))
        yield Slot(f"{name}: rejected", "reject", known, aim_of(known, "reject"), _rejects(known))
        return
    for distance, label in ((-1, "inside"), (0, "at"), (1, "beyond")):
        value = known.limit + distance * known.beyond
        if value < 0 and known.measure != "value":
            continue
        slot_name = f"{name}: {label} the limit, {value}{_UNITS.get(known.measure, '')}"
        if distance == 1:
            # Zero may count as unset, so that another rule reports it and this rule only values further beyond.
            aim, anywhere = aim_of(known, "reject"), _rejects(known, exactly=False)
            farther = Slot(f"{name}: rejected", "reject", known, aim, anywhere)
            yield Slot(slot_name, "reject", known, aim, _rejects(known), farther)
        else:
            moved = msgspec.structs.replace(known, limit=value)
            yield Slot(slot_name, "accept", known, aim_of(moved, "accept"), _accepts(moved))


def word(known: KnownRule) -> str:
    """Return a short name for a rule: its path, and the origin or type of its error."""
    rule = known.rule
    what = rule.origin or _SHORT.get(rule.type, rule.tag.rpartition(":")[2])
    return f"{rule.path or 'the object'}: {what}" + ("" if known.limit is None else f" {known.limit}")


def aim_of(known: KnownRule, wants: str) -> Aim:
    """Return the aim of objects that the rule accepts or rejects."""
    rule = known.rule
    return Aim(
        rule.path, rule.type, rule.origin, rule.tag, known.limit, wants, known.update, known.argument,
    )  # fmt: skip


def is_its(known: KnownRule, error: FieldError) -> bool:
    """Whether an error comes from this rule."""
    rule = known.rule
    return (error.type, error.origin) == (rule.type, rule.origin) and canonical_path(error.field) in known.places


def _rejects(known: KnownRule, *, exactly: bool = True) -> Judge:
    def judge(pair: Pair, answer: Answer) -> int | None:
        own = [error for error in answer.declarative if is_its(known, error)]
        if known.limit is not None and exactly:
            own = [error for error in own if is_at(known, look(pair[0], resolve_path(error.field)[0]), 1)]
        if not own:
            return None
        fields = {error.field for error in own}
        both = (*answer.declarative, *answer.handwritten)
        return sum(1 for error in both if error.field not in fields or error.type != known.rule.type)

    return judge


def _accepts(known: KnownRule) -> Judge:
    def judge(pair: Pair, answer: Answer) -> int | None:
        if not is_accepted(answer):
            return None
        new, old = pair
        if known.update:
            pattern = [ITEMS if isinstance(step, dict) else step for step in known.steps]
            is_set = any(value is not ABSENT and value not in _EMPTY for _, value in find(new, pattern))
            return 0 if is_set and new == old else None
        waiting, seen = UncoveredRules(), list[int]()
        waiting.add(0, known)
        waiting.look(new, CREATED if old is None else old, seen)
        return 0 if seen else None

    return judge
