"""Rules of a release, with their checks in Go: the search, the verdict, the line of the check, and the patch."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.fakes import call
from tests.export.tree import make_tree

CHECK = "pkg/apis/storage/validation/validation.go"


@pytest.mark.kubernetes
def test_a_check_without_ratcheting_is_told(capfd: Any, tmp_path: Path) -> None:
    """DeviceClass checks its selectors on every update, the rule where they change: bad old ones become updatable."""
    file = tmp_path / "graduate.json"
    field = "resource.k8s.io/v1/DeviceClass.spec.selectors"
    told = call(
        capfd, "graduate", field, "--tag", "maxItems", "--kubernetes", "1.37.1", "--gates", "default", "--max-cases",
        "8000", "--jobs", "1", "--json", file,
    )  # fmt: skip
    assert 1 == told.code, told.err
    [rule] = json.loads(file.read_text(encoding="utf-8"))["rules"]
    change = rule["change"]
    assert ("changes", "accepted", True) == (rule["verdict"], change["effect"], change["ratcheting"])
    assert ("update", 33, change["object"]["spec"]["selectors"]) == (
        change["operation"], len(change["old"]["spec"]["selectors"]), change["old"]["spec"]["selectors"],
    )  # fmt: skip
    assert rule["check"]["place"].endswith("in validateSlice")
    assert any("validateDeviceClassSpec" in caller for caller in rule["check"]["callers"])


@pytest.mark.kubernetes
def test_a_safe_rule_is_written_as_a_patch(capfd: Any, tmp_path: Path) -> None:
    """The parameters of a StorageClass: two lines of the types in each version, served or not, and one check."""
    file = tmp_path / "standard.patch"
    told = call(
        capfd, "graduate", "storage.k8s.io/v1/StorageClass.parameters", "--level", "beta", "--kubernetes", "1.37.1",
        "--gates", "default", "--max-cases", "10000", "--jobs", "1", "--write", file,
    )  # fmt: skip
    assert (0, True) == (told.code, "written: 1 rule, not written: 0 safe rules" in told.out), told.out
    changed = [line for line in file.read_text(encoding="utf-8").split("\n") if line[:1] in "+-"]
    assert [
        "+++ b/pkg/apis/storage/v1/zz_generated.validations.go",
        "+++ b/pkg/apis/storage/v1beta1/zz_generated.validations.go",
        f"+++ b/{CHECK}",
        "+++ b/staging/src/k8s.io/api/storage/v1/types.go",
        "+++ b/staging/src/k8s.io/api/storage/v1beta1/types.go",
        "+++ b/test/declarative_validation/storage/storageclass/exported_parameters_standard_test.go",
    ] == sorted(line for line in changed if line.startswith("+++"))
    assert ["+\t// +k8s:immutable", "+\t// +k8s:optional"] * 2 == [line for line in changed if line.startswith("+\t//")]
    assert 1 == sum("ValidateImmutableField(storageClass.Parameters" in line for line in changed)
    tree = make_tree(tmp_path / "tree", "1.37.1")
    checked = (tree.top / CHECK).read_text(encoding="utf-8")
    subprocess.run(["git", "apply", "--exclude=staging/*", str(file)], cwd=tree.top, check=True)  # types: in a module
    package = "test/declarative_validation/storage/storageclass"
    _, printed = tree.test([package], "ParametersStandard$")[package]
    rows = set(re.findall(r"--- PASS: \S+/v1/parameters:_immutable:_(\w+) \(", printed))
    assert ({"accepted", "rejected"}, False) == (rows, "--- FAIL" in printed), printed[-3000:]
    _, printed = tree.test([package], "ParametersStandard$", {CHECK: checked})[package]
    failed = set(re.findall(r"--- FAIL: \S+/v1/parameters:_immutable:_(\w+) \(", printed))
    assert {"rejected"} == failed, printed[-3000:]  # the check is still there


@pytest.mark.kubernetes
def test_the_calls_of_a_check_are_counted(capfd: Any, tmp_path: Path) -> None:
    """One call reports that the parameters of a StorageClass are immutable, in a helper that many fields share."""
    file = tmp_path / "graduate.json"
    told = call(
        capfd, "graduate", "storage.k8s.io/v1/StorageClass.parameters", "--level", "beta", "--kubernetes", "1.37.1",
        "--gates", "default", "--max-cases", "10000", "--jobs", "1", "--branches", "--json", file,
    )  # fmt: skip
    [rule] = json.loads(file.read_text(encoding="utf-8"))["rules"]
    assert (0, "safe", 1, 1, []) == (
        told.code, rule["verdict"], rule["calls"]["size"], rule["calls"]["reached"], rule["calls"]["missed"],
    ), told.out  # fmt: skip
    assert "1 of 1 that report this error reached" in told.out
