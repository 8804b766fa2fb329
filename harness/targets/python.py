"""The embedded target: runs a suite's handwritten validators and compiled declarative validators in this process.

For each case it does the same as an API server: decode, default, convert, prepare, validate handwritten, validate
declaratively. Decoders and declarative validators are passed in; it reads neither tags nor types. It composes no served
lists. An exception of a validator is a panic. A validator that hangs is interrupted after `time_limit` seconds if
SIGALRM is available: in the main thread, while Python code runs. Otherwise the process hangs.
"""

from __future__ import annotations

import copy
import os
import signal
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TypeAlias

import msgspec

from harness.case import (
    STOPPED,
    Answer,
    Case,
    Failure,
    Json,
    KindInfo,
    Operation,
    TargetInfo,
    Validated,
    Vocabulary,
)
from harness.field import ErrorType
from harness.suite import Context, Suite, SuiteKind
from harness.targets.endpoint import CaseObjects, Declarative, Decoder, Endpoint, KindVersion, Reader, StageError
from harness.targets.errorsources import ErrorSources, describe_place
from harness.targets.target import Closing
from harness.targets.timing import measured

Way: TypeAlias = tuple[str, str, bool]
"""How an object is read: as which kind and version, and whether as a server reads it."""
Forms: TypeAlias = tuple[Json, Json]
"""An object in the form of the request's version, and in that of the handwritten validators."""

MAX_STORED = 256
"""At most this many old objects are cached."""
_ENCODE = msgspec.json.Encoder().encode
_NO_JSON = (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError)


class Stored:
    """Caches both forms of objects that are valid JSON."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Way], tuple[Json, Forms, bytes]] = {}

    def find(self, value: Json, way: Way) -> Forms | None:
        """Return both forms of an object that was read in this way, if they are unchanged."""
        known = self._known.get((id(value), way))
        if known is None:
            return None
        _, forms, code = known
        return forms if _code(forms) == code else None

    def keep(self, value: Json, way: Way, forms: Forms) -> None:
        """Cache both forms of an object."""
        code = _code(forms)
        if not code:
            return
        if len(self._known) >= MAX_STORED:
            self._known.clear()
        self._known[id(value), way] = value, forms, code


def _code(forms: Forms) -> bytes:
    """Encode both forms, once if they are identical; None if they are not valid JSON."""
    try:
        return _ENCODE(forms[0] if forms[0] is forms[1] else forms)
    except _NO_JSON:
        return b""


WORDS = Vocabulary(
    mark="covered=True",
    origin='origin="<origin>"',
    calls={
        ErrorType.REQUIRED: "required(...)",
        ErrorType.FORBIDDEN: "forbidden(...)",
        ErrorType.INVALID: "invalid(...)",
        ErrorType.DUPLICATE: "duplicate(...)",
        ErrorType.NOT_SUPPORTED: "not_supported(...)",
        ErrorType.NOT_FOUND: "not_found(...)",
        ErrorType.TOO_LONG: "too_long_characters(...)",
        f"{ErrorType.TOO_LONG} in bytes": "too_long(...)",
        ErrorType.TOO_SHORT: "too_short(...)",
        ErrorType.TOO_MANY: "too_many(...)",
        ErrorType.TOO_FEW: "too_few(...)",
    },
)
"""How handwritten validators of suites make errors: the functions of `harness.field.make`."""

_TICK = 0.25
_MIN_PATIENCE = 0.25
"""Minimum time limit of a case, however many exceeded theirs. Units: seconds of running."""
_UPDATE = Operation.UPDATE  # a local name: looking up a member of an enum costs as much as a call


class _Stopped(BaseException):
    """A validator exceeded its time limit. Not a subclass of Exception, so that validators do not catch it."""


@dataclass(frozen=True, slots=True)
class _AnsweredBatch:
    answers: list[Answer]
    seconds: float = 0.0

    def wait(self, seconds: float) -> bool:
        """Wait for nothing."""
        return True

    def result(self) -> list[Answer]:
        """Return the answers, which are complete already."""
        return self.answers


class PythonTarget(Closing):
    """A suite that answers cases in this process.

    `declarative`, `decoders` and `readers` are by kind and version; `types` gives the Go type of each for who reads
    types. `gates` overrides the suite's own. `alone`: users do not interrupt this process, so an interrupt comes from
    the suite. Units: `time_limit` in seconds for the first case that exceeds it; each further one gets a quarter of the
    limit before, and at least two ticks.
    """

    def __init__(
        self,
        suite: Suite,
        declarative: Mapping[KindVersion, Declarative],
        *,
        decoders: Mapping[KindVersion, Decoder] | None = None,
        readers: Mapping[KindVersion, Reader] | None = None,
        types: Mapping[KindVersion, str] | None = None,
        gates: Mapping[str, bool] | None = None,
        time_limit: float = 10.0,
        alone: bool = False,
    ) -> None:
        self._suite, self._folder = suite, _folder_prefix(Path(suite.folder))
        self._gates = {**suite.gates, **(gates or {})}
        self._limit, self._patience, self._alone = time_limit, time_limit, alone
        made, read = decoders or {}, readers or {}
        self._ends = {
            (version, kind.kind, subresource): Endpoint(
                suite,
                kind,
                version,
                subresource,
                made.get((kind.kind, version)),
                declarative,
                options,
                self._gates,
                read.get((kind.kind, version)),
            )
            for kind in suite.kinds
            for options in [{name: self._gates.get(name, value) for name, value in kind.options.items()}]
            for version in kind.versions
            for subresource in _subresources(kind)
        }
        self._stored = Stored()
        self._ticks = 0
        self._types = types or {}
        self._info = self._describe(self._types)

    @property
    def info(self) -> TargetInfo:
        """The kinds of the suite."""
        return self._info

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch, one case after the other."""
        with self._watched():
            return [self._answer(case) for case in cases]

    def submit(self, cases: Sequence[Case]) -> _AnsweredBatch:
        """Answer a batch immediately, since this process does the work."""
        return _AnsweredBatch(self.ask(cases))

    def _answer(self, case: Case) -> Answer:
        self._ticks = 0
        end = self._ends.get((case.version, case.kind, case.subresource))
        if end is None or case.group != self._suite.group or case.resource not in ("", end.kind.resource):
            asked = f"{case.group}/{case.version} {case.kind}" + (f"/{case.subresource}" if case.subresource else "")
            return Answer(case.id, failure=Failure("decode", f"the suite {self._suite.name} does not serve {asked}"))
        end.stage = None
        try:
            return self._answer_repeatedly(case, end) if case.repeat else self._answer_once(case, end)
        except StageError as stop:
            return Answer(case.id, failure=stop.failure)
        except _Stopped:
            text = f"{STOPPED} within {self._limit:g} seconds"
            self._patience = max(_MIN_PATIENCE, self._patience / 4)
            return Answer(case.id, failure=Failure(end.stage or "self", text, panic=True))
        except BaseException as error:  # SystemExit, CancelledError, what pytest.fail raises, an interrupt of its own
            if end.stage is None or (isinstance(error, KeyboardInterrupt) and not self._alone):
                raise
            return Answer(case.id, failure=Failure(end.stage, text_of(error), True, _raised_at(error, self._folder)))

    def _answer_once(self, case: Case, end: Endpoint) -> Answer:
        context = end.context(case)
        objects = self._prepare_objects(case, end, context)
        if case.trace:
            with ErrorSources(self._folder) as sources:
                answer = self._validated(case, end, context, objects)
            answer = sources.add_to(answer)
        else:
            answer = self._validated(case, end, context, objects)
        if case.measure is None:
            return answer
        return msgspec.structs.replace(answer, cost=measured(end.parts(case, context, objects), case.measure))

    def _answer_repeatedly(self, case: Case, end: Endpoint) -> Answer:
        context = end.context(case)
        objects = self._prepare_objects(case, end, context)
        before = copy.deepcopy(objects)
        first = self._validated(case, end, context, objects)
        if objects != before:
            return Answer(case.id, failure=Failure("self", "a validator changed the object it was given"))
        second = self._validated(case, end, context, objects)
        if first != second:
            difference = _describe_difference(first, second)
            return Answer(case.id, failure=Failure("self", f"two answers to one case: {difference}"))
        return first

    def _prepare_objects(self, case: Case, end: Endpoint, context: Context) -> CaseObjects:
        """Decode, default, convert and prepare both objects, as a server does before validation."""
        served = case.mode == "served"
        new, internal = end.arrive(case.object, served)
        old, internal_old = self._read_old(case, end, served) if case.operation is _UPDATE else (None, None)
        if served:
            internal = end.prepare(internal, internal_old, context)
            new = end.back(internal)
        return CaseObjects(new, old, internal, internal_old)

    def _read_old(self, case: Case, end: Endpoint, served: bool) -> tuple[Json, Json]:
        """Return the old object in both forms. It was defaulted when it was stored."""
        way = end.kind.kind, end.version, served
        known = self._stored.find(case.old, way)
        if known is not None:
            return known
        old, internal = end.arrive(case.old, served, "old object: ")
        forms = end.back(internal) if served else old, internal
        self._stored.keep(case.old, way, forms)
        return forms

    def _validated(self, case: Case, end: Endpoint, context: Context, objects: CaseObjects) -> Answer:
        handwritten, declarative = end.lists(context, objects)
        if not case.versions and not case.validated:  # nearly every case
            return Answer(case.id, handwritten, declarative)
        others = end.in_others(objects) if case.versions else {}
        versions = end.other_lists(context, others)
        seen: dict[str, Validated] = {}
        if case.validated:
            pairs = {end.version: (objects.new, objects.old), **others}
            seen = {version: self._describe_validated(end, version, context, *pair) for version, pair in pairs.items()}
        return Answer(case.id, handwritten=handwritten, declarative=declarative, versions=versions, validated=seen)

    def _describe_validated(self, end: Endpoint, version: str, context: Context, new: Json, old: Json) -> Validated:
        type = self._types.get((end.kind.kind, version), "")
        return Validated(type, new, old, dict(context.options), context.subresource)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Interrupt a case that exceeds the limit, if that is possible; see the docstring of the module."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            yield
            return
        before = signal.getsignal(signal.SIGALRM)
        signal.signal(signal.SIGALRM, self._on_tick)
        timer = signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
        self._ticks = 0
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, *timer)
            signal.signal(signal.SIGALRM, before)

    def _on_tick(self, _signal: int, frame: FrameType | None) -> None:
        # Counts ticks instead of reading a clock, because a suspended process does not hang.
        # The first may come when a case has just begun.
        self._ticks += 1
        if (self._ticks - 1) * _TICK >= self._patience:
            self._ticks = 0
            raise _Stopped

    def _describe(self, types: Mapping[KindVersion, str]) -> TargetInfo:
        kinds = tuple(self._info_of(end, types) for end in self._ends.values())
        versions = ("versions",) if any(len(kind.versions) > 1 for kind in self._suite.kinds) else ()
        abilities = ("modes", "options", "switches", "repeat", "update", "measure", "validated", "trace", *versions)
        words = msgspec.structs.replace(WORDS, file=self._file())
        return TargetInfo(self._suite.name, abilities=abilities, kinds=kinds, gates=dict(self._gates), vocabulary=words)

    def _file(self) -> str:
        """Return the file of the suite's folder that has all its handwritten validators; empty if there is none."""
        codes = [getattr(kind.handwritten, "__code__", None) for kind in self._suite.kinds]
        files = {code.co_filename if code is not None else "" for code in codes}
        only = files.pop() if len(files) == 1 else ""
        return only.removeprefix(self._folder) if self._folder and only.startswith(self._folder) else ""

    def _info_of(self, end: Endpoint, types: Mapping[KindVersion, str]) -> KindInfo:
        kind, version, subresource = end.kind, end.version, end.subresource
        return KindInfo(
            group=self._suite.group,
            version=version,
            kind=kind.kind,
            resource=kind.resource,
            api_version=f"{self._suite.group}/{version}" if self._suite.group else version,
            subresource=subresource,
            type=types.get((kind.kind, version), ""),
            operations=_operations(kind, subresource),
            namespaced=kind.namespaced,
            rules=end.declarative is not None,
            composition=self._suite.composition,
            normalization=tuple((old, new) for old, new in kind.normalization),
            options=dict(end.options),
            versions=tuple(other for other in kind.versions if other != version),
        )


def _subresources(kind: SuiteKind) -> tuple[str, ...]:
    return (*(("",) if kind.root else ()), *kind.subresources)


def _operations(kind: SuiteKind, subresource: str) -> tuple[Operation, ...]:
    usual = (Operation.UPDATE,) if subresource else (Operation.CREATE, Operation.UPDATE)
    return tuple(kind.operations.get(subresource, usual))


def text_of(error: BaseException) -> str:
    """Return the text of an exception, even if its `__str__` raises."""
    try:
        message = str(error)
    except BaseException as other:  # __str__ may be code of the suite
        message = f"its __str__ raises {type(other).__name__}"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _folder_prefix(folder: Path) -> str:
    """Return how the names of files in a suite's folder begin; empty for a suite that has none of its own."""
    return f"{folder.resolve()}{os.sep}" if folder != Path() else ""


def _raised_at(error: BaseException, folder: str) -> str:
    """Return the last line of code below a folder in the traceback of an exception; empty if there is none."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        code = frame.f_code
        if folder and code.co_filename.startswith(folder):
            return describe_place(code.co_filename, line, code.co_name, folder)
    return ""


def _describe_difference(first: Answer, second: Answer) -> str:
    side = "handwritten" if first.handwritten != second.handwritten else "declarative"
    texts = ["; ".join(error.text for error in getattr(answer, side)) or "no errors" for answer in (first, second)]
    return f"the {side} side says {texts[0]!r}, then {texts[1]!r}"
