"""One answer to mismatches: the six comparisons of docs/explanation/equivalence.md.

Each real difference is said once. A mark without a counterpart is `unmatched`, a declarative error without one `extra`,
each with the first setting under which a user would notice; `served` holds what only the served lists show: words that
changed, errors that come twice, errors that vanish or appear although both lists agree. Reads no rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import msgspec

from harness.case import Answer, Case, KindInfo, Operation
from harness.compare.composition import Served
from harness.compare.ends import Ends
from harness.compare.lists import Compared, Errors, list_comparator
from harness.compare.mismatch import Mismatch, Side, Signature, failed, is_panic, mismatch_of
from harness.compare.recomposition import recomposed
from harness.errormatch.matcher import Key, matcher_for
from harness.errormatch.trusted import NO_WORDINGS, Wordings
from harness.field import FieldError
from harness.field.facts import NO_FACTS, RuleFacts
from harness.jsonpath import ABSENT, canonical_path, look, path_of, values_at

L = TypeVar("L", bound=Sequence[FieldError])
M = TypeVar("M")


class _Last(Generic[L, M]):
    """What was made of the last two lists: one answer with a thousand differences is asked about for each of them."""

    __slots__ = ("_declarative", "_handwritten", "_made", "_make")

    def __init__(self, make: Callable[[L, L], M]) -> None:
        self._make = make
        self._handwritten: L | None = None
        self._declarative: L | None = None
        self._made: M

    def of(self, handwritten: L, declarative: L) -> M:
        """Return what is made of these lists, the very same as last time or not."""
        if handwritten is not self._handwritten or declarative is not self._declarative:
            self._made = self._make(handwritten, declarative)
            self._handwritten, self._declarative = handwritten, declarative
        return self._made


class Comparator:
    """Compares the answers about one kind.

    `ends` is set when the answers are those of two targets: then the lists are what each of them serves. `facts` serve
    the words of causes and fixes alone.
    """

    def __init__(
        self,
        info: KindInfo,
        *,
        is_known_path: Callable[[str], bool] | None = None,
        trusted: Wordings = NO_WORDINGS,
        ends: Ends | None = None,
        facts: RuleFacts = NO_FACTS,
    ) -> None:
        self.info = info
        self.ends = ends
        self.facts = facts
        self.matcher = matcher_for(info.normalization)
        self._is_known_path = is_known_path
        self._known_paths: dict[str, bool] = {"": True}
        self._lists = list_comparator(info, trusted, ends)
        self._last_compared = _Last(self._with_paths)
        self._last_served = _Last(self._served_of)

    def compare(self, case: Case, answer: Answer) -> list[Mismatch]:
        """Return everything that differs, worst comparison first. Pure: the same case and answer give the same list."""
        handwritten, declarative = answer.handwritten, answer.declarative
        if not handwritten and not declarative and answer.failure is None and not answer.served and not answer.versions:
            return []
        if answer.failure is not None:
            return failed(answer.failure)
        found = list(self._compared(answer)[0])
        if found and case.operation is Operation.UPDATE:
            found = [_told_apart(case, mismatch) for mismatch in found]
        if answer.versions:
            found += self._versions(case, answer, {self._lists.key_of(m) for m in found})
        if answer.served:
            found += self.recomposed(answer)
        return found

    def recomposed(self, answer: Answer) -> list[Mismatch]:
        """Return where the target composes its lists otherwise than we do: a part of what `compare` returns."""
        return list(recomposed(self.served(answer), answer.served, self.info.composition))

    def signatures(self, case: Case, answer: Answer) -> tuple[Signature, ...]:
        """Return the signatures of what `compare` returns: cheaper, and all that is needed of what is known."""
        if answer.failure is not None or tells_more(answer):
            return tuple(mismatch.signature for mismatch in self.compare(case, answer))
        if not answer.handwritten and not answer.declarative:
            return ()
        return self._compared(answer)[1]

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
        return self._last_served.of(handwritten, declarative)

    def concerns(self, mismatch: Mismatch, error: FieldError) -> bool:
        """Whether a mismatch is about this error: same type, origin and normalized field."""
        return self.matcher.key(error) == self._lists.key_of(mismatch)

    def concerned(self, mismatch: Mismatch, errors: Iterable[FieldError]) -> list[FieldError]:
        """Return the errors that a mismatch is about: there may be thousands of others."""
        key, matcher = self._lists.key_of(mismatch), self.matcher
        return [error for error in errors if error.type == mismatch.type and matcher.key(error) == key]

    def name_of(self, side: str) -> str:
        """Return what a side is called: that of two targets by the name of the target."""
        return self.ends.of(side) if self.ends is not None else f"the {side} side"

    def _compared(self, answer: Answer) -> Compared:
        """Compare the two lists of an answer, and look at their paths."""
        return self._last_compared.of(answer.handwritten, answer.declarative)

    def _with_paths(self, handwritten: Errors, declarative: Errors) -> Compared:
        compared = self._lists.compared(handwritten, declarative)
        odd = [*self._paths(handwritten, "handwritten"), *self._paths(declarative, "declarative")]
        if not odd:
            return compared
        found, signatures = compared
        return (*found, *odd), (*signatures, *(mismatch.signature for mismatch in odd))

    def _served_of(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> list[Served]:
        return self._lists.served_of(handwritten, declarative)

    # paths

    def _paths(self, errors: Errors, side: Side) -> list[Mismatch]:
        if self._is_known_path is None or all(map(self._known_paths.get, [canonical_path(e.field) for e in errors])):
            return []
        found: dict[str, Mismatch] = {}
        for error in errors:
            canonical = canonical_path(error.field)
            if side == "declarative" and is_panic(error):
                continue
            if canonical not in found and not self._knows(error.field, canonical, side):
                detail = f"the type has no field {canonical}: {error.text}"
                found[canonical] = mismatch_of("path", error, side, None, detail)
        return list(found.values())

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


def _told_apart(case: Case, mismatch: Mismatch) -> Mismatch:
    """Mark a mismatch about a value that the update did not change: to let it through is wanted."""
    if mismatch.kind not in ("unmatched", "extra", "served") or not is_unchanged(case, mismatch.path):
        return mismatch
    return msgspec.structs.replace(mismatch, ratcheting=True)


def is_unchanged(case: Case, path: str) -> bool:
    """Whether an update left alone what stands at a path.

    List items may have moved. Where the path leads nowhere (it is of another version), the objects must be equal.
    """
    if case.operation is not Operation.UPDATE or case.old is None:
        return False
    way = path_of(path)
    value = look(case.object, way)
    if value is not ABSENT:
        return any(old == value for old in values_at(case.old, way))
    beside, before = (look(value, way[:-1]) for value in (case.object, case.old))
    if beside is ABSENT or before is ABSENT:
        return bool(case.object == case.old)
    return look(case.old, way) is ABSENT


def tells_more(answer: Answer) -> bool:
    """Whether an answer may differ in more than its two lists: it says what is served, or another version differs."""
    return bool(answer.served) or any(errors != answer.declarative for errors in answer.versions.values())


def _version_detail(here: list[FieldError] | None, there: list[FieldError] | None, own: str, other: str) -> str:
    if here is None and there is not None:
        return f"only {other} reports {there[0].text}"
    if there is None and here is not None:
        return f"only {own} reports {here[0].text}, {other} does not"
    ours, theirs = ({error.level or "standard" for error in errors or ()} for errors in (here, there))
    if ours != theirs:
        return f"the levels differ: {'/'.join(sorted(ours))} in {own}, {'/'.join(sorted(theirs))} in {other}"
    return ""


def remains_in(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> bool:
    """Whether the answer to a case shows the mismatch."""
    return mismatch.signature in comparator.signatures(case, answer)


def speakers(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> tuple[bool, bool]:
    """Say whether the handwritten and the declarative side report the error of a mismatch.

    Of two targets, an error without a mark is one that both serve.
    """
    handwritten = [error for error in answer.handwritten if comparator.concerns(mismatch, error)]
    declarative = any(comparator.concerns(mismatch, error) for error in answer.declarative)
    shared = comparator.ends is not None and any(not error.covered for error in handwritten)
    return bool(handwritten), declarative or shared


def agrees(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> bool:
    """Whether both sides report the error now, and the mismatch is gone; two targets may use words of their own."""
    both = all(speakers(answer, mismatch, comparator))
    return both and (comparator.ends is not None or not remains_in(case, answer, mismatch, comparator))
