"""Generated validation and schemas are asked about the same object, without zero values, and answer alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from harness.case import Answer, Case, Failure, KindInfo, Operation, TargetInfo, Validated
from harness.field import FieldError
from harness.targets.crd.schema import GeneratedTarget, SchemaKind, SchemaTarget, path_in_go
from harness.targets.endpoint import DecodeError
from harness.targets.target import Closing

KIND = KindInfo("", "v1", "T", "ts", "v1", type="g.T")
OTHER = KindInfo("", "v1", "U", "us", "v1", type="g.U")
RULE = FieldError("FieldValueInvalid", "spec.n", "negative", "minimum", "beta")
OF_METADATA = FieldError("FieldValueInvalid", "metadata.uid", "changed", "immutable")
HANDWRITTEN = FieldError("FieldValueInvalid", "spec.n", "odd")


class Pending:
    """A batch that is answered already."""

    seconds = 0.0

    def __init__(self, answers: list[Answer]) -> None:
        self._answers = answers

    def wait(self, seconds: float) -> bool:
        return True

    def result(self) -> list[Answer]:
        return self._answers


class Native(Closing):
    """Says what it validated: the object with a default, or why it cannot read it."""

    info = TargetInfo("native", release="1.37.1", kinds=(KIND, OTHER))

    def submit(self, cases: Sequence[Case]) -> Pending:
        return Pending([self.answer(case) for case in cases])

    def answer(self, case: Case) -> Answer:
        if case.object == "unreadable":
            return Answer(case.id, failure=Failure("decode", "unreadable"))
        old = None if case.old is None else {**case.old, "d": 1}
        given = Validated("g.T", {**case.object, "d": 1}, old)
        return Answer(case.id, (HANDWRITTEN,), (RULE, OF_METADATA), validated={"v1": given} if case.validated else {})


class Server(Closing):
    """Rejects everything, and remembers what it was asked."""

    info = TargetInfo("crds")

    def __init__(self) -> None:
        self.asked, self.closed = list[Case](), 0

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        self.asked += cases
        of_metadata = FieldError("FieldValueInvalid", "metadata.name", "odd")
        of_name = FieldError("FieldValueInvalid", "metadata.name", "odd", "x-kubernetes-validations[0]")
        return [Answer(case.id, declarative=(RULE, of_metadata, of_name)) for case in cases]

    def close(self) -> None:
        self.closed += 1


def strip(value: Any) -> Any:
    """Leave the zero members out."""
    if "broken" in value:
        raise DecodeError("broken")
    return {name: one for name, one in value.items() if one}


KINDS = {"g.T": SchemaKind("core.k8s.io", "v1", "T", "ts", strip)}


def case(new: Any, old: Any = None) -> Case:
    """A create or an update."""
    return Case(7, "", "v1", "T", Operation.UPDATE if old else Operation.CREATE, new, old, "ts")


def schemas(server: Server | None = None) -> SchemaTarget:
    """The schemas of T."""
    return SchemaTarget(Native(), server or Server(), KINDS)  # type: ignore[arg-type]  # as much of targets as it uses


def test_a_schema_is_asked_what_generated_validation_was_given() -> None:
    """As a custom resource: defaulted, without zero values, with the names of its metadata alone."""
    server = Server()
    metadata = {"name": "a", "uid": "u", "labels": {}}
    (answer,) = schemas(server).ask([case({"n": 0, "m": 2, "metadata": metadata}, {"n": 3, "metadata": metadata})])
    (asked,) = server.asked
    header = {"apiVersion": "core.k8s.io/v1", "kind": "T", "metadata": {"name": "a"}}
    assert ({"m": 2, "d": 1, **header}, {"n": 3, "d": 1, **header}) == (asked.object, asked.old)
    assert ("core.k8s.io", "T", "ts", Operation.UPDATE) == (asked.group, asked.kind, asked.resource, asked.operation)
    assert 7 == answer.id


def test_rules_are_enforced_and_a_servers_own_metadata_is_left_out() -> None:
    """Errors have no level; those of metadata that no rule stands behind are of the server of CRDs."""
    (answer,) = schemas().ask([case({"metadata": {"name": "a"}})])
    assert [("spec.n", ""), ("metadata.name", "")] == [(error.field, error.level) for error in answer.declarative]


def test_generated_validation_answers_alone() -> None:
    """Without handwritten errors, and without rules of the metadata."""
    (answer,) = GeneratedTarget(Native(), KINDS).ask([case({})])  # type: ignore[arg-type]
    assert ((), ["spec.n"]) == (answer.handwritten, [error.field for error in answer.declarative])


def test_what_cannot_be_asked_is_a_failure() -> None:
    """Of the object, or of its types; the other objects of the batch are asked."""
    answers = schemas().ask([case("unreadable"), case({"broken": 1}), case({})])
    stages = [answer.failure and answer.failure.stage for answer in answers]
    assert ["decode", "convert", None] == stages
    assert 2 == len(answers[2].declarative)


def test_kinds_without_a_schema_are_excluded() -> None:
    """With the reason."""
    info = schemas().info
    assert ([KIND], [("us", "its type has no schema")]) == (
        list(info.kinds), [(one.resource, one.reason) for one in info.excluded],
    )  # fmt: skip


def test_the_server_is_closed_with_its_schemas() -> None:
    """The other target belongs to generated validation."""
    server = Server()
    schemas(server).close()
    assert 1 == server.closed


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("spec.caps.a.b", "spec.caps[a.b]"),
        ("spec.items[0].map.k.n", "spec.items[0].map[k].n"),
        ("spec.caps[a.b]", "spec.caps[a.b]"),
        ("spec.unknown.a", "spec.unknown.a"),
        ("", ""),
    ],
)
def test_a_value_of_a_map_has_the_path_of_go(path: str, expected: str) -> None:
    """OpenAPI writes a key as it writes a member."""
    inner: dict[str, Any] = {"properties": {"n": {}}}
    maps = {"properties": {"map": {"additionalProperties": inner}}}
    spec = {"properties": {"caps": {"additionalProperties": {}}, "items": {"items": maps}}}
    obj = {"spec": {"caps": {"a.b": 1}, "items": [{"map": {"k": {"n": 1}}}]}}
    assert expected == path_in_go({"properties": {"spec": spec}}, obj, path)
