"""What a suite of two validators of Python says of itself, as data: names, schemas and files, without its code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from harness.case import Json
from harness.diagnostics import Diagnostic, InputError, Position, near_miss
from harness.pyschemas import Adapter, Surroundings, UnusableError, adapter_of
from harness.suite import COMPARED, Compared, Suite
from harness.tags.release import release_of

_LARGEST = 4 << 20
"""A larger schema is not passed on. Units: bytes."""


class ValidatorSide(msgspec.Struct, frozen=True):
    """One of the two: what it is called in sentences, its own name, its file, and how its author declares rules."""

    noun: str
    name: str
    file: str = ""
    words: dict[str, str] = {}


class ValidatorSuite(msgspec.Struct, frozen=True, tag="validators"):
    """A suite of two validators. `kind` is the name of its objects; `schemas` are those that describe them."""

    name: str
    kind: str
    old: ValidatorSide
    new: ValidatorSide
    compare: Compared
    schemas: tuple[Json, ...] = ()
    folder: str = ""
    allow_incomplete: tuple[str, ...] = ()
    has_updates: bool = False

    @property
    def names(self) -> tuple[str, str]:
        """The old and the new validator in sentences: `the old function`, `the new model`."""
        return f"the old {self.old.noun}", f"the new {self.new.noun}"


def describe_validators(suite: Suite, position: Position) -> ValidatorSuite:
    """Say what a suite of validators is. Raises: InputError with everything that is wrong with it."""
    wrong = [Diagnostic(position, code, message, fix=fix) for code, message, fix in _problems(suite)]
    found: list[Adapter] = []
    schemas: list[Json] = []
    proposed = release_of(suite.release).proposed
    surroundings = Surroundings(
        Path(suite.folder), version=suite.version, proposed=proposed
    )  # no validator is asked here
    for side, validator in (("old", suite.old), ("new", suite.new)):
        if validator is not None:
            try:
                found.append(adapter_of(validator, surroundings.folder))
                found[-1].check(validator, surroundings)
                schemas += _schema_of(validator, found[-1], surroundings, is_needed=suite.schema is None)
            except UnusableError as error:
                wrong.append(Diagnostic(position, "suite-validator", f"{side}: {error}", error.why, error.fix))
    if suite.schema is not None:
        try:
            schemas = _schema_of(
                suite.schema, adapter_of(suite.schema, surroundings.folder), surroundings, is_needed=True
            )
        except UnusableError as error:
            wrong.append(Diagnostic(position, "suite-validator", f"schema: {error}", error.why, error.fix))
    if wrong:
        raise InputError(wrong)
    old, new = found
    name = suite.name or Path(suite.folder).name
    return ValidatorSuite(
        name, _kind(suite, schemas, name), _side(suite.old, old), _side(suite.new, new), suite.compare,
        tuple(schemas), str(suite.folder), tuple(suite.allow_incomplete), _has_updates(suite, old, new),
    )  # fmt: skip


def _problems(suite: Suite) -> Iterator[tuple[str, str, str]]:
    for side in ("old", "new"):
        if getattr(suite, side) is None:
            yield "suite-validator", f"{side} is missing: there is nothing to compare with", f"Suite({side}=...)"
    if suite.kinds:
        yield "suite-kind", "it has kinds, and old and new", "a suite has kinds with types.go, or old and new without"
    if suite.compare not in COMPARED:
        hint = near_miss(str(suite.compare), COMPARED) or f"one of {', '.join(COMPARED)}"
        yield "suite-validator", f"compare is {suite.compare!r}, which is no comparison", hint
    some = suite.rejections
    if not isinstance(some, tuple) or not all(isinstance(one, type) and issubclass(one, Exception) for one in some):
        yield "suite-validator", f"rejections is {some!r}; it wants a tuple of exceptions", "rejections=(ValueError,)"


def _schema_of(validator: Any, adapter: Adapter, surroundings: Surroundings, *, is_needed: bool) -> list[Json]:
    schema = adapter.schema(validator, surroundings) if is_needed else None
    if not isinstance(schema, dict):
        return []
    try:
        size = len(msgspec.json.encode(schema))
    except (TypeError, ValueError, RecursionError) as error:
        raise UnusableError(f"its schema is no JSON: {error}") from None
    if size > _LARGEST:
        raise UnusableError(f"its schema has {size:,} bytes, and {_LARGEST:,} are the most")
    return [schema]


def _has_updates(suite: Suite, old: Adapter, new: Adapter) -> bool:
    """Whether updates are compared: a function takes the old object, or both sides go along with one."""
    answers = old.takes_old(suite.old), new.takes_old(suite.new)
    return True in answers or answers == (None, None)


def _kind(suite: Suite, schemas: list[Json], name: str) -> str:
    """Return the name of the objects: that of the model, or of the first schema with a title."""
    classes = [one.__name__ for one in (suite.new, suite.old) if isinstance(one, type)]
    titles = [str(schema["title"]) for schema in schemas if isinstance(schema.get("title"), str)]
    words = re.findall(r"[A-Za-z0-9]+", next(iter((*classes, *titles, name)), name))
    return "".join(word[:1].upper() + word[1:] for word in words) or "Object"


def _side(validator: Any, adapter: Adapter) -> ValidatorSide:
    own = str(validator) if isinstance(validator, str | Path) else getattr(validator, "__qualname__", "")
    return ValidatorSide(adapter.noun, own or type(validator).__name__, _file_of(validator), dict(adapter.words))


def _file_of(validator: Any) -> str:
    """Return the file in which a function or class is written; empty where that is not known."""
    written: Callable[..., Any] = inspect.unwrap(validator) if callable(validator) else type(validator)
    try:
        return inspect.getsourcefile(written) or ""
    except (TypeError, OSError):
        return ""
