"""The judge is judged: compiled validators give the errors of the real ones, on real types, for random objects."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from harness.case import Answer, Case, KindInfo, Operation
from harness.compiler import Compiled, compile_types
from harness.field import FieldError
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.packages import Universe
from harness.targets.kubernetes import KubernetesTarget
from harness.targets.kubernetes.release import type_folders

STRINGS = ("", "a", "A", "a.b", "-x", "x" * 64, "example.com/a", "é", "True", "123e4567-e89b-12d3-a456-426614174000")
SCALARS: dict[str, Sequence[Any]] = {
    "string": STRINGS,
    "bool": (True, False),
    "int": (0, 1, 2, 5, 100),
    "float": (0, 1.5),
    "time": ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
    "micro-time": ("2026-01-01T00:00:00.000000Z",),
    "duration": ("1s", "60s", "1m0s"),
    "quantity": ("1", "1000m", "2Gi", "0"),
    "int-or-string": (0, 1, "a", "50%"),
    "bytes": ("", "YQ=="),
}
HANDWRITTEN = ("lastTransitionTime", "evictionResponders")
"""Fields with +k8s:customValidation, whose functions are Go: nothing is compiled for them."""


def draw(shape: Shape, dice: random.Random, depth: int = 0) -> Any:
    if shape.kind == "struct":
        chance = 0.75 if depth < 2 else 0.45 if depth < 5 else 0.15
        return {f.name: draw(f.shape, dice, depth + 1) for f in shape.fields if dice.random() < chance}
    if shape.kind == "list":
        return [draw(shape.elem, dice, depth + 1) for _ in range(dice.choice((0, 1, 2, 3)))]
    if shape.kind == "map":
        return {dice.choice(STRINGS[1:]): draw(shape.elem, dice, depth + 1) for _ in range(dice.choice((0, 1, 2)))}
    if shape.choices and dice.random() < 0.8:
        return dice.choice(shape.choices)
    return dice.choice(SCALARS.get(shape.kind, ({},)))


def edited(shape: Shape, value: Any, dice: random.Random) -> Any:
    """Change one member, somewhere."""
    if shape.kind == "struct" and shape.fields:
        member = dice.choice(shape.fields)
        if member.name in value and dice.random() < 0.7:
            return {**value, member.name: edited(member.shape, value[member.name], dice)}
        return {**value, member.name: draw(member.shape, dice, 3)}
    if shape.kind == "list" and value:
        at = dice.randrange(len(value))
        return [edited(shape.elem, item, dice) if i == at else item for i, item in enumerate(value)]
    return draw(shape, dice, 3)


def case_of(info: KindInfo, shape: Shape, dice: random.Random, number: int) -> Case:
    head = {"apiVersion": info.api_version, "kind": info.kind}
    new, old, operation = {**draw(shape, dice), **head}, None, dice.choice(info.operations)
    if operation is Operation.UPDATE:
        old = new
        for _ in range(dice.choice((0, 1, 2))):
            new = {**edited(shape, new, dice), **head}
    return Case(
        number, info.group, info.version, info.kind, operation, new, old, info.resource, info.subresource, "given"
    )


class NoFunctions(dict[str, Callable[..., Sequence[FieldError]]]):
    """Every handwritten function, each of which finds nothing."""

    def get(self, name: str, default: Any = None) -> Any:
        return lambda operation, path, new, old: []


def comparable(errors: Sequence[FieldError]) -> Counter[tuple[str, ...]]:
    """Errors without order, which Go's maps do not have either."""
    kept = [e for e in errors if not any(word in e.field for word in HANDWRITTEN)]
    return Counter((e.type, e.field, e.detail, e.origin, e.level, e.value, str(e.short_circuit)) for e in kept)


@pytest.fixture(scope="module", params=["1.37.1", "1.36.3"])
def release(request: pytest.FixtureRequest) -> Iterator[tuple[KubernetesTarget, Universe, str]]:
    """A real release and its types."""
    with KubernetesTarget(request.param) as target:
        yield target, Universe.from_folders(type_folders(request.param)), request.param


@pytest.mark.kubernetes
def test_compiled_validators_agree_with_the_real_ones(release: tuple[KubernetesTarget, Universe, str]) -> None:
    """All kinds of a release with rules: same errors, levels, marks and shown values on five random cases each."""
    target, universe, name = release
    dice, compiled = random.Random(1), dict[str, Compiled]()
    kinds = [info for info in target.info.kinds if info.rules and info.type.startswith("k8s.io/api/")]
    cases = [case_of(info, shape_of(universe, info.type), dice, 0) for info in kinds for _ in range(5)]
    answers: list[Answer] = target.ask(cases)
    differences, seen = [], 0
    for index, (case, answer) in enumerate(zip(cases, answers, strict=True)):
        info = kinds[index // 5]
        package, _, type_name = info.type.rpartition(".")
        if package not in compiled:
            compiled[package] = compile_types(
                universe, package, release=name, custom=NoFunctions(), criteria=["TypesWithField=TypeMeta"]
            )
        if answer.failure is not None and answer.failure.stage != "declarative":
            continue
        options = dict.fromkeys(compiled[package].options(type_name), False) | info.options
        ours = compiled[package].validate(type_name, case.operation, case.object, case.old, options, info.subresource)
        seen += len(answer.declarative)
        if comparable(ours) != comparable(answer.declarative):
            differences.append((info.name, comparable(ours) - comparable(answer.declarative)))
            differences.append((info.name, comparable(answer.declarative) - comparable(ours)))
    assert [] == differences
    assert seen > 100
