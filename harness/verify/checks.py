"""Checks of handwritten validators in any language, and what happened to each between base and head.

A check is a call that is handed the path of a field: one that makes an error, or a helper that may make some.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from harness.verify.change import Event

COVERED = "MarkCoveredByDeclarative"
"""The mark of an error that declarative validation reports as well, whatever the language."""
_LEVELS = {"MarkAlpha": 0, "MarkBeta": 1}
_LONGEST = 110

Where = TypeVar("Where")


@dataclass(frozen=True, slots=True, eq=False)
class CheckCall(Generic[Where]):
    """One check. `name` is that of the function it stands in, `owner` the same for people.

    `callee` and `place` tell checks of one function apart; `said` is all of it but the marks, `text` all of it.
    """

    name: tuple[str, str]
    owner: str
    callee: str
    place: str
    said: str
    marks: tuple[str, ...]
    text: str
    where: Where


@dataclass(frozen=True, slots=True, eq=False)
class CheckEvent(Generic[Where]):
    """What happened to one check; `check` is the one of head, of base for what is gone."""

    event: Event
    sentence: str
    check: CheckCall[Where]
    in_base: bool = False


def one_line(text: str) -> str:
    """Put code on one line, cut when it is long."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def compare_checks(base: Iterable[CheckCall[Where]], head: Iterable[CheckCall[Where]]) -> Iterator[CheckEvent[Where]]:
    """Match checks of two sides, those of the same function first, and say what happened to each."""
    gone, come = list(base), list(head)
    for same in (_same_text, _same_place, _moved):
        for old in list(gone):
            new = next((one for one in come if same(old, one)), None)
            if new is not None:
                gone.remove(old)
                come.remove(new)
                yield from _of_pair(old, new)
    for old in gone:
        mark = " with its mark" if COVERED in old.marks else ""
        yield CheckEvent("check removed", f"{old.owner}: {old.text} is gone{mark}", old, in_base=True)
    for new in come:
        yield CheckEvent("check added", f"{new.owner}: {new.text} is new", new)


def _same_text(one: CheckCall[Where], other: CheckCall[Where]) -> bool:
    return one.name == other.name and (one.callee, one.said) == (other.callee, other.said)


def _same_place(one: CheckCall[Where], other: CheckCall[Where]) -> bool:
    return one.name == other.name and (one.callee, one.place) == (other.callee, other.place)


def _moved(one: CheckCall[Where], other: CheckCall[Where]) -> bool:
    return (one.callee, one.place) == (other.callee, other.place)


def _of_pair(old: CheckCall[Where], new: CheckCall[Where]) -> Iterator[CheckEvent[Where]]:
    before, after = set(old.marks), set(new.marks)
    where = f"{new.owner}: {new.text}"
    if COVERED in before - after:
        yield CheckEvent("mark removed", f"{where} is no longer marked as covered by declarative validation", new)
    if COVERED in after - before:
        yield CheckEvent("mark added", f"{where} is marked as covered by declarative validation", new)
    levels = [max((_LEVELS[mark] for mark in marks if mark in _LEVELS), default=2) for marks in (before, after)]
    if levels[0] != levels[1]:
        names = [("alpha", "beta", "standard")[level] for level in levels]
        event: Event = "level raised" if levels[1] > levels[0] else "level lowered"
        yield CheckEvent(event, f"{where}: the error's level went from {names[0]} to {names[1]}", new)
    origins = [sorted(mark for mark in marks if mark.startswith("WithOrigin")) for marks in (before, after)]
    if origins[0] != origins[1]:
        yield CheckEvent("changed", f"{where}: its origin changed", new)
