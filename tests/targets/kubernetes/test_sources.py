"""What the sources of a checkout say without a worker: its release, and the subresources that it serves."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.subject.api import open_api
from harness.targets.kubernetes.release import code_folder
from harness.targets.kubernetes.sources import (
    VERSION_FILE,
    minor_release,
    read_resources,
    served_subresources,
)
from tests.verify.checkout import write
from tests.verify.mini import mini

STORAGE = """package rest

func storage() {
	if resource := "ships"; enabled(resource) {
		storage[resource] = ships
		storage[resource+"/status"] = status
	}
	if resource := "harbours"; enabled(resource) {
		storage[resource] = harbours
	}
}
"""


def test_a_checkout_names_the_release_that_it_becomes(tmp_path: Path) -> None:
    """In the constant of component-base; a checkout without it names none."""
    top = mini(tmp_path / "kubernetes")
    assert "" == minor_release(str(top))
    write(top, {VERSION_FILE: 'package version\n\nconst (\n\tDefaultKubeBinaryVersion = "1.38"\n)\n'})
    assert "1.38" == minor_release(str(top))
    assert "1.38" == open_api(kubernetes=str(top)).minor


def test_resources_and_subresources_are_read_from_their_storages(tmp_path: Path) -> None:
    """A subresource belongs to the resource that is named before it."""
    write(tmp_path, {"rest/storage.go": STORAGE})
    assert {"ships": ("ships", "ships/status"), "harbours": ("harbours",)} == read_resources(tmp_path / "rest")
    assert {} == read_resources(tmp_path / "nowhere")


def test_a_checkout_tells_which_subresources_it_serves(tmp_path: Path) -> None:
    """Those of all groups."""
    top = mini(tmp_path / "kubernetes")
    write(top, {"pkg/registry/other/rest/storage.go": STORAGE.replace("/status", "/scale")})
    assert {"/status", "/scale"} == served_subresources(top) == open_api(kubernetes=str(top)).subresources


@pytest.mark.kubernetes
@pytest.mark.parametrize(
    ("release", "minor"), [("1.37.1", "1.37"), pytest.param("1.36.3", "1.36", marks=pytest.mark.older)]
)
def test_a_release(release: str, minor: str) -> None:
    """Its number is its own; every path that its tags name is served."""
    assert minor == minor_release(release)
    assert {"/approval", "/scale", "/status", "/resize"} <= served_subresources(code_folder(release))
