"""Compares the lists of one answer and returns mismatches: the eight comparisons of docs/explanation/equivalence.md.

Each difference is reported once. A covered handwritten error without a counterpart is `unmatched`, a declarative error
without one `extra`, each with the first gate setting under which a user would notice it. `served` mismatches appear in
the served lists only: changed words, duplicate errors, and errors that are lost or added although both lists agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Generic, TypeVar

import msgspec

from harness.case import NEUTRAL, Answer, Case, KindInfo, Operation, Vocabulary
from harness.compare.comparison import TWO_SIDES, Comparison
from harness.compare.composition import Served
from harness.compare.conversions import compare_round_trips
from harness.compare.generatedcode import compare_generated
from harness.compare.lists import Compared, Errors, list_comparator
from harness.compare.mismatch import Mismatch, Side, Signature, failed, is_panic, mismatch_of
from harness.compare.recomposition import compare_composition
from harness.errormatch.matcher import Key, matcher_for
from harness.errormatch.trusted import NO_WORDINGS, Wordings
from harness.field import FieldError
from harness.field.facts import NO_FACTS, RuleFacts
from harness.jsonpath import ABSENT, canonical_path, look, path_of, values_at

L = TypeVar("L", bound=Sequence[FieldError])
M = TypeVar("M")


_UNKNOWN = KindInfo("", "", "", "", "")


class _LastResult(Generic[L, M]):
    """Caches the result for the last two lists, because an answer is compared again for each of its mismatches."""

    __slots__ = ("_declarative", "_handwritten", "_make", "_result")

    def __init__(self, make: Callable[[L, L], M]) -> None:
        self._make = make
        self._handwritten: L | None = None
        self._declarative: L | None = None
        self._result: M

    def get(self, handwritten: L, declarative: L) -> M:
        """Return the result for two lists; computed unless they are identical to the last ones."""
        if handwritten is not self._handwritten or declarative is not self._declarative:
            self._result = self._make(handwritten, declarative)
            self._handwritten, self._declarative = handwritten, declarative
        return self._result


class Comparator:
    """Compares the answers about one kind.

    `comparison` defines what the two lists of an answer are. `versions` are the other versions of the kind, by name.
    `facts` about rules and the `vocabulary` of handwritten code are used in sentences only.
    """

    def __init__(
        self,
        info: KindInfo,
        *,
        is_known_path: Callable[[str], bool] | None = None,
        trusted: Wordings = NO_WORDINGS,
        comparison: Comparison = TWO_SIDES,
        facts: RuleFacts = NO_FACTS,
        vocabulary: Vocabulary = NEUTRAL,
        versions: Mapping[str, KindInfo] = MappingProxyType({}),
    ) -> None:
        self.info = info
        self.versions = versions
        self.vocabulary = vocabulary
        self.comparison = comparison
        self.facts = facts
        self.matcher = matcher_for(info.normalization)
        self._is_known_path = is_known_path
        self._known_paths: dict[str, bool] = {"": True}
        self._lists = list_comparator(info, trusted, comparison)
        self._last_compared = _LastResult(self._compare_with_paths)
        self._last_served = _LastResult(self._served_of)

    def compare(self, case: Case, answer: Answer) -> list[Mismatch]:
        """Return every mismatch, worst comparison first. Pure: the same case and answer give the same list."""
        handwritten, declarative = answer.handwritten, answer.declarative
        if not handwritten and not declarative and answer.failure is None and not _has_lists_of_its_own(answer):
            return []
        if answer.failure is not None:
            return failed(answer.failure)
        found = list(self._compared(answer)[0])
        if found and case.operation is Operation.UPDATE:
            found = [_mark_ratcheting(case, mismatch) for mismatch in found]
        if answer.versions:
            found += self._versions(case, answer, {self._lists.key_of(m) for m in found})
        if answer.round_trips:
            found += compare_round_trips(answer, self.is_served)
        if answer.compiled is not None:
            found += compare_generated(declarative, answer.compiled)
        if answer.served:
            found += self.check_composition(answer)
        return found

    def check_composition(self, answer: Answer) -> list[Mismatch]:
        """Return the mismatches between the lists that the target composed itself and ours; `compare` includes them."""
        return list(compare_composition(self.served(answer), answer.served, self.info.composition))

    def signatures(self, case: Case, answer: Answer) -> tuple[Signature, ...]:
        """Return the signatures of what `compare` returns, at lower cost: enough to recognise known mismatches."""
        if answer.failure is not None or has_more_lists(answer):
            return tuple(mismatch.signature for mismatch in self.compare(case, answer))
        if not answer.handwritten and not answer.declarative:
            return ()
        return self._compared(answer)[1]

    def may_show(self, signature: Signature, answer: Answer) -> bool:
        """Whether an answer can have this signature, which for most kinds of mismatch requires the error itself."""
        kind, path, type, origin, _ = signature
        if kind not in ("unmatched", "extra", "served", "path"):
            return True
        return any(
            error.type == type and error.origin == origin and canonical_path(error.field) == path
            for error in (*answer.handwritten, *answer.declarative)
        )

    def served(self, answer: Answer) -> list[Served]:
        """Return the errors served under each setting: today's settings first, `graduated` last."""
        return self.served_of(answer.handwritten, answer.declarative)

    def served_of(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> list[Served]:
        """Return the errors that are served of two lists under each setting."""
        return self._last_served.get(handwritten, declarative)

    def concerns(self, mismatch: Mismatch, error: FieldError) -> bool:
        """Whether a mismatch is about this error: same type, origin and normalized path."""
        return self.matcher.key(error) == self._lists.key_of(mismatch)

    def select(self, mismatch: Mismatch, errors: Iterable[FieldError]) -> list[FieldError]:
        """Return the errors that a mismatch is about. Fast, because there may be thousands of others."""
        key, matcher = self._lists.key_of(mismatch), self.matcher
        return [error for error in errors if error.type == mismatch.type and matcher.key(error) == key]

    def reporters(self, mismatch: Mismatch, answer: Answer) -> tuple[bool, bool]:
        """Return whether the handwritten and the declarative validators report the error of a mismatch."""
        path = self.matcher.normalize(mismatch.path)

        def is_alike(error: FieldError) -> bool:
            is_one_rule = error.type == mismatch.type and self.comparison.is_one_rule(error.origin, mismatch.origin)
            return is_one_rule and self.matcher.normalize(error.field) == path

        handwritten, declarative = (
            [error for error in errors if is_alike(error)] for errors in (answer.handwritten, answer.declarative)
        )
        return self.comparison.reporters(handwritten, declarative)

    def remains(self, mismatch: Mismatch, case: Case, answer: Answer) -> bool:
        """Whether the answer to a case shows the mismatch."""
        return mismatch.signature in self.signatures(case, answer)

    def agrees(self, mismatch: Mismatch, case: Case, answer: Answer) -> bool:
        """Whether both validators report the error of a mismatch in this answer, and the mismatch is gone."""
        if not all(self.reporters(mismatch, answer)):
            return False
        return self.comparison.is_resolved(mismatch, self.signatures(case, answer))

    def _compared(self, answer: Answer) -> Compared:
        """Compare the two lists of an answer and check their paths."""
        return self._last_compared.get(answer.handwritten, answer.declarative)

    def _compare_with_paths(self, handwritten: Errors, declarative: Errors) -> Compared:
        compared = self._lists.compare(handwritten, declarative)
        unknown = [*self._unknown_paths(handwritten, "handwritten"), *self._unknown_paths(declarative, "declarative")]
        if not unknown:
            return compared
        found, signatures = compared
        return (*found, *unknown), (*signatures, *(mismatch.signature for mismatch in unknown))

    def _served_of(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> list[Served]:
        return self._lists.served_of(handwritten, declarative)

    # paths

    def _unknown_paths(self, errors: Errors, side: Side) -> list[Mismatch]:
        if self._is_known_path is None or all(map(self._known_paths.get, [canonical_path(e.field) for e in errors])):
            return []
        found: dict[str, Mismatch] = {}
        for error in errors:
            canonical = canonical_path(error.field)
            if side == "declarative" and is_panic(error):
                continue
            if canonical not in found and not self._is_known(error.field, canonical, side):
                detail = f"the type has no field {canonical}: {error.text}"
                found[canonical] = mismatch_of("path", error, side, None, detail)
        return list(found.values())

    def _is_known(self, path: str, canonical: str, side: Side) -> bool:
        known = self._known_paths.get(canonical)
        if known is None:
            assert self._is_known_path is not None
            self._known_paths[canonical] = known = bool(self._is_known_path(path))
        # Handwritten paths are those of the internal type, which may be the result of a normalization rule.
        return known or (side == "handwritten" and self.matcher.normalize.is_result(path))

    # versions

    def _versions(self, case: Case, answer: Answer, reported: set[Key]) -> Iterator[Mismatch]:
        own_errors = self._by_key(answer.declarative)
        for version, errors in sorted(answer.versions.items(), key=lambda item: not self.is_served(item[0])):
            if version == case.version:
                continue
            other_errors = self._by_key(errors)
            for key in dict.fromkeys((*own_errors, *other_errors)):
                detail = _version_detail(own_errors.get(key), other_errors.get(key), case.version, version)
                if detail and key not in reported:
                    reported.add(key)
                    error_type, path, origin = key
                    yield Mismatch("version", path, error_type, origin, "declarative", detail=detail)

    def is_served(self, version: str) -> bool:
        """Whether a request can name a version of the kind, as far as the target says."""
        return self._info_of(version).served

    def has_rules(self, version: str) -> bool:
        """Whether declarative validation is registered for a version of the kind, as far as the target says."""
        return self._info_of(version).rules

    def _info_of(self, version: str) -> KindInfo:
        return self.versions.get(version, _UNKNOWN) if version != self.info.version else self.info

    def differing_versions(self, case: Case, answer: Answer, mismatch: Mismatch) -> list[str]:
        """Return the versions whose rules report the error of a mismatch otherwise than those of the case."""
        own = self.select(mismatch, answer.declarative) or None
        others = {
            version: self.select(mismatch, errors) or None
            for version, errors in answer.versions.items()
            if version != case.version
        }
        return [version for version, errors in others.items() if _version_detail(own, errors, case.version, version)]

    def _by_key(self, errors: Iterable[FieldError]) -> dict[Key, list[FieldError]]:
        found: dict[Key, list[FieldError]] = {}
        for error in errors:
            if not is_panic(error):
                found.setdefault(self.matcher.key(error), []).append(error)
        return found


def _mark_ratcheting(case: Case, mismatch: Mismatch) -> Mismatch:
    """Mark a mismatch about a value that the update did not change, which rules accept by design."""
    if mismatch.kind not in ("unmatched", "extra", "served") or not is_unchanged(case, mismatch.path):
        return mismatch
    return msgspec.structs.replace(mismatch, ratcheting=True)


def is_unchanged(case: Case, path: str) -> bool:
    """Whether an update left the value at a path unchanged.

    List items may have moved. If the path does not exist in either object (it is of another version), the whole objects
    must be equal.
    """
    if case.operation is not Operation.UPDATE or case.old is None:
        return False
    steps = path_of(path)
    value = look(case.object, steps)
    if value is not ABSENT:
        return any(old == value for old in values_at(case.old, steps))
    parent, old_parent = (look(value, steps[:-1]) for value in (case.object, case.old))
    if parent is ABSENT or old_parent is ABSENT:
        return bool(case.object == case.old)
    return look(case.old, steps) is ABSENT


def has_more_lists(answer: Answer) -> bool:
    """Whether an answer has more to compare than two lists: served ones, other versions, round trips, other tags."""
    differs = answer.compiled is not None and answer.compiled != answer.declarative
    return (
        bool(answer.served or answer.round_trips)
        or differs
        or any(errors != answer.declarative for errors in answer.versions.values())
    )


def _has_lists_of_its_own(answer: Answer) -> bool:
    return bool(answer.served or answer.versions or answer.compiled or answer.round_trips)


def _version_detail(
    own_errors: list[FieldError] | None, other_errors: list[FieldError] | None, own: str, other: str
) -> str:
    if own_errors is None and other_errors is not None:
        return f"only the rules of {other} report {other_errors[0].text}"
    if other_errors is None and own_errors is not None:
        return f"only the rules of {own} report {own_errors[0].text}, those of {other} do not"
    ours, theirs = ({error.level or "standard" for error in errors or ()} for errors in (own_errors, other_errors))
    if ours != theirs:
        return f"the levels differ: {'/'.join(sorted(ours))} in {own}, {'/'.join(sorted(theirs))} in {other}"
    return ""
