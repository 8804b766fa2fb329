"""One rule of a release, with its check in Go: the search, the verdict and the line of the check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.fakes import call


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
