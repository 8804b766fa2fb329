"""Two lists to mismatches, whatever the kind: what they show when they are composed under every setting.

All that counts of a kind is how it composes and which paths mean the same. Kinds that agree in that share what is
remembered: versions of one resource, and subresources, give the same lists again and again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias
from weakref import WeakValueDictionary

from harness.case import KindInfo
from harness.compare.composition import Served, Setting, baseline, compose_each, settings
from harness.compare.covered import gather
from harness.compare.ends import Ends
from harness.compare.mismatch import Mismatch, Side, Signature, is_panic, mismatch_of, panicked
from harness.errormatch.matcher import Key, Matcher, matcher_for
from harness.errormatch.trusted import Wordings
from harness.field import ErrorType, FieldError
from harness.memory import Memory, Pool, Room

Errors: TypeAlias = tuple[FieldError, ...]
Compared: TypeAlias = tuple[tuple[Mismatch, ...], tuple[Signature, ...]]

_INTERNAL = ErrorType.INTERNAL.value
_REMEMBERED = Room(8_000)
"""For pairs of lists that were compared, by their errors: values in errors make their number unbounded."""
_COMPOSED = Room(8_000)
"""For what is left of them without the errors that no composition touches."""
ERRORS: Pool[FieldError] = Pool(Room(4_000))
"""Of the errors in lists that are remembered one in ten differs from all others, and each is half a kilobyte."""
_SHARED: WeakValueDictionary[tuple[object, ...], ListComparator] = WeakValueDictionary()


def list_comparator(info: KindInfo, trusted: Wordings, ends: Ends | None) -> ListComparator:
    """Return what compares the lists of a kind: the same for all kinds of which the same counts."""
    key = info.composition, info.normalization, info.short_circuit_mismatch, info.rules, trusted, ends
    known = _SHARED.get(key)
    if known is None:
        known = _SHARED[key] = ListComparator(info, trusted, ends)
    return known


class ListComparator:
    """Compares pairs of lists, and remembers them. `ends` is set when the answers are those of two targets."""

    def __init__(self, info: KindInfo, trusted: Wordings, ends: Ends | None) -> None:
        self._info, self._trusted, self._ends = info, trusted, ends
        self._matcher = matcher_for(info.normalization)
        self._settings = settings(info.composition)
        self._baseline = baseline(info.composition)
        self._memo: Memory[tuple[Errors, Errors], Compared] = Memory(_REMEMBERED)
        self._composable: Memory[tuple[Errors, Errors], tuple[Mismatch, ...]] = Memory(_COMPOSED)
        self._agreeing: set[tuple[object, ...]] = set()

    def compared(self, handwritten: Errors, declarative: Errors) -> Compared:
        """Return what differs and the signatures of that, worst comparison first."""
        asked = (handwritten, declarative)
        known = self._memo.get(asked)
        if known is None:
            found = tuple(self._compare(handwritten, declarative))
            known = found, tuple(mismatch.signature for mismatch in found)
            asked = ERRORS.shared(handwritten), ERRORS.shared(declarative)
            self._memo.put(asked, known, 1 + len(handwritten) + len(declarative))
        return known

    def served_of(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> list[Served]:
        """Return what is served of two lists under each setting."""
        every = compose_each(handwritten, declarative, self._info, self._settings)
        return [Served(setting, *parts, self._matcher) for setting, parts in zip(self._settings, every, strict=True)]

    def _compare(self, handwritten: Errors, declarative: Errors) -> Iterator[Mismatch]:
        panics = [error for error in declarative if is_panic(error)]
        yield from (panicked("declarative", error.detail) for error in panics[:1])
        if panics:
            declarative = tuple(error for error in declarative if error not in panics)
        yield from self._composed(migrating(handwritten, declarative, self._matcher), declarative)

    def _composed(self, handwritten: Errors, declarative: Errors) -> tuple[Mismatch, ...]:
        """Compare what is composed. Remembered as well: what is wrong besides differs from case to case."""
        if not handwritten and not declarative:
            return ()
        marks = _marks(handwritten, declarative)
        if marks in self._agreeing:
            return ()
        asked = (handwritten, declarative)
        known = self._composable.get(asked)
        if known is None:
            served = self.served_of(handwritten, declarative)
            found = list(self._covered(handwritten, declarative, served))
            said = {self.key_of(mismatch) for mismatch in found}
            found += self._differently_served(handwritten, declarative, served, said)
            known = tuple(found)
            if marks is not None and not known:
                self._agreeing.add(marks)
                return ()
            asked = ERRORS.shared(handwritten), ERRORS.shared(declarative)
            self._composable.put(asked, known, 1 + len(handwritten) + len(declarative))
        return known

    # covered

    def _covered(self, handwritten: Errors, declarative: Errors, served: list[Served]) -> Iterator[Mismatch]:
        unmatched, extra = gather(handwritten, declarative, self._info, self._matcher)
        # No server counts them, but no rule wants them either: a validator could not do its work.
        extra += [error for error in declarative if error.type == _INTERNAL and error not in extra]
        if self._ends is not None:
            # Two errors at one place are one change: what the target after says tells of both.
            places = {error.field for error in unmatched}
            extra = [error for error in extra if error.field not in places]
        for error in self._once(unmatched):
            setting = self._first([s.setting for s in served if not s.tells(error)])
            yield mismatch_of("unmatched", error, "handwritten", setting, self._alone(error, "handwritten"))
        for error in self._once(extra):
            setting = self._first([s.setting for s in served if error in s.declarative])
            yield mismatch_of("extra", error, "declarative", setting, self._alone(error, "declarative"))

    def _alone(self, error: FieldError, side: Side) -> str:
        if self._ends is not None:
            return f"{self._ends.of(side)} alone reports {error.text}"
        if side == "handwritten":
            return f"no declarative counterpart of the covered {error.text}"
        return f"no covered handwritten counterpart of {error.text}"

    def _once(self, errors: Iterable[FieldError]) -> list[FieldError]:
        """Say a difference once, however many errors of one key show it."""
        return list({self._matcher.key(error): error for error in reversed(list(errors))}.values())[::-1]

    def _first(self, showing: list[Setting]) -> Setting | None:
        """Choose among the settings under which an error shows: the baseline, else the first, which is today's."""
        return self._baseline if self._baseline in showing else next(iter(showing), None)

    # served

    def _differently_served(
        self, handwritten: Errors, declarative: Errors, served: list[Served], said: set[Key]
    ) -> Iterator[Mismatch]:
        for mismatch in self._all_served(handwritten, declarative, served):
            key = self.key_of(mismatch)
            if key not in said:
                said.add(key)
                yield mismatch

    def _all_served(self, handwritten: Errors, declarative: Errors, served: list[Served]) -> Iterator[Mismatch]:
        base = next(s for s in served if s.setting is self._baseline)
        # Of settings under which the very same is served, the later ones have nothing to say that was not said.
        telling = [s for number, s in enumerate(served) if not any(map(s.says_the_same, served[:number]))]
        for one in telling:
            yield from self._lost_and_gained(base, one)
        for one in telling:
            yield from self._twice(handwritten, one)
        for one in telling:
            yield from self._reworded(handwritten, one)

    def _lost_and_gained(self, base: Served, one: Served) -> Iterator[Mismatch]:
        before, after = base.errors, one.errors
        if one is base or before == after:
            return
        stops = self._info.short_circuit_mismatch
        for error in before:
            stopped = stops and any(self._matcher.stops(other, error) for other in after)
            if not stopped and not one.tells(error):
                detail = f"served under {base.setting.name}, gone under {one.setting.name}: {error.text}"
                yield mismatch_of("served", error, base_side(error, base), one.setting, detail)
        for error in after:
            if not base.tells(error):
                detail = f"served under {one.setting.name}, not under {base.setting.name}: {error.text}"
                yield mismatch_of("served", error, base_side(error, one), one.setting, detail)

    def _twice(self, handwritten: Errors, one: Served) -> Iterator[Mismatch]:
        """Find what is served twice; not where rules alone say it, as often as the handwritten side does.

        Two bad keys of one map are two errors of one text on either side.
        """
        normalize = self._matcher.normalize
        fields = [normalize(error.field) for error in one.errors]
        if len(set(fields)) == len(fields):
            return
        # What comes twice has one field with another error: texts begin with it.
        shared = Counter(fields)
        errors = [error for error, field in zip(one.errors, fields, strict=True) if shared[field] > 1]
        seen: Counter[str] = Counter()
        said = Counter(error.text for error in handwritten if shared[normalize(error.field)] > 1)
        kept = {error.text for error in one.handwritten if shared[normalize(error.field)] > 1}
        counterparts: set[int] = set()
        for error in one.handwritten:
            counterparts.update(one.rules.get(self._matcher.wanted(error), ()))
        ours = {one.declarative[number] for number in counterparts}
        for error in errors:
            text = error.text
            alike = text not in kept and seen[text] < said[text]
            if (text in seen and not alike) or error in ours:
                detail = f"served twice under {one.setting.name}: {text}"
                yield mismatch_of("served", error, base_side(error, one), one.setting, detail)
            seen[text] += 1

    def _reworded(self, handwritten: Errors, one: Served) -> Iterator[Mismatch]:
        if not one.declarative:
            return
        kept = set(one.handwritten)
        for error in handwritten:
            if not error.covered or error in kept:
                continue
            counterparts = [one.declarative[number] for number in one.rules.get(self._matcher.wanted(error), ())]
            if counterparts and not any(self._trusted.same(error, other) for other in counterparts):
                rule = counterparts[0].detail
                detail = f"the words change under {one.setting.name}: {error.detail!r} becomes {rule!r}"
                if self._ends is not None:
                    detail = f"{self._ends.before} says {rule!r}, {self._ends.after} says {error.detail!r}"
                yield mismatch_of("served", error, "both", one.setting, detail)

    def key_of(self, mismatch: Mismatch) -> Key:
        """Return what tells a difference from others: said twice, whatever the setting, it is one."""
        return mismatch.type, self._matcher.normalize(mismatch.path), mismatch.origin


def _marks(handwritten: Errors, declarative: Errors) -> tuple[object, ...] | None:
    """Return what counts of one error that both sides report in the very same words; None for any other lists.

    Where it stands and what it quotes is the same on both sides, and so makes no difference.
    """
    if len(handwritten) != 1 or len(declarative) != 1:
        return None
    ours, theirs = handwritten[0], declarative[0]
    if (
        ours.field != theirs.field or ours.value != theirs.value or ours.detail != theirs.detail
        or ours.type != theirs.type or ours.origin != theirs.origin
    ):  # fmt: skip
        return None
    return (
        ours.type, ours.origin, ours.covered, ours.level, ours.short_circuit,
        theirs.covered, theirs.level, theirs.short_circuit,
    )  # fmt: skip


def base_side(error: FieldError, served: Served) -> Side:
    """Return the side an error of a served list comes from."""
    return "declarative" if error in served.declarative else "handwritten"


def migrating(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], matcher: Matcher
) -> tuple[FieldError, ...]:
    """Return the handwritten errors that the migration can do anything to, or that something else depends on.

    The others are unmarked and stand at a field of their own, before and after normalization: most of all errors.
    """
    normalize = matcher.normalize
    fields = [error.field for error in handwritten]
    fields += [error.field for error in declarative]
    names = [*fields, *(other for field in fields if (other := normalize(field)) != field)]
    telling = [error for error in handwritten if error.covered or error.short_circuit]
    if len(telling) == len(handwritten) or len(set(names)) == len(names):
        return tuple(telling)
    shared = {name for name, times in Counter(names).items() if times > 1}
    return tuple(
        error
        for error in handwritten
        if error.covered or error.short_circuit or error.field in shared or normalize(error.field) in shared
    )
