"""Turns a reduced case into a finding with its cause, its severity and the Go field that it belongs to.

1. Ask the case again, with the target's own composition, and several times: a case with changing answers is asked with
   its times set, in case they default to the present. If its answers still change it is reported as unstable, because
   no experiment on it could be trusted.
2. Find the cause by experiments (`harness.compare.judge`).
3. Try its fix, if it is a change of tags (`harness.engine.fixtrial`).
4. Add the Go type and field.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

import msgspec

from harness import tuning
from harness.case import Answer, Case, Failure, Json
from harness.compare.cause import Hints, ListWithoutKeys, no_objects, not_reported
from harness.compare.causes import not_explained, unstable
from harness.compare.causes.composition import COMPOSITION
from harness.compare.causes.conversion import CONVERSION
from harness.compare.causes.generated import GENERATED
from harness.compare.causes.other_value import OTHER_VALUE
from harness.compare.causes.panic import PANIC
from harness.compare.causes.unstable import UNSTABLE
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compare.judge import conclude, find_cause, grade, judge
from harness.compare.mismatch import Mismatch, MismatchKind, failed
from harness.compiler.rulelines import RuleLine, RuleLines
from harness.engine.checkcallers import add_callers
from harness.engine.checksource import (
    NOT_TRACED,
    TracedErrors,
    add_generation,
    add_handwritten_source,
    find_read,
    is_of_library,
)
from harness.engine.fieldsource import (
    NO_OTHERS,
    add_converted_name,
    add_field_source,
    add_read_member,
    line_of,
    own_path,
    tell_if_unreachable,
    wrong_names,
)
from harness.engine.fixtrial import FixTrials
from harness.engine.steadying import with_times
from harness.field import FieldError
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.fixes import fix_all, fixes
from harness.fuzzers.othervalues import other_values, sibling_values
from harness.fuzzers.shape import Shape
from harness.gotypes.literals import NO_LITERALS, Literals
from harness.jsonpath import Edit, apply_all, canonical_path, join, look, path_of
from harness.subject.deciding import UNREAD, HandwrittenCode
from harness.targets.target import drive

_CERTAIN: dict[MismatchKind, str] = {
    "panic": PANIC.code, "self": UNSTABLE.code, "composition": COMPOSITION.code, "generated": GENERATED.code,
    "conversion": CONVERSION.code,
}  # fmt: skip
"""Causes that no experiment on a served case can change."""
_EACH_KEY = "+k8s:eachKey="
"""In the line of a tag whose rule looks at the keys of a map."""
MAX_KEPT_ERRORS = 100
"""At most so many errors of each list are kept with an unexplained finding, besides those that it is about: one answer
with thousands of errors may have thousands of findings."""


class Explainer:
    """Explains the mismatches of one type; `others` are the types of its other served versions.

    `reported` says which errors a side reported in the run, `accepted` which objects are accepted: see `Hints`.
    """

    def __init__(
        self,
        shape: Shape,
        subject: str,
        literals: Literals = NO_LITERALS,
        examples: Sequence[Json] = (),
        others: Mapping[str, Shape] = NO_OTHERS,
        rules: RuleLines | None = None,
        traces: bool = False,
        fixes: FixTrials | None = None,
        code: Callable[[], HandwrittenCode] = lambda: UNREAD,
    ) -> None:
        self.shape, self.subject, self.literals, self.examples = shape, subject, literals, examples
        self.others, self.rules, self.traces, self.fixes = others, rules, traces, fixes
        self.code = code
        self.reported: Callable[[Case, str, Mismatch], bool] = not_reported
        self.accepted: Callable[[Case], Iterable[Json]] = no_objects

    def repairs(self, case: Case, errors: Sequence[FieldError], comparator: Comparator) -> Iterator[tuple[Json, Json]]:
        """Yield (new, old) with errors repaired, as the type, the Go sources, examples and error messages suggest.

        An error may have the path of the internal type.
        """
        own = [msgspec.structs.replace(one, field=own_path(comparator, case, one.field, self.shape)) for one in errors]
        return repairs(case, own, self.shape, Harvest(literals=self.literals, examples=self.examples))

    def hints(self, comparator: Comparator) -> Hints:
        """Return what is known besides the answers, for experiments and words."""

        def find(path: str, type: str, origin: str) -> RuleLine | None:
            return self._find_rule(comparator, path, type, origin)

        return Hints(
            repairs=lambda case, error: self.repairs(case, [error], comparator),
            values=lambda case, path, normalize: other_values(case.object, path, self.shape, normalize),
            siblings=lambda case, path, normalize: sibling_values(case.object, path, self.shape, normalize),
            tag=lambda path, type, origin: f"+{one.tag}" if (one := find(path, type, origin)) else "",
            line=lambda path, type, origin: one.text if (one := find(path, type, origin)) else "",
            is_about_keys=lambda *rule: (one := find(*rule)) is not None and _EACH_KEY in one.text,
            reported=self.reported,
            accepted=self.accepted,
            makes_choice=self._makes_choice,
            mode=self._find_mode,
            own_path=lambda case, path: own_path(comparator, case, path, self.shape),
            unkeyed_list=lambda path: self._find_unkeyed_list(comparator, path),
        )

    def _makes_choice(self, path: str) -> bool:
        if self.rules is None or self.shape.kind != "struct":
            return False
        return self.rules.roles.makes_choice(self.shape.type, path)

    def _find_mode(self, path: str) -> str:
        if self.rules is None or self.shape.kind != "struct":
            return ""
        return self.rules.roles.mode_of(self.shape.type, path)

    def _find_unkeyed_list(self, comparator: Comparator, path: str) -> ListWithoutKeys | None:
        """Return the list above a path whose items rules do not look up in the old object, with its line."""
        if self.rules is None or not comparator.info.rules or self.shape.kind != "struct":
            return None
        found = self.rules.roles.unkeyed_list(self.shape.type, path)
        if found is None:
            return None
        return ListWithoutKeys(found.path, found.tags, line_of(found.position, found.package), found.key_tag)

    def _find_rule(self, comparator: Comparator, path: str, type: str, origin: str) -> RuleLine | None:
        """Return the tag whose rule reports errors of a type and origin at a path; None if none is declared."""
        if self.rules is None or not comparator.info.rules or self.shape.kind != "struct":
            return None
        return self.rules.find(self.shape.type, path, FieldError(type, path, origin=origin), comparator.info.options)

    def explain(
        self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, served: bool, repetitions: int
    ) -> Generator[list[Case], list[Answer], Finding]:
        """Ask the case again `repetitions` times; then explain and grade the mismatch."""
        plain = msgspec.structs.replace(case, id=0)
        composed = [msgspec.structs.replace(case, served=True)] if served and not case.served else []
        if answer.failure is not None:
            composed = []
        repeated = repeat(plain, repetitions) if mismatch.kind != "self" else []
        if repeated and self.traces:  # an answer with sources is no other answer
            repeated[-1] = msgspec.structs.replace(repeated[-1], trace=True)
        answers = (yield [*composed, *repeated]) if composed or repeated else []
        if composed and answers[0].failure is None:
            answer = msgspec.structs.replace(answer, served=answers[0].served)
        again = [one for one in comparator.compare(plain, answer) if one.signature == mismatch.signature]
        mismatch = again[0] if again else mismatch
        if count_different(answer, answers[len(composed) :]):
            steady = yield from self._set_times(plain, mismatch, comparator, served, repetitions)
            if steady is None:
                return self.explain_unstable(plain, answer, mismatch, comparator)
            plain, answer, mismatch, answers = steady
        answer = msgspec.structs.replace(answer, id=0)
        hints = self.hints(comparator)
        found = yield from find_cause(plain, answer, mismatch, comparator, hints)
        finding = conclude(plain, answer, mismatch, comparator, found, self.subject)
        if self.fixes is not None:
            finding = yield from self.fixes.run(finding, comparator)
        own = (*answers[-1].handwritten, *answers[-1].declarative) if repeated and answers else ()
        traced = TracedErrors(own, masking=found.masking, beside=found.beside, partner=found.partner)
        if self.traces and finding.side == "declarative" and found.spoken is not None and found.shown is None:
            [said] = yield [msgspec.structs.replace(found.spoken, id=UNCACHED, trace=True)]
            internal = canonical_path(comparator.matcher.normalize(mismatch.path))
            traced = traced._replace(elsewhere=said.handwritten, path=internal)
        is_known = found.spoken is not None and found.shown is None
        if self.traces and finding.cause == OTHER_VALUE.code and finding.side == "handwritten" and is_known:
            assert found.spoken is not None
            [said] = yield [msgspec.structs.replace(found.spoken, id=UNCACHED, trace=True)]
            traced = traced._replace(rule=said.declarative)
        if self.traces and found.marked is not None:
            case, type = found.marked
            [said] = yield [msgspec.structs.replace(case, id=UNCACHED, trace=True)]
            traced = traced._replace(marked=[one for one in said.handwritten if one.type == type and not one.covered])
        return self._place(finding, comparator, traced, found.ungenerated)

    def _set_times(
        self, case: Case, mismatch: Mismatch, comparator: Comparator, served: bool, repetitions: int
    ) -> Generator[list[Case], list[Answer], tuple[Case, Answer, Mismatch, list[Answer]] | None]:
        """Set the times that are defaulted to the present, and ask again; None unless that shows the same difference.

        Returns: the case, its first answer, the mismatch in it, and the other answers, of which the last may be traced.
        """
        changed = with_times(case, self.shape)
        if changed is None:
            return None
        repeated = repeat(msgspec.structs.replace(changed, served=served), repetitions + 1)
        repeated[-1] = msgspec.structs.replace(repeated[-1], trace=self.traces)
        first, *others = yield repeated
        found = [one for one in comparator.compare(changed, first) if one.signature == mismatch.signature]
        if first.failure is not None or not found or count_different(first, others):
            return None
        return changed, first, found[0], others

    def _place(
        self,
        finding: Finding,
        comparator: Comparator,
        traced: TracedErrors = NOT_TRACED,
        ungenerated: Sequence[str] = (),
    ) -> Finding:
        """Add where the field, its rule and its handwritten check are declared; `ungenerated` are versions whose
        validation is to be generated.
        """
        info = comparator.info
        rules = self.rules if info.rules else None
        exact = own_path(comparator, finding.case, _exact_path(finding), self.shape)
        path, code = canonical_path(exact), self.code()
        empty = _empty_members(finding, exact)
        if rules and empty and self.shape.kind == "struct":
            traced = traced._replace(empty=[rules.roles.code_name(self.shape.type, join(path, one)) for one in empty])
        is_elsewhere = bool(ungenerated) or is_of_library(finding, traced)
        finding = add_field_source(
            finding, self.shape, rules, info.options, self.others, path, traced.beside, is_elsewhere, empty
        )
        finding = add_converted_name(finding, self.shape, code)
        finding = add_read_member(finding, path, self.shape, find_read(finding, traced, code))
        traced = traced._replace(wrong=wrong_names(finding, path, self.shape, self.others, code))
        finding = add_generation(finding, ungenerated, code)
        finding = add_callers(add_handwritten_source(finding, traced, code), comparator.vocabulary, code, traced)
        return tell_if_unreachable(finding, comparator.info)

    def explain_unstable(
        self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, is_gone: bool = False
    ) -> Finding:
        """Return the finding for a mismatch on a case with changing answers, whose cause is `unstable`.

        `is_gone`: the mismatch was not seen again at all.
        """
        finding = self._finding(case, msgspec.structs.replace(answer, id=0), mismatch, comparator, UNSTABLE.code)
        return mark_unstable(msgspec.structs.replace(finding, detail=mismatch.detail), is_gone=is_gone)

    def leave_unexplained(
        self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, stopped: str = ""
    ) -> Finding:
        """Return the finding for a mismatch as first seen, because the run ended before it could be reduced.

        `stopped` is by what it ended, empty for its budget (`harness.events`).

        It has a cause only where that is certain without an experiment; a likely cause is never reported.
        """
        certain = _CERTAIN.get(mismatch.kind) if case.mode == "served" else None
        if certain is not None:
            return self._finding(case, answer, mismatch, comparator, certain)
        # One answer may have thousands of mismatches, so its lists are not searched for a cause of each.
        found = not_explained.describe(mismatch.detail, stopped)
        finding = grade(msgspec.structs.replace(case, id=0), answer, mismatch, comparator, found, self.subject)
        kept, dropped = _truncate(answer, mismatch, comparator)
        if dropped:
            detail = f"{finding.detail}; {dropped:,} other errors of this answer are not kept with this finding"
            finding = msgspec.structs.replace(finding, answer=kept, detail=detail)
        return self._place(finding, comparator)

    def _finding(self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, cause: str) -> Finding:
        """Return the finding for a mismatch with a cause that needs no experiment."""
        steps = judge(msgspec.structs.replace(case, id=0), answer, mismatch, comparator, subject=self.subject)
        finding = drive(steps, _no_answers)
        known = msgspec.structs.replace(finding, code=cause, cause=cause, experiment="", certainty="observed")
        return self._place(known, comparator)


def _exact_path(finding: Finding) -> str:
    """Return the path of a finding as an error of its answer has it, with indices."""
    errors = (*finding.answer.handwritten, *finding.answer.declarative)
    return next((one.field for one in errors if canonical_path(one.field) == finding.path), finding.path)


def _empty_members(finding: Finding, path: str) -> list[str]:
    """Return the members of the value of a finding that are empty lists or maps: one side may take them for unset."""
    value = look(finding.case.object, path_of(path))
    is_read_otherwise = finding.cause == OTHER_VALUE.code and isinstance(value, dict)
    return [name for name, below in value.items() if below in ([], {})] if is_read_otherwise else []


def mark_unstable(finding: Finding, is_gone: bool = False) -> Finding:
    """Replace the cause of a finding by `unstable`, because its case gets different answers."""
    found = unstable.describe_doubt(finding.detail, is_gone)
    return msgspec.structs.replace(
        finding, code=found.cause, cause=found.cause, detail=found.detail, fix=found.fix, certainty="observed",
        experiment=found.experiment,
    )  # fmt: skip


def _truncate(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> tuple[Answer, int]:
    """Drop errors beyond `MAX_KEPT_ERRORS`. Returns: the answer, and the number of dropped errors."""
    lists = answer.handwritten, answer.declarative
    if max(map(len, lists)) <= MAX_KEPT_ERRORS:
        return answer, 0
    handwritten, declarative = (_truncate_list(errors, mismatch, comparator) for errors in lists)
    dropped = sum(map(len, lists)) - len(handwritten) - len(declarative)
    return msgspec.structs.replace(answer, handwritten=handwritten, declarative=declarative), dropped


def _truncate_list(
    errors: tuple[FieldError, ...], mismatch: Mismatch, comparator: Comparator
) -> tuple[FieldError, ...]:
    concerned = comparator.select(mismatch, errors[MAX_KEPT_ERRORS:])
    return (*errors[:MAX_KEPT_ERRORS], *concerned)


def _no_answers(experiments: list[Case]) -> list[Answer]:
    """Return a failure for each experiment, because the run has ended: a failure proves no cause."""
    return [Answer(one.id, failure=Failure("worker", "the run has ended")) for one in experiments]


def repairs(case: Case, errors: Sequence[FieldError], shape: Shape, harvest: Harvest) -> Iterator[tuple[Json, Json]]:
    """Yield (new, old) with errors repaired: first all errors together, then each by itself.

    Each repair is applied to both objects, and then to new alone. Callers pass a fresh harvest, so that the cause of a
    finding does not depend on what the search has seen before.
    """
    if len(errors) > 1:
        yield from _with_edits(case, fix_all(errors, case.object, shape, harvest))
    for error in errors:
        for fix in islice(fixes(error, case.object, shape, harvest), tuning.MOST_REPAIRS):
            yield from _with_edits(case, [fix])


def _with_edits(case: Case, edits: Sequence[Edit]) -> Iterator[tuple[Json, Json]]:
    new, old = apply_all(edits, case.object), case.old if case.old is None else apply_all(edits, case.old)
    if old is not None:
        yield new, old
    yield new, case.old


REPETITIONS, REPETITIONS_WHEN_FLAKY = 8, 24
"""How often a reduced case is asked again: usually, and once any case of the unit is known to get different answers.
With three different answers in ten, one unstable case of twenty passes the first check, and one of five thousand the
second."""

UNCACHED = -1
"""The id of a case that must be asked even if its answer is cached."""

_AnswerKey: TypeAlias = tuple[object, ...]


def repeat(case: Case, times: int) -> list[Case]:
    """Return copies of a case that are asked again despite the cache."""
    return [msgspec.structs.replace(case, id=UNCACHED)] * times


def count_different(answer: Answer, others: Iterable[Answer]) -> int:
    """Count the answers with other errors. Details, values and order are ignored: Go iterates maps in any order."""
    first = _answer_key(answer)
    return sum(_answer_key(other) != first for other in others)


def _answer_key(answer: Answer) -> _AnswerKey:
    if answer.failure is not None:
        return answer.failure.stage, answer.failure.panic, *(one.signature for one in failed(answer.failure))
    versions = [(version, _keys(errors)) for version, errors in sorted(answer.versions.items())]
    return _keys(answer.handwritten), _keys(answer.declarative), *versions


def _keys(errors: Sequence[FieldError]) -> _AnswerKey:
    return tuple(sorted((e.type, canonical_path(e.field), e.origin, e.covered, e.level) for e in errors))
