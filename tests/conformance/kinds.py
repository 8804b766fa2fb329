"""The kinds of a release with its types compiled, ready to be asked about."""

from __future__ import annotations

from collections.abc import Sequence

from harness.case import RuledKind
from harness.compiler import Compiled
from harness.fuzzers.shape import shape_of
from harness.subject.api import open_api
from harness.subject.custom_kubernetes import CustomFunctions
from harness.subject.decode import decoder_of
from tests.conformance.cases import Kind


def kinds_of(release: str, ruled: Sequence[RuledKind]) -> list[Kind]:
    """Compile what a release has registered. Every handwritten function that is called must be known."""
    api = open_api(kubernetes=release)
    functions, compiled = CustomFunctions(), dict[str, Compiled]()
    packages = {package.path: package for package in api.packages}
    kinds = []
    for one in ruled:
        path = one.type.rpartition(".")[0]
        if path not in compiled:
            compiled[path] = api.compile(packages[path], functions)
        shape = shape_of(api.universe, one.type)
        kinds.append(Kind(one, shape, compiled[path], decoder_of(shape)))
    assert () == functions.missing
    return kinds
