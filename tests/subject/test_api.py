"""An API is opened from what lies on disk: modules, folders, single files; bad names get a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.case import Operation
from harness.diagnostics import UsageError
from harness.subject.api import DEFAULT_RELEASE, open_api

WIDGET = """package v1

import "example.com/lib/shared"

type Widget struct {
	TypeMeta int
	// +k8s:required
	Name *string `json:"name"`
	Size shared.Size `json:"size"`
}
"""
LIB = """package shared

// +k8s:maximum=3
type Size int32
"""


def write(place: Path, text: str) -> None:
    """Write a file and its folders."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def module(tmp_path: Path) -> Path:
    """A module with one package of types, and beside it a module that the types import."""
    root = tmp_path / "api"
    write(root / "go.mod", "module example.com/api\n\nrequire (\n\texample.com/lib v1.2.3\n)\n")
    write(root / "widgets" / "v1" / "widget_types.go", WIDGET)
    write(root / "widgets" / "v1" / "register.go", 'package v1\n\nconst GroupName = "widgets.example.com"\n')
    write(root / "widgets" / "v1" / "testdata" / "types.go", "package broken{")
    write(tmp_path / "lib@v1.2.3" / "go.mod", "module example.com/lib\n")
    write(tmp_path / "lib@v1.2.3" / "shared" / "size.go", LIB)
    return root


def test_a_module_gives_its_packages(tmp_path: Path) -> None:
    """Packages are found by their files, named by the module, and know their group and version."""
    api = open_api(module(tmp_path))
    assert [("example.com/api/widgets/v1", "widgets.example.com", "v1")] == [
        (package.path, package.group, package.version) for package in api.packages
    ]
    assert ("example.com/api", DEFAULT_RELEASE) == (api.name, api.release)


def test_rules_of_a_required_module_count(tmp_path: Path) -> None:
    """Types of a module that lies where Go would put it are read, rules and all."""
    api = open_api(module(tmp_path))
    compiled = api.compile(api.packages[0])
    errors = compiled.validate("Widget", Operation.CREATE, {"size": 4})
    assert [("name", "FieldValueRequired"), ("size", "FieldValueInvalid")] == [(e.field, e.type) for e in errors]


def test_one_file_is_a_package(tmp_path: Path) -> None:
    """A single file is read with its doc.go, which says whether and what to generate."""
    write(tmp_path / "types.go", "package v2\n\ntype T struct{}\n")
    write(tmp_path / "other.go", "package v2\n\ntype broken struct{")
    write(tmp_path / "doc.go", "// +k8s:validation-gen=false\n// +k8s:validation-gen-nolint\npackage v2\n")
    (package,) = open_api(tmp_path / "types.go").packages
    assert (False, False) == (package.generates, package.lint)


@pytest.mark.parametrize(("place", "kubernetes", "words"), [("", "", "no API"), ("nowhere", "", "no nowhere")])
def test_bad_names_get_a_message(place: str, kubernetes: str, words: str) -> None:
    """Naming no API, or one that is not there, says what to name."""
    with pytest.raises(UsageError, match=words):
        open_api(place, kubernetes=kubernetes)


def test_a_folder_without_types_is_refused(tmp_path: Path) -> None:
    """An empty folder is no API."""
    with pytest.raises(UsageError, match="no Go files"):
        open_api(tmp_path)


def test_kinds_count_where_only_parts_are_generated_beside_them(tmp_path: Path) -> None:
    """A package that registers nothing orders code for parts of its kinds; the kinds are validated all the same."""
    doc = "// +k8s:validation-gen=TypesWithSuffix=Size\n// +k8s:validation-gen-scheme-registry=nil\npackage v1\n"
    write(tmp_path / "doc.go", doc)
    write(
        tmp_path / "types.go",
        "package v1\n\ntype Size struct{}\n\ntype Kind struct{ TypeMeta int }\n\ntype Part struct{}\n",
    )
    api = open_api(tmp_path)
    assert ("Kind", "Size") == api.compile(api.packages[0]).types
