"""What controller-gen and the published OpenAPI keep of tags, with a Go command that writes what a test wants."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.diagnostics import TargetError, UsageError
from harness.subject import generators
from harness.subject.api import open_api
from harness.subject.generators import Published, describe_fates, embedding, what_is_kept
from harness.targets.kubernetes.release import Toolchain

GO = """// +groupName=example.com
package v1

// +k8s:validation-gen=true
type Widget struct {
\t// +k8s:optional
\t// +k8s:maxItems=3
\tA []string `json:"a"`
\t// +k8s:optional
\t// +k8s:maxLength=3
\tB string `json:"b"`
}
"""
CRD = {
    "spec": {
        "group": "example.com", "names": {"kind": "Widget"},
        "versions": [{
            "name": "v1",
            "schema": {"openAPIV3Schema": {"properties": {"a": {"maxItems": 3}, "b": {"type": "string"}}}},
        }],
    }
}  # fmt: skip
FAKE = """#!{python}
import json, pathlib, sys
output = next(one for one in sys.argv if one.startswith("output:dir=")).partition("=")[2]
pathlib.Path("{asked}").write_text(" ".join(sys.argv[1:3]))
for number, one in enumerate({crds}):
    pathlib.Path(output, f"{{number}}.yaml").write_text(json.dumps(one))
sys.stderr.write("no such marker\\n")
sys.exit(1)
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A Go module with a kind."""
    (tmp_path / "go.mod").write_text("module example.com/widgets\n", encoding="utf-8")
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "types.go").write_text(GO, encoding="utf-8")
    (tmp_path / "v1" / "register.go").write_text('package v1\n\nconst GroupName = "example.com"\n', encoding="utf-8")
    return tmp_path


def use_go(folder: Path, monkeypatch: pytest.MonkeyPatch, *crds: dict[str, Any]) -> Path:
    """Put a Go command in place that writes these CRDs, and return the file with what it was asked."""
    command, asked = folder / "go", folder / "asked"
    command.write_text(FAKE.format(python=sys.executable, asked=asked, crds=repr(list(crds))), encoding="utf-8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(generators, "find_toolchain", lambda: Toolchain(command, "go1.26.0"))
    return asked


def test_the_crd_of_a_module_is_compared_with_its_tags(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """controller-gen of the version that is written down runs in the module; what it complains about is a note."""
    asked, notes = use_go(module, monkeypatch, CRD), list[str]()
    place = str(module / "v1")
    fates = what_is_kept(open_api(place), "controller-gen", "", place, notes.append)
    assert [("k8s:maxItems", "kept"), ("k8s:maxLength", "dropped")] == [
        (one.tag, one.fate) for one in fates if one.tag != "k8s:optional"
    ]
    assert "run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0" == asked.read_text(encoding="utf-8")
    assert "no such marker" in notes[-1]
    (told,) = describe_fates(fates, "controller-gen")
    assert ("schema-lost", 10) == (told.code, told.position.line)
    assert "+k8s:maxLength of Widget.b is dropped by controller-gen" == told.message


def test_a_generator_that_writes_nothing_is_told(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what it said."""
    use_go(module, monkeypatch)
    with pytest.raises(TargetError, match="no such marker"):
        what_is_kept(open_api(module / "v1"), "controller-gen", "", str(module / "v1"), lambda text: None)


def test_types_without_a_module_are_told(tmp_path: Path) -> None:
    """controller-gen type-checks; a folder has no published OpenAPI either."""
    (tmp_path / "types.go").write_text(GO, encoding="utf-8")
    api = open_api(tmp_path)
    with pytest.raises(UsageError, match=r"add a go\.mod"):
        what_is_kept(api, "controller-gen", "", str(tmp_path), lambda text: None)
    with pytest.raises(UsageError, match="no published OpenAPI"):
        what_is_kept(api, "kube-openapi", "", str(tmp_path), lambda text: None)


def test_types_of_a_release_are_embedded_one_by_one() -> None:
    """In Go that imports each package once."""
    source = embedding([("k8s.io/api/batch/v1", "Job"), ("k8s.io/api/batch/v1", "CronJob")])
    assert 1 == source.count('"k8s.io/api/batch/v1"')
    assert ["Embeds0", "Embeds1"] == [line.split()[1] for line in source.splitlines() if line.startswith("type ")]
    assert "Value p0.CronJob" in source


def test_published_schemas_are_found_by_kind_and_reference(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference stands alone or in an allOf, and keeps the words beside it."""
    folder = module / "api" / "openapi-spec" / "v3"
    folder.mkdir(parents=True)
    widget = {"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Widget"}]}
    schemas = {"W": widget, "S": {"type": "object"}}
    (folder / "v1.json").write_text(json.dumps({"components": {"schemas": schemas}}), encoding="utf-8")
    monkeypatch.setattr(generators, "module_folder", lambda *given: module)
    monkeypatch.setattr(generators, "find_toolchain", lambda: None)
    published = Published("1.37.1")
    path = "example.com/widgets/v1"
    assert {f"{path}.Widget": widget} == published.roots(open_api(module / "v1"), [(path, "Widget"), (path, "Gone")])
    whole = published.resolve({"allOf": [{"$ref": "#/components/schemas/S"}], "default": {}})
    assert {"type": "object", "default": {}} == whole
    assert whole == published.resolve({"$ref": "#/components/schemas/S", "default": {}})
    assert {"type": "string"} == published.resolve({"type": "string"})


def test_a_checkout_without_published_openapi_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the folder, and what writes it."""
    monkeypatch.setattr(generators, "module_folder", lambda *given: tmp_path)
    monkeypatch.setattr(generators, "find_toolchain", lambda: None)
    with pytest.raises(TargetError, match="update-openapi-spec"):
        Published("1.37.1")
