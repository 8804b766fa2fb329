"""Any target with another declarative side: types compiled to Python, asked about the very objects that it validated.

The target defaults, prepares, converts and runs its handwritten validators as ever; a tag can so be tried against them
without any code being generated. Refuses a target that does not tell what it validated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property

import msgspec

from harness.case import Answer, Case, Failure, KindInfo, Operation, RuledKind, ServedList, TargetInfo, Validated
from harness.compare.composition import compose, settings
from harness.compiler import Validators
from harness.diagnostics import TargetError
from harness.field import FieldError
from harness.fuzzers.shape import shape_of
from harness.gotypes.packages import Universe
from harness.subject.decode import decoder_of
from harness.targets.endpoint import DecodeError, Decoder
from harness.targets.target import Closing, Pending, Target
from harness.targets.wire import shortened

Compile = Callable[[str], Validators]
"""From the import path of a package to its validators. Raises: InputError."""

_PANIC = "panic during declarative validation: "


class CompiledTypes:
    """The validators of many packages, compiled when their first type is asked for. Others have no rules."""

    def __init__(self, universe: Universe, packages: Collection[str], compile_package: Compile) -> None:
        self._universe, self._packages, self._compile = universe, frozenset(packages), compile_package
        self._compiled: dict[str, Validators] = {}
        self._decoders: dict[str, Decoder] = {}

    def package(self, path: str) -> Validators:
        """Return the validators of a package. Raises: InputError."""
        if path not in self._compiled:
            self._compiled[path] = self._compile(path)
        return self._compiled[path]

    def has_rules(self, qualified: str) -> bool:
        """Whether anything is checked for a type. Raises: InputError."""
        path, _, name = qualified.rpartition(".")
        if path not in self._packages or self._universe.find(qualified) is None:
            return False
        compiled = self.package(path)
        return name in compiled.types and compiled.has_rules(name)

    def validate(self, operation: Operation, given: Validated) -> list[FieldError]:
        """Return the declarative errors of what a target validated. Raises: DecodeError, InputError."""
        if not self.has_rules(given.type):
            return []
        if given.type not in self._decoders:
            self._decoders[given.type] = decoder_of(shape_of(self._universe, given.type), from_go=True)
        decode = self._decoders[given.type]
        path, _, name = given.type.rpartition(".")
        old = None if given.old is None else decode(given.old)
        new = decode(given.object)
        return shortened(self.package(path).validate(name, operation, new, old, given.options, given.subresource))


class PythonDeclarative(Closing):
    """A `Target`: another one with the declarative lists of compiled types. Raises: TargetError, InputError."""

    def __init__(self, inner: Target, types: CompiledTypes) -> None:
        if "validated" not in inner.info.abilities:
            raise TargetError(
                f"{inner.info.name} cannot be given another declarative side",
                why="it does not tell which objects it validated: its greeting lacks the ability `validated`",
                fix="answer cases with `validated` (docs/reference/protocol.md), or leave --declarative python out",
            )
        self._inner, self._types = inner, types
        self._kinds = {info.key: info for info in self.info.kinds}

    @cached_property
    def info(self) -> TargetInfo:
        """What the inner target serves; which kinds have rules, the compiled types say."""
        inner = self._inner.info
        kinds = tuple(msgspec.structs.replace(kind, rules=self._has_rules(kind, inner.ruled)) for kind in inner.kinds)
        # Lists that we compose are no second opinion on how we compose: they are given when asked for, and not offered.
        abilities = tuple(ability for ability in inner.abilities if ability not in ("declarative", "served"))
        return msgspec.structs.replace(inner, kinds=kinds, abilities=abilities, ruled=())

    def _has_rules(self, kind: KindInfo, ruled: Sequence[RuledKind]) -> bool:
        # A strategy that lets the rules of its type lie goes on doing so.
        ignored = not kind.rules and any(one.type == kind.type for one in ruled)
        return not ignored and bool(kind.type) and self._types.has_rules(kind.type)

    @property
    def restarts(self) -> int:
        """How often the inner target had to be started again."""
        return self._inner.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch; the compiled types are asked when its answers are there."""
        asked = [msgspec.structs.replace(case, validated=True, brief=False, served=False) for case in cases]
        return _DeclarativeBatch(self, cases, self._inner.submit(asked))

    def close(self) -> None:
        """Close the inner target. May be called twice."""
        self._inner.close()

    def answered(self, case: Case, answer: Answer) -> Answer:
        """Put our lists in the place of the target's own."""
        if not answer.validated:
            return answer
        try:
            lists = {v: tuple(self._types.validate(case.operation, given)) for v, given in answer.validated.items()}
        except DecodeError as error:
            failure = Failure("convert", f"the object does not fit the types: {error}")
            return msgspec.structs.replace(answer, declarative=(), versions={}, validated={}, failure=failure)
        declarative = lists.pop(case.version, ())
        return msgspec.structs.replace(
            answer,
            declarative=declarative,
            versions=lists,
            served=self._served(case, answer, declarative) if case.served else (),
            validated=answer.validated if case.validated else {},
            failure=_failure(answer, declarative),
        )

    def _served(self, case: Case, answer: Answer, declarative: Sequence[FieldError]) -> tuple[ServedList, ...]:
        info = self._kinds.get((case.group, case.version, case.resource, case.subresource))
        if info is None:
            return ()
        return tuple(
            ServedList(one.name, dict(one.gates), tuple(compose(answer.handwritten, declarative, info, one)))
            for one in settings(info.composition)
        )


class _DeclarativeBatch:
    """A batch on its way."""

    def __init__(self, target: PythonDeclarative, cases: Sequence[Case], inner: Pending) -> None:
        self._target, self._cases, self._inner = target, cases, inner

    @property
    def seconds(self) -> float:
        return self._inner.seconds

    def wait(self, seconds: float) -> bool:
        return self._inner.wait(seconds)

    def result(self) -> list[Answer]:
        answers = zip(self._cases, self._inner.result(), strict=True)
        return [self._target.answered(case, answer) for case, answer in answers]


def _failure(answer: Answer, declarative: Sequence[FieldError]) -> Failure | None:
    """A panic of the declarative side is one of ours or none; what failed elsewhere stays."""
    panic = next((error.detail for error in declarative if error.detail.startswith(_PANIC)), "")
    if panic:
        return Failure("declarative", panic, True)
    failure = answer.failure
    return None if failure is not None and failure.stage == "declarative" else failure


__all__ = ["CompiledTypes", "PythonDeclarative"]
