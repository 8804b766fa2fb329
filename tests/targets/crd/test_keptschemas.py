"""A schema of a release keeps its members, or the file is left as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.targets.crd.build import CRDS
from harness.targets.crd.keptschemas import FILE, KEPT_SCHEMAS, keep_members
from harness.targets.kubernetes.build import OVERLAY, source_hash, write_sources
from harness.targets.kubernetes.release import KubernetesSource, find_release, find_toolchain

METHOD = """
func (s *Structural) Properties() map[string]common.Schema {
	if s.Structural.Properties == nil {
		return nil
	}
	res := make(map[string]common.Schema, len(s.Structural.Properties))
	for n, prop := range s.Structural.Properties {
		s := prop
		res[n] = &Structural{Structural: &s}
	}
	return res
}
"""
KNOWN = f'package model\n\nimport (\n\t"k8s.io/apiserver/pkg/cel/common"\n)\n{METHOD}'


def write(folder: Path, text: str) -> Path:
    """Write the file of schemas into a module."""
    file = folder / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return folder


def test_a_schema_is_asked_once(tmp_path: Path) -> None:
    """The release's own method makes what is kept, and what is not known."""
    changed = keep_members(write(tmp_path, KNOWN)).decode()
    body = METHOD.partition("{\n")[2]
    assert f"func (s *Structural) harnessMake() map[string]common.Schema {{\n{body}" in changed
    assert 1 == changed.count("func (s *Structural) Properties() ")
    assert 2 == changed.count("harnessMake()\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        KNOWN.replace("return res", "return s.changed(res)"),
        KNOWN + METHOD,
        KNOWN + "\nvar harness = 1\n",
        KNOWN.replace("import (", "import  ("),
    ],
)
def test_a_file_of_another_form_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    """A slower worker is better than one that keeps what it does not know."""
    assert b"" == keep_members(write(tmp_path, text))
    assert b"" == keep_members(tmp_path / "nowhere")


def test_the_hook_makes_another_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that was built with another copy is not taken for this one."""
    before = source_hash(KubernetesSource("1.37.1"), CRDS)
    changed = tmp_path / "crd" / "keptschemas.py"
    changed.parent.mkdir()
    changed.write_text("another hook")
    monkeypatch.setattr("harness.targets.crd.keptschemas.__file__", str(changed))
    assert before != source_hash(KubernetesSource("1.37.1"), CRDS)


@pytest.mark.kubernetes
@pytest.mark.parametrize("release", ["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def test_the_schemas_of_a_release_have_the_known_form(release: str, tmp_path: Path) -> None:
    """And the worker is connected to the hook."""
    write_sources(tmp_path, find_release(release), find_toolchain(), CRDS)
    copy = tmp_path / "hooked" / "apiextensions-apiserver" / FILE
    assert "harnessKept[harnessKey(s.Structural)]" in copy.read_text(encoding="utf-8")
    assert KEPT_SCHEMAS.connection == (tmp_path / "hook_apiextensions_apiserver.go").read_text(encoding="utf-8")
    assert FILE in (tmp_path / OVERLAY).read_text(encoding="utf-8")
