"""The cause `boundary`: both sides check a number, a length or a count, but at another limit.

A few sizes around the one of the case, further and further away, show whether the silent side speaks up somewhere; then
both limits are narrowed down, so that they can be named. Where one is as many bytes as the other is characters, the
limit is the same and the units differ. Of an update that ratchets what it leaves as it was, the object is asked as a
create. Shrinks nothing and knows no rule.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

import msgspec

from harness.case import Answer, Case, Json
from harness.compare import remedies
from harness.compare.comparator import Comparator, agrees, speakers
from harness.compare.ends import Ends
from harness.compare.experiments import as_create
from harness.compare.mismatch import Mismatch
from harness.compare.obvious import CauseFound
from harness.field import ErrorType
from harness.field.facts import RuleFacts
from harness.jsonpath import look, path_of, put

_LIMITED = frozenset(
    {ErrorType.INVALID, ErrorType.TOO_LONG, ErrorType.TOO_SHORT, ErrorType.TOO_MANY, ErrorType.TOO_FEW}
)
_DISTANCES = tuple(8**power for power in range(6))
_PROBES = 8  # sizes asked at once while a limit is narrowed down
_WRONG = 64  # items of a list that is called invalid, not too long
_LONGEST, _MOST = 40_000, 4_200  # characters, items: a larger object says nothing new and costs everybody time


class Scale(NamedTuple):
    """What can be made larger and smaller: its size in the case, and the value of another size."""

    noun: str
    size: int
    make: Callable[[int], Json]
    most: int | None = None

    def around(self) -> list[int]:
        """Return sizes further and further away on both sides, and the ends of the scale if it has any."""
        sizes = [self.size + sign * distance for distance in _DISTANCES for sign in (1, -1)]
        if self.most is not None:
            sizes = [min(max(size, 0), self.most) for size in sizes]
        return [size for size in dict.fromkeys(sizes) if size != self.size]

    def bytes_of(self, size: int) -> int:
        """Return how many bytes a text of a size takes, that is of so many characters; 0 for what is no text."""
        value = self.make(size)
        return len(value.encode(errors="surrogatepass")) if isinstance(value, str) else 0


class Sides(NamedTuple):
    """Who reports the error at one size; `agree` when both do and the mismatch is gone."""

    handwritten: bool
    declarative: bool
    agree: bool


def scale_of(value: Json) -> Scale | None:
    """Return how to vary a value, None when it has no size: a bool, an object, an empty list."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Scale("value", value, lambda size: size)
    if isinstance(value, str):
        return Scale(
            "length", len(value), lambda size: value[:size] + (value[-1:] or "x") * (size - len(value)), _LONGEST
        )
    if isinstance(value, list) and value:
        return Scale("number of items", len(value), lambda size: value[:size] + value[-1:] * (size - len(value)), _MOST)
    return None


class _Search:
    """Asks about other sizes and remembers what each side said."""

    def __init__(self, case: Case, mismatch: Mismatch, comparator: Comparator, scale: Scale) -> None:
        self.case, self.mismatch, self.comparator, self.scale = case, mismatch, comparator, scale
        self.known: dict[int, Sides] = {}

    def ask(self, sizes: Sequence[int]) -> Generator[list[Case], list[Answer], None]:
        """Ask about sizes. What could not be answered stays unknown."""
        cases = [self._case(number, size) for number, size in enumerate(sizes)]
        answers = yield cases
        for size, asked, answer in zip(sizes, cases, answers, strict=True):
            if answer.failure is None:
                self.known[size] = self._sides(asked, answer)

    def _case(self, number: int, size: int) -> Case:
        changed = put(self.case.object, path_of(self.mismatch.path), self.scale.make(size))
        return msgspec.structs.replace(self.case, id=number, object=changed)

    def _sides(self, asked: Case, answer: Answer) -> Sides:
        handwritten, declarative = speakers(answer, self.mismatch, self.comparator)
        gone = agrees(asked, answer, self.mismatch, self.comparator)
        return Sides(handwritten, declarative, gone)

    def agreeing(self) -> list[int]:
        """Return the sizes at which both report the error."""
        return [size for size, sides in self.known.items() if sides.agree]

    def differs(self) -> bool:
        """Whether the two differ at the size of the case itself, as far as that was asked and answered."""
        sides = self.known.get(self.scale.size)
        return sides is not None and sides.handwritten != sides.declarative

    def limit(self, quiet: int, loud: int, side: str) -> Generator[list[Case], list[Answer], int | None]:
        """Return the first size, coming from `quiet`, at which a side reports the error; None when answers stop."""
        while abs(loud - quiet) > 1:
            between = _between(quiet, loud)
            yield from self.ask(between)
            for size in between:
                if size not in self.known:
                    return None
                if getattr(self.known[size], side):
                    loud = size
                    break
                quiet = size
        return loud


def _between(quiet: int, loud: int) -> list[int]:
    distance = loud - quiet
    return sorted(
        {quiet + distance * part // (_PROBES + 1) for part in range(1, _PROBES + 1)} - {quiet, loud},
        reverse=distance < 0,
    )


def find_boundary(
    case: Case, mismatch: Mismatch, comparator: Comparator
) -> Generator[list[Case], list[Answer], CauseFound | None]:
    """Return the cause when the silent side reports the same error at another size, with both limits in words."""
    scale = scale_of(look(case.object, path_of(mismatch.path)))
    if scale is None or mismatch.type not in _LIMITED:
        return None
    if isinstance(scale.make(scale.size), list) and mismatch.type == ErrorType.INVALID:
        scale = scale._replace(most=_WRONG)  # each item may be wrong for every other
    search = _Search(case, mismatch, comparator, scale)
    yield from search.ask(scale.around())
    how, agreeing = "", search.agreeing()
    if not agreeing and (created := as_create(case, comparator)) is not None:
        search = _Search(created, mismatch, comparator, scale)
        yield from search.ask([scale.size, *scale.around()])
        how, agreeing = "as a create, ", search.agreeing() if search.differs() else []
    if not agreeing:
        return None
    if comparator.facts.is_one_of_several(mismatch.origin):  # not a matter of size: the two read the format differently
        fix = f"let both sides at {remedies.place(mismatch)} call the same check of the format"
        return CauseFound("boundary", f"{how}both sides check {mismatch.origin}, and disagree on this value", fix)
    speaks, silent = (
        ("handwritten", "declarative") if mismatch.side == "handwritten" else ("declarative", "handwritten")
    )
    far = min(agreeing, key=lambda size: abs(size - scale.size))
    later = yield from search.limit(scale.size, far, silent)
    upward = far > scale.size
    quiet = [
        size for size, sides in search.known.items() if not getattr(sides, speaks) and (size < scale.size) == upward
    ]
    sooner = (yield from search.limit(max(quiet) if upward else min(quiet), scale.size, speaks)) if quiet else None
    found = _told(mismatch, comparator, scale, {speaks: sooner, silent: later}, upward=upward)
    return found._replace(detail=how + found.detail)


def _told(
    mismatch: Mismatch, comparator: Comparator, scale: Scale, limits: dict[str, int | None], *, upward: bool
) -> CauseFound:
    way = "or more" if upward else "or less"
    counted = _counts_bytes(scale, limits, upward=upward)
    if counted:
        return _in_other_units(mismatch, comparator, counted, limits, way)
    said = [
        f"{comparator.name_of(side)} rejects a {scale.noun} of {limit} {way}"
        if limit is not None
        else f"the limit of {comparator.name_of(side)} was not found"
        for side, limit in sorted(limits.items(), reverse=comparator.ends is None)
    ]
    if comparator.ends is not None:
        fix = _within_both(mismatch, comparator.ends)
        return CauseFound("boundary", f"both check, at another limit: {' and '.join(said)}", fix)
    wanted = limits["handwritten"]
    allowed = f" {wanted - 1 if upward else wanted + 1}" if wanted is not None else ""
    tag = comparator.facts.tag_for(mismatch.type, mismatch.origin).partition("=")[0] or "the rule"
    fix = f"give {tag} on {remedies.place(mismatch)} the limit of the handwritten check{allowed and ','}{allowed}"
    return CauseFound("boundary", f"both sides check, at another limit: {' and '.join(said)}", fix)


def _within_both(mismatch: Mismatch, ends: Ends) -> str:
    return f"keep {remedies.place(mismatch)} within both limits until every server is {ends.after}"


def _counts_bytes(scale: Scale, limits: dict[str, int | None], *, upward: bool) -> str:
    """Return the side that counts bytes when the other has the same limit in characters, the empty string otherwise.

    A text has at least as many bytes as characters: who counts bytes is the first to find it too long, and the last to
    find it too short.
    """
    handwritten, declarative = limits["handwritten"], limits["declarative"]
    if handwritten is None or declarative is None or handwritten == declarative:
        return ""
    size, other = min(handwritten, declarative), max(handwritten, declarative)
    first, second = (size - 1, size) if upward else (size, size + 1)
    low, high = scale.bytes_of(max(first, 0)), scale.bytes_of(second)
    same = low < other <= high if upward else low <= other < high
    return ("handwritten" if size == handwritten else "declarative") if same else ""


def _in_other_units(
    mismatch: Mismatch, comparator: Comparator, counted: str, limits: dict[str, int | None], way: str
) -> CauseFound:
    limit = max(size for size in limits.values() if size is not None)
    said = [
        f"{comparator.name_of(side)} rejects {limit} {'bytes' if side == counted else 'characters'} {way}"
        for side in sorted(limits, reverse=comparator.ends is None)
    ]
    fix = f"let both sides at {remedies.place(mismatch)} count characters, or both bytes"
    if comparator.ends is not None:
        fix = _within_both(mismatch, comparator.ends)
    else:
        fix += _other_rule(mismatch, comparator.facts, counted, limit)
    return CauseFound("boundary", f"both sides check the same limit, in other units: {' and '.join(said)}", fix)


def _other_rule(mismatch: Mismatch, facts: RuleFacts, counted: str, limit: int) -> str:
    """Name the rule that counts as the check does, where either unit has one; `limit` is the first rejected."""
    in_bytes, in_characters = facts.counting(mismatch.type, "bytes"), facts.counting(mismatch.type, "characters")
    known = facts.limit_of(mismatch.type, mismatch.origin)
    if not in_bytes or not in_characters or known is None:
        return ""
    tag = in_bytes if counted == "handwritten" else in_characters
    return f": +{tag}={limit - known.beyond} is the rule that counts as the check does"
