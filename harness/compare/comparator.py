"""One answer to mismatches: the six comparisons of design.md 4.

Each real difference is said once. A mark without a twin is `unmatched`, a declarative error without one `extra`, each
with the first setting under which a user would notice; `served` holds what only the served lists show: words that
changed, errors that come twice, errors that vanish or appear although both lists agree. Reads no rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from harness.case import Answer, Case, KindInfo, Operation
from harness.compare.composition import Setting, baseline, compose_each, settings
from harness.compare.covered import gather
from harness.compare.ends import Ends
from harness.compare.migrating import migrating
from harness.compare.mismatch import Mismatch, Side, Signature, canonical_path, mismatch_of
from harness.compare.objects import MISSING, steps, value_at, values_at
from harness.compare.panics import failed, is_panic, panicked
from harness.compare.recomposition import recomposed
from harness.compare.served import Served
from harness.errormatch.matcher import Key, matcher_for
from harness.errormatch.trusted import NO_WORDINGS, Wordings
from harness.field import ErrorType, FieldError
from harness.memory import Memory, Pool, Room

Errors = tuple[FieldError, ...]
Compared = tuple[tuple[Mismatch, ...], tuple[Signature, ...]]

_INTERNAL = ErrorType.INTERNAL.value
_REMEMBERED = Room(8_000)
"""For pairs of lists that were compared, by their errors: values in errors make their number unbounded."""
_COMPOSED = Room(8_000)
"""For what is left of them without the errors that no composition touches."""
ERRORS: Pool[FieldError] = Pool(Room(4_000))
"""Of the errors in lists that are remembered one in ten differs from all others, and each is half a kilobyte."""


class Comparator:
    """Compares the answers about one kind. Remembers pairs of lists that it has compared.

    `ends` is set when the answers are those of two targets: then the lists are what each of them serves.
    """

    def __init__(
        self,
        info: KindInfo,
        *,
        is_known_path: Callable[[str], bool] | None = None,
        trusted: Wordings = NO_WORDINGS,
        ends: Ends | None = None,
    ) -> None:
        self.info = info
        self.ends = ends
        self.matcher = matcher_for(info.normalization)
        self.trusted = trusted
        self.settings = settings(info.composition)
        self.baseline = baseline(info.composition)
        self._is_known_path = is_known_path
        self._known_paths: dict[str, bool] = {"": True}
        self._memo: Memory[tuple[Errors, Errors], Compared] = Memory(_REMEMBERED)
        self._composable: Memory[tuple[Errors, Errors], tuple[Mismatch, ...]] = Memory(_COMPOSED)

    def compare(self, case: Case, answer: Answer) -> list[Mismatch]:
        """Return everything that differs, worst comparison first. Pure: the same case and answer give the same list."""
        handwritten, declarative = answer.handwritten, answer.declarative
        if not handwritten and not declarative and answer.failure is None and not answer.served and not answer.versions:
            return []
        if answer.failure is not None:
            return failed(answer.failure)
        found = list(self._lists(handwritten, declarative)[0])
        if found and case.operation is Operation.UPDATE:
            found = [_told_apart(case, mismatch) for mismatch in found]
        if answer.versions:
            found += self._versions(case, answer, {self._mismatch_key(m) for m in found})
        if answer.served:
            found += recomposed(self.served(answer), answer.served, self.info.composition)
        return found

    def signatures(self, case: Case, answer: Answer) -> tuple[Signature, ...]:
        """Return the signatures of what `compare` returns: cheaper, and all that is needed of what is known."""
        if answer.failure is not None or answer.versions or answer.served:
            return tuple(mismatch.signature for mismatch in self.compare(case, answer))
        if not answer.handwritten and not answer.declarative:
            return ()
        return self._lists(answer.handwritten, answer.declarative)[1]

    def may_show(self, signature: Signature, answer: Answer) -> bool:
        """Whether an answer can have this signature at all: what follows from an error needs that error."""
        kind, path, type, origin, _ = signature
        if kind not in ("unmatched", "extra", "served", "path"):
            return True
        return any(
            error.type == type and error.origin == origin and canonical_path(error.field) == path
            for error in (*answer.handwritten, *answer.declarative)
        )

    def served(self, answer: Answer) -> list[Served]:
        """Return what is served under each setting: today's first, `graduated` last."""
        return self.served_of(answer.handwritten, answer.declarative)

    def served_of(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> list[Served]:
        """Return what is served of two lists under each setting."""
        every = compose_each(handwritten, declarative, self.info, self.settings)
        return [Served(setting, *parts, self.matcher) for setting, parts in zip(self.settings, every, strict=True)]

    def concerns(self, mismatch: Mismatch, error: FieldError) -> bool:
        """Whether a mismatch is about this error: same type, origin and normalized field."""
        return self.matcher.key(error) == self._mismatch_key(mismatch)

    def name_of(self, side: str) -> str:
        """Return what a side is called: that of two targets by the name of the target."""
        return self.ends.of(side) if self.ends is not None else f"the {side} side"

    def _mismatch_key(self, mismatch: Mismatch) -> Key:
        return mismatch.type, self.matcher.normalize(mismatch.path), mismatch.origin

    def _lists(self, handwritten: Errors, declarative: Errors) -> Compared:
        asked = (handwritten, declarative)
        known = self._memo.get(asked)
        if known is None:
            found = tuple(self._compare_lists(handwritten, declarative))
            known = found, tuple(mismatch.signature for mismatch in found)
            asked = ERRORS.shared(handwritten), ERRORS.shared(declarative)
            self._memo.put(asked, known, 1 + len(handwritten) + len(declarative))
        return known

    def _compare_lists(self, handwritten: Errors, declarative: Errors) -> Iterator[Mismatch]:
        panics = [error for error in declarative if is_panic(error)]
        yield from (panicked("declarative", error.detail) for error in panics[:1])
        if panics:
            declarative = tuple(error for error in declarative if error not in panics)
        yield from self._composed(migrating(handwritten, declarative, self.matcher), declarative)
        if self._is_known_path is not None:
            yield from self._paths(handwritten, "handwritten")
            yield from self._paths(declarative, "declarative")

    def _composed(self, handwritten: Errors, declarative: Errors) -> tuple[Mismatch, ...]:
        """Compare what is composed. Remembered as well: what is wrong besides differs from case to case."""
        if not handwritten and not declarative:
            return ()
        asked = (handwritten, declarative)
        known = self._composable.get(asked)
        if known is None:
            served = self.served_of(handwritten, declarative)
            found = list(self._covered(handwritten, declarative, served))
            said = {self._mismatch_key(mismatch) for mismatch in found}
            found += self._differently_served(handwritten, declarative, served, said)
            known = tuple(found)
            asked = ERRORS.shared(handwritten), ERRORS.shared(declarative)
            self._composable.put(asked, known, 1 + len(handwritten) + len(declarative))
        return known

    # covered

    def _covered(self, handwritten: Errors, declarative: Errors, served: list[Served]) -> Iterator[Mismatch]:
        unmatched, extra = gather(handwritten, declarative, self.info, self.matcher)
        # No server counts them, but no rule wants them either: a validator could not do its work.
        extra += [error for error in declarative if error.type == _INTERNAL and error not in extra]
        if self.ends is not None:
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
        if self.ends is not None:
            return f"{self.ends.of(side)} alone reports {error.text}"
        twin = "declarative twin of the covered" if side == "handwritten" else "covered handwritten twin of"
        return f"no {twin} {error.text}"

    def _once(self, errors: Iterable[FieldError]) -> list[FieldError]:
        """Say a difference once, however many errors of one key show it."""
        return list({self.matcher.key(error): error for error in reversed(list(errors))}.values())[::-1]

    def _first(self, showing: list[Setting]) -> Setting | None:
        """Choose among the settings under which an error shows: the baseline, else the first, which is today's."""
        return self.baseline if self.baseline in showing else next(iter(showing), None)

    # served

    def _differently_served(
        self, handwritten: Errors, declarative: Errors, served: list[Served], said: set[Key]
    ) -> Iterator[Mismatch]:
        for mismatch in self._all_served(handwritten, declarative, served):
            key = self._mismatch_key(mismatch)
            if key not in said:
                said.add(key)
                yield mismatch

    def _all_served(self, handwritten: Errors, declarative: Errors, served: list[Served]) -> Iterator[Mismatch]:
        base = next(s for s in served if s.setting is self.baseline)
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
        stops = self.info.short_circuit_mismatch
        for error in before:
            stopped = stops and any(self.matcher.stops(other, error) for other in after)
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
        normalize = self.matcher.normalize
        fields = [normalize(error.field) for error in one.errors]
        if len(set(fields)) == len(fields):
            return
        # What comes twice has one field with another error: texts begin with it.
        shared = Counter(fields)
        errors = [error for error, field in zip(one.errors, fields, strict=True) if shared[field] > 1]
        seen: Counter[str] = Counter()
        said = Counter(error.text for error in handwritten if shared[normalize(error.field)] > 1)
        kept = {error.text for error in one.handwritten if shared[normalize(error.field)] > 1}
        twins: set[int] = set()
        for error in one.handwritten:
            twins.update(one.rules.get(self.matcher.wanted(error), ()))
        ours = {one.declarative[number] for number in twins}
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
            twins = [one.declarative[number] for number in one.rules.get(self.matcher.wanted(error), ())]
            if twins and not any(self.trusted.same(error, other) for other in twins):
                detail = f"the words change under {one.setting.name}: {error.detail!r} becomes {twins[0].detail!r}"
                if self.ends is not None:
                    detail = f"{self.ends.before} says {twins[0].detail!r}, {self.ends.after} says {error.detail!r}"
                yield mismatch_of("served", error, "both", one.setting, detail)

    # paths

    def _paths(self, errors: Errors, side: Side) -> Iterator[Mismatch]:
        said: set[str] = set()
        for error in errors:
            canonical = canonical_path(error.field)
            if canonical not in said and not self._knows(error.field, canonical, side):
                said.add(canonical)
                detail = f"the type has no field {canonical}: {error.text}"
                yield mismatch_of("path", error, side, None, detail)

    def _knows(self, path: str, canonical: str, side: Side) -> bool:
        known = self._known_paths.get(canonical)
        if known is None:
            assert self._is_known_path is not None
            self._known_paths[canonical] = known = bool(self._is_known_path(path))
        # Handwritten paths are in the internal form, which may be the right-hand side of a normalization rule.
        return known or (side == "handwritten" and self.matcher.normalize.is_result(path))

    # versions

    def _versions(self, case: Case, answer: Answer, said: set[Key]) -> Iterator[Mismatch]:
        here = self._by_key(answer.declarative)
        for version, errors in answer.versions.items():
            if version == case.version:
                continue
            there = self._by_key(errors)
            for key in dict.fromkeys((*here, *there)):
                detail = _version_detail(here.get(key), there.get(key), case.version, version)
                if detail and key not in said:
                    said.add(key)
                    error_type, path, origin = key
                    yield Mismatch("version", path, error_type, origin, "declarative", detail=detail)

    def _by_key(self, errors: Iterable[FieldError]) -> dict[Key, list[FieldError]]:
        found: dict[Key, list[FieldError]] = {}
        for error in errors:
            if not is_panic(error):
                found.setdefault(self.matcher.key(error), []).append(error)
        return found


def base_side(error: FieldError, served: Served) -> Side:
    """Return the side an error of a served list comes from."""
    return "declarative" if error in served.declarative else "handwritten"


def _told_apart(case: Case, mismatch: Mismatch) -> Mismatch:
    """Mark a mismatch about a value that the update did not change: forgiving it is wanted (design.md 4)."""
    if mismatch.kind not in ("unmatched", "extra", "served") or not is_unchanged(case, mismatch.path):
        return mismatch
    return msgspec.structs.replace(mismatch, ratcheting=True)


def is_unchanged(case: Case, path: str) -> bool:
    """Whether an update left alone what stands at a path.

    List items may have moved. Where the path leads nowhere (it is of another version), the objects must be equal.
    """
    if case.operation is not Operation.UPDATE or case.old is None:
        return False
    way = steps(path)
    value = value_at(case.object, way)
    if value is not MISSING:
        return any(old == value for old in values_at(case.old, way))
    beside, before = (value_at(value, way[:-1]) for value in (case.object, case.old))
    if beside is MISSING or before is MISSING:
        return bool(case.object == case.old)
    return value_at(case.old, way) is MISSING


def _version_detail(here: list[FieldError] | None, there: list[FieldError] | None, own: str, other: str) -> str:
    if here is None and there is not None:
        return f"only {other} reports {there[0].text}"
    if there is None and here is not None:
        return f"only {own} reports {here[0].text}, {other} does not"
    ours, theirs = ({error.level or "standard" for error in errors or ()} for errors in (here, there))
    if ours != theirs:
        return f"the levels differ: {'/'.join(sorted(ours))} in {own}, {'/'.join(sorted(theirs))} in {other}"
    return ""
