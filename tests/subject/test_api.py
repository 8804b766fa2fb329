"""An API is opened from a module, a folder or a single file; a name that cannot be opened is an error with a fix."""

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
    """A module with one package of types, and in a sibling folder a module that the types import."""
    root = tmp_path / "api"
    write(root / "go.mod", "module example.com/api\n\nrequire (\n\texample.com/lib v1.2.3\n)\n")
    write(root / "widgets" / "v1" / "widget_types.go", WIDGET)
    write(root / "widgets" / "v1" / "register.go", 'package v1\n\nconst GroupName = "widgets.example.com"\n')
    write(root / "widgets" / "v1" / "testdata" / "types.go", "package broken{")
    write(tmp_path / "lib@v1.2.3" / "go.mod", "module example.com/lib\n")
    write(tmp_path / "lib@v1.2.3" / "shared" / "size.go", LIB)
    return root


def test_the_packages_of_a_module_are_found(tmp_path: Path) -> None:
    """Their import paths begin with the name of the module; group and version are read from their files."""
    api = open_api(module(tmp_path))
    assert [("example.com/api/widgets/v1", "widgets.example.com", "v1")] == [
        (package.path, package.group, package.version) for package in api.packages
    ]
    assert ("example.com/api", DEFAULT_RELEASE) == (api.name, api.release)


def test_rules_of_a_required_module_are_enforced(tmp_path: Path) -> None:
    """The types of a required module are read with their rules, if Go would find the module."""
    api = open_api(module(tmp_path))
    compiled = api.compile(api.packages[0])
    errors = compiled.validate("Widget", Operation.CREATE, {"size": 4})
    assert [("name", "FieldValueRequired"), ("size", "FieldValueInvalid")] == [(e.field, e.type) for e in errors]


def test_one_file_is_a_package(tmp_path: Path) -> None:
    """A single file is read with the doc.go of its folder, which declares what to generate."""
    write(tmp_path / "types.go", "package v2\n\ntype T struct{}\n")
    write(tmp_path / "other.go", "package v2\n\ntype broken struct{")
    write(tmp_path / "doc.go", "// +k8s:validation-gen=false\n// +k8s:validation-gen-nolint\npackage v2\n")
    (package,) = open_api(tmp_path / "types.go").packages
    assert (False, False) == (package.generates, package.lint)


@pytest.mark.parametrize(("place", "kubernetes", "words"), [("", "", "no API"), ("nowhere", "", "no nowhere")])
def test_an_api_that_cannot_be_opened_is_an_error(place: str, kubernetes: str, words: str) -> None:
    """The message names what is wrong if no API is named, or one that does not exist."""
    with pytest.raises(UsageError, match=words):
        open_api(place, kubernetes=kubernetes)


def test_a_folder_without_types_is_rejected(tmp_path: Path) -> None:
    """An empty folder is not an API."""
    with pytest.raises(UsageError, match="no Go files"):
        open_api(tmp_path)


def test_kinds_are_roots_in_a_package_that_registers_nothing(tmp_path: Path) -> None:
    """Its own validators are called by those of its kinds, which are generated into another package."""
    doc = "// +k8s:validation-gen=TypesWithSuffix=Size\n// +k8s:validation-gen-scheme-registry=nil\npackage v1\n"
    write(tmp_path / "doc.go", doc)
    write(
        tmp_path / "types.go",
        "package v1\n\ntype Size struct{}\n\ntype Kind struct{ TypeMeta int }\n\ntype Part struct{}\n",
    )
    api = open_api(tmp_path)
    assert ("Kind", "Size") == api.compile(api.packages[0]).types
