"""What the parts of a run found, asked again under the gates of the other parts: there it shows too, or it does not.

Each finding is told in one part alone, the first that found it, and says under which parts it shows. Where another part
sees both sides report the error, a feature gate is what makes the difference. A part is asked once, with each case as
it was found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from harness.case import Answer, Case
from harness.compare import remedies
from harness.compare.comparator import Comparator
from harness.compare.finding import SEVERITIES, Finding
from harness.diagnostics import HarnessError
from harness.engine.plan import key_of
from harness.errormatch.trusted import all_wordings
from harness.events import Event, Noted, Result
from harness.field import FieldError
from harness.jsonpath import canonical_path
from harness.subject import Subject

Showing: TypeAlias = Literal["shown", "agreeing", ""]
"""The difference shows too, or both sides report the error; else nothing is said."""


def find_showings(subject: Subject, findings: Sequence[Finding], trusted: Path | None) -> list[Showing]:
    """Ask a subject about findings of others. Returns: one for each, in order. Raises: TargetError."""
    infos = {info.key: info for info in subject.target.info.kinds}
    asked = [finding for finding in findings if key_of(finding.case) in infos]
    wordings = all_wordings(trusted)
    comparators = {
        key: Comparator(
            infos[key], is_known_path=subject.is_known_path(infos[key]), trusted=wordings, ends=subject.ends
        )
        for key in dict.fromkeys(key_of(finding.case) for finding in asked)
    }
    found: dict[int, Showing] = {}
    for finding, answer in zip(asked, subject.target.ask([_as_found(one) for one in asked]), strict=True):
        comparator = comparators[key_of(finding.case)]
        signature = (finding.mismatch, finding.path, finding.type, finding.origin, finding.side)
        if any(one.signature == signature for one in comparator.compare(finding.case, answer)):
            found[id(finding)] = "shown"
        elif _both_report(finding, answer):
            found[id(finding)] = "agreeing"
    return [found.get(id(finding), "") for finding in findings]


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


Asker: TypeAlias = Callable[[Sequence[Finding]], list[Showing]]
"""Asks a part about findings of others. Raises: HarnessError."""

_SILENCE = frozenset({"no-rule", "no-counterpart", "boundary", "unknown"})
"""Causes that say no more than that one side is silent: a gate that makes it speak explains more."""


@dataclass(slots=True)
class GateCheck:
    """Looks at the results of all parts together. `shown` and `agreeing` name parts by fingerprint."""

    on_event: Callable[[Event], None]
    shown: dict[str, dict[str, Finding]] = field(default_factory=lambda: defaultdict(dict))
    agreeing: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def merge(self, results: Sequence[Result], askers: Sequence[Asker]) -> tuple[Result, ...]:
        """Return the results with every finding told once. `askers` ask the part of each result.

        A part that cannot be asked any more says nothing of the findings of others.
        """
        for result in results:
            for finding in result.findings:
                self.shown[finding.fingerprint][result.part] = finding
        if not any(result.stopped == "interrupted" for result in results):
            for result, ask in zip(results, askers, strict=True):
                self._ask_part(result, ask)
        return tuple(self._once(result) for result in results)

    def _ask_part(self, result: Result, ask: Asker) -> None:
        others = [next(iter(by.values())) for by in self.shown.values() if result.part not in by]
        others = [one for one in others if one.case.object is not None]
        if not others:
            return
        try:
            said = ask(others)
        except HarnessError as error:
            self.on_event(Noted(f"{result.part} was not asked about the findings of other parts: {error}"))
            return
        for finding, showing in zip(others, said, strict=True):
            if showing == "shown":
                self.shown[finding.fingerprint][result.part] = finding
            elif showing == "agreeing":
                self.agreeing[finding.fingerprint].append(result.part)

    def _once(self, result: Result) -> Result:
        mine = [one for one in result.findings if next(iter(self.shown[one.fingerprint])) == result.part]
        return msgspec.structs.replace(result, findings=tuple(self._merge(one.fingerprint) for one in mine))

    def _merge(self, name: str) -> Finding:
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
