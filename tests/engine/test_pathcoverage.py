"""Which paths of a type no accepted object has, and what rejected them."""

from __future__ import annotations

from random import Random

import pytest

from harness.engine import pathcoverage as module
from harness.engine.pathcoverage import MAX_OUTERMOST, PathCoverage
from harness.fuzzers.shape import ANY
from harness.fuzzers.typepaths import type_paths
from harness.jsonpath import parent_of
from tests.fuzzers.toys import widget_shape

EVERY = tuple(type_paths(widget_shape()))
DOTTED = ("a", "a.b.c", "a.b.c[*]", "a.b.c[1]", "d")
"""A JSON name may hold a dot: there is no path `a.b`."""


@pytest.mark.parametrize("paths", [EVERY, DOTTED])
def test_an_unreached_place_has_the_error_at_it_or_around_it(
    paths: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest one counts, whether what is around it was accepted or not; only the outermost paths are outermost."""
    monkeypatch.setattr(module, "type_paths", lambda shape: dict.fromkeys(paths))
    random = Random(1)
    for _ in range(20):
        path_coverage = PathCoverage(ANY)
        path_coverage.accepted = {path for path in paths if random.random() < 0.3}
        path_coverage.rejected = {path: f"error at {path}" for path in paths if random.random() < 0.3}
        path_coverage.close()
        left = {path: _around(path, path_coverage.rejected) for path in paths if path not in path_coverage.accepted}
        assert path_coverage.unaccepted() == left
        assert path_coverage.rejections == sum(map(bool, left.values()))
        assert len(paths) == path_coverage.paths
        outermost = [one for one in left.items() if parent_of(one[0]) not in left]
        assert list(path_coverage.outermost) == outermost[:MAX_OUTERMOST]


def _around(path: str, rejected: dict[str, str]) -> str:
    while path and path not in rejected:
        path = parent_of(path)
    return rejected.get(path, "")
