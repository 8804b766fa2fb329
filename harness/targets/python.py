"""The embedded target: a suite's Python callables on one side, declarative callables from outside on the other.

It runs in this process and does for each case what an API server does: decode, default, convert, prepare, handwritten,
declarative. It knows no tags and no types: decoders and declarative validators are handed in. It has no server of its
own, so it does not compose served lists. A validator that raises is a panic. One that hangs is stopped after
`time_limit` seconds where the system can interrupt it: in the main thread, on systems with SIGALRM, while Python code
runs; elsewhere a hang is a hang.
"""

from __future__ import annotations

import copy
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case, Cost, Failure, Json, KindInfo, Measure, Operation, Stage, TargetInfo
from harness.field import ErrorList, FieldError
from harness.suite import Context, Suite, SuiteKind
from harness.targets.stored import Stored
from harness.targets.target import Closing
from harness.targets.timing import measured

Declarative: TypeAlias = Callable[[Operation, Json, Json, Mapping[str, bool], str], ErrorList]
"""(operation, new, old or None, options, subresource) to errors, for one kind and version."""

Decoder: TypeAlias = Callable[[Json], Json]
"""Checks JSON types, drops what the type does not know, and returns a fresh object. Raises `DecodeError`."""

KindVersion: TypeAlias = tuple[str, str]
"""A kind's name and a version."""

_TICK = 0.25


class DecodeError(Exception):
    """An object is not of the type. Never leaves the target: it becomes a failure of stage `decode`."""


class _Stopped(BaseException):
    """A validator ran past its time limit. No subclass of Exception, so that validators do not swallow it."""


class _StageError(Exception):
    """One stage ended the case."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure


@dataclass(frozen=True, slots=True)
class _Done:
    answers: list[Answer]
    seconds: float = 0.0

    def result(self) -> list[Answer]:
        """Return the answers, which are there already."""
        return self.answers


@dataclass(frozen=True, slots=True)
class _Objects:
    """The objects of one case, as asked for and as the handwritten validator sees them."""

    new: Json
    old: Json
    internal_new: Json
    internal_old: Json


class PythonTarget(Closing):
    """A suite that answers cases in this process.

    `declarative` and `decoders` are by kind and version; `types` gives the Go type of each for readers of types.
    `gates` overrides the suite's own. Units: `time_limit` in seconds per case.
    """

    def __init__(
        self,
        suite: Suite,
        declarative: Mapping[KindVersion, Declarative],
        *,
        decoders: Mapping[KindVersion, Decoder] | None = None,
        types: Mapping[KindVersion, str] | None = None,
        gates: Mapping[str, bool] | None = None,
        time_limit: float = 10.0,
    ) -> None:
        self._suite = suite
        self._declarative = declarative
        self._decoders = decoders or {}
        self._gates = {**suite.gates, **(gates or {})}
        self._limit = time_limit
        self._kinds = {
            (version, kind.kind, subresource): kind
            for kind in suite.kinds
            for version in kind.versions
            for subresource in _subresources(kind)
        }
        self._options = {id(kind): self._follow_gates(kind.options) for kind in suite.kinds}
        self._stored = Stored()
        self._started = 0.0
        self._info = self._describe(types or {})

    @property
    def info(self) -> TargetInfo:
        """What the suite serves."""
        return self._info

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch, one case after the other."""
        with self._watched():
            return [self._answer(case) for case in cases]

    def submit(self, cases: Sequence[Case]) -> _Done:
        """Answer a batch at once: there is nobody else who could do it meanwhile."""
        return _Done(self.ask(cases))

    def _answer(self, case: Case) -> Answer:
        self._started = time.monotonic()
        try:
            kind = self._kind_of(case)
            return self._repeated(case, kind) if case.repeat else self._once(case, kind)
        except _StageError as stop:
            return Answer(case.id, failure=stop.failure)
        except _Stopped:
            return Answer(case.id, failure=self._too_slow("self"))

    def _kind_of(self, case: Case) -> SuiteKind:
        kind = self._kinds.get((case.version, case.kind, case.subresource))
        if kind is None or case.group != self._suite.group or case.resource not in ("", kind.resource):
            asked = f"{case.group}/{case.version} {case.kind}" + (f"/{case.subresource}" if case.subresource else "")
            raise _StageError(Failure("decode", f"the suite {self._suite.name} does not serve {asked}"))
        return kind

    def _once(self, case: Case, kind: SuiteKind) -> Answer:
        context = self._context(case, kind)
        objects = self._prepared(case, kind, context)
        answer = self._validate(case, kind, context, objects)
        if case.measure is None:
            return answer
        return msgspec.structs.replace(answer, cost=self._cost(case, kind, context, objects, case.measure))

    def _repeated(self, case: Case, kind: SuiteKind) -> Answer:
        context = self._context(case, kind)
        objects = self._prepared(case, kind, context)
        before = copy.deepcopy(objects)
        first = self._validate(case, kind, context, objects)
        if objects != before:
            return Answer(case.id, failure=Failure("self", "a validator changed the object it was given"))
        second = self._validate(case, kind, context, objects)
        if first != second:
            return Answer(case.id, failure=Failure("self", f"two answers to one case: {_difference(first, second)}"))
        return first

    def _context(self, case: Case, kind: SuiteKind) -> Context:
        options, gates = self._options[id(kind)], self._gates
        if case.options:
            options = {**options, **case.options}
            # A gate of the same name is the same switch, so that a case says what a run with `--gates` would say.
            gates = {name: options.get(name, value) for name, value in gates.items()}
        return Context(case.operation, case.version, case.subresource, options, gates)

    def _prepared(self, case: Case, kind: SuiteKind, context: Context) -> _Objects:
        """Bring both objects to where the server validates them. Old ones were defaulted when they were stored."""
        new, (old, internal_old) = self._decoded(case, kind, case.object), self._old(case, kind)
        version, internal, served = case.version, _internal(kind), case.mode == "served"
        if served and version in kind.defaults:
            new = self._run("default", kind.defaults[version], new)
        internal_new = self._convert(kind, new, version, internal)
        if served and kind.prepare is not None:
            with self._stage("prepare"):
                internal_new = kind.prepare(internal_new, internal_old, context)
        if served:
            # As the server: what it validates declaratively comes back from the internal version.
            new = self._convert(kind, internal_new, internal, version)
        return _Objects(new, old, internal_new, internal_old)

    def _old(self, case: Case, kind: SuiteKind) -> tuple[Json, Json]:
        """Return the old object as the declarative side and as the handwritten validator see it."""
        if case.operation is not Operation.UPDATE:
            return None, None
        version, served = case.version, case.mode == "served"
        key = self._stored.key(case.old, kind.kind, version, served)
        known = self._stored.find(key)
        if known is not None:
            return known
        old = self._decoded(case, kind, case.old, "old object: ")
        if served and version in kind.defaults:
            old = self._run("default", kind.defaults[version], old)
        internal = self._convert(kind, old, version, _internal(kind))
        forms = (self._convert(kind, internal, _internal(kind), version) if served else old), internal
        self._stored.keep(key, forms)
        return forms

    def _decoded(self, case: Case, kind: SuiteKind, value: Json, which: str = "") -> Json:
        if not isinstance(value, dict):
            raise _StageError(Failure("decode", f"{which}a JSON object is needed, got {_json_type(value)}"))
        wanted = f"{self._suite.group}/{case.version}" if self._suite.group else case.version
        for name, right in (("apiVersion", wanted), ("kind", kind.kind)):
            if value.get(name, right) != right:
                raise _StageError(Failure("decode", f'{which}{name} is {value[name]!r}, this kind has "{right}"'))
        decoder = self._decoders.get((kind.kind, case.version))
        if decoder is None:
            return copy.deepcopy(value)
        try:
            return decoder(value)
        except DecodeError as error:
            raise _StageError(Failure("decode", f"{which}{error}")) from None
        except RecursionError:
            raise _StageError(Failure("decode", f"{which}nested too deeply")) from None

    def _validate(self, case: Case, kind: SuiteKind, context: Context, objects: _Objects) -> Answer:
        handwritten: tuple[FieldError, ...] = ()
        if kind.handwritten is not None:
            with self._stage("handwritten"):
                handwritten = _checked(kind.handwritten(objects.internal_new, objects.internal_old, context))
        declarative = self._declare(kind, case.version, context, objects.new, objects.old)
        versions = self._other_versions(case, kind, context, objects) if case.versions else {}
        return Answer(case.id, handwritten=handwritten, declarative=declarative, versions=versions)

    def _declare(self, kind: SuiteKind, version: str, context: Context, new: Json, old: Json) -> tuple[FieldError, ...]:
        validate = self._declarative.get((kind.kind, version))
        if validate is None:
            return ()
        with self._stage("declarative"):
            return _checked(validate(context.operation, new, old, context.options, context.subresource))

    def _cost(self, case: Case, kind: SuiteKind, context: Context, objects: _Objects, wanted: Measure) -> Cost:
        """Measure what this answer costs, by what a server would do. What is asked here was answered before."""
        version, internal = case.version, _internal(kind)

        def read() -> None:
            new = self._decoded(case, kind, case.object)
            if case.mode == "served" and version in kind.defaults:
                new = kind.defaults[version](new)
            self._convert(kind, new, version, internal)

        def convert() -> None:
            for item in (objects.internal_new, objects.internal_old):
                self._convert(kind, item, internal, version)

        def handwritten() -> None:
            if kind.handwritten is not None:
                kind.handwritten(objects.internal_new, objects.internal_old, context)

        parts = {"read": read, "handwritten": handwritten}
        validate = self._declarative.get((kind.kind, version))
        if validate is not None:

            def declarative() -> None:
                validate(context.operation, objects.new, objects.old, context.options, context.subresource)

            def both() -> None:
                handwritten()
                convert()
                declarative()

            parts |= {"convert": convert, "declarative": declarative, "both": both}
        return measured(parts, wanted)

    def _other_versions(
        self, case: Case, kind: SuiteKind, context: Context, objects: _Objects
    ) -> dict[str, tuple[FieldError, ...]]:
        lists = {}
        for version in kind.versions:
            if version != case.version:
                pair = (objects.internal_new, objects.internal_old)
                new, old = (self._convert(kind, item, _internal(kind), version) for item in pair)
                lists[version] = self._declare(kind, version, context, new, old)
        return lists

    def _convert(self, kind: SuiteKind, value: Json, source: str, wanted: str) -> Json:
        if value is None or source == wanted:
            return value
        return self._run("convert", kind.conversions[source, wanted], value)

    def _run(self, stage: Stage, transform: Callable[[Json], Json], value: Json) -> Json:
        if value is None:
            return None
        with self._stage(stage):
            return transform(value)

    def _stage(self, stage: Stage) -> _Guard:
        return _Guard(self, stage)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Interrupt a case that runs past the limit, where that is possible; see the module's words on hangs."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            yield
            return
        before = signal.getsignal(signal.SIGALRM)
        signal.signal(signal.SIGALRM, self._on_tick)
        timer = signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
        self._started = time.monotonic()
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, *timer)
            signal.signal(signal.SIGALRM, before)

    def _on_tick(self, _signal: int, frame: FrameType | None) -> None:
        if time.monotonic() - self._started > self._limit:
            self._started = time.monotonic()
            raise _Stopped

    def _too_slow(self, stage: Stage) -> Failure:
        return Failure(stage, f"did not finish within {self._limit:g} seconds", panic=True)

    def _follow_gates(self, options: Mapping[str, bool]) -> dict[str, bool]:
        return {name: self._gates.get(name, value) for name, value in options.items()}

    def _describe(self, types: Mapping[KindVersion, str]) -> TargetInfo:
        kinds = tuple(self._info_of(*key, kind, types) for key, kind in self._kinds.items())
        versions = ("versions",) if any(len(kind.versions) > 1 for kind in self._suite.kinds) else ()
        abilities = ("modes", "options", "switches", "repeat", "update", "measure", *versions)
        return TargetInfo(self._suite.name, abilities=abilities, kinds=kinds, gates=dict(self._gates))

    def _info_of(
        self, version: str, name: str, subresource: str, kind: SuiteKind, types: Mapping[KindVersion, str]
    ) -> KindInfo:
        return KindInfo(
            group=self._suite.group,
            version=version,
            kind=name,
            resource=kind.resource,
            api_version=f"{self._suite.group}/{version}" if self._suite.group else version,
            subresource=subresource,
            type=types.get((name, version), ""),
            operations=_operations(kind, subresource),
            namespaced=kind.namespaced,
            rules=(name, version) in self._declarative,
            composition=self._suite.composition,
            normalization=tuple((old, new) for old, new in kind.normalization),
            options=dict(self._options[id(kind)]),
            versions=tuple(other for other in kind.versions if other != version),
        )


class _Guard:
    """Turns whatever the author's code raises into a panic of its stage. A class: entered four times for every case."""

    __slots__ = ("stage", "target")

    def __init__(self, target: PythonTarget, stage: Stage) -> None:
        self.target, self.stage = target, stage

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            return
        if isinstance(error, _Stopped):
            raise _StageError(self.target._too_slow(self.stage)) from None
        if isinstance(error, Exception | SystemExit):
            raise _StageError(Failure(self.stage, _message(error), panic=True)) from None


def _internal(kind: SuiteKind) -> str:
    return kind.internal_version or list(kind.versions)[-1]


def _subresources(kind: SuiteKind) -> tuple[str, ...]:
    return (*(("",) if kind.root else ()), *kind.subresources)


def _operations(kind: SuiteKind, subresource: str) -> tuple[Operation, ...]:
    usual = (Operation.UPDATE,) if subresource else (Operation.CREATE, Operation.UPDATE)
    return tuple(kind.operations.get(subresource, usual))


def _checked(errors: ErrorList) -> tuple[FieldError, ...]:
    """Refuse what is not a list of field errors: it would fail far from here."""
    if errors is None:
        raise TypeError("the validator returned None, not a list of errors")
    found = tuple(errors)
    for error in found:
        if not isinstance(error, FieldError):
            raise TypeError(f"the validator returned {error!r}, which is no FieldError")
    return found


def _message(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _json_type(value: Json) -> str:
    names = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list"}
    return names.get(type(value), type(value).__name__)


def _difference(first: Answer, second: Answer) -> str:
    side = "handwritten" if first.handwritten != second.handwritten else "declarative"
    texts = ["; ".join(error.text for error in getattr(answer, side)) or "no errors" for answer in (first, second)]
    return f"the {side} side says {texts[0]!r}, then {texts[1]!r}"
