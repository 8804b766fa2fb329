"""What is each constant of the search worth? Each is halved and doubled, and each helper that makes cases switched off.

A search of the same seed and number of cases is a function of them, so that the numbers are the same on every machine.
Those that say whose turn it is matter under a limit of time alone: they change nothing here, and are left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

from bench.record import Measured, Section
from harness import tuning
from harness.cli.coverage import rule_observers
from harness.engine import RunConfig, run
from harness.events import Budget, Result
from harness.rulecov.observed import FIRED, NAME
from harness.subject import SubjectSpec

OF_TIME = frozenset({
    "WINDOW", "SHORT_WINDOW", "AHEAD", "UNSEEDED", "AWAITED", "HASTE", "HASTY", "USUAL_COST", "JUDGED", "EXPLAINING",
    "SATURATED", "FOCUS_SHARE", "BESIDE_EXAMPLES", "SEED_EXAMPLES",
})  # fmt: skip
"""Constants that a run of so many cases, without examples of a user's own and without a focus, does not depend on."""
HELPERS: tuple[tuple[str, str], ...] = (
    ("harness.engine.boundaryphase", "variants_of_siblings"),
    ("harness.engine.boundaryphase", "neighbours"),
    ("harness.engine.boundaryphase", "updates_with_duplicate_item"),
    ("harness.engine.boundaryphase", "updates_of_set_member"),
    ("harness.engine.boundaryphase", "cross_members"),
    ("harness.engine.boundaryphase", "follow_ups"),
    ("harness.engine.followups", "neighbours"),
    ("harness.engine.followups", "variants_of_siblings"),
    ("harness.engine.growthphase", "splice_in"),
    ("harness.engine.growthphase", "smaller_seeds"),
    ("harness.engine.shrinkphase", "transplants"),
)
"""What makes cases and can do without: module and function. Switched off, a function makes nothing."""
KINDS = (
    "certificatesigningrequests", "resourceclaims", "cronjobs", "services", "horizontalpodautoscalers", "workloads",
)  # fmt: skip
"""Kinds of a release: small ones, those with many rules, and those that hold a pod."""
CASES, RELEASE_CASES = 2_000, 30_000
"""Cases of each search: so few that it still finds something new at the end, because a longer search finds everything
whatever its constants are, and so many that each kind gets through the pass over its boundary values."""
SEEDS = 2
"""Searches for each variant, with seeds of their own: what one search finds at its end is partly chance."""


class Variant(NamedTuple):
    """A search that differs in one thing."""

    name: str
    changed: Callable[[], AbstractContextManager[Any]]


def variants() -> Iterator[Variant]:
    """Yield the search as it is, then those with one constant halved or doubled, then those without one helper."""
    yield Variant("as it is", nullcontext)
    for name, value in vars(tuning).items():
        if name.isupper() and name not in OF_TIME:
            for factor in (0.5, 2):
                new = _scaled(value, factor)
                yield Variant(f"{name} = {new}", partial(patch.object, tuning, name, new))
    for module, function in HELPERS:
        where = f"{module}.{function}"
        yield Variant(f"without {where.removeprefix('harness.')}", partial(patch, where, _nothing))


def measure(suite: SubjectSpec, kubernetes: str | None, seed: int) -> Section:
    """Search a suite, or three kinds of a release if one is named, once for each variant."""
    spec = suite if kubernetes is None else SubjectSpec("kubernetes", kubernetes)
    cases, kinds = (CASES, ()) if kubernetes is None else (RELEASE_CASES, KINDS)
    lines = []
    for variant in variants():
        began = time.perf_counter()
        with variant.changed():
            results = [
                run(spec, RunConfig(seed=one, budget=Budget(None, cases), kinds=kinds, observers=rule_observers(spec)))
                for one in range(seed, seed + SEEDS)
            ]
        lines.append(_line(variant.name, results, time.perf_counter() - began))
    return Section("What is each constant of the search worth?", "cases", tuple(lines))


def _line(name: str, results: list[Result], seconds: float) -> Measured:
    """Add up what the searches of a variant reached."""
    sights = [sight for result in results for seen in result.observed.get(NAME, ()) for sight in seen.rules.values()]
    more: dict[str, int | str] = {
        "rules fired": sum(bool(sight.seen & FIRED) for sight in sights),
        "paths accepted": sum(kind.accepted_paths for result in results for kind in result.kinds),
        "findings": sum(len(result.findings) for result in results),
    }
    return Measured(name, sum(result.cases for result in results), seconds, more=more)


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, tuple):
        return tuple(_scaled(one, factor) for one in value)
    return max(1, round(value * factor)) if isinstance(value, int) else value * factor


def _nothing(*_arguments: Any, **_named: Any) -> list[Any]:
    return []
