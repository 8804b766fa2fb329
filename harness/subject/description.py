"""Reads the SUITE of a suite.py in a separate process, and returns it as data without its code.

Each function of the suite is replaced by a `Callee`, which has its name and file and cannot be called.
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
from harness.subject.validatorsuite import ValidatorSuite, describe_validators
from harness.suite import KubernetesSuite, Suite, SuiteKind

MAX_IMPORT_SECONDS = 15.0
"""Time limit of importing a suite, after which the import is interrupted."""
MAX_PROCESS_SECONDS = 20.0
"""Time limit of the process that imports a suite, after which it is killed."""
MAX_DESCRIPTION = 16 << 20
"""At most this many bytes of the description of a suite."""


class Callee(msgspec.Struct, frozen=True):
    """A function of a suite, which runs in the suite's own process. `file` has its code; empty if that is unknown."""

    name: str
    file: str = ""

    def __call__(self, *_arguments: Any) -> Any:
        """Raise, because the code of a suite does not run in this process."""
        raise TypeError(f"{self.name} runs only in the process of its suite")


class _Kind(msgspec.Struct, frozen=True, omit_defaults=True):
    """A `SuiteKind` as data."""

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
    """A `Suite` as data."""

    name: str
    group: str
    composition: Composition
    gates: dict[str, bool]
    release: str
    kinds: tuple[_Kind, ...]
    allow_incomplete: tuple[str, ...] = ()


class _Release(msgspec.Struct, frozen=True, tag="kubernetes"):
    """A `KubernetesSuite` as data."""

    name: str
    release: str
    gates: dict[str, bool]
    allow_incomplete: tuple[str, ...] = ()


class _Invalid(msgspec.Struct, frozen=True, tag="wrong"):
    """The diagnostics of a suite that could not be imported."""

    diagnostics: tuple[Diagnostic, ...]


Description: TypeAlias = _Own | _Release | ValidatorSuite | _Invalid
_DECODER: msgspec.json.Decoder[Description] = msgspec.json.Decoder(Description)
LoadedSuite: TypeAlias = AnySuite | ValidatorSuite
"""A suite without its code."""
_HUNG: dict[Path, tuple[int, list[Diagnostic]]] = {}
"""Suites whose import did not end in time: the time of their last change, and their diagnostics."""


def load_suite(folder: str | Path) -> LoadedSuite:
    """Return the SUITE of a folder's suite.py, with `folder` set and with a `Callee` for each of its functions.

    Raises: InputError with every diagnostic, TargetError if no process can be started.
    """
    root = Path(folder).resolve()
    position, changed = Position(str(root / "suite.py")), _last_change(root)
    if _HUNG.get(root, (-1, []))[0] == changed:  # importing an unchanged suite would hang again
        raise InputError(_HUNG[root][1])
    began = time.monotonic()
    order = SuiteOrder("describe", str(folder), patience=MAX_IMPORT_SECONDS)
    out, stderr, why = ask_once(order, MAX_PROCESS_SECONDS, MAX_DESCRIPTION)
    fix = "let suite.py define SUITE and run no other code; --in-process runs it under a debugger"
    last = f"; the last line of its stderr: {stderr}" if stderr else ""
    try:
        described = _DECODER.decode(out)
        diagnostics = list(described.diagnostics) if isinstance(described, _Invalid) else []
    except msgspec.ValidationError as error:
        diagnostics = [Diagnostic(position, "suite-kind", f"SUITE cannot be read: {error}")]
    except (msgspec.MsgspecError, ValueError):
        text = f"importing it {why or 'produced no suite'}{last}"
        diagnostics = [Diagnostic(position, "suite-import", text, fix=fix)]
    if diagnostics:
        if time.monotonic() - began > MAX_IMPORT_SECONDS:
            _HUNG[root] = changed, diagnostics
        raise InputError(diagnostics)
    match described:
        case ValidatorSuite():
            return described
        case _Release():
            return KubernetesSuite(described.release, described.gates, described.name, described.allow_incomplete)
        case _Own():
            return Suite(
                described.name, described.group, tuple(map(_suite_kind, described.kinds)), described.composition,
                described.gates, root, described.release, described.allow_incomplete,
            )  # fmt: skip
    raise AssertionError


def _last_change(root: Path) -> int:
    """Return the time of the last change of a suite's Python files. Units: nanoseconds."""
    with suppress(OSError):
        return max((file.stat().st_mtime_ns for file in root.glob("*.py")), default=0)
    return 0


def _suite_kind(described: _Kind) -> SuiteKind:
    fields = {name: getattr(described, name) for name in described.__struct_fields__}
    conversions = {(source, target): function for source, target, function in described.conversions}
    return SuiteKind(**fields | {"conversions": conversions})


# In the suite's process


def describe_suite(read: Callable[[], AnySuite]) -> bytes:
    """Read a suite and return its description, or its diagnostics, in JSON."""
    try:
        return msgspec.json.encode(_describe(read()))
    except InputError as error:
        return msgspec.json.encode(_Invalid(tuple(error.diagnostics)))


def _describe(suite: AnySuite) -> Description:
    if isinstance(suite, KubernetesSuite):
        return _Release(suite.name, str(suite.release), dict(suite.gates), tuple(suite.allow_incomplete))
    if suite.has_validators:
        return _describe_validators(suite)
    kinds = tuple(map(_describe_kind, suite.kinds))
    return _Own(
        suite.name, suite.group, suite.composition, dict(suite.gates), suite.release, kinds,
        tuple(suite.allow_incomplete),
    )  # fmt: skip


def without_code(suite: AnySuite) -> LoadedSuite:
    """Return an imported suite as `load_suite` does. Raises: InputError."""
    return _describe_validators(suite) if isinstance(suite, Suite) and suite.has_validators else suite


def _describe_validators(suite: Suite) -> ValidatorSuite:
    return describe_validators(suite, Position(str(Path(suite.folder) / "suite.py")))


def _describe_kind(kind: SuiteKind) -> _Kind:
    return _Kind(
        kind.kind,
        kind.resource,
        dict(kind.versions),
        _describe_optional(kind.handwritten),
        kind.internal_version,
        tuple(kind.subresources),
        {name: tuple(operations) for name, operations in kind.operations.items()},
        tuple((*pair, _describe_function(convert)) for pair, convert in kind.conversions.items()),
        {version: _describe_function(default) for version, default in kind.defaults.items()},
        _describe_optional(kind.prepare),
        tuple((old, new) for old, new in kind.normalization),
        dict(kind.options),
        kind.namespaced,
        kind.root,
    )


def _describe_optional(function: Callable[..., Any] | None) -> Callee | None:
    return None if function is None else _describe_function(function)


def _describe_function(function: Callable[..., Any]) -> Callee:
    """Return the name and the file of a function: the file of its module, else the file of its code object."""
    module, code = sys.modules.get(str(getattr(function, "__module__", ""))), getattr(function, "__code__", None)
    file = getattr(module, "__file__", None) or (code.co_filename if code else "")
    return Callee(str(getattr(function, "__qualname__", type(function).__name__)), str(file))
