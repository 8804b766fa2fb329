"""Does the bias pay? Objects of our generators against plain Hypothesis strategies, judged by the same validators.

A plain strategy is what anybody would write for a type: every member optional, values of its type. What counts is not
only how many objects come in a second but how many different errors they provoke, and whether any is accepted.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st

from bench.record import Measured, Section
from harness.case import Json, KindInfo, Operation
from harness.fuzzers.edits import random_edit, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.shape import Shape
from harness.fuzzers.strategies import objects_of
from harness.subject import Subject, SubjectSpec, open_subject

BATCH = 100
_SUBSCRIPT = re.compile(r"\[[^\]]*\]")

Draws = Callable[[int], list[Json]]


def measure(suite: Path, seconds: float, seed: int) -> Section:
    """Let each generator work for so many seconds, in batches, and judge what comes."""
    with open_subject(SubjectSpec("suite", str(suite))) as subject:
        info = next(kind for kind in subject.target.info.kinds if not kind.subresource)
        examples = list(_examples(suite, info))
        shape = subject.shape(info)
        header = {"apiVersion": info.api_version, "kind": info.kind}
        plain = plain_strategy(shape).map(lambda obj: {**obj, **header})
        ours = objects_of(shape, examples=examples, header=header)
        makers: list[tuple[str, Draws]] = [
            ("plain Hypothesis strategy", partial(_hypothesis, plain, seed)),
            ("our Hypothesis strategy, objects(kind)", partial(_hypothesis, ours, seed)),
            ("edits of accepted objects, as the engine draws them", _Edits(examples, shape, seed)),
        ]
        lines = [_judged(name, draw, subject, info, seconds) for name, draw in makers]
    return Section(f"What do generated objects provoke? ({info.name} of {suite.name})", "objects", tuple(lines))


def plain_strategy(shape: Shape, depth: int = 6) -> st.SearchStrategy[Any]:
    """The strategy that a type alone suggests: every member optional, every value of its type."""
    if shape.kind == "struct":
        members = {member.name: plain_strategy(member.shape, depth - 1) for member in shape.fields if depth}
        return st.fixed_dictionaries({}, optional=members)
    if shape.kind == "list":
        return st.lists(plain_strategy(shape.elem, depth - 1), max_size=3) if depth else st.just([])
    if shape.kind == "map":
        return st.dictionaries(st.text(max_size=20), plain_strategy(shape.elem, depth - 1), max_size=3)
    simple: dict[str, st.SearchStrategy[Any]] = {
        "bool": st.booleans(),
        "int": st.integers(-(2 ** (shape.bits - 1)), 2 ** (shape.bits - 1) - 1),
        "float": st.floats(allow_nan=False, allow_infinity=False),
        "int-or-string": st.integers(0, 2**31 - 1) | st.text(max_size=20),
        "time": st.datetimes().map(lambda at: at.strftime("%Y-%m-%dT%H:%M:%SZ").zfill(20)),
        "quantity": st.integers(0, 10**9).map(str),
    }
    return simple.get(shape.kind, st.text(max_size=20))


def _hypothesis(strategy: st.SearchStrategy[Json], seed: int, batch: int) -> list[Json]:
    """Draw as tests do: one run of a property without database and without shrinking."""
    drawn: list[Json] = []

    @with_seed(seed + batch)
    @settings(
        max_examples=BATCH,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(obj: Json) -> None:
        drawn.append(obj)

    collect()
    return drawn


class _Edits:
    """One to three edits of an accepted object, drawn as the engine's random phase draws them."""

    def __init__(self, examples: list[Json], shape: Shape, seed: int) -> None:
        self._random = Random(seed)
        self._bases = [(base, sites_of(base, shape)) for base in examples]
        self._harvest = Harvest()

    def __call__(self, batch: int) -> list[Json]:
        return [self._one() for _ in range(BATCH)]

    def _one(self) -> Json:
        base, sites = self._random.choice(self._bases)
        obj = base
        for _ in range(self._random.randint(1, 3)):
            obj = random_edit(self._random, sites, self._harvest, obj).apply(obj)
        return obj


def _examples(suite: Path, info: KindInfo) -> Iterator[Json]:
    """The objects that the suite's author calls valid."""
    for path in sorted((suite / "examples").glob("valid*.yaml")):
        for obj in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            if isinstance(obj, dict) and obj.get("kind") == info.kind and obj.get("apiVersion") == info.api_version:
                yield obj


def _judged(name: str, draw: Draws, subject: Subject, info: KindInfo, seconds: float) -> Measured:
    """Units: only the drawing is timed, the judging is not."""
    count, spent, accepted, number = 0, 0.0, 0, 0
    provoked: set[tuple[str, str, str]] = set()
    while spent < seconds:
        begin = time.perf_counter()
        objects = draw(number)
        spent += time.perf_counter() - begin
        number += 1
        count += len(objects)
        for answer in subject.target.ask([info.case(Operation.CREATE, obj) for obj in objects]):
            errors = [*answer.handwritten, *answer.declarative]
            accepted += not errors and answer.failure is None
            provoked |= {(error.type, _SUBSCRIPT.sub("[*]", error.field), error.origin) for error in errors}
    more: dict[str, int | str] = {"different errors": len(provoked), "accepted": f"{100 * accepted / count:.0f} %"}
    return Measured(name, count, spent, more=more)
