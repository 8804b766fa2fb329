"""Checks the findings of each part of a run under the feature gates of the other parts, and merges them.

Each finding is in the part that found it at its worst, whose answer it has, with the names of all parts that show its
difference. If both the handwritten and the declarative validators report the error in another part, the cause is a
feature gate. Each part is asked once, with the cases as they were found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from harness.case import Answer, Case
from harness.compare.causes import CAUSES, gate
from harness.compare.finding import SEVERITIES, Finding
from harness.compare.mismatch import TURNED
from harness.diagnostics import HarnessError
from harness.engine.plan import key_of
from harness.errormatch.trusted import all_wordings
from harness.events import Event, Noted, Result
from harness.field import FieldError
from harness.jsonpath import canonical_path
from harness.subject import Subject

Showing: TypeAlias = Literal["shown", "agreeing", "absent", ""]
"""The difference shows too, or both validators report the error, or the kind is not there, or none of these."""


def find_showings(subject: Subject, findings: Sequence[Finding], trusted: Path | None) -> list[Showing]:
    """Ask a subject the cases of other parts' findings. Returns: one result for each, in order. Raises: TargetError."""
    infos = {info.key: info for info in subject.target.info.kinds}
    asked = [finding for finding in findings if key_of(finding.case) in infos]
    wordings = all_wordings(trusted)
    comparators = {
        key: subject.comparator(infos[key], wordings)
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
    return [found.get(id(one), "") if key_of(one.case) in infos else "absent" for one in findings]


def _as_found(finding: Finding) -> Case:
    kind = finding.mismatch
    return msgspec.structs.replace(
        finding.case, served=kind == "composition", versions=kind == "version", repeat=kind == "self",
        compiled=kind == "generated", round_trip=kind in TURNED,
    )  # fmt: skip


def _both_report(finding: Finding, answer: Answer) -> bool:
    def reports(errors: Sequence[FieldError]) -> bool:
        wanted = (finding.type, finding.origin, finding.path)
        return any((error.type, error.origin, canonical_path(error.field)) == wanted for error in errors)

    return answer.failure is None and reports(answer.handwritten) and reports(answer.declarative)


Asker: TypeAlias = Callable[[Sequence[Finding]], list[Showing]]
"""Asks a part about findings of others. Raises: HarnessError."""

_SILENCE = frozenset(cause.code for cause in CAUSES if cause.is_silence)
"""Causes that say a validator reports nothing; a feature gate explains this better if another part reports it."""


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(f"`{part}`" for part in parts)


@dataclass(slots=True)
class GateCheck:
    """Merges the results of all parts.

    `shown`, `agreeing`, `absent` and `silent` have the parts of each finding by its fingerprint.
    """

    on_event: Callable[[Event], None]
    shown: dict[str, dict[str, Finding]] = field(default_factory=lambda: defaultdict(dict))
    agreeing: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    absent: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    silent: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def merge(self, results: Sequence[Result], askers: Sequence[Asker]) -> tuple[Result, ...]:
        """Return the results with every finding in one of them. `askers` ask the part of each result.

        A part that cannot be asked any more leaves the findings of others unchanged, and a note reports it.
        """
        for result in results:
            for finding in result.findings:
                self.shown[finding.fingerprint][result.part] = finding
        if not any(result.stopped == "interrupted" for result in results):
            for result, ask in zip(results, askers, strict=True):
                self._ask_part(result, ask)
        return tuple(self._keep_own(result) for result in results)

    def _ask_part(self, result: Result, ask: Asker) -> None:
        others = [next(iter(by.values())) for by in self.shown.values() if result.part not in by]
        others = [one for one in others if one.case.object is not None]
        if not others:
            return
        try:
            showings = ask(others)
        except HarnessError as error:
            self.on_event(Noted(f"{result.part} was not asked about the findings of other parts: {error}"))
            return
        for finding, showing in zip(others, showings, strict=True):
            if showing == "shown":
                self.shown[finding.fingerprint][result.part] = finding
            elif showing == "agreeing":
                self.agreeing[finding.fingerprint].append(result.part)
            elif showing == "absent":
                self.absent[finding.fingerprint].append(result.part)
            else:
                self.silent[finding.fingerprint].append(result.part)

    def _keep_own(self, result: Result) -> Result:
        mine = [one for one in result.findings if self._home_of(one.fingerprint) == result.part]
        return msgspec.structs.replace(result, findings=tuple(self._merge(one.fingerprint) for one in mine))

    def _home_of(self, name: str) -> str:
        """Return the part whose finding is kept: of those of the worst severity, the first that found it."""
        by = self.shown[name]
        return min(by, key=lambda part: SEVERITIES.index(by[part].severity))

    def _merge(self, name: str) -> Finding:
        by, home = self.shown[name], self._home_of(name)
        own = {id(one): one for one in by.values()}.values()
        finding = msgspec.structs.replace(
            by[home],
            occurrences=sum(one.occurrences for one in own),
            parts=tuple(sorted(by, key=lambda one: one != home)),
        )
        agreeing = self.agreeing.get(name)
        if not agreeing or finding.cause not in _SILENCE:
            others = self._describe_others(name, finding.case)
            if not others:
                return finding
            detail = f"{finding.detail}; it shows in {_listed(tuple(by))}, and {others}"
            return msgspec.structs.replace(finding, detail=detail)
        found = gate.describe_process(finding.detail, finding.path, agreeing)
        return msgspec.structs.replace(
            finding,
            code=found.cause,
            cause=found.cause,
            detail=found.detail,
            fix=found.fix,
            experiment=found.experiment,
            certainty="experiment",
        )

    def _describe_others(self, name: str, case: Case) -> str:
        """Say of the parts that do not show a difference whether they know the kind at all."""
        asked = [*self.silent.get(name, ()), *self.agreeing.get(name, ())]
        told, absent = [f"not in {_listed(asked)}"] if asked else [], self.absent.get(name)
        if absent:
            kind = f"{case.group}/{case.version} {case.resource}".removeprefix("/")
            told.append(f"{_listed(absent)} {'does' if len(absent) == 1 else 'do'} not serve {kind}")
        return ", and ".join(told)
