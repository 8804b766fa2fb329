"""The power of a run against a target that cannot be changed: one run, every filter on every answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from harness import engine
from harness.events import Budget, Event, Result
from harness.power.filters import RuleKey
from harness.power.looking import Power, never_fired
from harness.power.record import Record
from harness.rulecov.declared import DeclaredRule
from harness.subject import SubjectSpec


def look(
    spec: SubjectSpec,
    *,
    seed: int,
    budget: Budget,
    jobs: int,
    kinds: Sequence[str],
    trusted: Path | None,
    on_event: Callable[[Event], None],
) -> tuple[Result, tuple[Record, ...]]:
    """Run, and return with the result what became of each sabotage of the rules that were seen.

    Raises: HarnessError.
    """
    result = engine.run(
        spec, seed=seed, budget=budget, jobs=jobs, kinds=kinds, trusted=trusted, on_event=on_event,
        onlookers={"power": Power(trusted)},
    )  # fmt: skip
    return result, tuple(record for outcome in result.observed["power"] for record in outcome)


def unseen(declared: Iterable[DeclaredRule], result: Result, seen: Sequence[Record]) -> tuple[Record, ...]:
    """Return the sabotages of declared rules of the searched kinds that were never seen to fire."""
    kinds = {(one.kind.group, one.kind.version, one.kind.kind): one.kind.api_version for one in result.kinds}
    met = {(record.place, record.rule) for record in seen}
    found: dict[str, Record] = {}
    for rule in declared:
        api_version = kinds.get((rule.group, rule.version, rule.kind))
        if api_version is None:
            continue
        place = f"{api_version} {rule.kind} {rule.path}".rstrip()
        words = RuleKey(rule.path, rule.type, rule.origin, rule.level).words
        if (place, words) not in met:
            found |= {record.name: record for record in never_fired(place, words)}
    return tuple(found.values())
