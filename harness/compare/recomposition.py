"""Holds the lists that a target composed itself against ours: another way to the same result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from harness.case import Composition, ServedList
from harness.compare.composition import Served, Setting
from harness.compare.mismatch import Mismatch, mismatch_of
from harness.field import FieldError


def recomposed(served: Iterable[Served], theirs: Iterable[ServedList], composition: Composition) -> Iterator[Mismatch]:
    """Compare what we compose under each setting with the target's own lists."""
    ours = {one.setting.name: one for one in served}
    # In 1.36 the metadata errors common to all kinds join after the strategy has composed, so texts that stand in both
    # parts are served twice; there the lists are compared without duplicates.
    joined_late = composition in ("explicit", "shadow")
    for own in theirs:
        one = ours.get(own.setting)
        detail = f"the setting {own.setting!r} is none of {', '.join(ours)}"
        differing: FieldError | None = None
        if one is not None:
            if _same_served(one, own.errors) or (joined_late and _same_but_twice(one.errors, own.errors)):
                continue
            differing = _first_difference(one.errors, list(own.errors))
            detail = _both_lists(one.errors, own.errors, own.setting)
        error, setting = differing or FieldError("", ""), Setting(own.setting, dict(own.gates))
        yield mismatch_of("composition", error, "", setting, detail)


def _same_served(ours: Served, theirs: Sequence[FieldError]) -> bool:
    """Whether two lists are the same to the letter, in order but for the order inside each half.

    Upstream walks maps in random order, and the target validated a second time to compose its own list.
    """
    if list(theirs) == ours.errors:
        return True
    middle = len(ours.handwritten)
    return _shown(theirs[:middle]) == _shown(ours.handwritten) and _shown(theirs[middle:]) == _shown(ours.declarative)


def _same_but_twice(ours: Sequence[FieldError], theirs: Sequence[FieldError]) -> bool:
    """Whether two lists differ in repeated errors at most."""
    return set(_shown(ours)) == set(_shown(theirs))


def _shown(errors: Iterable[FieldError]) -> list[tuple[str, str, str, str, str]]:
    return sorted((e.type, e.field, e.value, e.detail, e.origin) for e in errors)


def _first_difference(ours: list[FieldError], theirs: list[FieldError]) -> FieldError | None:
    mine, other = _shown(ours), _shown(theirs)
    for error in ours + theirs:
        one = _shown([error])[0]
        if mine.count(one) != other.count(one):
            return error
    return None


def _both_lists(ours: Sequence[FieldError], theirs: Sequence[FieldError], setting: str) -> str:
    mine, other = ("; ".join(error.text for error in errors) or "nothing" for errors in (ours, theirs))
    return f"under {setting} the target serves {other}, composed from both lists it is {mine}"
