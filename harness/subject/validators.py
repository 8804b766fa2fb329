"""Opens a suite of two validators of Python: a function and a model, two schemas, or whatever an adapter knows.

The validators are asked in the process of the suite, like those of any other suite, and so is what they differ in: the
search sees the errors of both in the form of `harness.compare.two_validators`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import msgspec

from harness.case import Answer, Case, Failure, Json, Operation, Stage
from harness.compare.two_validators import TwoValidators, encode_pair
from harness.diagnostics import Position, UsageError
from harness.field import ErrorList, FieldError
from harness.fuzzers.schemashape import shape_of_schemas
from harness.pyschemas import FUNCTION, CheckObject, Shown, Surroundings, adapter_of, facts_of
from harness.subject.examples import FOLDER
from harness.subject.namedrules import name_rules
from harness.subject.placing import place_errors
from harness.subject.pyliterals import python_files, python_literals
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject
from harness.subject.suitefile import import_suite
from harness.subject.suiteprocess import SuiteTarget
from harness.subject.validatorsuite import ValidatorSuite, describe_validators
from harness.suite import Context, Suite, SuiteKind
from harness.tags.release import release_of
from harness.targets.endpoint import Errors
from harness.targets.python import PythonTarget
from harness.targets.target import Target

_STAGES: Mapping[Stage, Stage] = {"handwritten": "old", "declarative": "new"}
_SIDES = ("the handwritten side", "the declarative side")


def open_validators(suite: ValidatorSuite, spec: SubjectSpec, note: Note) -> Subject:
    """Open a suite of two validators. Raises: InputError, UsageError, TargetError."""
    _check_spec(suite, spec)
    target: Target
    if spec.in_process:
        own = import_suite(suite.folder)
        assert isinstance(own, Suite)
        target = cast(Target, validator_target(own, 10.0, alone=False))
    else:
        target = cast(Target, SuiteTarget(suite.name, suite.folder, spec.gates, note=note))
    folder = Path(suite.folder)
    literals = python_literals(_sources(suite))
    shape = shape_of_schemas(suite.name, suite.schemas)
    return Subject(
        spec, suite.name, target, None, folder / "corpus", lambda info: literals,
        allow_incomplete=suite.allow_incomplete, examples=folder / FOLDER, comparison=TwoValidators(*suite.names),
        shape=shape, facts=facts_of(suite.new.words),
    )  # fmt: skip


def _check_spec(suite: ValidatorSuite, spec: SubjectSpec) -> None:
    """Refuse what only a suite with types has."""
    if spec.gates:
        raise UsageError(f"{suite.name} compares two validators and has no gates\n  fix: leave --gates out")
    if spec.types or spec.declarative != "target":
        raise UsageError(f"{suite.name} has no types.go\n  fix: leave --types and --declarative out")
    if spec.against is not None or spec.handwritten is not None:
        raise UsageError(f"{suite.name} compares two validators already\n  fix: leave --against and --handwritten out")


def _sources(suite: ValidatorSuite) -> list[Path]:
    """Return the files of the validators' code, and the other files of the suite."""
    named = [Path(side.file) for side in (suite.old, suite.new) if side.file]
    return list(dict.fromkeys((*named, *python_files(Path(suite.folder)))))


class ValidatorTarget(PythonTarget):
    """Asks both validators about an object, and answers with what they differ in."""

    def __init__(self, suite: Suite, told: ValidatorSuite, time_limit: float, alone: bool) -> None:
        proposed = release_of(suite.release).proposed
        surroundings = Surroundings(Path(suite.folder), tuple(suite.rejections), suite.version, proposed)
        ask_old, ask_new = _checks_of(suite, surroundings)

        def handwritten(new: Json, old: Json, _context: Context) -> ErrorList:
            return ask_old(new, old)

        def declarative(
            _operation: Operation, new: Json, old: Json, _options: Mapping[str, bool], _subresource: str
        ) -> ErrorList:
            return ask_new(new, old)

        served = (Operation.CREATE, Operation.UPDATE) if told.has_updates else (Operation.CREATE,)
        kind = SuiteKind(
            told.kind, told.kind.lower(), {"": ""}, handwritten, operations={"": served}, namespaced=False
        )  # fmt: skip
        key = told.kind, ""
        super().__init__(
            Suite(told.name, "", (kind,), composition="takeover", folder=suite.folder), {key: declarative},
            decoders={key: copy.deepcopy}, readers={key: _read}, types={key: f"{told.name}.{told.kind}"},
            time_limit=time_limit, alone=alone,
        )  # fmt: skip
        self._compared_by, self._names = suite.compare, told.names
        self._shape = shape_of_schemas(told.name, told.schemas)
        self._ask_old, self._ask_new = ask_old, ask_new
        self._are_mute = told.old.noun == FUNCTION.noun, told.new.noun == FUNCTION.noun

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch, one case after the other."""
        return [self._compared(*both) for both in zip(cases, super().ask(cases), strict=True)]

    def _compared(self, case: Case, answer: Answer) -> Answer:
        if answer.failure is not None:
            return msgspec.structs.replace(answer, failure=self._named(answer.failure))
        if not answer.handwritten and not answer.declarative:  # nearly every case
            return answer
        old, new = answer.handwritten, answer.declarative
        if not old or not new or self._compared_by != "verdict":  # only differences are explained by their rules
            obj = case.object
            obj, stored = (msgspec.json.decode(one) if isinstance(one, msgspec.Raw) else one for one in (obj, case.old))
            old, new = (
                self._explained(errors, _on_update_of(stored, ask), obj)
                for errors, ask in ((old, self._ask_old), (new, self._ask_new))
            )
        after, before = encode_pair(old, new, self._compared_by, self._are_mute)
        return msgspec.structs.replace(answer, handwritten=after, declarative=before)

    def _explained(self, errors: Errors, check: CheckObject, obj: Json) -> Errors:
        """Add the paths and the rules that a validator does not name itself."""
        placed = place_errors(errors, check, obj, self._shape) if errors else errors
        return tuple(name_rules(placed, obj, self._shape))

    def _named(self, failure: Failure) -> Failure:
        """Name the validator that failed."""
        message = failure.message
        for side, name in zip(_SIDES, self._names, strict=True):
            message = message.replace(side, name)
        return msgspec.structs.replace(failure, stage=_STAGES.get(failure.stage, failure.stage), message=message)


def _checks_of(suite: Suite, surroundings: Surroundings) -> list[CheckObject]:
    """Return how both sides are asked. A function beside a CRD gets objects as the server of the CRD shows them."""
    sides = [(one, adapter_of(one, surroundings.folder)) for one in (suite.old, suite.new)]
    shows = [adapter.show(one, surroundings) for one, adapter in sides if adapter.show is not None]
    checks = []
    for one, adapter in sides:
        check = adapter.check(one, surroundings)
        checks.append(_shown(check, shows[0]) if shows and adapter is FUNCTION else check)
    return checks


def _shown(check: CheckObject, show: Shown) -> CheckObject:
    def ask(obj: Json, old: Json = None, /) -> Sequence[FieldError]:
        return check(show(obj), None if old is None else show(old))

    return ask


def _on_update_of(old: Json, ask: CheckObject) -> CheckObject:
    """Return a check that knows the old object already."""
    return lambda obj, _old=None, /: ask(obj, old)


def _read(text: msgspec.Raw) -> Json:
    value = msgspec.json.decode(text)
    return value if isinstance(value, dict) else None


def validator_target(suite: Suite, time_limit: float, *, alone: bool) -> ValidatorTarget:
    """Return a suite that was imported as a target in this process. Raises: InputError."""
    told = describe_validators(suite, Position(str(Path(suite.folder) / "suite.py")))
    return ValidatorTarget(suite, told, time_limit, alone)
