"""What the parts of a run found, asked again under the gates of the other parts: there it shows too, or it does not.

Each finding is told in one part alone, the first that found it, and says under which parts it shows. Where another part
sees both sides report the error, a feature gate is what makes the difference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import msgspec

from harness.case import Answer, Case
from harness.compare import remedies
from harness.compare.comparator import Comparator
from harness.compare.finding import SEVERITIES, Finding
from harness.compare.mismatch import canonical_path
from harness.diagnostics import HarnessError
from harness.engine.jobs import Opener
from harness.engine.local import Order
from harness.engine.plan import key_of
from harness.errormatch.trusted import all_wordings
from harness.events import Event, Noted, Result
from harness.field import FieldError
from harness.subject import Subject, SubjectSpec

_SILENCE = frozenset({"no-rule", "no-twin", "boundary", "unknown"})
"""Causes that say no more than that one side is silent: a gate that makes it speak explains more."""


@dataclass(slots=True)
class Across:
    """Looks at the results of all parts together. `shown` and `agreeing` name parts by fingerprint."""

    order: Order
    on_event: Callable[[Event], None]
    opener: Opener
    shown: dict[str, dict[str, Finding]] = field(default_factory=lambda: defaultdict(dict))
    agreeing: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def told(self, results: Sequence[Result], specs: Sequence[SubjectSpec]) -> tuple[Result, ...]:
        """Return the results with every finding told once.

        A part that cannot be opened any more says nothing of the findings of others.
        """
        for result in results:
            for finding in result.findings:
                self.shown[finding.fingerprint][result.part] = finding
        if not any(result.stopped == "interrupted" for result in results):
            for result, spec in zip(results, specs, strict=True):
                self._ask_part(result, spec)
        return tuple(self._once(result) for result in results)

    def _ask_part(self, result: Result, spec: SubjectSpec) -> None:
        others = [next(iter(by.values())) for by in self.shown.values() if result.part not in by]
        others = [one for one in others if one.case.object is not None]
        if not others:
            return
        try:
            with closing(self.opener(spec, lambda text: self.on_event(Noted(text)))) as subject:
                self._ask(subject, result.part, others)
        except HarnessError as error:
            self.on_event(Noted(f"{result.part} was not asked about the findings of other parts: {error}"))

    def _ask(self, subject: Subject, part: str, findings: Sequence[Finding]) -> None:
        infos = {info.key: info for info in subject.target.info.kinds}
        asked = [finding for finding in findings if key_of(finding.case) in infos]
        wordings = all_wordings(self.order.trusted)
        answers = subject.target.ask([_as_found(finding) for finding in asked])
        for finding, answer in zip(asked, answers, strict=True):
            info = infos[key_of(finding.case)]
            known = subject.is_known_path(info)
            comparator = Comparator(info, is_known_path=known, trusted=wordings, ends=subject.ends)
            signature = (finding.mismatch, finding.path, finding.type, finding.origin, finding.side)
            if any(one.signature == signature for one in comparator.compare(finding.case, answer)):
                self.shown[finding.fingerprint][part] = finding
            elif _both_report(finding, answer):
                self.agreeing[finding.fingerprint].append(part)

    def _once(self, result: Result) -> Result:
        mine = [one for one in result.findings if next(iter(self.shown[one.fingerprint])) == result.part]
        return msgspec.structs.replace(result, findings=tuple(self._merged(one.fingerprint) for one in mine))

    def _merged(self, name: str) -> Finding:
        by = self.shown[name]
        own = {id(one): one for one in by.values()}.values()
        finding = msgspec.structs.replace(
            min(own, key=lambda one: SEVERITIES.index(one.severity)),
            occurrences=sum(one.occurrences for one in own),
            parts=tuple(by),
        )
        agreeing = self.agreeing.get(name)
        if not agreeing or finding.cause not in _SILENCE:
            return finding
        return msgspec.structs.replace(
            finding,
            code="gate",
            cause="gate",
            detail=f"{finding.detail}; with {' or with '.join(agreeing)} both sides report it",
            fix=remedies.same_gate(finding.path),
        )


def _as_found(finding: Finding) -> Case:
    kind = finding.mismatch
    return msgspec.structs.replace(
        finding.case, served=kind == "composition", versions=kind == "version", repeat=kind == "self"
    )


def _both_report(finding: Finding, answer: Answer) -> bool:
    def reports(errors: Sequence[FieldError]) -> bool:
        wanted = (finding.type, finding.origin, finding.path)
        return any((error.type, error.origin, canonical_path(error.field)) == wanted for error in errors)

    return answer.failure is None and reports(answer.handwritten) and reports(answer.declarative)
