"""A mismatch: one difference between the handwritten and the declarative validators, as a record.

A crash or another failure of the target is a mismatch too; its origin is the message without the values in it. A
server recovers from a crash of declarative validation, which becomes an internal error of the list. A crash of
handwritten code ends the request: the server closes the stream or connection, and no client reads an error.
Source: k8s.io/apiserver pkg/registry/rest/validate.go, pkg/server/filters/wrap.go (2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from harness.case import Failure
from harness.compare.composition import Setting
from harness.field import ErrorType, FieldError
from harness.jsonpath import canonical_path

MismatchKind: TypeAlias = Literal[
    "unmatched", "extra", "served", "version", "conversion", "generated", "composition", "path", "panic", "self",
]  # fmt: skip

TURNED: frozenset[MismatchKind] = frozenset({"version", "conversion"})
"""The mismatches whose cases ask for round trips: a conversion that loses a value explains what versions say of it."""

Side: TypeAlias = Literal["", "handwritten", "declarative", "both"]

Signature: TypeAlias = tuple[str, str, str, str, str]
"""Kind, canonical path, type, origin, side."""


class Mismatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """One difference on one case.

    `path` is the path as reported, `type` and `origin` those of the error, `side` the validator that reported it.
    `setting` is the name of the gate setting under which it differs (empty if it differs without composition), `gates`
    are its gates. `detail` is a sentence for users. `ratcheting` marks intended ratcheting of an unchanged value
    (docs/explanation/ratcheting.md).
    """

    kind: MismatchKind
    path: str
    type: str = ""
    origin: str = ""
    side: Side = ""
    setting: str = ""
    gates: dict[str, bool] = {}
    detail: str = ""
    ratcheting: bool = False

    @property
    def signature(self) -> Signature:
        """The identity of a mismatch within a kind and operation: kind, canonical path, type, origin, side."""
        return self.kind, canonical_path(self.path), self.type, self.origin, self.side


def mismatch_of(kind: MismatchKind, error: FieldError, side: Side, setting: Setting | None, detail: str) -> Mismatch:
    """Make the mismatch of an error, under a setting or without composition."""
    name, gates = (setting.name, dict(setting.gates)) if setting else ("", {})
    return Mismatch(kind, error.field, error.type, error.origin, side, name, gates, detail)


PANIC = "panic during declarative validation"
"""How the detail of an internal error begins when a validator crashed inside the target."""

_SIDES: Mapping[str, Side] = {
    "handwritten": "handwritten", "declarative": "declarative", "old": "declarative", "new": "handwritten",
}  # fmt: skip
"""The side that crashed, by the stage of the failure."""
_RAISES = frozenset({"old", "new"})
_VARIABLE_PARTS = re.compile(r"0x[0-9a-fA-F]+|\d+|\"[^\"]*\"")


def failed(failure: Failure) -> list[Mismatch]:
    """Return what a failure says of the target: nothing where the object is what cannot be handled."""
    if failure.stage == "self":
        return [Mismatch("self", "", detail=failure.message)]
    if failure.panic:
        return [_raised(failure) if failure.stage in _RAISES else panicked(failure.stage, failure.message)]
    return []


def _raised(failure: Failure) -> Mismatch:
    """Name an exception of a validator in Python by its class and its line: its message is often the value alone."""
    origin = f"{failure.stage}: {failure.message.partition(':')[0]} {failure.at}".strip()
    return Mismatch("panic", "", origin=origin, side=_SIDES[failure.stage], detail=failure.message)


def panicked(stage: str, message: str) -> Mismatch:
    """Name a panic by its stage and the first line of its message without the values in it."""
    line = message.removeprefix(PANIC).lstrip(": ").split("\n", 1)[0]
    where = _SIDES.get(stage, "")
    origin = f"{stage}: {_VARIABLE_PARTS.sub('N', line)[:80]}".rstrip(": ")
    return Mismatch("panic", "", origin=origin, side=where, detail=message)


def is_panic(error: FieldError) -> bool:
    """Whether an error stands for a crash inside the target."""
    return error.type == ErrorType.INTERNAL and error.detail.startswith(PANIC)
