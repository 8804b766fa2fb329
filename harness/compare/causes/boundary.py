"""The cause `boundary`: both sides check a number, a length or a count, but at another limit.

A few sizes around the one of the case, further and further away, show whether the silent side speaks up somewhere; then
both limits are narrowed down, so that they can be named. Where one is as many bytes as the other is characters, the
limit is the same and the units differ. Of an update that ratchets what it leaves as it was, the object is asked as a
create. Where both sides reject words of one format and no limit, the same sizes show the cause `other-value`. Shrinks
nothing and knows no rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from harness.case import Answer, Case, Json
from harness.compare.alike import find_alike
from harness.compare.cause import Cause, Experiment, Explanation, Finder, Question
from harness.compare.causes.other_value import OTHER_VALUE
from harness.compare.change import TagChange
from harness.compare.comparator import Comparator
from harness.compare.comparison import quote
from harness.compare.mismatch import Mismatch
from harness.compare.othervalues import describe_value, shorten
from harness.field import ErrorType
from harness.field.facts import Measure, RuleLimit
from harness.jsonpath import look, path_of, put

_LIMITED = frozenset(
    {ErrorType.INVALID, ErrorType.TOO_LONG, ErrorType.TOO_SHORT, ErrorType.TOO_MANY, ErrorType.TOO_FEW}
)
_DISTANCES = tuple(8**power for power in range(6))
_OTHER_SIZES = "other sizes of the value, further and further away, until both sides report it"
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
    """Who reports the error at one size; `agree` when both do and the mismatch is gone. `words` are those of the side
    that is silent on the case."""

    handwritten: bool
    declarative: bool
    agree: bool
    words: str = ""


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

    def ask(self, sizes: Sequence[int]) -> Experiment[None]:
        """Ask about sizes. What could not be answered stays unknown."""
        cases = [self.case_of(size, number) for number, size in enumerate(sizes)]
        answers = yield cases
        for size, asked, answer in zip(sizes, cases, answers, strict=True):
            if answer.failure is None:
                self.known[size] = self._sides(asked, answer)

    def case_of(self, size: int, number: int = 0) -> Case:
        """Return the case with a value of another size."""
        changed = put(self.case.object, path_of(self.mismatch.path), self.scale.make(size))
        return msgspec.structs.replace(self.case, id=number, object=changed)

    def _sides(self, asked: Case, answer: Answer) -> Sides:
        handwritten, declarative = self.comparator.reporters(self.mismatch, answer)
        gone = self.comparator.agrees(self.mismatch, asked, answer)
        silent = "handwritten" if self.mismatch.side == "declarative" else "declarative"
        said = self.comparator.select(self.mismatch, self.comparator.comparison.reported_by(silent, answer))
        return Sides(handwritten, declarative, gone, said[0].detail if said else "")

    def agreeing(self) -> list[int]:
        """Return the sizes at which both report the error."""
        return [size for size, sides in self.known.items() if sides.agree]

    def differs(self) -> bool:
        """Whether the two differ at the size of the case itself, as far as that was asked and answered."""
        sides = self.known.get(self.scale.size)
        return sides is not None and sides.handwritten != sides.declarative

    def limit(self, quiet: int, loud: int, side: str) -> Experiment[int | None]:
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


class SideLimits(NamedTuple):
    """Where each side begins to report the error, `upward` or downwards; None where that was not found.

    `counts_bytes` is the side that counts bytes where the other has the same limit in characters.
    """

    noun: str
    handwritten: int | None
    declarative: int | None
    upward: bool
    counts_bytes: str = ""

    @property
    def way(self) -> str:
        """How the sizes beyond a limit are called."""
        return "or more" if self.upward else "or less"

    @property
    def rejected(self) -> int:
        """The limit of both, where one of them counts bytes."""
        return max(size for size in (self.handwritten, self.declarative) if size is not None)


class LimitWording(NamedTuple):
    """How two limits are told: what both are called, whose limit comes first, and what to do, perhaps as data."""

    both: str
    order: tuple[str, str]
    fix: Callable[[Question, SideLimits], tuple[str, TagChange | None]]


def search(question: Question, words: LimitWording) -> Experiment[Explanation | None]:
    """See whether the silent side reports the same error at another size, and name both limits."""
    case, mismatch, comparator = question.case, question.mismatch, question.comparator
    scale = scale_of(look(case.object, path_of(mismatch.path)))
    if mismatch.kind == "served" or scale is None or mismatch.type not in _LIMITED:
        return None
    if isinstance(scale.make(scale.size), list) and mismatch.type == ErrorType.INVALID:
        scale = scale._replace(most=_WRONG)  # each item may be wrong for every other
    sizes = _Search(case, mismatch, comparator, scale)
    yield from sizes.ask(scale.around())
    how, agreeing = "", sizes.agreeing()
    if not agreeing and (created := question.created()) is not None:
        sizes = _Search(created, mismatch, comparator, scale)
        yield from sizes.ask([scale.size, *scale.around()])
        how, agreeing = "as a create, ", sizes.agreeing() if sizes.differs() else []
    if not agreeing:
        return None
    nearest = min(agreeing, key=lambda size: abs(size - scale.size))
    if comparator.facts.is_one_of_several(mismatch.origin):  # not a matter of size: the two read the format differently
        found = _describe_format(question, how, scale.make(nearest), sizes.known[nearest].words)
        return found._replace(spoken=(yield from find_alike(question)))
    limits = yield from _limits(sizes, nearest, question.silent)
    fix, change = words.fix(question, limits)
    known = sum(one is not None for one in (limits.handwritten, limits.declarative))
    told = (_OTHER_SIZES, f"{_OTHER_SIZES}; then one limit narrowed down", "")[known]
    shown = how + _describe(question, limits, words)
    return Explanation(shown, fix, change=change, experiment=told, spoken=sizes.case_of(nearest))


def _describe_format(question: Question, how: str, other: Json, words: str) -> Explanation:
    """Say that the words that each side accepts differ, and no limit: another length was a word that both reject.

    `words` are those in which the silent side rejects the other one: perhaps for a reason that this one does not have.
    """
    own = describe_value(look(question.case.object, path_of(question.mismatch.path)))
    alone, error = question.name_of(question.loud), question.error
    is_another = words and error is not None and words != error.detail
    why = f", {question.name_of(question.silent)} with {quote(shorten(words))}" if is_another else ""
    return Explanation(
        f"{how}both sides check {question.mismatch.origin} and report {describe_value(other)}{why}, "
        f"but {own} {alone} alone",
        f"let {question.check} and {question.tag_or_rule} call the same check of the format",
        experiment="values of other lengths, for some of which both sides report it",
        cause=OTHER_VALUE.code,
    )


def _limits(sizes: _Search, far: int, silent: str) -> Experiment[SideLimits]:
    """Narrow down both limits, the one of the silent side between the size of the case and one at which both agree."""
    scale, speaks = sizes.scale, "handwritten" if silent == "declarative" else "declarative"
    later = yield from sizes.limit(scale.size, far, silent)
    upward = far > scale.size
    quiet = [
        size for size, sides in sizes.known.items() if not getattr(sides, speaks) and (size < scale.size) == upward
    ]
    sooner = (yield from sizes.limit(max(quiet) if upward else min(quiet), scale.size, speaks)) if quiet else None
    handwritten, declarative = (later, sooner) if silent == "handwritten" else (sooner, later)
    limits = SideLimits(scale.noun, handwritten, declarative, upward)
    return limits._replace(counts_bytes=_counts_bytes(scale, limits))


def _counts_bytes(scale: Scale, limits: SideLimits) -> str:
    """Return the side that counts bytes when the other has the same limit in characters, the empty string otherwise.

    A text has at least as many bytes as characters: who counts bytes is the first to find it too long, and the last to
    find it too short.
    """
    handwritten, declarative = limits.handwritten, limits.declarative
    if handwritten is None or declarative is None or handwritten == declarative:
        return ""
    size, other = min(handwritten, declarative), max(handwritten, declarative)
    first, second = (size - 1, size) if limits.upward else (size, size + 1)
    low, high = scale.bytes_of(max(first, 0)), scale.bytes_of(second)
    same = low < other <= high if limits.upward else low <= other < high
    return ("handwritten" if size == handwritten else "declarative") if same else ""


def _describe(question: Question, limits: SideLimits, words: LimitWording) -> str:
    """Name both limits."""
    name_of, said = question.name_of, []
    for side in words.order:
        limit = getattr(limits, side)
        if limits.counts_bytes:
            unit = "bytes" if side == limits.counts_bytes else "characters"
            said.append(f"{name_of(side)} rejects {limits.rejected} {unit} {limits.way}")
        elif limit is not None:
            said.append(f"{name_of(side)} rejects a {limits.noun} of {limit} {limits.way}")
        else:
            said.append(f"the limit of {name_of(side)} {_NOT_FOUND}")
    told = " and ".join(said)
    if limits.counts_bytes:
        return f"both sides check the same limit, in other units: {told}"
    return f"{words.both} check, at another limit: {told}"


def give_limit_of_check(question: Question, limits: SideLimits) -> tuple[str, TagChange | None]:
    """Give the rule the limit of the check, or its unit."""
    if limits.counts_bytes:
        return _count_alike(question, limits)
    name = question.facts.name_of(question.mismatch.type, question.mismatch.origin)
    allowed, declared = (_allowed(question, limit, limits) for limit in (limits.handwritten, limits.declarative))
    fix = f"give {name or 'the rule'} on {question.declared_at} the limit of the handwritten check"
    back = f"give the limit of the rule, {declared}, to {question.check}" if declared is not None else ""
    if allowed is None:
        return f"{fix}; or {back}" if back else fix, None
    fix = f"{fix}, {allowed}" + (f"; or {back}" if back else "")
    return fix, _change(question, name, f"{name}={allowed}", back) if name else None


def _allowed(question: Question, limit: int | None, limits: SideLimits) -> int | None:
    """Return the last size that a limit accepts, in what the rule counts."""
    if limit is None:
        return None
    size = limit - 1 if limits.upward else limit + 1
    known = question.facts.limit_of(question.mismatch.type, question.mismatch.origin)
    scale = scale_of(look(question.case.object, path_of(question.mismatch.path)))
    return scale.bytes_of(size) if known is not None and known.measure == "bytes" and scale is not None else size


def _count_alike(question: Question, limits: SideLimits) -> tuple[str, TagChange | None]:
    """Let both sides count in one unit; name the rule that counts as the check does, where either unit has one."""
    facts, mismatch = question.facts, question.mismatch
    fix = f"let both sides at {question.where} count characters, or both bytes"
    in_bytes, in_characters = facts.counting(mismatch.type, "bytes"), facts.counting(mismatch.type, "characters")
    known = facts.limit_of(mismatch.type, mismatch.origin)
    if not in_bytes or not in_characters or known is None:
        return fix, None
    tag = in_bytes if limits.counts_bytes == "handwritten" else in_characters
    declared = f"+{tag}={limits.rejected - known.beyond}"
    name = facts.name_of(mismatch.type, mismatch.origin)
    change = _change(question, name, declared, fix) if name else None
    counts = f"{question.every_version} is the rule that counts as the check does"
    if mismatch.origin in ("", tag.removeprefix("k8s:")):
        return f"{fix}: {declared}{counts}", change
    # What changes the check too is not tried as a change of tags, so the level and the tag that goes are told here.
    standing = question.standing_line
    if standing and f"{name}=" in standing:
        declared = f"{standing.partition(f'{name}=')[0]}{declared} in place of {standing}"
    origin = question.words.with_origin(tag.removeprefix("k8s:"))
    return f"{fix}: {declared}{counts}, and needs {origin} on the check too", None


def _change(question: Question, name: str, tag: str, otherwise: str) -> TagChange:
    path, version = question.hints.own_path(question.case, question.mismatch.path), question.case.version
    names = (name.removeprefix("+"),)
    return TagChange("change", path, (tag,), version, replaces=names, otherwise=otherwise)


def stay_within_both(question: Question, limits: SideLimits) -> tuple[str, TagChange | None]:
    """Stay within the limits of both servers."""
    return f"keep {question.where} within both limits until every server is {question.names[1]}", None


def search_of_validators(question: Question) -> Experiment[Explanation | None]:
    """Name both limits, where both were found: a value of another type or form has no size that counts."""
    facts, mismatch = question.comparator.facts, question.mismatch
    if mismatch.origin and facts.limit_of(mismatch.type, mismatch.origin) is None:
        return None
    found = yield from search(question, OF_VALIDATORS)
    return None if found is not None and _NOT_FOUND in found.detail else found


_NOT_FOUND = "was not found"


def give_limit_of_old(question: Question, limits: SideLimits) -> tuple[str, TagChange | None]:
    """Give the rule of the new validator the limit of the old one, as its author declares it."""
    before, after = question.names
    wanted = limits.declarative
    if limits.counts_bytes:
        return f"let {after} count at {question.where} what {before} counts: characters, or bytes", None
    if wanted is None:
        return f"give {question.where} in {after} the limit of {before}", None
    allowed, way = (wanted - 1, 1) if limits.upward else (wanted + 1, -1)
    rule = question.comparator.facts.with_limit(RuleLimit(_MEASURES[limits.noun], way), allowed)
    if not rule:
        return f"give {question.where} in {after} the limit of {before}, {allowed}", None
    return f"declare {rule} at {question.where} in {after}, the limit of {before}", None


_MEASURES: Mapping[str, Measure] = {"value": "value", "length": "characters", "number of items": "items"}
"""What a limit on a scale counts."""

OF_SIDES = LimitWording("both sides", ("handwritten", "declarative"), give_limit_of_check)
OF_SERVERS = LimitWording("both", ("declarative", "handwritten"), stay_within_both)
OF_VALIDATORS = LimitWording("both", ("declarative", "handwritten"), give_limit_of_old)

BOUNDARY = Cause(
    code="boundary",
    page="""
Both sides check, and draw the line elsewhere: at different limits, which the report names.
Off-by-one limits and units are typical: inclusive against exclusive, bytes against characters. One limit in two units
is reported as such.
""",
    experiment=f"{_OTHER_SIZES}; then both limits narrowed down",
    example="""
A name of 64 characters: the rule rejects 64 or more, the check 65 or more.
""",
    sides=Finder(search=partial(search, words=OF_SIDES)),
    servers=Finder(search=partial(search, words=OF_SERVERS)),
    validators=Finder(search=search_of_validators),
    extent="rule",
    leads=True,
    is_silence=True,
)
