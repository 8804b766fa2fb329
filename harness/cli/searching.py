"""Defines the options of commands that search: seed, budget, processes, examples, kinds and operations."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from harness.cli.configuration import typed
from harness.diagnostics import Diagnostic, InputError, Position, UsageError
from harness.events import Budget
from harness.report.escaping import count
from harness.stored.bases import choose_bases
from harness.stored.dumps import read_audit_logs, read_dumps
from harness.stored.storedobject import Reading
from harness.subject import Example, SubjectSpec, read_examples
from harness.subject.opening import kind_of

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_CASES = 20_000
"""The number of cases for each suite if no budget is given."""
DEFAULT_SECONDS = 120.0
"""The time for a release or a program if no budget is given. Units: seconds."""
RECORDED_SECONDS = 3600.0
"""The time limit for a recording if none is given; a run ends before it, after all cases. Units: seconds."""

ALL_SUBJECTS = "Total budget of all subjects, without building."


class Seconds(click.FloatRange):
    """A positive time of at most a year. Units: seconds."""

    def __init__(self) -> None:
        super().__init__(min=0, max=31_536_000, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a number. Fails for NaN, which the range does not exclude."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value!r} is not a time", param, ctx)
        return seconds


def search_options(
    cases: str, seconds: str = ALL_SUBJECTS, jobs: str = "Worker processes. Default: one per core, at most 4."
) -> Callable[[F], F]:
    """Add --seed, --max-time, --max-cases and --jobs. The arguments are help texts of these options."""

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
    """Add --example, as `examples`, with the objects of the files. An unreadable file fails before the search."""

    def read(context: click.Context, option: click.Parameter, files: tuple[Path, ...]) -> tuple[Example, ...]:
        return read_examples(files)

    text = "Seed objects, or pairs of old and new, as YAML or JSON; repeatable."
    option = click.option(
        "--example", "examples", multiple=True, type=click.Path(path_type=Path), metavar="FILE|DIR", callback=read,
        help=text,
    )  # fmt: skip
    return option(function)


def objects_option(function: F) -> F:
    """Add --objects and --audit-log, as `objects` and `requests`: what a cluster stores, and what it was sent.

    A damaged file fails before the search.
    """

    def read(context: click.Context, option: click.Parameter, files: tuple[Path, ...]) -> tuple[Example, ...]:
        if not files:
            return ()
        reading = Reading()
        chosen = choose_bases((read_dumps if option.name == "objects" else read_audit_logs)(files, reading))
        if reading.problems or not chosen:
            none = Diagnostic(Position(str(files[0])), "dump-empty", "it has no object", fix="name a dump with objects")
            raise InputError(reading.problems or [none])
        words = (
            f"{option.opts[0]}: {len(chosen):,} of {count(reading.objects, 'object')} are used, those with other fields"
        )
        click.echo(words, err=True)
        return chosen

    file = click.Path(path_type=Path)
    text = "Requests to start from, of an audit log of level RequestResponse; repeatable."
    log = click.option("--audit-log", "requests", multiple=True, type=file, metavar="FILE", callback=read, help=text)
    text = "Objects of a cluster to start from, as `kubectl get -o yaml` writes them; repeatable."
    return click.option("--objects", multiple=True, type=file, metavar="FILE|DIR", callback=read, help=text)(
        log(function)
    )


def kind_option(function: F) -> F:
    """Add --kind, as `kinds`."""
    text = 'Only kinds such as "deployments", "apps/*", "*/status".'
    return click.option("--kind", "kinds", multiple=True, metavar="PATTERN", help=text)(function)


def selection_options(function: F) -> F:
    """Add --kind and --operation, as `kinds` and `operations`."""
    choice = click.Choice(["create", "update"])
    text = "Only this operation."
    return kind_option(click.option("--operation", "operations", multiple=True, type=choice, help=text)(function))


def cores() -> int:
    """Return the default number of processes: the number of cores that this process may use, at most 4."""
    usable = getattr(os, "sched_getaffinity", None)
    return min(4, len(usable(0)) if usable else os.cpu_count() or 1)


def budget_of(specs: Sequence[SubjectSpec], max_time: float | None, max_cases: int | None) -> Budget:
    """Return the budget for each of some subjects of the same kind. Raises: UsageError."""
    if specs[0].handwritten is not None:
        if len(specs) > 1:
            raise UsageError("a recording has the answers of one subject\n  fix: name one target")
        if typed("max_cases", max_cases) is not None:
            raise UsageError(
                "all cases of a recording are asked, so --max-cases has no effect\n"
                "  fix: omit --max-cases; limit the run with --kind, --operation or --max-time"
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
        raise UsageError(f'--seed must be a number or "random", got {text!r}') from None
