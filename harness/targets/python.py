"""The embedded target: a suite's Python callables on one side, declarative callables from outside on the other.

It runs in the process that makes it, a worker's for most, and does for each case what an API server does: decode,
default, convert, prepare, handwritten, declarative. It knows no tags and no types: decoders and declarative validators
are handed in. It has no server of its own, so it does not compose served lists. A validator that raises is a panic. One
that hangs is stopped after `time_limit` seconds where the system can interrupt it: in the main thread, on systems with
SIGALRM, while Python code runs; elsewhere a hang is a hang.
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

from harness.case import Answer, Case, Failure, Json, KindInfo, Operation, TargetInfo, Validated
from harness.suite import Context, Suite, SuiteKind
from harness.targets.endpoint import CaseObjects, Declarative, Decoder, Endpoint, KindVersion, Reader, StageError
from harness.targets.target import Closing
from harness.targets.timing import measured

Way: TypeAlias = tuple[str, str, bool]
"""How an object is read: as which kind and version, and whether as a server reads it."""
Forms: TypeAlias = tuple[Json, Json]
"""An object in the form of the request's version, and in that of the handwritten validators."""

MOST = 256
_LONGEST_PLACE = 200
_ENCODE = msgspec.json.Encoder().encode
_NO_JSON = (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError)


class Stored:
    """Remembers both forms of objects; those that are no JSON are not remembered."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Way], tuple[Json, Forms, bytes]] = {}

    def find(self, value: Json, way: Way) -> Forms | None:
        """Return both forms of an object that was read in this way, when they are still what they were."""
        known = self._known.get((id(value), way))
        if known is None:
            return None
        _, forms, code = known
        return forms if _code(forms) == code else None

    def keep(self, value: Json, way: Way, forms: Forms) -> None:
        """Remember both forms of an object."""
        code = _code(forms)
        if not code:
            return
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[id(value), way] = value, forms, code


def _code(forms: Forms) -> bytes:
    """Write both forms down, once where they are the very same; nothing when they are no JSON."""
    try:
        return _ENCODE(forms[0] if forms[0] is forms[1] else forms)
    except _NO_JSON:
        return b""


STOPPED = "did not finish"
_TICK = 0.25
_LEAST = 0.25
"""How long a case may take at least, however many have run past their time. Units: seconds, in which it ran."""
_UPDATE = Operation.UPDATE  # looking a member of an enum up costs as much as a call


class _Stopped(BaseException):
    """A validator ran past its time limit. No subclass of Exception, so that validators do not swallow it."""


@dataclass(frozen=True, slots=True)
class _AnsweredBatch:
    answers: list[Answer]
    seconds: float = 0.0

    def wait(self, seconds: float) -> bool:
        """Wait for nothing."""
        return True

    def result(self) -> list[Answer]:
        """Return the answers, which are there already."""
        return self.answers


class PythonTarget(Closing):
    """A suite that answers cases in this process.

    `declarative`, `decoders` and `readers` are by kind and version; `types` gives the Go type of each for who reads
    types. `gates` overrides the suite's own. `alone` says that nobody interrupts this process, so that an interrupt is
    the suite's doing. Units: `time_limit` in seconds for the first case that runs past it; each further one gets a
    quarter of what the one before got, and two ticks at least.
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
        self._suite, self._folder = suite, _inside(Path(suite.folder))
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
        """What the suite serves."""
        return self._info

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch, one case after the other."""
        with self._watched():
            return [self._answer(case) for case in cases]

    def submit(self, cases: Sequence[Case]) -> _AnsweredBatch:
        """Answer a batch at once: there is nobody else who could do it meanwhile."""
        return _AnsweredBatch(self.ask(cases))

    def _answer(self, case: Case) -> Answer:
        self._ticks = 0
        end = self._ends.get((case.version, case.kind, case.subresource))
        if end is None or case.group != self._suite.group or case.resource not in ("", end.kind.resource):
            asked = f"{case.group}/{case.version} {case.kind}" + (f"/{case.subresource}" if case.subresource else "")
            return Answer(case.id, failure=Failure("decode", f"the suite {self._suite.name} does not serve {asked}"))
        end.stage = None
        try:
            return self._repeated(case, end) if case.repeat else self._once(case, end)
        except StageError as stop:
            return Answer(case.id, failure=stop.failure)
        except _Stopped:
            text = f"{STOPPED} within {self._limit:g} seconds"
            self._patience = max(_LEAST, self._patience / 4)
            return Answer(case.id, failure=Failure(end.stage or "self", text, panic=True))
        except BaseException as error:  # SystemExit, CancelledError, what pytest.fail raises, an interrupt of its own
            if end.stage is None or (isinstance(error, KeyboardInterrupt) and not self._alone):
                raise
            return Answer(case.id, failure=Failure(end.stage, text_of(error), True, _raised_at(error, self._folder)))

    def _once(self, case: Case, end: Endpoint) -> Answer:
        context = end.context(case)
        objects = self._prepared(case, end, context)
        answer = self._validated(case, end, context, objects)
        if case.measure is None:
            return answer
        return msgspec.structs.replace(answer, cost=measured(end.parts(case, context, objects), case.measure))

    def _repeated(self, case: Case, end: Endpoint) -> Answer:
        context = end.context(case)
        objects = self._prepared(case, end, context)
        before = copy.deepcopy(objects)
        first = self._validated(case, end, context, objects)
        if objects != before:
            return Answer(case.id, failure=Failure("self", "a validator changed the object it was given"))
        second = self._validated(case, end, context, objects)
        if first != second:
            return Answer(case.id, failure=Failure("self", f"two answers to one case: {_difference(first, second)}"))
        return first

    def _prepared(self, case: Case, end: Endpoint, context: Context) -> CaseObjects:
        """Bring both objects to where the server validates them."""
        served = case.mode == "served"
        new, internal = end.arrive(case.object, served)
        old, internal_old = self._old(case, end, served) if case.operation is _UPDATE else (None, None)
        if served:
            internal = end.prepare(internal, internal_old, context)
            new = end.back(internal)
        return CaseObjects(new, old, internal, internal_old)

    def _old(self, case: Case, end: Endpoint, served: bool) -> tuple[Json, Json]:
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
            seen = {version: self._seen(end, version, context, *pair) for version, pair in pairs.items()}
        return Answer(case.id, handwritten=handwritten, declarative=declarative, versions=versions, validated=seen)

    def _seen(self, end: Endpoint, version: str, context: Context, new: Json, old: Json) -> Validated:
        type = self._types.get((end.kind.kind, version), "")
        return Validated(type, new, old, dict(context.options), context.subresource)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Interrupt a case that runs past the limit, where that is possible; see the module's words on hangs."""
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
        # Counted, not read from a clock: whoever is suspended, or gets no processor for long, does not hang.
        self._ticks += 1
        if self._ticks * _TICK > self._patience:
            self._ticks = 0
            raise _Stopped

    def _describe(self, types: Mapping[KindVersion, str]) -> TargetInfo:
        kinds = tuple(self._info_of(end, types) for end in self._ends.values())
        versions = ("versions",) if any(len(kind.versions) > 1 for kind in self._suite.kinds) else ()
        abilities = ("modes", "options", "switches", "repeat", "update", "measure", "validated", *versions)
        return TargetInfo(self._suite.name, abilities=abilities, kinds=kinds, gates=dict(self._gates))

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
    """Write an exception for people, whatever its `__str__` does."""
    try:
        words = str(error)
    except BaseException as other:  # it is somebody's code as well
        words = f"its __str__ raises {type(other).__name__}"
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _inside(folder: Path) -> str:
    """Return how the names of files in a suite's folder begin; empty for a suite that has none of its own."""
    return f"{folder.resolve()}{os.sep}" if folder != Path() else ""


def _raised_at(error: BaseException, folder: str) -> str:
    """Say which line of the code below a folder raised an exception, or called what raised it; empty for none."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        code = frame.f_code
        if folder and code.co_filename.startswith(folder):
            return f"{code.co_filename.removeprefix(folder)}:{line} in {code.co_name}"[:_LONGEST_PLACE]
    return ""


def _difference(first: Answer, second: Answer) -> str:
    side = "handwritten" if first.handwritten != second.handwritten else "declarative"
    texts = ["; ".join(error.text for error in getattr(answer, side)) or "no errors" for answer in (first, second)]
    return f"the {side} side says {texts[0]!r}, then {texts[1]!r}"
