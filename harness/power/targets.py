"""Mutation testing of a target whose validators cannot be changed: one run, with filters that change its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from harness import engine
from harness.engine import RunConfig
from harness.events import Event, Result
from harness.power.filters import RuleKey
from harness.power.mutant import Record
from harness.power.observer import Power, location_of, records_of_silent_rule
from harness.rulecov.inventory import KnownRule
from harness.subject import SubjectSpec

NAME = "power"


def run_filters(
    parts: Sequence[SubjectSpec], config: RunConfig, on_event: Callable[[Event], None]
) -> tuple[list[Result], tuple[Record, ...]]:
    """Run, and return the results and the record of each mutant of the rules that fired.

    `parts` are one target under several feature gates; a mutant that one part kills is killed. The observers of
    `config` are those of an ordinary run, because their aims are part of the search. Raises: HarnessError.
    """
    observers = {NAME: Power(config.trusted), **config.observers}
    results = engine.run_parts(parts, replace(config, observers=observers), on_event)
    return list(results), records_of(results)


def records_of(results: Iterable[Result]) -> tuple[Record, ...]:
    """Return the record of each mutant of the rules that fired, of the parts of a run with the observer `Power`."""
    found: dict[str, Record] = {}
    for result in results:
        for record in (record for outcome in result.observed[NAME] for record in outcome):
            known = found.get(record.name)
            if known is None or known.state != "killed":
                found[record.name] = record
    return tuple(found.values())


def find_unfired(rules: Iterable[KnownRule], results: Sequence[Result], seen: Sequence[Record]) -> tuple[Record, ...]:
    """Return the records of the mutants of declared rules of the searched types that never fired."""
    kinds = {one.kind.type: one.kind for result in results for one in result.kinds}
    met = {(record.location, record.rule) for record in seen}
    found: dict[str, Record] = {}
    for known in rules:
        info, rule = kinds.get(known.type), known.rule
        if info is not None:
            locations = [location_of(info, path) for path in known.places or (rule.path,)]
            words = RuleKey(rule.path, rule.type, rule.origin, rule.level).words
            if not any((location, words) in met for location in locations):
                found |= {record.name: record for record in records_of_silent_rule(locations[0], words)}
    return tuple(found.values())
