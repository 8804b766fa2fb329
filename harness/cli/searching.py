"""What commands that search have in common: seed, budget, processes and what is searched."""

from __future__ import annotations

import math
import os
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from harness.cli.configuration import typed
from harness.diagnostics import UsageError
from harness.events import Budget
from harness.subject import Example, SubjectSpec, read_examples
from harness.subject.opening import kind_of

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_CASES = 20_000
"""Cases for each suite when no budget is given."""
DEFAULT_SECONDS = 120.0
"""Seconds for a release or a program when no budget is given."""
RECORDED_SECONDS = 3600.0
"""Seconds for a recording, which ends by itself, when no budget is given."""

ALL_SUBJECTS = "Total budget of all subjects, without building."


class Seconds(click.FloatRange):
    """A time that can be waited for: more than nothing, and less than a year."""

    def __init__(self) -> None:
        super().__init__(min=0, max=31_536_000, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a number. Fails for what is none, such as nan."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value!r} is no time", param, ctx)
        return seconds


def search_options(
    cases: str, seconds: str = ALL_SUBJECTS, jobs: str = "Worker processes. Default: one per core, at most 4."
) -> Callable[[F], F]:
    """Add --seed, --max-time, --max-cases and --jobs; the texts say what the budgets are of."""

    def add(function: F) -> F:
        for option in (
            click.option("--jobs", type=click.IntRange(min=1), default=None, help=jobs),
            click.option("--max-cases", type=click.IntRange(min=1), metavar="N", help=cases),
            click.option("--max-time", type=Seconds(), metavar="SECONDS", help=seconds),
            click.option("--seed", default="1", show_default=True, help='A number, or "random".'),
        ):
            function = option(function)
        return function

    return add


def example_option(function: F) -> F:
    """Add --example, as `examples`: the objects themselves. A file that cannot be used ends the command at once."""

    def read(context: click.Context, option: click.Parameter, places: tuple[Path, ...]) -> tuple[Example, ...]:
        return read_examples(places)

    text = "Seed objects, or pairs of old and new, as YAML or JSON; repeatable."
    option = click.option(
        "--example", "examples", multiple=True, type=click.Path(path_type=Path), metavar="FILE|DIR", callback=read,
        help=text,
    )  # fmt: skip
    return option(function)


def kind_option(function: F) -> F:
    """Add --kind, as `kinds`."""
    text = 'Only kinds such as "deployments", "apps/*", "*/status".'
    return click.option("--kind", "kinds", multiple=True, metavar="PATTERN", help=text)(function)


def lane_options(function: F) -> F:
    """Add --kind and --operation, as `kinds` and `operations`."""
    wanted = click.Choice(["create", "update"])
    text = "Only this operation."
    return kind_option(click.option("--operation", "operations", multiple=True, type=wanted, help=text)(function))


def cores() -> int:
    """How many processes are sensible: the cores that this process may use, at most 4."""
    usable = getattr(os, "sched_getaffinity", None)
    return min(4, len(usable(0)) if usable else os.cpu_count() or 1)


def budget_of(specs: Sequence[SubjectSpec], max_time: float | None, max_cases: int | None) -> Budget:
    """Return the budget for each of some subjects of one sort. Raises: UsageError."""
    if specs[0].handwritten is not None:
        if len(specs) > 1:
            raise UsageError("a recording is of one subject\n  fix: name one target")
        if typed("max_cases", max_cases) is not None:
            raise UsageError(
                "a recording is asked whole, whatever its number of cases\n"
                "  fix: leave --max-cases out; --kind, --operation and --max-time narrow what is asked"
            )
        return Budget(max_time or RECORDED_SECONDS, None)
    if max_time is None and max_cases is None:
        return Budget(None, DEFAULT_CASES) if kind_of(specs[0].kind).is_quick else Budget(DEFAULT_SECONDS, None)
    return Budget(max_time / len(specs) if max_time else None, max_cases)


def seed_of(text: str) -> int:
    """Read --seed. Raises: UsageError."""
    if text == "random":
        return random.SystemRandom().randrange(1 << 31)
    try:
        return int(text)
    except ValueError:
        raise UsageError(f'--seed wants a number or "random", got {text!r}') from None


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Take SIGTERM for Ctrl-C: a CI server that runs out of patience sends it, and wants its report."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
