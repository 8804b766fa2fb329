"""What does it cost to have the validators of a whole API? Compiled from its types, and taken from the cache."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from bench.record import Measured, Section
from harness.compiler import Validators
from harness.diagnostics import TargetError
from harness.subject.api import Api, ApiPackage, open_api
from harness.tags.custom_kubernetes import CustomFunctions

Make = Callable[[Api, ApiPackage], Validators]


def measure(path: Path, kubernetes: str | None, seconds: float) -> Section:
    """Measure a folder of types, or a release in its place; files are read anew each time."""
    question, unit = "What does it cost to have the validators of an API?", "packages"
    try:
        lines = [
            _measured("compiled from types", path, kubernetes, seconds, lambda a, p: a.compile(p, CustomFunctions())),
            _measured("from the cache", path, kubernetes, seconds, lambda a, p: a.validators(p, CustomFunctions())),
        ]
    except TargetError as error:
        return Section(question, unit, (), (f"kubernetes: {kubernetes}: {error.message}",))
    return Section(question, unit, tuple(lines))


def _measured(name: str, path: Path, kubernetes: str | None, seconds: float, make: Make) -> Measured:
    api = ""
    rounds, count, spent = 0, 0, 0.0
    _have(path, kubernetes, make)
    while spent < seconds or not rounds:
        begin = time.perf_counter()
        api, made = _have(path, kubernetes, make)
        spent += time.perf_counter() - begin
        rounds, count = rounds + 1, count + made
    return Measured(f"{name}: {api}", count, spent, more={"ms for all": round(1000 * spent / rounds)})


def _have(path: Path, kubernetes: str | None, make: Make) -> tuple[str, int]:
    """Return the API's name and how many packages were made."""
    api = open_api(kubernetes=kubernetes) if kubernetes else open_api(path)
    made = [make(api, package) for package in api.packages if package.generates]
    return api.name, len(made)
