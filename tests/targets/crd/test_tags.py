"""Every example of a tag, judged by the API server's own code with the schema that the tag is compiled to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.case import Answer, Case, Operation
from harness.compiler.build import Builder
from harness.fuzzers.shape import shape_of
from harness.openapi.crds import definition
from harness.openapi.structure import SchemaWriter, StructuralSchema
from harness.subject.decode import decoder_of
from harness.tags.registry import PROPOSED_SPECS, SPECS
from harness.tags.release import release_of
from harness.tags.spec import TagExample
from harness.targets.crd.target import CrdTarget, refusals
from tests.compiler.fixtures import universe_of

pytestmark = pytest.mark.kubernetes

Written = tuple[str, TagExample, StructuralSchema, Answer]


def compiled(name: str, example: TagExample) -> tuple[StructuralSchema, Any]:
    """The schema of an example's root, and the decoder that takes zero values out of its objects."""
    _, _, go = example.source(name).partition("\n\n")
    universe = universe_of(go.replace("type T struct", "// +k8s:validation-gen=true\ntype T struct"))
    plan = Builder(universe, "example", release_of("proposed"), {}).build()
    written = SchemaWriter(universe, plan, example.options).write(plan.roots["T"])
    return written, decoder_of(shape_of(universe, "example.T"))


@pytest.fixture(scope="module")
def judged() -> Iterator[list[Written]]:
    """Every example with the server's answer."""
    specs = (SPECS | PROPOSED_SPECS).items()
    examples = [(name, example) for name, spec in specs for example in spec.examples]
    schemas, cases = [], []
    for number, (name, example) in enumerate(examples):
        written, decode = compiled(name, example)
        kind, header = f"T{number}", {"apiVersion": "example.com/v1", "metadata": {"name": "a"}}
        pair = [example.new, example.old] if example.update else [example.new]
        new, old = (*({**header, "kind": kind, **decode(example.object(one))} for one in pair), None)[:2]
        operation = Operation.UPDATE if example.update else Operation.CREATE
        plural = f"t{number}s"
        schemas.append((written, definition("example.com", kind, {"v1": written.schema}, plural=plural)))
        cases.append(Case(number, "example.com", "v1", kind, operation, new, old, plural))
    with CrdTarget([crd for _, crd in schemas], "examples", jobs=1) as target:
        assert [] == list(refusals(target.info))
        answers = target.ask(cases)
        yield [(*one, written, answer) for one, (written, _), answer in zip(examples, schemas, answers, strict=True)]


def test_the_server_takes_every_schema_and_judges_as_the_tag_says(judged: list[Written]) -> None:
    """Accepted where the example is, rejected where it is, unless the tag is told to be left out."""
    lost = [(name, example.tag) for name, example, written, answer in judged if differs(example, answer)]
    immutable = "(k: a)=+k8s:immutable"
    assert [("k8s:item", immutable), ("k8s:validateFalse", '="no"'), ("k8s:listMapItem", immutable)] == lost
    assert 150 < len(judged)


def test_a_difference_is_told_before(judged: list[Written]) -> None:
    """What an example shows to be otherwise, the compiler told of its line."""
    for _, example, written, answer in judged:
        if differs(example, answer):
            assert "schema-lost" in [loss.code for loss in written.losses]


def differs(example: TagExample, answer: Answer) -> bool:
    """Whether the server's verdict is not that of the tag."""
    assert answer.failure is None, answer.failure
    return bool(example.fails) != bool(answer.declarative)
