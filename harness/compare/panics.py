"""Crashes and other failures of a target as mismatches, by what they say without the values in it.

A server recovers from a crash of declarative validation, which becomes an internal error of the list. One of
handwritten code ends the request: the server closes the stream or connection, and no client reads an error.
Source: k8s.io/apiserver pkg/registry/rest/validate.go, pkg/server/filters/wrap.go (2026-11).
"""

from __future__ import annotations

import re

from harness.case import Failure
from harness.compare.mismatch import Mismatch, Side
from harness.field import ErrorType, FieldError

PANIC = "panic during declarative validation"
"""How the detail of an internal error begins when a validator crashed inside the target."""

_VARIABLE_PARTS = re.compile(r"0x[0-9a-fA-F]+|\d+|\"[^\"]*\"")


def failed(failure: Failure) -> list[Mismatch]:
    """Return what a failure says of the target: nothing where the object is what cannot be handled."""
    if failure.stage == "self":
        return [Mismatch("self", "", detail=failure.message)]
    if failure.panic:
        return [panicked(failure.stage, failure.message)]
    return []


def panicked(stage: str, message: str) -> Mismatch:
    """Name a panic by its stage and the first line of its message without the values in it."""
    line = message.removeprefix(PANIC).lstrip(": ").split("\n", 1)[0]
    where: Side = "handwritten" if stage == "handwritten" else "declarative" if stage == "declarative" else ""
    origin = f"{stage}: {_VARIABLE_PARTS.sub('N', line)[:80]}".rstrip(": ")
    return Mismatch("panic", "", origin=origin, side=where, detail=message)


def is_panic(error: FieldError) -> bool:
    """Whether an error stands for a crash inside the target."""
    return error.type == ErrorType.INTERNAL and error.detail.startswith(PANIC)
