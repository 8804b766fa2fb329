"""The findings of all rules in Kubernetes are those that docs/explanation/linting-kubernetes.md discusses."""

from __future__ import annotations

from collections import Counter

import pytest

from harness.lint.rules import RULES
from harness.lint.run import lint
from harness.subject.api import open_api

DISCUSSED = {
    "default-makes-required": 8,
    "opaque-always": 8,
    "format-without-length": 4,
    "option-never-read": 3,
    "lone-union-member": 2,
    "normalization-never-applies": 1,
    "required-rejects-zero": 1,
}


@pytest.mark.kubernetes
def test_every_finding_is_discussed() -> None:
    """The number of findings per rule in 1.37.1 is the one on the page; when it changes, the page must be revised."""
    assert Counter(DISCUSSED) == Counter(one.diagnostic.code for one in lint(open_api(kubernetes="1.37.1")))


@pytest.mark.kubernetes
@pytest.mark.older
def test_levels_rose_by_one_between_the_releases() -> None:
    """The rules that 1.37.1 added to fields of 1.36.3 at another level than alpha are those of the page; none rose too
    early."""
    found = lint(open_api(kubernetes="1.37.1"), base=open_api(kubernetes="1.36.3"))
    about_change = {rule.code for rule in RULES if rule.base}
    assert {"rule-not-alpha": 6} == Counter(c for one in found if (c := one.diagnostic.code) in about_change)


@pytest.mark.kubernetes
@pytest.mark.older
def test_the_release_before_is_linted_as_well() -> None:
    """In 1.36.3 there are 13 notes and seven warnings."""
    found = lint(open_api(kubernetes="1.36.3"))
    assert {"note": 13, "warning": 7} == Counter(one.severity for one in found)
