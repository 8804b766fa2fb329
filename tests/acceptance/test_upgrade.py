"""Two real releases and a dump: what changes is named with its gate, and nothing else is.

The workers are built on first use, which takes minutes on a fresh machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.kubernetes

DUMP = Path(__file__).parents[1] / "docs" / "scene" / "dump.yaml"
STORED = Path(__file__).with_name("stored.yaml")
BUILD_TIME = 1500


def upgrade(before: str, dump: Path, file: Path) -> tuple[int, dict[str, Any]]:
    """Check an upgrade as a user would."""
    done = subprocess.run(
        [sys.executable, "-m", "harness", "upgrade", "--objects", dump, "--from", before, "--to", "1.37.1", "--json",
         file],
        capture_output=True, text=True, timeout=BUILD_TIME, check=False,
    )  # fmt: skip
    assert file.is_file(), done.stderr
    return done.returncode, json.loads(file.read_text())


@pytest.mark.older
def test_the_planted_objects_are_named(tmp_path: Path) -> None:
    """1.37.1 requires a reference of a volume in a template, and has a gate on that 1.36.3 has off."""
    code, document = upgrade("1.36.3", DUMP, tmp_path / "upgrade.json")
    found = {
        (group["effect"], group["cause"], group["fields"][0], group["objects"][0]["name"], group["since"][:16])
        for group in document["groups"]
    }
    assert {
        ("rejected", "new-rule", "spec.template.spec.volumes[*].image.reference", "shop/model", ""),
        ("accepted", "rule-removed", "spec.securityContext.seLinuxChangePolicy", "shop/selinux", "SELinuxMount=tru"),
    } == found
    assert [("monitoring.example.com/v1 Scrape", 1)] == [(one["kind"], one["count"]) for one in document["left_out"]]
    assert 1 == code


@pytest.mark.parametrize("before", ["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def test_what_a_cluster_stores_can_be_updated(before: str, tmp_path: Path) -> None:
    """Managed fields, status, defaults and all that a server has written: nothing of it is an error, or a change."""
    code, document = upgrade(before, STORED, tmp_path / "upgrade.json")
    assert (0, 5, 20) == (code, document["objects"], document["requests"])
    assert not [one for one in document["kinds"] if one.get("stuck_before")]
