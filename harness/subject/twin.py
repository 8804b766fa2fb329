"""Two targets asked the same, as one: what users of the first are served beside what users of the second are.

For two releases, or one release and itself. Errors that both serve are handwritten errors without a mark, so nothing is
to be compared about them; what the first serves alone is a covered handwritten error, what the second serves alone a
declarative one. So each difference is a mismatch and equal answers are none. Composed as in `takeover`, the setting
`takeover` is what users of the second read and `validation-off` what users of the first do, so a finding is as severe
as the change from one to the other. `validated` has what each of the two was given, by its name in `ends`. Paths,
versions and composition are those of each release's own run.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from types import MappingProxyType

import msgspec

from harness.case import Answer, Case, Excluded, Failure, Gates, KindInfo, TargetInfo
from harness.compare.composition import Setting, compose, settings
from harness.compare.ends import AGAIN, Ends, only
from harness.diagnostics import TargetError
from harness.field import ErrorType, FieldError
from harness.targets.target import Closing, Pending, Target

Key = tuple[str, str, str, str]
Lists = tuple[tuple[FieldError, ...], tuple[FieldError, ...]]

_ABILITIES = ("modes", "options", "update", "validated")
NO_GATES: Gates = MappingProxyType({})


class TwinTarget(Closing):
    """A `Target` made of two, both closed with it. `gates` are settings of the migration's gates that hold for both.

    Raises: TargetError when they have no kind in common.
    """

    def __init__(self, first: Target, second: Target, gates: Gates = NO_GATES) -> None:
        self._first, self._second = first, second
        self.ends = _ends(first.info, second.info)
        self._ours, self._theirs = _Server(first.info, gates), _Server(second.info, gates)
        self.info = _info(first.info, second.info, self.ends)
        if not self.info.kinds:
            raise TargetError(
                f"{first.info.name} and {second.info.name} have nothing in common",
                why="no resource of one version is served by both",
                fix="name two releases of one API",
            )

    @property
    def restarts(self) -> int:
        """How often either had to be started again."""
        return self._first.restarts + self._second.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch on both."""
        asked = [
            msgspec.structs.replace(case, served=False, versions=False, repeat=False, measure=None) for case in cases
        ]
        return _TwinBatch(self, cases, asked, self._first.submit(asked), self._second.submit(asked))

    def again(self, asked: Sequence[Case]) -> list[Answer]:
        """Ask both once more and wait: the server writes the time of day, and a second may pass between the two."""
        first, second = self._first.submit(asked), self._second.submit(asked)
        return self.answers(asked, first.result(), second.result())

    def answers(self, cases: Sequence[Case], ones: Sequence[Answer], others: Sequence[Answer]) -> list[Answer]:
        """Make one answer of two, for each of a batch."""
        return [self.answered(*three) for three in zip(cases, ones, others, strict=True)]

    def close(self) -> None:
        """Close both. May be called twice."""
        try:
            self._first.close()
        finally:
            self._second.close()

    def answered(self, case: Case, one: Answer, other: Answer) -> Answer:
        """Make one answer of two."""
        ours, theirs = self._ours.served(case, one), self._theirs.served(case, other)
        if one.failure is not None and ours == theirs:
            # Both fail alike; that one panics is a finding of its own run.
            return Answer(case.id, failure=Failure(one.failure.stage, one.failure.message))
        handwritten, declarative = told_apart(ours, theirs)
        given = {self.ends.after: one.validated.get(case.version), self.ends.before: other.validated.get(case.version)}
        validated = {name: seen for name, seen in given.items() if seen is not None}
        return Answer(case.id, handwritten, declarative, validated=validated)


class _TwinBatch:
    """A batch on its way through both. A difference that does not show again is none."""

    def __init__(
        self, twin: TwinTarget, cases: Sequence[Case], asked: Sequence[Case], first: Pending, second: Pending
    ) -> None:
        self._twin, self._cases, self._asked, self._first, self._second = twin, cases, asked, first, second

    @property
    def seconds(self) -> float:
        return max(self._first.seconds, self._second.seconds)

    def wait(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        return self._first.wait(seconds) and self._second.wait(max(0.0, until - time.monotonic()))

    def result(self) -> list[Answer]:
        answers = self._twin.answers(self._cases, self._first.result(), self._second.result())
        differing = [number for number, answer in enumerate(answers) if _differs(answer)]
        if differing:
            later = self._twin.again([self._asked[number] for number in differing])
            answers = [*answers]
            for number, answer in zip(differing, later, strict=True):
                if not _differs(answer):
                    answers[number] = msgspec.structs.replace(answer, id=answers[number].id)
        return answers


def _differs(answer: Answer) -> bool:
    return bool(answer.declarative) or any(error.covered for error in answer.handwritten)


class _Server:
    """What the users of one target read, under its own gates and these."""

    def __init__(self, info: TargetInfo, gates: Gates) -> None:
        self._kinds: dict[Key, tuple[KindInfo, Setting]] = {
            kind.key: (kind, _setting(kind, {**info.gates, **gates})) for kind in info.kinds
        }

    def served(self, case: Case, answer: Answer) -> list[FieldError]:
        """Return what is served; a failure is an error too. Marks, levels and origins are nothing that a user sees."""
        if answer.failure is not None:
            return [FieldError(ErrorType.INVALID, "", f"{answer.failure.stage} failed: {answer.failure.message}")]
        if not answer.handwritten and not answer.declarative:
            return []
        kind, setting = self._kinds[case.group, case.version, case.resource, case.subresource]
        return [
            FieldError(error.type, error.field, error.detail, value=error.value)
            for error in compose(answer.handwritten, answer.declarative, kind, setting)
        ]


def _setting(kind: KindInfo, gates: dict[str, bool]) -> Setting:
    """Return the setting of the migration's gates that is in force; a gate that is not known is on."""
    return next(
        one
        for one in settings(kind.composition)
        if all(gates.get(name, True) is value for name, value in one.gates.items())
    )


def told_apart(ours: Sequence[FieldError], theirs: Sequence[FieldError]) -> Lists:
    """Return two lists that differ, for the comparator, exactly when these do, their order aside.

    What differs stands before what does not, which would hide it, and has its value in its words, where it is compared.
    """
    left = Counter(theirs)
    common: dict[str, FieldError] = {}
    alone: list[FieldError] = []
    for error in ours:
        if left[error]:
            left[error] -= 1
            common[error.text] = error
        else:
            alone.append(error)
    mine = [msgspec.structs.replace(_worded(error, common), covered=True) for error in alone]
    return (*mine, *common.values()), tuple(_worded(error, common) for error in left.elements())


def _worded(error: FieldError, common: dict[str, FieldError]) -> FieldError:
    """Write the bad value into the words, and that the error comes once more than on the other side."""
    detail = ": ".join(part for part in (error.value, error.detail) if part)
    again = AGAIN if error.text in common else ""
    return FieldError(error.type, error.field, detail + again)


def _ends(first: TargetInfo, second: TargetInfo) -> Ends:
    """Name the two, so that they differ: users have the second and move to the first."""
    before, after = (info.release or info.name for info in (second, first))
    return Ends(before, after) if before != after else Ends(f"{before} before", f"{after} after")


def _info(first: TargetInfo, second: TargetInfo, ends: Ends) -> TargetInfo:
    """Return what both serve, as the first tells it. What only one serves is left out with a reason."""
    here, there = ({kind.key: kind for kind in info.kinds if kind.served} for info in (first, second))
    kinds = tuple(_shared(kind, there[key]) for key, kind in here.items() if key in there)
    excluded = [
        Excluded(kind.group, kind.version, _path(kind), only(name))
        for name, mine, other in ((ends.after, here, there), (ends.before, there, here))
        for key, kind in mine.items()
        if key not in other
    ]
    abilities = tuple(name for name in _ABILITIES if name in first.abilities and name in second.abilities)
    return TargetInfo(
        f"{first.name} against {second.name}", release=first.release, abilities=abilities, kinds=kinds,
        excluded=tuple(excluded), gates=first.gates,
    )  # fmt: skip


def _shared(kind: KindInfo, other: KindInfo) -> KindInfo:
    return msgspec.structs.replace(
        kind,
        operations=tuple(one for one in kind.operations if one in other.operations),
        rules=kind.rules or other.rules,
        composition="takeover",
        normalization=(),
        short_circuit_mismatch=False,
        options={name: value for name, value in kind.options.items() if name in other.options},
        versions=(),
    )


def _path(kind: KindInfo) -> str:
    return f"{kind.resource}/{kind.subresource}" if kind.subresource else kind.resource
