"""A target whose declarative errors come from types compiled to Python, for the objects that the target validated.

The target defaults, prepares, converts and runs its handwritten validators unchanged, so a tag can be tried against
them without generating Go code. Requires a target that returns the validated objects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property

import msgspec

from harness.case import Answer, Case, Failure, KindInfo, RuledKind, ServedList, TargetInfo
from harness.compare.composition import compose, settings
from harness.compiler import Validators
from harness.diagnostics import Diagnostic, InputError, TargetError
from harness.field import FieldError
from harness.subject.api import Api, bare_package
from harness.subject.compiledtypes import CompiledTypes
from harness.subject.subject import Note
from harness.tags.custom_kubernetes import CustomFunctions
from harness.targets.endpoint import DecodeError
from harness.targets.target import AskedLater, Closing, Pending, Target

_PANIC = "panic during declarative validation: "


class PythonDeclarative(Closing):
    """A `Target` that replaces the declarative errors of another target by those of compiled types.

    Raises: TargetError, InputError.
    """

    def __init__(self, inner: Target, types: CompiledTypes) -> None:
        if "validated" not in inner.info.abilities:
            raise TargetError(
                f"--declarative python does not work with {inner.info.name}",
                why="it does not return the objects that it validated: its greeting lacks the ability `validated`",
                fix="answer cases with `validated` (docs/reference/protocol.md), or omit --declarative python",
            )
        self._inner, self._types = inner, types
        self._kinds = {info.key: info for info in self.info.kinds}

    @cached_property
    def info(self) -> TargetInfo:
        """The greeting of the inner target, with `rules` of kinds according to the compiled types."""
        inner = self._inner.info
        kinds = tuple(msgspec.structs.replace(kind, rules=self._has_rules(kind, inner.ruled)) for kind in inner.kinds)
        # We compose the served lists ourselves, so a comparison of them with our composition would prove nothing.
        abilities = tuple(ability for ability in inner.abilities if ability not in ("declarative", "served"))
        return msgspec.structs.replace(inner, kinds=kinds, abilities=abilities, ruled=())

    def _has_rules(self, kind: KindInfo, ruled: Sequence[RuledKind]) -> bool:
        # If the strategy of a kind does not call the declarative validators of its type, it has no rules here either.
        ignored = not kind.rules and any(one.type == kind.type for one in ruled)
        return not ignored and bool(kind.type) and self._types.has_rules(kind.type)

    @property
    def restarts(self) -> int:
        """The number of restarts of the inner target's process."""
        return self._inner.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch. The compiled validators run when its answers have arrived."""
        asked = [msgspec.structs.replace(case, validated=True, brief=False, served=False) for case in cases]
        return AskedLater(self._inner.submit(asked), lambda answers: self._make(cases, answers))

    def close(self) -> None:
        """Close the inner target. May be called twice."""
        self._inner.close()

    def _make(self, cases: Sequence[Case], answers: Sequence[Answer]) -> list[Answer]:
        return [self._replace_lists(case, answer) for case, answer in zip(cases, answers, strict=True)]

    def _replace_lists(self, case: Case, answer: Answer) -> Answer:
        """Return an answer with our declarative errors in place of the target's."""
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


def _failure(answer: Answer, declarative: Sequence[FieldError]) -> Failure | None:
    """Return the failure of an answer with our errors.

    A panic of the target's declarative validators is dropped, and a panic of ours is added.
    """
    panic = next((error.detail for error in declarative if error.detail.startswith(_PANIC)), "")
    if panic:
        return Failure("declarative", panic, True)
    failure = answer.failure
    return None if failure is not None and failure.stage == "declarative" else failure


def with_types(target: Target, types: Callable[[], CompiledTypes]) -> Target:
    """Return a target with the declarative errors of compiled types. Closes the target if that raises."""
    try:
        return PythonDeclarative(target, types())
    except BaseException:
        target.close()
        raise


def compiled_types(api: Api, now: Collection[str], note: Note) -> CompiledTypes:
    """Return validators that are compiled on first use; those of `now` immediately, to report their errors early."""
    packages = {package.path: package for package in api.packages}
    functions, reported = CustomFunctions(), set[str]()

    def compiled(path: str) -> Validators:
        result = api.validators(packages.get(path) or bare_package(path), functions)
        for message in (*map(str, result.warnings), *functions.warnings()):
            if message not in reported:
                reported.add(message)
                note(message)
        return result

    # A package without +k8s:validation-gen in doc.go has no rules, unless it is one of the edited packages (`now`).
    types = CompiledTypes(api.universe, {*packages, *now}, compiled)
    diagnostics: list[Diagnostic] = []
    for path in now:
        try:
            types.package(path)
        except InputError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise InputError(list(dict.fromkeys(diagnostics)))
    return types
