"""The tags of a release in OpenAPI and CEL (KEP-4153): each kind has a validator, and an object that it takes."""

from __future__ import annotations

import pytest

from harness.engine import RunConfig, run
from harness.events import Budget
from harness.subject.spec import SCHEMA, SubjectSpec

GROUPS = ("autoscaling/*", "policy/*")
"""Those of which objects are made: of all kinds it takes minutes."""


@pytest.mark.kubernetes
def test_every_kind_has_an_object_that_both_accept() -> None:
    """A server takes the schemas of all kinds, and for each operation there is an object that Go and schema accept."""
    spec = SubjectSpec("kubernetes", "1.37.1", against=SCHEMA)
    result = run(spec, RunConfig(seed=1, budget=Budget(max_cases=1500), kinds=GROUPS))
    assert [] == [(one.kind.key, one.operation) for one in result.kinds if not one.has_seed]
    assert {"autoscaling", "policy"} == {one.kind.group for one in result.kinds}
