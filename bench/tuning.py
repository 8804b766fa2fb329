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
    ("harness.engine.boundaryphase", "company"),
    ("harness.engine.boundaryphase", "kin"),
    ("harness.engine.boundaryphase", "twins"),
    ("harness.engine.boundaryphase", "turns_of"),
    ("harness.engine.boundaryphase", "crossed"),
    ("harness.engine.boundaryphase", "follow_ups"),
    ("harness.engine.followups", "kin"),
    ("harness.engine.followups", "company"),
    ("harness.engine.growthphase", "borrow"),
    ("harness.engine.growthphase", "slimmer"),
    ("harness.engine.shrinkphase", "transplants"),
)
"""What makes cases and can do without: module and function. Switched off, a function makes nothing."""
KINDS = ("certificatesigningrequests", "resourceclaims", "cronjobs")
"""Kinds of a release: small, with many rules, and one that holds a pod."""
CASES, RELEASE_CASES = 6_000, 60_000


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
    specs = [suite] if kubernetes is None else [SubjectSpec("kubernetes", kubernetes)]
    cases, kinds = (CASES, ()) if kubernetes is None else (RELEASE_CASES, KINDS)
    lines = []
    for variant in variants():
        began = time.perf_counter()
        with variant.changed():
            results = [
                run(spec, RunConfig(
                    seed=seed, budget=Budget(None, cases), kinds=kinds, observers=rule_observers(spec)
                ))
                for spec in specs
            ]  # fmt: skip
        lines.append(_line(variant.name, results, time.perf_counter() - began))
    return Section("What is each constant of the search worth?", "cases", tuple(lines))


def _line(name: str, results: list[Result], seconds: float) -> Measured:
    fired = sum(
        bool(sight.seen & FIRED)
        for one in results
        for seen in one.observed.get(NAME, ())
        for sight in seen.rules.values()
    )
    more: dict[str, int | str] = {
        "rules fired": fired,
        "paths accepted": sum(kind.accepted_paths for one in results for kind in one.kinds),
        "findings": sum(len(one.findings) for one in results),
    }
    return Measured(name, sum(one.cases for one in results), seconds, more=more)


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, tuple):
        return tuple(_scaled(one, factor) for one in value)
    return max(1, round(value * factor)) if isinstance(value, int) else value * factor


def _nothing(*_arguments: Any, **_named: Any) -> list[Any]:
    return []
