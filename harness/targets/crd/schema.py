"""A target whose errors come from schemas of native types, judged by the code of the API server of CRDs.

Another target decodes, defaults and prepares an object, and says what its declarative validators were given. That
object, without zero values, is judged by the schema of its type, as a custom resource of a CRD. Of its metadata only
the names are asked, since a CRD has rules of its own for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from harness.case import Answer, Case, Excluded, Failure, Json, KindInfo, TargetInfo
from harness.field import FieldError
from harness.objectmodel import METADATA
from harness.targets.endpoint import DecodeError, Decoder
from harness.targets.target import AskedLater, Closing, Pending, Target

NAME = "OpenAPI and CEL"
GENERATED = "generated validation"
_NAMES = ("name", "generateName")


@dataclass(frozen=True, slots=True)
class SchemaKind:
    """The CRD that has the schema of a Go type: where it is served, and how an object loses its zero values."""

    group: str
    version: str
    kind: str
    resource: str
    decode: Decoder
    schema: Mapping[str, Any] = field(default_factory=dict)


class SchemaTarget(Closing):
    """A `Target` of the kinds whose types have a schema; `kinds` finds them by Go type. Closes `crds` with it."""

    def __init__(self, inner: Target, crds: Target, kinds: Mapping[str, SchemaKind]) -> None:
        self._inner, self._crds, self._kinds = inner, crds, kinds

    @cached_property
    def info(self) -> TargetInfo:
        """The kinds of the inner target whose types have a schema."""
        return only_with_schema(self._inner.info, self._kinds, NAME)

    @property
    def restarts(self) -> int:
        """The number of restarts of the server of CRDs."""
        return self._crds.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch; the schemas are asked when the inner target has answered."""
        asked = [msgspec.structs.replace(case, validated=True, brief=False) for case in cases]
        return AskedLater(self._inner.submit(asked), lambda answers: self.judged(cases, answers))

    def close(self) -> None:
        """Close the server of CRDs. May be called twice."""
        self._crds.close()

    def judged(self, cases: Sequence[Case], answers: Sequence[Answer]) -> list[Answer]:
        """Ask the schemas about what the inner target validated."""
        judged: dict[int, Answer] = {}
        questions: list[Case] = []
        schemas = {(kind.group, kind.version, kind.resource): kind.schema for kind in self._kinds.values()}
        for number, (case, answer) in enumerate(zip(cases, answers, strict=True)):
            question = self._question(number, case, answer)
            if isinstance(question, Case):
                questions.append(question)
            else:
                judged[number] = question
        for question, answer in zip(questions, self._crds.ask(questions) if questions else (), strict=True):
            schema = schemas[question.group, question.version, question.resource]
            errors = tuple(
                _plain(msgspec.structs.replace(error, field=path_in_go(schema, question.object, error.field)))
                for error in answer.declarative
                if _is_of_schema(error)
            )
            judged[question.id] = Answer(cases[question.id].id, declarative=errors, failure=answer.failure)
        return [
            msgspec.structs.replace(judged[number], validated=answer.validated if case.validated else {})
            for number, (case, answer) in enumerate(zip(cases, answers, strict=True))
        ]

    def _question(self, number: int, case: Case, answer: Answer) -> Case | Answer:
        """Return what to ask the server of CRDs; an answer where there is nothing to ask."""
        given = answer.validated.get(case.version)
        if answer.failure is not None:
            return Answer(case.id, failure=answer.failure)
        kind = None if given is None else self._kinds.get(given.type)
        if given is None or kind is None:
            return Answer(case.id)
        try:
            new, old = (None if one is None else self._custom(one, kind) for one in (given.object, given.old))
        except DecodeError as error:
            return Answer(case.id, failure=Failure("convert", f"the object does not fit its types: {error}"))
        return Case(number, kind.group, kind.version, kind.kind, case.operation, new, old, kind.resource)

    @staticmethod
    def _custom(obj: Json, kind: SchemaKind) -> Json:
        decoded = kind.decode(obj)
        assert isinstance(decoded, dict)
        metadata = decoded.get(METADATA)
        names = {name: metadata[name] for name in _NAMES if isinstance(metadata, dict) and name in metadata}
        # Without a name, a server asks no rule in CEL.
        names = names or {"name": "a"}
        header = {"apiVersion": f"{kind.group}/{kind.version}", "kind": kind.kind}
        return {**decoded, **header, METADATA: names}


class GeneratedTarget(Closing):
    """A `Target` with the declarative errors of another one alone, every rule enforced. Closes it."""

    def __init__(self, inner: Target, kinds: Mapping[str, SchemaKind]) -> None:
        self._inner, self._kinds = inner, kinds

    @cached_property
    def info(self) -> TargetInfo:
        """The kinds of the inner target whose types have a schema."""
        return only_with_schema(self._inner.info, self._kinds, GENERATED)

    @property
    def restarts(self) -> int:
        """The number of restarts of the inner target's process."""
        return self._inner.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch."""
        return AskedLater(self._inner.submit(cases), lambda answers: list(map(_declarative, answers)))

    def close(self) -> None:
        """Close the inner target. May be called twice."""
        self._inner.close()


def path_in_go(schema: Mapping[str, Any], value: Json, path: str) -> str:
    """Write a path as generated validation does: `f[k]` for a value of a map, of which OpenAPI says `f.k`."""
    written = ""
    while path:
        step = ""
        if "properties" in schema:
            names = [name for name in schema["properties"] if _STEP.sub("", path).startswith(name)]
            name = max(names, key=len, default="")
            step, schema = path[: len(path) - len(_STEP.sub("", path)) + len(name)], schema["properties"].get(name, {})
            value = value.get(name) if isinstance(value, dict) else None
        elif "items" in schema and (index := _INDEX.match(path)) is not None:
            step, schema, number = index[0], schema["items"], int(index[1])
            value = value[number] if isinstance(value, list) and number < len(value) else None
        elif isinstance(schema.get("additionalProperties"), dict) and isinstance(value, dict):
            keys = [key for key in value if path == f".{key}" or path.startswith((f".{key}.", f".{key}["))]
            if keys:
                key = max(keys, key=len)
                written, path = f"{written}[{key}]", path[len(key) + 1 :]
                schema, value = schema["additionalProperties"], value[key]
                continue
        if not step:
            break
        written, path = written + step, path[len(step) :]
    return written + path


_STEP = re.compile(r"^\.")
_INDEX = re.compile(r"\[(\d+)\]")


def only_with_schema(info: TargetInfo, kinds: Mapping[str, Any], name: str) -> TargetInfo:
    """Return a greeting with the kinds whose rules are in schemas; others are excluded with a reason."""
    kept = tuple(kind for kind in info.kinds if kind.type in kinds and kind.rules)
    left = [kind for kind in info.kinds if kind not in kept and kind.rules]
    excluded = [Excluded(one.group, one.version, _resource(one), "its type has no schema") for one in left]
    return TargetInfo(
        name, abilities=info.abilities, kinds=kept, excluded=(*info.excluded, *excluded), gates=info.gates
    )  # fmt: skip


def _resource(kind: KindInfo) -> str:
    return f"{kind.resource}/{kind.subresource}" if kind.subresource else kind.resource


def _declarative(answer: Answer) -> Answer:
    errors = tuple(_plain(error) for error in answer.declarative if not _is_of_metadata(error))
    return msgspec.structs.replace(answer, handwritten=(), declarative=errors)


def _is_of_schema(error: FieldError) -> bool:
    """Whether an error is of a schema, and not of the metadata that every custom resource has."""
    return not error.field.startswith(METADATA) or "x-kubernetes-validations" in error.origin


def _is_of_metadata(error: FieldError) -> bool:
    """Whether an error is of a rule of the metadata, of which a schema says nothing but of the names."""
    return error.field.startswith(METADATA) and error.field not in _NAMED


_NAMED = frozenset(f"{METADATA}.{name}" for name in _NAMES)


def _plain(error: FieldError) -> FieldError:
    """Return an error as of a rule that is enforced."""
    return msgspec.structs.replace(error, level="", covered=False)
