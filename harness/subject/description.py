"""What a suite says of itself, without its code: read in a process of its own, and passed on as data.

In the place of each function stands a `Callee`, which says where it is written and cannot be called.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from harness.case import Composition, Operation
from harness.diagnostics import Diagnostic, InputError, Position
from harness.subject.order import SuiteOrder, ask_once
from harness.subject.suitefile import AnySuite
from harness.suite import KubernetesSuite, Suite, SuiteKind

READING, LONGEST = 15.0, 20.0
"""How long importing a suite may take, and when its process is ended. Units: seconds."""
MOST = 16 << 20
"""What a suite may say of itself. Units: bytes."""


class Callee(msgspec.Struct, frozen=True):
    """A function of a suite, which runs in the suite's own process. `file` is where it is written, if that is known."""

    name: str
    file: str = ""

    def __call__(self, *_arguments: Any) -> Any:
        """Refuse: nothing of a suite's code runs here."""
        raise TypeError(f"{self.name} runs in the process of its suite alone")


class _Kind(msgspec.Struct, frozen=True, omit_defaults=True):
    kind: str
    resource: str
    versions: dict[str, str]
    handwritten: Callee | None
    internal_version: str
    subresources: tuple[str, ...]
    operations: dict[str, tuple[Operation, ...]]
    conversions: tuple[tuple[str, str, Callee], ...]
    defaults: dict[str, Callee]
    prepare: Callee | None
    normalization: tuple[tuple[str, str], ...]
    options: dict[str, bool]
    namespaced: bool
    root: bool


class _Own(msgspec.Struct, frozen=True, tag="suite"):
    name: str
    group: str
    composition: Composition
    gates: dict[str, bool]
    release: str
    kinds: tuple[_Kind, ...]
    allow_incomplete: tuple[str, ...] = ()


class _Release(msgspec.Struct, frozen=True, tag="kubernetes"):
    name: str
    release: str
    gates: dict[str, bool]
    allow_incomplete: tuple[str, ...] = ()


class _Wrong(msgspec.Struct, frozen=True, tag="wrong"):
    diagnostics: tuple[Diagnostic, ...]


Told: TypeAlias = _Own | _Release | _Wrong
_HUNG: dict[Path, tuple[int, list[Diagnostic]]] = {}
_DECODER: msgspec.json.Decoder[Told] = msgspec.json.Decoder(Told)


def load_suite(folder: str | Path) -> AnySuite:
    """Return the SUITE of a folder's suite.py, with `folder` set and with a `Callee` for each of its functions.

    Raises: InputError with every diagnostic, TargetError when no process can be started.
    """
    root = Path(folder).resolve()
    place, stamp = Position(str(root / "suite.py")), _stamp(root)
    if _HUNG.get(root, (-1, []))[0] == stamp:  # nobody waits twice for what has not changed
        raise InputError(_HUNG[root][1])
    began = time.monotonic()
    out, words, why = ask_once(SuiteOrder("describe", str(folder), patience=READING), LONGEST, MOST)
    fix = "a suite.py defines SUITE and does nothing else; --in-process runs it where a debugger can stop it"
    last = f"; its last words: {words}" if words else ""
    try:
        told = _DECODER.decode(out)
        problems = list(told.diagnostics) if isinstance(told, _Wrong) else []
    except msgspec.ValidationError as error:
        problems = [Diagnostic(place, "suite-kind", f"SUITE cannot be read: {error}")]
    except (msgspec.MsgspecError, ValueError):
        text = f"importing it {why or 'gave no suite'}{last}"
        problems = [Diagnostic(place, "suite-import", text, fix=fix)]
    if problems:
        if time.monotonic() - began > READING:
            _HUNG[root] = stamp, problems
        raise InputError(problems)
    match told:
        case _Release():
            return KubernetesSuite(told.release, told.gates, told.name, told.allow_incomplete)
        case _Own():
            return Suite(
                told.name, told.group, tuple(map(_suite_kind, told.kinds)), told.composition, told.gates, root,
                told.release, told.allow_incomplete,
            )  # fmt: skip
    raise AssertionError


def _stamp(root: Path) -> int:
    """Return when a suite was changed last."""
    with suppress(OSError):
        return max((file.stat().st_mtime_ns for file in root.glob("*.py")), default=0)
    return 0


def _suite_kind(told: _Kind) -> SuiteKind:
    fields = {name: getattr(told, name) for name in told.__struct_fields__}
    return SuiteKind(**fields | {"conversions": {(one, other): made for one, other, made in told.conversions}})


# In the suite's process


def description(read: Callable[[], AnySuite]) -> bytes:
    """Write down what a suite is, or what is wrong with it."""
    try:
        return msgspec.json.encode(_told(read()))
    except InputError as error:
        return msgspec.json.encode(_Wrong(tuple(error.diagnostics)))


def _told(suite: AnySuite) -> Told:
    if isinstance(suite, KubernetesSuite):
        return _Release(suite.name, str(suite.release), dict(suite.gates), tuple(suite.allow_incomplete))
    kinds = tuple(map(_kind, suite.kinds))
    return _Own(
        suite.name, suite.group, suite.composition, dict(suite.gates), suite.release, kinds,
        tuple(suite.allow_incomplete),
    )  # fmt: skip


def _kind(kind: SuiteKind) -> _Kind:
    return _Kind(
        kind.kind,
        kind.resource,
        dict(kind.versions),
        _callee(kind.handwritten),
        kind.internal_version,
        tuple(kind.subresources),
        {name: tuple(some) for name, some in kind.operations.items()},
        tuple((*pair, _known(convert)) for pair, convert in kind.conversions.items()),
        {version: _known(default) for version, default in kind.defaults.items()},
        _callee(kind.prepare),
        tuple((old, new) for old, new in kind.normalization),
        dict(kind.options),
        kind.namespaced,
        kind.root,
    )


def _callee(function: Callable[..., Any] | None) -> Callee | None:
    return None if function is None else _known(function)


def _known(function: Callable[..., Any]) -> Callee:
    """Say where a function is written: in the module that it names, else where its code is."""
    module, code = sys.modules.get(str(getattr(function, "__module__", ""))), getattr(function, "__code__", None)
    file = getattr(module, "__file__", None) or (code.co_filename if code else "")
    return Callee(str(getattr(function, "__qualname__", type(function).__name__)), str(file))
