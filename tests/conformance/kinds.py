"""The kinds of a release with its types compiled, ready to be asked about."""

from __future__ import annotations

from collections.abc import Sequence

from harness.case import RuledKind
from harness.compiler import Compiled
from harness.fuzzers.shape import shape_of
from harness.rulecov.declared import declared_rules
from harness.subject.api import open_api
from harness.subject.decode import decoder_of
from harness.tags.custom_kubernetes import CustomFunctions
from tests.conformance.cases import Key, Kind


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
