"""What all rules together say of Kubernetes is what docs/explanation/linting-kubernetes.md judges, one by one."""

from __future__ import annotations

from collections import Counter

import pytest

from harness.lint.run import lint
from harness.subject.api import open_api

JUDGED = {
    "default-makes-required": 8,
    "opaque-always": 8,
    "format-without-length": 4,
    "lone-union-member": 2,
    "required-rejects-zero": 1,
}


@pytest.mark.kubernetes
def test_every_finding_is_judged() -> None:
    """A rule that finds more or less in 1.37.1 than was read there wants another look at the page."""
    assert Counter(JUDGED) == Counter(one.diagnostic.code for one in lint(open_api(kubernetes="1.37.1")))


@pytest.mark.kubernetes
def test_the_release_before_was_judged_as_well() -> None:
    """Seven of the findings in 1.36.3 are warnings."""
    found = lint(open_api(kubernetes="1.36.3"))
    assert {"note": 11, "warning": 7} == Counter(one.severity for one in found)
