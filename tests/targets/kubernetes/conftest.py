"""Real releases to ask, each opened once for a module of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.targets.kubernetes import KubernetesTarget

_OPENED = frozenset({"target", "newest"})


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what asks a release, so that no test builds a worker where none is wanted."""
    if _OPENED & set(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.kubernetes)


@pytest.fixture(scope="module", params=["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def target(request: pytest.FixtureRequest) -> Iterator[KubernetesTarget]:
    """A real release."""
    with KubernetesTarget(request.param) as opened:
        yield opened


@pytest.fixture(scope="module")
def newest() -> Iterator[KubernetesTarget]:
    """The newest release."""
    with KubernetesTarget("1.37.1") as opened:
        yield opened
