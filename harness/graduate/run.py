"""Runs an ordinary search over the kinds that hold the chosen rules, and certifies each rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from harness import engine
from harness.case import Case, KindInfo
from harness.diagnostics import HarnessError, UsageError
from harness.engine import RunConfig
from harness.errormatch.trusted import all_wordings
from harness.events import Budget, Event, Result
from harness.graduate.assembly import RunEvidence
from harness.graduate.conclusions import with_proof
from harness.graduate.document import VERDICTS, CallsReached, Certificate, CheckSource, MarkerVerdict, ServerCounters
from harness.graduate.empties import LateProbes, ask_empties
from harness.graduate.helpers import doubt_shared
from harness.graduate.markers import Marker, markers_of_rules, rule_name
from harness.graduate.mutation import Judged, MutantSearch, WantedRule, lines_to_check, wants_mutants, with_mutants
from harness.graduate.observer import NAME, GraduationFactory
from harness.graduate.proof import Solved
from harness.graduate.reached import with_calls
from harness.graduate.servermetrics import with_counters
from harness.graduate.sources import RuleNumber, trace_checks
from harness.graduate.surroundings import ask_surroundings
from harness.graduate.versions import SharedChecks
from harness.rulecov.inventory import Inventory, KnownRule
from harness.subject import Subject, SubjectSpec, open_subject

Prove: TypeAlias = Callable[[Sequence[KnownRule], Sequence[KindInfo]], Sequence[Solved]]
"""Proves rules of the kinds that a target serves, in order."""

Reach: TypeAlias = Callable[[Sequence[Result], Sequence[KnownRule], Sequence[KindInfo]], Sequence[CallsReached]]
"""Says what a run reached of the calls that report the errors of rules, in order."""

CASES = 10_000
"""The number of cases for each resource and subresource that is searched, if no budget is given."""


@dataclass(frozen=True, slots=True)
class Graduation:
    """The results of a run, the budget that it had, and the chosen rules with a certificate for each.

    `interrupted`: the user ended the search of mutants early.
    """

    results: tuple[Result, ...]
    budget: Budget
    rules: tuple[KnownRule, ...]
    certificates: tuple[Certificate, ...]
    interrupted: bool = False


def certify(
    parts: Sequence[SubjectSpec],
    config: RunConfig,
    budget: Budget,
    rules: Sequence[KnownRule],
    inventory: Inventory,
    markers: Iterable[Marker],
    on_event: Callable[[Event], None],
    prove: Prove | None = None,
    mutants: MutantSearch | None = None,
    note: Callable[[str], None] = lambda text: None,
    servers: Sequence[ServerCounters] = (),
    reach: Reach | None = None,
) -> Graduation:
    """Search the kinds of these rules, and return a certificate for each. Raises: HarnessError."""
    by_type: dict[str, list[KnownRule]] = {}
    for known in rules:
        by_type.setdefault(known.type, []).append(known)
    chosen = {name: tuple(own) for name, own in by_type.items()}
    with open_subject(parts[-1]) as subject:  # the part with most gates serves most kinds
        kinds = [info for info in subject.target.info.kinds if info.type in chosen]
    patterns = patterns_of(info for info in kinds if info.served)
    if not patterns:
        names = ", ".join(sorted({f"{known.rule.version}/{known.rule.kind}" for known in rules}))
        raise UsageError(f"nothing that the target serves takes objects of {names}\n  fix: choose rules of other kinds")
    unserved = {info.type for info in kinds} - {info.type for info in kinds if info.served}
    if budget == Budget():
        budget = Budget(None, CASES * len(patterns))
    own = [known for every in chosen.values() for known in every]
    proofs = prove(own, kinds) if prove is not None else ()  # before the search, which takes longer
    observers = {NAME: GraduationFactory(chosen, config.trusted), **config.observers}
    if mutants is not None:
        observers.update(mutants.observers)
    results = engine.run_parts(parts, replace(config, kinds=patterns, budget=budget, observers=observers), on_event)
    by_rule = markers_of_rules(markers)
    evidence = RunEvidence(results, chosen, inventory, all_wordings(config.trusted), {}, by_rule, unserved)
    with open_subject(parts[0]) as subject:
        evidence = replace(evidence, sources=_sources(subject, evidence))
    evidence = replace(evidence, late=_late(parts, evidence))
    certificates = tuple(evidence.certificates())
    if prove is not None:
        certificates = tuple(map(with_proof, certificates, proofs))
    if reach is not None:
        certificates = tuple(map(with_calls, certificates, reach(results, own, kinds)))
    interrupted = False
    if mutants is not None and not any(one.stopped == "interrupted" for one in results):
        wanted = {
            number: WantedRule(known, _tag_lines(by_rule.get(rule_name(known), ())), lines_to_check(one))
            for number, (known, one) in enumerate(zip(own, certificates, strict=True))
            if wants_mutants(one)
        }
        try:
            judged = mutants.judge(list(wanted.values()), kinds, patterns, results, note)
        except HarnessError as error:  # what the search found is worth as much
            note(f"mutants were not judged: {error}")
            judged = Judged(((),) * len(wanted), False)
        except KeyboardInterrupt:
            judged = Judged(((),) * len(wanted), True)
        interrupted = judged.interrupted
        records = dict(zip(wanted, judged.records, strict=True))
        certificates = tuple(
            with_mutants(one, records[number], mutants.known) if number in records else one
            for number, one in enumerate(certificates)
        )
    certificates = tuple(with_counters(one, servers) for one in certificates)
    checks = SharedChecks([info for info in results[-1].target.kinds if info.served], inventory.rules)
    joined = checks.join(doubt_shared(certificates), own)
    return Graduation(tuple(results), budget, tuple(own), joined, interrupted)


def patterns_of(kinds: Iterable[KindInfo]) -> list[str]:
    """Name resources and subresources, as `--kind` does."""
    return list(
        dict.fromkeys(
            f"{info.group or 'core'}/{info.version}/" + "/".join(filter(None, (info.resource, info.subresource)))
            for info in kinds
        )
    )


def _sources(subject: Subject, evidence: RunEvidence) -> dict[RuleNumber, CheckSource]:
    examples: dict[RuleNumber, Case] = {}
    rules: dict[RuleNumber, KnownRule] = {}
    for type_, own in evidence.chosen.items():
        for number, known in enumerate(own):
            seen = evidence.watched(type_, number)
            if seen is not None and seen.example is not None:
                examples[type_, number], rules[type_, number] = seen.example, known
    return trace_checks(subject, examples, rules)


def _late(parts: Sequence[SubjectSpec], evidence: RunEvidence) -> dict[RuleNumber, list[LateProbes]]:
    """Ask in each part about empty values below what rules compare, and about other surroundings of their values.

    Rules that the run saw change something are left out.
    """
    found: dict[RuleNumber, list[LateProbes]] = {}
    for part in parts:
        with open_subject(part) as subject:
            for type_, own in evidence.chosen.items():
                for number, known in enumerate(own):
                    seen = evidence.watched(type_, number)
                    if seen is None or seen.shown:
                        continue
                    probes = [ask_surroundings(subject, known, seen, evidence.trusted)]
                    if known.update or seen.compared:
                        probes.append(ask_empties(subject, known, seen, evidence.trusted))
                    found.setdefault((type_, number), []).extend(probes)
    return found


def _tag_lines(markers: Iterable[Marker]) -> frozenset[str]:
    return frozenset(f"{one.position.file}:{one.position.line}" for one in markers)


def judge_markers(
    markers: Iterable[Marker], certificates: Iterable[Certificate], levels: Sequence[str]
) -> tuple[MarkerVerdict, ...]:
    """Return the verdict on each line of these levels: the worst of its rules."""
    verdicts: dict[str, list[str]] = {}
    for one in certificates:
        for line in one.markers:
            verdicts.setdefault(line, []).append(one.verdict)
    found = []
    for marker in markers:
        if marker.level in levels:
            own = verdicts.get(marker.line, [])
            worst = next((verdict for verdict in VERDICTS if verdict in own), None)
            found.append(MarkerVerdict(
                marker.group, marker.line, marker.tag, worst or ("unknown" if marker.rules else "no error")
            ))  # fmt: skip
    return tuple(found)
