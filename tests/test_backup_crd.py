"""The embedded suite of backups: equivalent as it is committed, and mistakes planted into its CRD are found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness.diagnostics import InputError
from harness.engine import RunConfig
from harness.engine import run as run_engine
from harness.events import Budget, Result
from harness.subject import SubjectSpec, load_suite

SUITE = Path(__file__).parent.parent / "suites" / "backup_crd"
MISTAKES = {
    "spec.retentionDays": ("self.retentionDays >= 7", "self.retentionDays > 7"),
    "spec.source": ("has(self.volume) == (self.?type.orValue('') == 'Volume')", "has(self.volume) || has(self.bucket)"),
    "spec.source.type": ("self == oldSelf", "self == oldSelf || self == 'Bucket'"),
    "spec.hooks[*]": ("self.seconds >= 1", "self.seconds >= 0"),
}
"""By the path of its difference, a text of the CRD and what a hasty migration would make of it."""


def run(folder: Path, cases: int) -> Result:
    return run_engine(SubjectSpec("suite", str(folder)), RunConfig(seed=1, budget=Budget(max_cases=cases)))


def test_the_committed_rules_are_equivalent() -> None:
    """Both accept the same backups and updates of these, and every field was set in an accepted one."""
    result = run(SUITE, 1200)
    assert [] == [(one.cause, one.path, one.detail) for one in result.findings]
    assert [()] == [kind.unaccepted_paths for kind in result.kinds if kind.operation == "create"]
    assert {"create", "update"} == {str(kind.operation) for kind in result.kinds}
    assert 1000 < result.compared


def test_planted_mistakes_are_found(tmp_path: Path) -> None:
    """Each is a finding that changes a verdict at its path, and nothing else is reported."""
    copied = Path(shutil.copytree(SUITE, tmp_path / "backup_crd"))
    text = (copied / "backups.yaml").read_text()
    for right, wrong in MISTAKES.values():
        assert 1 == text.count(right)
        text = text.replace(right, wrong)
    (copied / "backups.yaml").write_text(text)
    found = run(copied, 6000).findings
    assert MISTAKES.keys() == {one.path for one in found}
    assert {"verdict"} == {one.severity for one in found}


def test_a_crd_that_cannot_be_judged_is_told_with_its_rule(tmp_path: Path) -> None:
    """When the suite is read: the rule, the reason, and where to go."""
    crd = (Path(__file__).parent / "crds/after/backups.yaml").read_text()
    (tmp_path / "crd.yaml").write_text(crd.replace("self.port != 0", "authorizer.group('').allowed()"))
    (tmp_path / "suite.py").write_text(
        'from harness.suite import Suite\n\nSUITE = Suite(old=lambda backup: True, new="crd.yaml")\n'
    )
    with pytest.raises(InputError) as caught:
        load_suite(tmp_path)
    for words in ("authorizer", "there is no server here", "harness run --crd"):
        assert words in str(caught.value)
