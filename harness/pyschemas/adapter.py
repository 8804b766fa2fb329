"""The record of an adapter: how validators of one sort are recognised, asked, and described.

An adapter knows one library, which is imported when a validator of it is seen. It returns field errors and never
compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from harness.case import Json
from harness.field import FieldError


class CheckObject(Protocol):
    """Returns the errors of an object, none where it is accepted; `old` is what it replaces, None on a create.

    Any exception is a crash of the validator.
    """

    def __call__(self, obj: Json, old: Json = None, /) -> Sequence[FieldError]: ...


Shown: TypeAlias = Callable[[Json], Json]
"""Returns an object as a server shows it to the validators behind it."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a validator stands: the folder of its suite, and the exceptions by which a callable rejects an object.

    `version` is that of a CRD, empty for the one that is stored. `proposed`: a CRD is judged by a server
    that does what enhancement proposals describe.
    """

    folder: Path = Path()
    rejections: tuple[type[Exception], ...] = (ValueError, AssertionError)
    version: str = ""
    proposed: bool = False


class UnusableError(Exception):
    """A validator that cannot be asked: what is wrong, why, and how to fix it."""

    def __init__(self, message: str, why: str = "", fix: str = "") -> None:
        super().__init__(message)
        self.message, self.why, self.fix = message, why, fix


def no_schema(_validator: Any, _surroundings: Surroundings) -> Json:
    """Return None: validators of this sort do not say what objects look like."""
    return None


def ignores_old(_validator: Any) -> bool | None:
    """Return False: validators of this sort see new objects alone."""
    return False


@dataclass(frozen=True, slots=True)
class Adapter:
    """How validators of one sort are asked.

    `noun` is what one is called in sentences (`the new model`). `check` returns the function that asks one, `schema`
    the JSON Schema of its objects, None where it has none; both raise UnusableError. `words` are how an author declares
    a rule, by the keyword of JSON Schema: `Field(max_length=<limit>)`. `takes_old` says whether a validator judges
    updates, None where it does if the other one does. `show` is there where a server stands before other validators.
    """

    noun: str
    recognises: Callable[[Any], bool]
    check: Callable[[Any, Surroundings], CheckObject]
    schema: Callable[[Any, Surroundings], Json] = no_schema
    words: Mapping[str, str] = field(default_factory=dict)
    takes_old: Callable[[Any], bool | None] = ignores_old
    show: Callable[[Any, Surroundings], Shown] | None = None
