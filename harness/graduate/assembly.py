"""Makes the certificates from the results of a run: evidence summed over its parts, findings at each rule's path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from harness.case import Case, kind_name
from harness.compare.comparator import is_unchanged
from harness.compare.finding import Finding
from harness.errormatch.matcher import matcher_for
from harness.errormatch.trusted import Wordings
from harness.events import KindReport, Result
from harness.graduate.after import EFFECTS, RuleErrors, compare_after
from harness.graduate.document import Certificate, ChangeShown, CheckSource, FindingAt
from harness.graduate.empties import LateProbes, effects_of
from harness.graduate.markers import Marker, RuleName, rule_name, tag_on_line
from harness.graduate.observer import NAME, Asked, ShownEffect, Watched, name_of_effect, worst
from harness.graduate.verdict import Evidence, decide
from harness.jsonpath import canonical_path
from harness.rulecov.inventory import Inventory, KnownRule
from harness.rulecov.unfireable import reasons_for

SEVERE = ("verdict", "graduation", "visible")
"""A finding of these severities about the error of a rule is a change, whatever the observer saw."""
_EARLY = {
    "interrupted": "it was interrupted", "internal-error": "a search ended by an error",
    "target-lost": "the target was lost",
}  # fmt: skip


@dataclass(frozen=True)
class RunEvidence:
    """The results of a run in all of its parts, with the rules that were chosen and all that are declared.

    `unserved` are the types of versions that are registered and not served, which were not searched.
    """

    results: Sequence[Result]
    chosen: Mapping[str, tuple[KnownRule, ...]]
    inventory: Inventory
    trusted: Wordings
    sources: Mapping[tuple[str, int], CheckSource]
    markers: Mapping[RuleName, tuple[Marker, ...]]
    unserved: Collection[str] = ()
    late: Mapping[tuple[str, int], Sequence[LateProbes]] = field(default_factory=dict)

    def certificates(self) -> Iterator[Certificate]:
        """Yield the certificate of every chosen rule, in order."""
        for type_, rules in self.chosen.items():
            for number, known in enumerate(rules):
                yield self._certify(type_, number, known)

    def watched(self, type_: str, number: int) -> Watched | None:
        """Return what all units of all parts show of a rule; None if no unit takes its type."""
        total: Watched | None = None
        for one in self._watched.get((type_, number), ()):
            total = _copy(one) if total is None else _sum(total, one)
        return total

    @cached_property
    def _watched(self) -> dict[tuple[str, int], list[Watched]]:
        found: dict[tuple[str, int], list[Watched]] = {}
        for result in self.results:
            for unit in result.observed[NAME]:
                for number, watched in unit.rules.items():
                    found.setdefault((unit.type, number), []).append(watched)
        return found

    def _certify(self, type_: str, number: int, known: KnownRule) -> Certificate:
        rule, seen = known.rule, self.watched(type_, number)
        late = self.late.get((type_, number), ())
        if seen is not None:
            for probes in late:
                for effect, shown in effects_of(probes).items():
                    seen.shown[effect] = seen.shown[effect].joined(shown) if effect in seen.shown else shown
        findings = list(self._findings(known))
        enforced = seen is None or seen.enforced
        change = self._change(known, seen, findings) if enforced else None
        kinds = [one for result in self.results for one in result.kinds if one.kind.type == type_]
        info = kinds[0].kind if kinds else None
        group = info.group if info is not None else rule.group
        version = info.version if info is not None else rule.version
        key = group, version, rule.kind, rule.path, rule.type, rule.origin
        evidence = Evidence(
            level=rule.level,
            asked=tuple(seen.asked.values()) if seen is not None else (),
            change=change,
            has_limit=known.limit is not None,
            update_only=known.update,
            searched=seen is not None,
            served=type_ not in self.unserved,
            enforced=enforced,
            crashes=seen.crashes if seen is not None else 0,
            stopped_early=self._stopped_early,
            incomplete=tuple(_incomplete(kinds)),
            unheard=tuple(sorted(set().union(*(probes.unheard for probes in late)))),
            cannot=reasons_for(self.results[0].target.release).get(key, ""),
        )
        verdict, missing = decide(evidence)
        markers = self.markers.get(rule_name(known), ())
        return Certificate(
            group, version, rule.kind, rule.path, rule.type, rule.origin, rule.level,
            tag_on_line(known, self.markers), known.limit, verdict, missing, change, evidence.asked,
            tuple(FindingAt(
                one.fingerprint, one.severity, one.code, one.mismatch, one.operation, one.path, one.detail
            ) for one in findings),
            self.sources.get((type_, number)), tuple(one.line for one in markers), _effects(change, seen),
        )  # fmt: skip

    @property
    def _stopped_early(self) -> str:
        stopped = next((one.stopped for one in self.results if one.stopped in _EARLY), "")
        return _EARLY.get(stopped, stopped)

    # Findings

    @cached_property
    def _declared(self) -> Mapping[str, frozenset[tuple[str, str, str]]]:
        """The errors that rules of a type declare, so that a finding about another rule of the path is left to it."""
        found: dict[str, set[tuple[str, str, str]]] = {}
        for known in self.inventory.rules:
            for place in known.places:
                found.setdefault(known.type, set()).add((place, known.rule.type, known.rule.origin))
        return {name: frozenset(keys) for name, keys in found.items()}

    @cached_property
    def _findings_by_type(self) -> Mapping[str, list[Finding]]:
        types = {one.kind.key: one.kind.type for result in self.results for one in result.kinds}
        found: dict[str, list[Finding]] = {}
        for result in self.results:
            for one in result.findings:
                type_ = types.get((one.group, one.version, one.resource, one.subresource), "")
                found.setdefault(type_, []).append(one)
        return found

    def _findings(self, known: KnownRule) -> Iterator[Finding]:
        """Yield the findings at the paths of a rule, but for those about another declared rule."""
        places = set(known.places)
        for one in self._findings_by_type.get(known.type, ()):
            path = canonical_path(one.path)
            own = (one.type, one.origin) == (known.rule.type, known.rule.origin)
            is_of_other = (path, one.type, one.origin) in self._declared.get(known.type, frozenset()) and not own
            if path in places and not is_of_other:
                yield one

    def _change(self, known: KnownRule, seen: Watched | None, findings: Sequence[Finding]) -> ChangeShown | None:
        """Return the worst change, on a reduced object of a finding where one shows it."""
        reduced = [found for one in findings if (found := self._reduced(known, one)) is not None]
        shown = worst(seen.shown) if seen is not None else None
        if shown is not None:
            same = [one for one in reduced if (one.effect, one.ratcheting) == (shown.effects.effect, shown.ratcheting)]
            return _with_times(same[0], shown.times) if same else _of_shown(shown)
        if reduced:
            return min(reduced, key=lambda one: EFFECTS.index(one.effect) if one.effect in EFFECTS else len(EFFECTS))
        severe = next((one for one in findings if one.severity in SEVERE), None)
        return None if severe is None else _of_finding(severe)

    def _reduced(self, known: KnownRule, finding: Finding) -> ChangeShown | None:
        info = next(
            (
                one.kind
                for result in self.results
                for one in result.kinds
                if one.kind.key == (finding.group, finding.version, finding.resource, finding.subresource)
            ),
            None,
        )
        answer = finding.answer
        if info is None or answer.failure is not None or answer.unreachable or not info.served:
            return None
        rule, matcher = known.rule, matcher_for(info.normalization)
        errors = RuleErrors.of(known.places, rule.type, rule.origin, rule.level, matcher)
        effects = compare_after(answer.handwritten, answer.declarative, errors, info, self.trusted)
        if effects is None:
            return None
        return ChangeShown(
            effects.effect, effects.setting, effects.today, effects.after, info.name, finding.operation,
            finding.case.object, finding.case.old, is_unchanged(finding.case, finding.path), 1, finding.fingerprint,
            finding.code, finding.detail, finding.fix,
        )  # fmt: skip


def _effects(change: ChangeShown | None, seen: Watched | None) -> dict[str, int]:
    """Return every effect that was seen, with the number of answers, the worst first."""
    shown = sorted(seen.shown.values(), key=lambda one: EFFECTS.index(one.effects.effect)) if seen is not None else []
    known = {one.name: one.times for one in shown}
    return known or ({} if change is None else {name_of_effect(change.effect, change.ratcheting): change.times})


def _with_times(change: ChangeShown, times: int) -> ChangeShown:
    return msgspec.structs.replace(change, times=times)


def _of_shown(shown: ShownEffect) -> ChangeShown:
    case, effects = shown.case, shown.effects
    return ChangeShown(
        effects.effect, effects.setting, effects.today, effects.after, _request_of(case), str(case.operation),
        case.object, case.old, shown.ratcheting, shown.times,
    )  # fmt: skip


def _of_finding(finding: Finding) -> ChangeShown:
    case, ratcheting = finding.case, is_unchanged(finding.case, finding.path)
    return ChangeShown(
        "finding", "", (), (), _request_of(case), finding.operation, case.object, case.old, ratcheting,
        finding.occurrences, finding.fingerprint, finding.code, finding.detail, finding.fix,
    )  # fmt: skip


def _request_of(case: Case) -> str:
    return kind_name(case.group, case.version, case.resource, case.subresource)


def _copy(one: Watched) -> Watched:
    asked = {
        name: Asked(*(getattr(known, field) for field in Asked.__struct_fields__)) for name, known in one.asked.items()
    }
    return Watched(asked, dict(one.shown), one.example, one.enforced, one.crashes, list(one.compared))


def _sum(total: Watched, other: Watched) -> Watched:
    for name, asked in _copy(other).asked.items():
        if name in total.asked:
            total.asked[name].add(asked)
        else:
            total.asked[name] = asked
    for effect, shown in other.shown.items():
        known = total.shown.get(effect)
        total.shown[effect] = shown if known is None else known.joined(shown)
    total.example = total.example or other.example
    total.enforced = total.enforced and other.enforced
    total.crashes += other.crashes
    for case in other.compared:
        total.keep(case)
    return total


def _incomplete(kinds: Iterable[KindReport]) -> Iterator[str]:
    """Name the requests without an accepted object in any part of the run, and searches that failed."""
    by_request: dict[str, list[KindReport]] = {}
    for one in kinds:
        by_request.setdefault(f"{one.kind.name} {one.operation}", []).append(one)
    for name, reports in by_request.items():
        error = next((one.error for one in reports if one.error), "")
        if error:
            yield f"the search of {name} was aborted: {error}"
        elif not any(one.has_seed for one in reports):
            yield f"no object was found that both sides accept for {name}"
