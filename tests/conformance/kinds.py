"""The kinds of a release with its types compiled, ready to be asked about."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from harness.case import Case, Json, RuledKind
from harness.compiler import Compiled
from harness.field import FieldError
from harness.fuzzers.shape import Shape, shape_of
from harness.rulecov.declared import declared_rules
from harness.subject.api import open_api
from harness.subject.decode import decoder_of
from harness.tags.custom_kubernetes import CustomFunctions
from harness.targets.wire import shortened

Key: TypeAlias = tuple[str, str, str]
"""What tells one declared rule from another at a kind: canonical path, type, origin."""
_BRACKETS = re.compile(r"\[[^\]]*\]")


def key_of(error: FieldError) -> Key:
    """Return what rule an error tells of, as the declared rules are written."""
    path = "" if error.field == "<nil>" else error.field
    return _BRACKETS.sub("[*]", path), error.type, error.origin


@dataclass(slots=True)
class Kind:
    """A kind under examination: how to ask for it, how to draw it, how to validate it."""

    ruled: RuledKind
    shape: Shape
    compiled: Compiled
    decode: Callable[[Json], Json]
    name: str = ""
    options: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    telling: frozenset[str] = frozenset()
    declared: frozenset[Key] = frozenset()
    fired: dict[Key, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.name = self.ruled.type.rpartition(".")[2]
        self.options = tuple(sorted(self.compiled.options(self.name)))
        root = self.compiled.plan.roots[self.name]
        self.subresources = tuple(sorted(path.strip("/") for path in root.paths))
        self.telling = telling_members(self.compiled)

    def validate(self, case: Case) -> list[FieldError]:
        """Validate a case as the compiled types do."""
        old = None if case.old is None else self.decode(case.old)
        new = self.decode(case.object)
        errors = self.compiled.validate(self.name, case.operation, new, old, case.options, case.subresource)
        return shortened(errors)


def telling_members(compiled: Compiled) -> frozenset[str]:
    """Return `type.member` for every member that has rules, leads to rules, or bears a tag that other rules look at."""
    found = set()
    for name, plan in compiled.plan.types.items():
        planned = {one.field.name for one in plan.fields}
        for member in plan.struct.fields if plan.struct else ():
            if member.name in planned or any("+k8s:" in line.text for line in member.comments):
                found.add(f"{name}.{member.json_name}")
    return frozenset(found)


def kinds_of(release: str, ruled: Sequence[RuledKind]) -> list[Kind]:
    """Compile what a release has registered. Every handwritten function that is called must be known."""
    api = open_api(kubernetes=release)
    functions, compiled = CustomFunctions(), dict[str, Compiled]()
    packages = {package.path: package for package in api.packages}
    declared: dict[tuple[str, str, str], set[Key]] = {}
    for rule in declared_rules(api):
        declared.setdefault((rule.group, rule.version, rule.kind), set()).add((rule.path, rule.type, rule.origin))
    kinds = []
    for one in ruled:
        path = one.type.rpartition(".")[0]
        if path not in compiled:
            compiled[path] = api.compile(packages[path], functions)
        shape = shape_of(api.universe, one.type)
        rules = frozenset(declared.get((one.group, one.version, one.kind), ()))
        kinds.append(Kind(one, shape, compiled[path], decoder_of(shape, keeps_empty=True), declared=rules))
    assert () == functions.missing
    return kinds
