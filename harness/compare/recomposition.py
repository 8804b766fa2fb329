"""Compares the lists that a target composed itself with ours, as a check of both compositions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from harness.case import Composition, ServedList
from harness.compare.composition import Served, Setting
from harness.compare.mismatch import Mismatch, mismatch_of
from harness.field import FieldError


def compare_composition(
    served: Iterable[Served], theirs: Iterable[ServedList], composition: Composition
) -> Iterator[Mismatch]:
    """Compare what we compose under each setting with the target's own lists."""
    ours = {one.setting.name: one for one in served}
    # In 1.36, metadata errors common to all kinds are added after the strategy has composed its list, so that texts of
    # both parts are served twice. Such lists are compared without duplicates.
    has_duplicates = composition in ("explicit", "shadow")
    for own in theirs:
        one = ours.get(own.setting)
        detail = f"the setting {own.setting!r} is none of {', '.join(ours)}"
        differing: FieldError | None = None
        if one is not None:
            if _same_served(one, own.errors) or (has_duplicates and _same_without_duplicates(one.errors, own.errors)):
                continue
            differing = _first_difference(one.errors, list(own.errors))
            detail = _both_lists(one.errors, own.errors, own.setting)
        error, setting = differing or FieldError("", ""), Setting(own.setting, dict(own.gates))
        yield mismatch_of("composition", error, "", setting, detail)


def _same_served(ours: Served, theirs: Sequence[FieldError]) -> bool:
    """Whether two lists have equal errors, in any order within each half.

    Upstream iterates over maps in random order, and the target validates a second time to compose its own list.
    """
    if list(theirs) == ours.errors:
        return True
    middle = len(ours.handwritten)
    return _as_sorted(theirs[:middle]) == _as_sorted(ours.handwritten) and _as_sorted(theirs[middle:]) == _as_sorted(
        ours.declarative
    )


def _same_without_duplicates(ours: Sequence[FieldError], theirs: Sequence[FieldError]) -> bool:
    """Whether two lists are equal except for duplicates."""
    return set(_as_sorted(ours)) == set(_as_sorted(theirs))


def _as_sorted(errors: Iterable[FieldError]) -> list[tuple[str, str, str, str, str]]:
    return sorted((e.type, e.field, e.value, e.detail, e.origin) for e in errors)


def _first_difference(ours: list[FieldError], theirs: list[FieldError]) -> FieldError | None:
    mine, other = _as_sorted(ours), _as_sorted(theirs)
    for error in ours + theirs:
        one = _as_sorted([error])[0]
        if mine.count(one) != other.count(one):
            return error
    return None


def _both_lists(ours: Sequence[FieldError], theirs: Sequence[FieldError], setting: str) -> str:
    mine, other = ("; ".join(error.text for error in errors) or "nothing" for errors in (ours, theirs))
    return f"under {setting} the target serves {other}, composed from both lists it is {mine}"
