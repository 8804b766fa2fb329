"""Short ways to write errors, cases and answers: `error("Invalid@spec.a/minimum covered beta")`."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from harness.case import Answer, Case, Composition, KindInfo, Operation
from harness.field import ErrorType, FieldError
from harness.targets import target

TYPES = {
    "Required": ErrorType.REQUIRED,
    "Invalid": ErrorType.INVALID,
    "Duplicate": ErrorType.DUPLICATE,
    "NotSupported": ErrorType.NOT_SUPPORTED,
    "Forbidden": ErrorType.FORBIDDEN,
    "TooLong": ErrorType.TOO_LONG,
    "TooShort": ErrorType.TOO_SHORT,
    "TooMany": ErrorType.TOO_MANY,
    "Internal": ErrorType.INTERNAL,
}


def error(text: str, **more: Any) -> FieldError:
    """Read `Type@path`, `Type@path/origin`, with marks behind it: `covered`, `alpha`, `beta`, `sc`."""
    what, *marks = text.split()
    kind, _, place = what.partition("@")
    path, _, origin = place.partition("/")
    level = next((mark for mark in marks if mark in ("alpha", "beta")), "")
    given = {"level": level, "covered": "covered" in marks, "short_circuit": "sc" in marks, "origin": origin, **more}
    return FieldError(TYPES[kind].value, path, **given)


def errors(*texts: str) -> tuple[FieldError, ...]:
    """Read several errors."""
    return tuple(error(text) for text in texts)


def info(composition: Composition = "levels", **more: Any) -> KindInfo:
    """A kind like any other."""
    given = {"group": "apps", "version": "v1", "kind": "Deployment", "resource": "deployments"}
    return KindInfo(**{**given, "api_version": "apps/v1", "composition": composition, **more})


def case(new: Any = None, old: Any = None, **more: Any) -> Case:
    """A create, or an update when there is an old object."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    given = {"id": 1, "group": "apps", "version": "v1", "kind": "Deployment", "resource": "deployments"}
    return Case(**{**given, "operation": operation, "object": new if new is not None else {}, "old": old, **more})


def answer(handwritten: tuple[FieldError, ...] = (), declarative: tuple[FieldError, ...] = (), **more: Any) -> Answer:
    """What a target says."""
    return Answer(1, handwritten, declarative, **more)


Ask = Callable[[Case], Answer]
"""A target in one function."""

T = TypeVar("T")


def drive(search: Generator[list[Case], list[Answer], T], ask: Ask) -> T:
    """Run a generator that asks questions to its end."""
    return target.drive(search, lambda cases: [ask(one) for one in cases])
