"""What a schema says of zero values: `has()` of a value that is written, and of one that Go has taken for absent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.case import Case, Operation
from harness.compiler.build import Builder
from harness.fuzzers.shape import shape_of
from harness.openapi.crds import definition
from harness.openapi.structure import SchemaWriter
from harness.subject.decode import decoder_of
from harness.tags.release import release_of
from harness.targets.crd.target import CrdTarget, refusals
from harness.targets.endpoint import Decoder
from tests.compiler.fixtures import universe_of

pytestmark = pytest.mark.kubernetes
GO = """// +k8s:validation-gen=true
type T struct {
	// +k8s:required
	S string `json:"s"`
	// +k8s:required
	P *string `json:"p"`
	// +k8s:optional
	// +k8s:minimum=3
	N int32 `json:"n"`
	// +k8s:optional
	// +k8s:minimum=3
	Q *int32 `json:"q"`
}
"""
GOOD = {"s": "a", "p": "a", "n": 3, "q": 3}
Pair = tuple[CrdTarget, Decoder]


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    """The schema of T in the server's own code, and what takes zero values out of objects as Go does."""
    universe = universe_of(GO)
    plan = Builder(universe, "example", release_of("1.37"), {}).build()
    crd = definition("example.com", "T", {"v1": SchemaWriter(universe, plan).write(plan.roots["T"]).schema})
    with CrdTarget([crd], "zero", jobs=1) as target:
        assert [] == list(refusals(target.info))
        yield target, decoder_of(shape_of(universe, "example.T"))


def rejected(target: CrdTarget, obj: Any) -> list[str]:
    """The paths of what is wrong with an object."""
    header = {"apiVersion": "example.com/v1", "kind": "T", "metadata": {"name": "a"}}
    (answer,) = target.ask([Case(0, "example.com", "v1", "T", Operation.CREATE, {**header, **obj}, None, "ts")])
    assert None is answer.failure
    return [error.field for error in answer.declarative]


@pytest.mark.parametrize(
    ("change", "in_go", "as_written"),
    [
        ({"s": ""}, ["s"], []),  # has() of an empty text that is written is true
        ({"p": ""}, [], []),
        ({"n": 0}, [], ["n"]),  # and a minimum holds for a zero that Go takes for absent
        ({"q": 0}, ["q"], ["q"]),
    ],
)
def test_zero_values_are_another_verdict_where_they_are_written(
    pair: Pair, change: Any, in_go: list[str], as_written: list[str]
) -> None:
    """So objects are judged without those that Go does not tell from absent ones, and with those of pointers."""
    target, decode = pair
    obj = {**GOOD, **change}
    assert (in_go, as_written) == (rejected(target, decode(obj)), rejected(target, obj))


def test_an_absent_value_is_absent(pair: Pair) -> None:
    """In both ways, for what is required and what is optional."""
    target, decode = pair
    assert ["s", "p"] == rejected(target, {}) == rejected(target, decode({}))
    assert [] == rejected(target, GOOD)
