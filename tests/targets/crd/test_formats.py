"""Formats of tags and of CRDs, judged by the API server's own code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.case import Case, Operation
from harness.compiler.build import Builder
from harness.field import Path
from harness.openapi.crds import definition
from harness.openapi.structure import SchemaWriter
from harness.tags.families.format import FORMATS
from harness.tags.release import release_of
from harness.targets.crd.target import CrdTarget, refusals
from tests.compiler.fixtures import universe_of
from tests.conformance.formats import CHECKS, EDGES

pytestmark = pytest.mark.kubernetes
NAMES = {name: f"f{number}" for number, name in enumerate(FORMATS)}
OWN = ("k8s-short-name", "k8s-long-name", "k8s-name-of-the-next-release", "ipv4")
"""Formats that a CRD names itself; the third is one that no server knows yet."""


def definitions() -> list[dict[str, Any]]:
    """The tags of every format, as CEL, and formats of OpenAPI, each at a member of its own."""
    fields = "".join(
        f'\t// +k8s:optional\n\t// +k8s:format={name}\n\t{member.upper()} *string `json:"{member}"`\n'
        for name, member in NAMES.items()
    )
    universe = universe_of(f"// +k8s:validation-gen=true\ntype T struct {{\n{fields}}}")
    plan = Builder(universe, "example", release_of("1.37"), {}).build()
    members = {f"f{number}": {"type": "string", "format": name} for number, name in enumerate(OWN)}
    return [
        definition("example.com", "T", {"v1": SchemaWriter(universe, plan).write(plan.roots["T"]).schema}),
        definition("example.com", "U", {"v1": {"type": "object", "properties": members}}),
    ]


@pytest.fixture(scope="module", params=["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def target(request: pytest.FixtureRequest) -> Iterator[CrdTarget]:
    """The definitions, judged by each release."""
    with CrdTarget(definitions(), "formats", release=request.param, jobs=1) as opened:
        assert [] == list(refusals(opened.info))
        yield opened


def rejected(target: CrdTarget, kind: str, texts: list[tuple[str, str]]) -> list[bool]:
    """Whether each text is rejected at its member."""
    header = {"apiVersion": "example.com/v1", "kind": kind, "metadata": {"name": "a"}}
    cases = [
        Case(number, "example.com", "v1", kind, Operation.CREATE, {**header, member: text}, None, f"{kind.lower()}s")
        for number, (member, text) in enumerate(texts)
    ]
    answers = target.ask(cases)
    assert {None} == {answer.failure for answer in answers}
    return [bool(answer.declarative) for answer in answers]


def test_every_format_is_the_same_in_cel(target: CrdTarget) -> None:
    """Each text at the edges has the verdict of the tag."""
    texts = [(name, text) for name, some in EDGES.items() for text in some]
    found = rejected(target, "T", [(NAMES[name], text) for name, text in texts])
    wanted = [bool(CHECKS[name](Operation.CREATE, Path(), text, None)) for name, text in texts]
    assert [] == [one for one, mine, theirs in zip(texts, wanted, found, strict=True) if mine is not theirs]
    assert {True, False} == set(wanted)


def test_a_format_that_a_server_does_not_know_is_dropped(target: CrdTarget) -> None:
    """It accepts every text, as an old server does with the formats of a new one; those it knows are checked."""
    texts = [(f"f{number}", text) for number in range(len(OWN)) for text in ("10.0.0.1", "A b")]
    assert [
        (True, True), (False, True), (False, False), (False, True),
    ] == list(zip(*[iter(rejected(target, "U", texts))] * 2, strict=True))  # fmt: skip
