"""The power of a run against a target that cannot be changed: one run, every filter on every answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from harness import engine
from harness.engine import RunConfig
from harness.events import Event, Result
from harness.power.filters import RuleKey
from harness.power.observer import Power, never_fired, place_of
from harness.power.sabotage import Record
from harness.rulecov.inventory import KnownRule
from harness.subject import SubjectSpec

NAME = "power"


def look(
    parts: Sequence[SubjectSpec], config: RunConfig, on_event: Callable[[Event], None]
) -> tuple[list[Result], tuple[Record, ...]]:
    """Run, and return with the results what became of each sabotage of the rules that were seen.

    `parts` are one target under several gates: what one of them notices is noticed. The onlookers of `config` are those
    of an ordinary run: what they aim at is part of how it searches. Raises: HarnessError.
    """
    onlookers = {NAME: Power(config.trusted), **config.onlookers}
    results = engine.run_parts(parts, replace(config, onlookers=onlookers), on_event)
    found: dict[str, Record] = {}
    for result in results:
        for record in (record for outcome in result.observed[NAME] for record in outcome):
            known = found.get(record.name)
            if known is None or known.state != "noticed":
                found[record.name] = record
    return list(results), tuple(found.values())


def unseen(rules: Iterable[KnownRule], results: Sequence[Result], seen: Sequence[Record]) -> tuple[Record, ...]:
    """Return the sabotages of declared rules of the searched types that were never seen to fire."""
    kinds = {one.kind.type: one.kind for result in results for one in result.kinds}
    met = {(record.place, record.rule) for record in seen}
    found: dict[str, Record] = {}
    for known in rules:
        info, rule = kinds.get(known.type), known.rule
        if info is not None:
            places = [place_of(info, path) for path in known.places or (rule.path,)]
            words = RuleKey(rule.path, rule.type, rule.origin, rule.level).words
            if not any((place, words) in met for place in places):
                found |= {record.name: record for record in never_fired(places[0], words)}
    return tuple(found.values())
