"""Compares two lists, composed under every setting, and caches the resulting mismatches.

The result depends on a kind only by its composition and its normalization rules. Kinds with equal ones share a cache,
because versions and subresources of one resource give the same lists many times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias
from weakref import WeakValueDictionary

from harness.case import KindInfo
from harness.compare.comparison import Comparison
from harness.compare.composition import Served, Setting, baseline, compose_each, settings
from harness.compare.covered import gather
from harness.compare.mismatch import Mismatch, Side, Signature, is_panic, mismatch_of, panicked
from harness.errormatch.matcher import Key, Matcher, matcher_for
from harness.errormatch.trusted import Wordings
from harness.field import ErrorType, FieldError
from harness.memory import Memory, Pool, Room

Errors: TypeAlias = tuple[FieldError, ...]
Compared: TypeAlias = tuple[tuple[Mismatch, ...], tuple[Signature, ...]]

_INTERNAL = ErrorType.INTERNAL.value
_REMEMBERED = Room(8_000)
"""Room of the cache of compared pairs of lists, in errors; values in errors make their number unbounded."""
_COMPOSED = Room(8_000)
"""Room of the second cache, of the pairs without the errors that no composition changes."""
ERRORS: Pool[FieldError] = Pool(Room(4_000))
"""Shares equal errors of cached lists: one in ten differs from all others, and each takes half a kilobyte."""
_SHARED: WeakValueDictionary[tuple[object, ...], ListComparator] = WeakValueDictionary()


def list_comparator(info: KindInfo, trusted: Wordings, comparison: Comparison) -> ListComparator:
    """Return the comparator for the lists of a kind, shared by all kinds whose lists compare in the same way."""
    key = info.composition, info.normalization, info.short_circuit_mismatch, info.rules, trusted, comparison
    known = _SHARED.get(key)
    if known is None:
        known = _SHARED[key] = ListComparator(info, trusted, comparison)
    return known


class ListComparator:
    """Compares pairs of lists, with a cache."""

    def __init__(self, info: KindInfo, trusted: Wordings, comparison: Comparison) -> None:
        self._info, self._trusted, self._comparison = info, trusted, comparison
        self._matcher = matcher_for(info.normalization)
        self._settings = settings(info.composition)
        self._baseline = baseline(info.composition)
        self._memo: Memory[tuple[Errors, Errors], Compared] = Memory(_REMEMBERED)
        self._composable: Memory[tuple[Errors, Errors], tuple[Mismatch, ...]] = Memory(_COMPOSED)
        self._agreeing: set[tuple[object, ...]] = set()

    def compare(self, handwritten: Errors, declarative: Errors) -> Compared:
        """Return the mismatches and their signatures, worst comparison first."""
        if self._comparison.is_agreement(handwritten, declarative):
            return (), ()
        asked = (handwritten, declarative)
        known = self._memo.get(asked)
        if known is None:
            found = tuple(self._compare(handwritten, declarative))
            known = found, tuple(mismatch.signature for mismatch in found)
            asked = ERRORS.shared(handwritten), ERRORS.shared(declarative)
            self._memo.put(asked, known, 1 + len(handwritten) + len(declarative))
        return known

    def served_of(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> list[Served]:
        """Return the errors that are served of two lists under each setting."""
        every = compose_each(handwritten, declarative, self._info, self._settings)
        return [Served(setting, *parts, self._matcher) for setting, parts in zip(self._settings, every, strict=True)]

    def _compare(self, handwritten: Errors, declarative: Errors) -> Iterator[Mismatch]:
        panics = [error for error in declarative if is_panic(error)]
        yield from (panicked("declarative", error.detail) for error in panics[:1])
        if panics:
            declarative = tuple(error for error in declarative if error not in panics)
        yield from self._composed(migrating(handwritten, declarative, self._matcher), declarative)

    def _composed(self, handwritten: Errors, declarative: Errors) -> tuple[Mismatch, ...]:
        """Compare composed lists. Cached without the errors that no composition changes, which differ between cases."""
        if not handwritten and not declarative:
            return ()
        agreement = _agreement_key(handwritten, declarative)
        if agreement in self._agreeing:
            return ()
        asked = (handwritten, declarative)
        known = self._composable.get(asked)
        if known is None:
            served = self.served_of(handwritten, declarative)
            unmatched, extra = self._uncovered(handwritten, declarative)
            found = list(self._covered(unmatched, extra, served))
            reported = {self._matcher.key(error) for error in (*unmatched, *extra)}
            found += self._differently_served(handwritten, declarative, served, reported)
            known = tuple(found)
            if agreement is not None and not known:
                self._agreeing.add(agreement)
                return ()
            asked = ERRORS.shared(handwritten), ERRORS.shared(declarative)
            self._composable.put(asked, known, 1 + len(handwritten) + len(declarative))
        return known

    # covered

    def _uncovered(self, handwritten: Errors, declarative: Errors) -> tuple[list[FieldError], list[FieldError]]:
        unmatched, extra = gather(handwritten, declarative, self._info, self._matcher)
        # Internal errors are not counted by any server, but no rule requires them: a validator failed to run.
        extra += [error for error in declarative if error.type == _INTERNAL and error not in extra]
        return unmatched, extra

    def _covered(
        self, unmatched: Sequence[FieldError], extra: Sequence[FieldError], served: list[Served]
    ) -> Iterator[Mismatch]:
        describe = self._comparison.describe_alone
        for error in self._deduplicate(unmatched):
            setting = self._setting_to_report([s.setting for s in served if not s.has_equivalent(error)])
            yield mismatch_of("unmatched", error, "handwritten", setting, describe(error, "handwritten"))
        for error in self._deduplicate(self._comparison.extra(unmatched, extra)):
            setting = self._setting_to_report([s.setting for s in served if error in s.declarative])
            yield mismatch_of("extra", error, "declarative", setting, describe(error, "declarative"))

    def _deduplicate(self, errors: Iterable[FieldError]) -> list[FieldError]:
        """Keep the first error of each key, so that a difference is reported once."""
        return list({self._matcher.key(error): error for error in reversed(list(errors))}.values())[::-1]

    def _setting_to_report(self, showing: list[Setting]) -> Setting | None:
        """Choose among the settings under which an error differs: the baseline, else the first, which is today's."""
        return self._baseline if self._baseline in showing else next(iter(showing), None)

    # served

    def _differently_served(
        self, handwritten: Errors, declarative: Errors, served: list[Served], reported: set[Key]
    ) -> Iterator[Mismatch]:
        for mismatch in self._all_served(handwritten, declarative, served):
            key = self.key_of(mismatch)
            if key not in reported:
                reported.add(key)
                yield mismatch

    def _all_served(self, handwritten: Errors, declarative: Errors, served: list[Served]) -> Iterator[Mismatch]:
        base = next(s for s in served if s.setting is self._baseline)
        # Settings that serve the same lists as an earlier one have no further differences.
        distinct = [s for number, s in enumerate(served) if not any(map(s.equals, served[:number]))]
        for one in distinct:
            yield from self._lost_and_gained(base, one)
        yield from self._served_twice(handwritten, distinct)
        for one in distinct:
            yield from self._changed_words(handwritten, one)

    def _lost_and_gained(self, base: Served, one: Served) -> Iterator[Mismatch]:
        before, after = base.errors, one.errors
        if one is base or before == after:
            return
        stops = self._info.short_circuit_mismatch
        for error in before:
            stopped = stops and any(self._matcher.stops(other, error) for other in after)
            if not stopped and not one.has_equivalent(error):
                detail = f"served under {base.setting.name}, gone under {one.setting.name}: {error.text}"
                yield mismatch_of("served", error, base_side(error, base), one.setting, detail)
        for error in after:
            if not base.has_equivalent(error):
                detail = f"served under {one.setting.name}, not under {base.setting.name}: {error.text}"
                yield mismatch_of("served", error, base_side(error, one), one.setting, detail)

    def _served_twice(self, handwritten: Errors, served: list[Served]) -> Iterator[Mismatch]:
        """Tell of errors that are served twice, and under which setting: under every one where no level is concerned.

        `served` are the settings that serve different lists.
        """
        found = [list(self._duplicates(handwritten, one)) for one in served]
        everywhere = set(found[0]).intersection(*found[1:])
        for one, errors in zip(served, found, strict=True):
            for error in errors:
                under = "every setting" if error in everywhere else one.setting.name
                detail = f"served twice under {under}: {error.text}"
                yield mismatch_of("served", error, base_side(error, one), one.setting, detail)

    def _duplicates(self, handwritten: Errors, one: Served) -> Iterator[FieldError]:
        """Find errors that are served twice.

        Declarative errors that repeat as often as the handwritten ones are no mismatch: two invalid keys of one map are
        two errors of the same text in both lists.
        """
        normalize = self._matcher.normalize
        fields = [normalize(error.field) for error in one.errors]
        if len(set(fields)) == len(fields):
            return
        # Only errors with the same path can have the same text, which begins with the path.
        shared = Counter(fields)
        errors = [error for error, field in zip(one.errors, fields, strict=True) if shared[field] > 1]
        seen: Counter[str] = Counter()
        handwritten_count = Counter(error.text for error in handwritten if shared[normalize(error.field)] > 1)
        kept = {error.text for error in one.handwritten if shared[normalize(error.field)] > 1}
        counterparts: set[int] = set()
        for error in one.handwritten:
            counterparts.update(one.rules.get(self._matcher.wanted(error), ()))
        ours = {one.declarative[number] for number in counterparts}
        for error in errors:
            text = error.text
            is_repeated_alike = text not in kept and seen[text] < handwritten_count[text]
            if (text in seen and not is_repeated_alike) or error in ours:
                yield error
            seen[text] += 1

    def _changed_words(self, handwritten: Errors, one: Served) -> Iterator[Mismatch]:
        if not one.declarative:
            return
        kept = set(one.handwritten)
        for error in handwritten:
            if not error.covered or error in kept:
                continue
            counterparts = [one.declarative[number] for number in one.rules.get(self._matcher.wanted(error), ())]
            if counterparts and not any(self._trusted.same(error, other) for other in counterparts):
                same = next((other for other in counterparts if other.value == error.value), None)
                detail = f"no longer served under {one.setting.name}: {error.text}; a rule reports another value there"
                if same is not None or len(counterparts) == len(self._like(error, handwritten)):
                    pairs = self._pairs_of_words(error, same or counterparts[0], handwritten, counterparts)
                    detail = self._comparison.describe_words(one.setting.name, pairs)
                yield mismatch_of("served", error, "both", one.setting, detail)

    def _pairs_of_words(
        self, error: FieldError, rule: FieldError, handwritten: Errors, counterparts: Sequence[FieldError]
    ) -> list[tuple[str, str]]:
        """Return the words of an error and of its rule, and those of all others of the rule and field that differ too.

        Those of one value are paired in their order. Where the numbers differ, nobody knows which belong together.
        """
        ours, theirs = list(self._like(error, handwritten)), list(counterparts)
        for one in tuple(ours):
            if (alike := next((other for other in theirs if self._trusted.same(one, other)), None)) is not None:
                ours.remove(one)
                theirs.remove(alike)
        ours, theirs = (sorted(errors, key=lambda one: one.value or "") for errors in (ours, theirs))
        if [one.value for one in ours] != [one.value for one in theirs]:
            return [(error.detail, rule.detail)]
        return list(dict.fromkeys((one.detail, other.detail) for one, other in zip(ours, theirs, strict=True)))

    def _like(self, error: FieldError, errors: Errors) -> Errors:
        """Return the errors of one list that are about the same rule and field, each of a value of its own."""
        return tuple(other for other in errors if self._matcher.wanted(other) == self._matcher.wanted(error))

    def key_of(self, mismatch: Mismatch) -> Key:
        """Return the key of a mismatch: mismatches with one key are the same difference under several settings."""
        return mismatch.type, self._matcher.normalize(mismatch.path), mismatch.origin


def _agreement_key(handwritten: Errors, declarative: Errors) -> tuple[object, ...] | None:
    """Return the properties that matter of an error that both validators report in the same words; else None.

    Its path and value are equal in both lists and cannot cause a mismatch, so they are not part of the key.
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
    """Return the validator that reported an error of a served list."""
    return "declarative" if error in served.declarative else "handwritten"


def migrating(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], matcher: Matcher
) -> tuple[FieldError, ...]:
    """Return the handwritten errors that can matter for a mismatch.

    The others, which are most, are not covered and are the only error with their path, before and after normalization.
    """
    normalize = matcher.normalize
    fields = [error.field for error in handwritten]
    fields += [error.field for error in declarative]
    names = [*fields, *(other for field in fields if (other := normalize(field)) != field)]
    relevant = [error for error in handwritten if error.covered or error.short_circuit]
    if len(relevant) == len(handwritten) or len(set(names)) == len(names):
        return tuple(relevant)
    shared = {name for name, times in Counter(names).items() if times > 1}
    return tuple(
        error
        for error in handwritten
        if error.covered or error.short_circuit or error.field in shared or normalize(error.field) in shared
    )
