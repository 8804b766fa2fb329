"""The request path of a suite's kind in one version, for its root or a subresource: from an object to error lists.

All code of a suite runs in this module. `stage` is set before each call, so that an exception is reported as a panic of
that stage; a try block around each of the five calls of a case would cost more.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from itertools import islice
from typing import TypeAlias

import msgspec

from harness.case import Case, Failure, Json, Operation, Stage
from harness.field import ErrorList, FieldError
from harness.objectmodel import header_of
from harness.suite import Context, Suite, SuiteKind

Declarative: TypeAlias = Callable[[Operation, Json, Json, Mapping[str, bool], str], ErrorList]
"""(operation, new, old or None, options, subresource) to errors, for one kind and version."""

Decoder: TypeAlias = Callable[[Json], Json]
"""Checks JSON types, drops what the type does not know, and returns a fresh object. Raises `DecodeError`."""

Reader: TypeAlias = Callable[[msgspec.Raw], Json]
"""Decodes JSON text in the same way; None for text that needs the full decoder. Workers in Python receive text."""

KindVersion: TypeAlias = tuple[str, str]
"""A kind's name and a version."""

Errors: TypeAlias = tuple[FieldError, ...]


MAX_ERRORS = 10_000
"""Maximum number of errors that a validator may return for one object."""


class DecodeError(Exception):
    """An object does not have the type of its kind. The target turns it into a failure of stage `decode`."""


class StageError(Exception):
    """A stage ended the case with a failure."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure


class CaseObjects(msgspec.Struct, frozen=True):
    """The objects of one case, in the request's version and in the internal one."""

    new: Json
    old: Json
    internal_new: Json
    internal_old: Json


class Endpoint:
    """Answers cases of one kind, version and subresource. `stage` is the suite's code that runs, None outside of it."""

    def __init__(
        self,
        suite: Suite,
        kind: SuiteKind,
        version: str,
        subresource: str,
        decoder: Decoder | None,
        declarative: Mapping[KindVersion, Declarative],
        options: Mapping[str, bool],
        gates: Mapping[str, bool],
        reader: Reader | None = None,
    ) -> None:
        internal = kind.internal_version or list(kind.versions)[-1]
        is_internal = version == internal
        self.kind, self.version, self.subresource = kind, version, subresource
        self.stage: Stage | None = None
        self.declarative = declarative.get((kind.kind, version))
        head = header_of(f"{suite.group}/{version}" if suite.group else version, kind.kind)
        self._head = tuple(head.items())
        self._decoder, self._reader = decoder, reader
        self._defaults = kind.defaults.get(version)
        self._inward = None if is_internal else kind.conversions[version, internal]
        self._outward = None if is_internal else kind.conversions[internal, version]
        self._others = {
            other: (
                None if other == internal else kind.conversions[internal, other],
                declarative.get((kind.kind, other)),
            )
            for other in kind.versions
            if other != version
        }
        self.options, self._gates = options, gates
        self._contexts = {operation: self._context(operation, options, gates) for operation in Operation}

    def context(self, case: Case) -> Context:
        """Return the context argument of validators."""
        if not case.options:
            return self._contexts[case.operation]
        options = {**self.options, **case.options}
        # An option also sets the gate of the same name, so that a case is answered as in a run with --gates.
        gates = {name: options.get(name, value) for name, value in self._gates.items()}
        return self._context(case.operation, options, gates)

    def _context(self, operation: Operation, options: Mapping[str, bool], gates: Mapping[str, bool]) -> Context:
        return Context(operation, self.version, self.subresource, options, gates)

    # Objects

    def arrive(self, value: Json, served: bool, which: str = "") -> tuple[Json, Json]:
        """Decode, default and convert an object. Returns: it in the request's version and in the internal one."""
        obj = self._decode(value, which)
        if served and self._defaults is not None:
            self.stage = "default"
            obj = self._defaults(obj)
        internal = obj
        if self._inward is not None:
            self.stage = "convert"
            internal = self._inward(obj)
        self.stage = None
        return obj, internal

    def prepare(self, internal: Json, old: Json, context: Context) -> Json:
        """Run the suite's `prepare`, which resets fields that a request may not set."""
        if self.kind.prepare is not None:
            self.stage = "prepare"
            internal = self.kind.prepare(internal, old, context)
            self.stage = None
        return internal

    def back(self, internal: Json) -> Json:
        """Convert to the request's version, as the server does before it validates declaratively."""
        if self._outward is None or internal is None:
            return internal
        self.stage = "convert"
        obj = self._outward(internal)
        self.stage = None
        return obj

    def _decode(self, value: Json, which: str) -> Json:
        if value.__class__ is msgspec.Raw:
            read = None if self._reader is None else self._reader(value)
            if read is not None and all(read.get(name, right) == right for name, right in self._head):
                return read
            value = msgspec.json.decode(value)
        if not isinstance(value, dict):
            raise StageError(Failure("decode", f"{which}a JSON object is needed, got {_json_type(value)}"))
        for name, right in self._head:
            if value.get(name, right) != right:
                raise StageError(Failure("decode", f'{which}{name} is {value[name]!r}, this kind has "{right}"'))
        if self._decoder is None:
            return copy.deepcopy(value)
        try:
            return self._decoder(value)
        except DecodeError as error:
            raise StageError(Failure("decode", f"{which}{error}")) from None
        except RecursionError:
            raise StageError(Failure("decode", f"{which}nested too deeply")) from None

    # Errors

    def lists(self, context: Context, objects: CaseObjects) -> tuple[Errors, Errors]:
        """Return the handwritten and the declarative errors."""
        handwritten: Errors = ()
        declarative: Errors = ()
        if self.kind.handwritten is not None:
            self.stage = "handwritten"
            handwritten = _check_errors(self.kind.handwritten(objects.internal_new, objects.internal_old, context))
        if self.declarative is not None:
            self.stage = "declarative"
            declarative = _run_declarative(self.declarative, context, objects.new, objects.old)
        self.stage = None
        return handwritten, declarative

    def in_others(self, objects: CaseObjects) -> dict[str, tuple[Json, Json]]:
        """Return both objects in every other version."""
        pairs = {}
        new, old = objects.internal_new, objects.internal_old
        for version, (convert, _) in self._others.items():
            self.stage = "convert"
            pairs[version] = (new, old) if convert is None else (convert(new), None if old is None else convert(old))
        self.stage = None
        return pairs

    def other_lists(self, context: Context, pairs: Mapping[str, tuple[Json, Json]]) -> dict[str, Errors]:
        """Return the declarative errors of the objects in other versions."""
        lists: dict[str, Errors] = {}
        for version, pair in pairs.items():
            validate = self._others[version][1]
            self.stage = "declarative"
            lists[version] = _run_declarative(validate, context, *pair) if validate is not None else ()
        self.stage = None
        return lists

    def parts(self, case: Case, context: Context, objects: CaseObjects) -> dict[str, Callable[[], object]]:
        """Return the steps of an answer as callables, to be measured."""
        served, written, declared = case.mode == "served", self.kind.handwritten, self.declarative

        def read() -> None:
            self.arrive(case.object, served)

        def convert() -> None:
            self.back(objects.internal_new)
            self.back(objects.internal_old)

        def handwritten() -> None:
            if written is not None:
                written(objects.internal_new, objects.internal_old, context)

        parts: dict[str, Callable[[], object]] = {"read": read, "handwritten": handwritten}
        if declared is not None:

            def declarative() -> None:
                declared(context.operation, objects.new, objects.old, context.options, context.subresource)

            def both() -> None:
                handwritten()
                convert()
                declarative()

            parts |= {"convert": convert, "declarative": declarative, "both": both}
        return parts


def _run_declarative(validate: Declarative, context: Context, new: Json, old: Json) -> Errors:
    return _check_errors(validate(context.operation, new, old, context.options, context.subresource))


def _check_errors(errors: ErrorList) -> Errors:
    """Reject a return value that is not a list of field errors, which would fail later and less clearly."""
    if errors is None:
        raise TypeError("the validator returned None, not a list of errors")
    if errors == []:  # the usual case
        return ()
    found = tuple(islice(errors, MAX_ERRORS + 1))
    if len(found) > MAX_ERRORS:
        raise ValueError(f"the validator returned more than {MAX_ERRORS:,} errors")
    for error in found:
        if not isinstance(error, FieldError):
            raise TypeError(f"the validator returned {error!r}, which is no FieldError")
    return found


def _json_type(value: Json) -> str:
    names = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list"}
    return names.get(type(value), type(value).__name__)
