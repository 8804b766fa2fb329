"""A target that also answers what its own tags report, compiled to Python, for the cases that ask for it.

The generated code of a target is compared with this list (`harness.compare.generatedcode`), for the objects that the
target validated: defaulted, prepared and converted. Nothing is said of a type that cannot be judged: its tags do not
compile, its rules call handwritten functions that only Go has, or its strategy lets the rules of its type lie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import msgspec

from harness.case import Answer, Case, Composition, KindInfo, TargetInfo
from harness.compiler import Validators
from harness.diagnostics import HarnessError, TargetError
from harness.field import FieldError
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.packages import Universe
from harness.subject.api import DEFAULT_RELEASE, Api, bare_package
from harness.subject.compiledtypes import CompiledTypes
from harness.subject.goorder import in_order
from harness.subject.subject import Note
from harness.tags.custom_kubernetes import CustomFunctions
from harness.targets.endpoint import DecodeError
from harness.targets.target import AskedLater, Closing, Pending, Target

ABILITY = "compiled"
_RELEASES: Mapping[Composition, str] = {"levels": "1.37", "explicit": "1.36", "shadow": "1.36"}
"""The release whose generator reads tags as a checkout does, by how its strategies compose lists."""


class OwnTags(Closing):
    """A `Target` that answers as another one does, and adds the list of its tags where a case asks for it.

    `tags` returns the compiled types, and is called for the first such case. `note` is told once of each package whose
    generated code is not judged.
    """

    def __init__(self, inner: Target, universe: Universe, tags: Callable[[], CompiledTypes], note: Note) -> None:
        self._inner, self._universe, self._open, self._note = inner, universe, tags, note
        self._kinds = {info.key: info for info in inner.info.kinds}
        self._ruled = {one.type for one in inner.info.ruled}
        self._refused: set[str] = set()

    @cached_property
    def _tags(self) -> CompiledTypes:
        return self._open()

    @cached_property
    def info(self) -> TargetInfo:
        """The greeting of the inner target, with one ability more if it returns the objects that it validated."""
        inner = self._inner.info
        abilities = tuple(name for name in inner.abilities if name != ABILITY)
        if "validated" in abilities:
            abilities += (ABILITY,)
        return msgspec.structs.replace(inner, abilities=abilities)

    @property
    def restarts(self) -> int:
        """The number of restarts of the inner target's process."""
        return self._inner.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch. The tags are asked when its answers have arrived."""
        if not any(case.compiled for case in cases):
            return self._inner.submit(cases)
        asked = [
            msgspec.structs.replace(case, compiled=False, validated=True, brief=False) if case.compiled else case
            for case in cases
        ]
        return AskedLater(self._inner.submit(asked), lambda answers: self._make(cases, answers))

    def close(self) -> None:
        """Close the inner target. May be called twice."""
        self._inner.close()

    def _make(self, cases: Sequence[Case], answers: Sequence[Answer]) -> list[Answer]:
        pairs = zip(cases, answers, strict=True)
        return [self._add_list(case, answer) if case.compiled else answer for case, answer in pairs]

    def _add_list(self, case: Case, answer: Answer) -> Answer:
        """Return the answer to a case that asks for the list of the tags, with this list where it is known."""
        validated = answer.validated if case.validated else {}
        return msgspec.structs.replace(answer, compiled=self._list_of(case, answer), validated=validated)

    def _list_of(self, case: Case, answer: Answer) -> tuple[FieldError, ...] | None:
        given = answer.validated.get(case.version)
        info = self._kinds.get((case.group, case.version, case.resource, case.subresource))
        if answer.failure is not None or given is None or info is None or self._is_ignored(info, given.type):
            return None
        try:
            compiled = tuple(self._tags.validate(case.operation, given))
        except DecodeError:  # Go has values that the types do not, such as a number out of range
            return None
        except HarnessError as error:
            self._refuse(given.type.rpartition(".")[0], error)
            return None
        if compiled == answer.declarative:
            return compiled
        shape = self._shape(given.type)
        is_same = in_order(compiled, shape) == in_order(answer.declarative, shape)
        return answer.declarative if is_same else compiled

    def _is_ignored(self, info: KindInfo, type_name: str) -> bool:
        """Whether the strategy of a kind does not call the declarative validators of its type, which it has."""
        return type_name.rpartition(".")[0] in self._refused or (not info.rules and type_name in self._ruled)

    def _shape(self, type_name: str) -> Shape:
        return shape_of(self._universe, type_name)

    def _refuse(self, package: str, error: HarnessError) -> None:
        self._refused.add(package)
        why = str(error).replace("\n", "\n    ")
        self._note(f"the generated code of {package} is not compared with its tags\n  why: {why}")


def own_tags(api: Api, info: TargetInfo) -> CompiledTypes:
    """Return the tags of a release or checkout, by package compiled on first use.

    That raises TargetError for a package whose rules call a handwritten function that Python does not have, and for a
    checkout of which it is not known how its generator reads tags.
    """
    packages = {package.path: package for package in api.packages}
    release = api.release if api.release != DEFAULT_RELEASE else _release_of(info)
    known = replace(api, release=release or DEFAULT_RELEASE)

    def compiled(path: str) -> Validators:
        if not release:
            raise TargetError("it is of 1.33, 1.34 or 1.35, whose generators differ, and a checkout does not say which")
        functions = CustomFunctions()
        result = known.validators(packages.get(path) or bare_package(path), functions)
        if functions.missing:
            raise TargetError(f"its rules call {', '.join(functions.missing)}, which is handwritten in Go")
        return result

    return CompiledTypes(api.universe, packages, compiled)


def _release_of(info: TargetInfo) -> str:
    return next((_RELEASES[kind.composition] for kind in info.kinds if kind.composition in _RELEASES), "")
