"""Asks the worker and our validators, and compares list with list: every part of every error, in order.

The one thing that is put in order first is what Go leaves open: it walks maps in no order. Errors of a map with
several keys are told apart by where they stand, `m[key]` or `m`, and each unbroken run of them is sorted by key (or, at
the map itself, by text). Maps with one key, which are most of those drawn, are compared as they come.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import msgspec

from harness.case import Json, Operation
from harness.compiler import Compiled
from harness.field import FieldError
from harness.fuzzers.shape import Shape
from tests.conformance.generator.cases import Question


class Reply(msgspec.Struct, frozen=True):
    """One line of the worker."""

    errors: list[FieldError] = []
    failure: str = ""


@dataclass(frozen=True)
class Difference:
    """A case on which the two lists are not the same."""

    question: Question
    theirs: tuple[FieldError, ...]
    ours: tuple[FieldError, ...]

    def __str__(self) -> str:
        lines = [f"  case: {msgspec.json.encode(self.question).decode()}"]
        for name, errors in (("upstream", self.theirs), ("ours", self.ours)):
            lines += [f"  {name}: {_line(error)}" for error in errors] or [f"  {name}: no errors"]
        return "\n".join(lines)


def _line(error: FieldError) -> str:
    marks = f"origin={error.origin} level={error.level} {'stops' if error.short_circuit else ''}".rstrip()
    return f"{error.text}   ({error.type} {marks})"


def ask(worker: Path, questions: Sequence[Question]) -> list[Reply]:
    """Return the worker's answers."""
    lines = b"".join(msgspec.json.encode(one) + b"\n" for one in questions)
    done = subprocess.run([worker], input=lines, capture_output=True)
    assert 0 == done.returncode, done.stderr.decode(errors="replace")[-2000:]
    decoder = msgspec.json.Decoder(Reply)
    return [decoder.decode(line) for line in done.stdout.splitlines()]


def answer(compiled: Compiled, question: Question) -> list[FieldError]:
    """Return what our validators say."""
    operation = Operation.UPDATE if question.update else Operation.CREATE
    subresource = "/".join(question.subresources)
    errors: list[FieldError] = compiled.validate(
        question.type, operation, question.new, question.old, question.options, subresource
    )
    return errors


def difference(compiled: Compiled, shape: Shape, question: Question, reply: Reply) -> Difference | None:
    """Compare the two lists of one case."""
    ours, theirs = answer(compiled, question), reply.errors
    if ours == theirs:
        return None
    keys: dict[str, set[str]] = {}
    for obj in (question.new, question.old):
        for path, found in _maps(obj, shape, ""):
            keys.setdefault(path, set()).update(found)
    for path in sorted(keys, key=len):
        known = sorted(keys[path], key=len, reverse=True)
        if len(known) > 1:
            ours, theirs = _by_key(ours, path, known), _by_key(theirs, path, known)
    return None if ours == theirs else Difference(question, tuple(theirs), tuple(ours))


def _maps(obj: Json, shape: Shape, path: str) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield where maps stand, as errors write it, and their keys."""
    if isinstance(obj, list):
        for index, value in enumerate(obj):
            yield from _maps(value, shape.elem, f"{path}[{index}]")
    elif isinstance(obj, dict) and shape.kind == "map":
        yield path, obj
        for key, value in obj.items():
            yield from _maps(value, shape.elem, f"{path}[{key}]")
    elif isinstance(obj, dict):
        for name, value in obj.items():
            yield from _maps(value, shape.child(name), f"{path}.{name}" if path else name)


def _by_key(errors: Sequence[FieldError], path: str, keys: Sequence[str]) -> list[FieldError]:
    def key_of(error: FieldError) -> str | None:
        return next((key for key in keys if error.field.startswith(f"{path}[{key}]")), None)

    def place(error: FieldError) -> str:
        return "at" if error.field == (path or "<nil>") else "below" if key_of(error) is not None else "elsewhere"

    found: list[FieldError] = []
    for where, errors_there in groupby(errors, key=place):
        run = list(errors_there)
        if where == "at":
            run.sort(key=lambda e: (e.type, e.detail, e.value, e.origin, e.level))
        elif where == "below":
            run.sort(key=lambda e: key_of(e) or "")
        found += run
    return found
