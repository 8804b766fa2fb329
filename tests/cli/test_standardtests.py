"""Tests of rules that become standard, where none can be written."""

from __future__ import annotations

from pathlib import Path

from harness.cli.standardtests import StandardTests
from harness.graduate.patch import BoundaryTests
from harness.rulecov.inventory import read_inventory
from harness.subject import SubjectSpec
from harness.subject.api import open_api
from tests.graduate.toycheckout import toy_checkout


def test_a_release_with_other_helpers_is_told_and_not_opened(tmp_path: Path) -> None:
    """Tests call helpers of 1.37: before it nothing is searched for them, and the patch is written without."""
    top = toy_checkout(tmp_path / "kubernetes")
    inventory = read_inventory(open_api(kubernetes=str(top)))
    noted: list[str] = []
    made = StandardTests(SubjectSpec("kubernetes", str(top)), inventory, noted.append).make(inventory.rules)
    helpers = f"the test helpers of Kubernetes {top} have another signature than exported tests call"
    assert (BoundaryTests(untested=(helpers,)), []) == (made, noted)
