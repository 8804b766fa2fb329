"""Names across packages, and the packages of Kubernetes."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import UsageError
from harness.gotypes.model import Struct, TypeRef
from harness.gotypes.packages import Universe
from harness.targets.kubernetes.release import find_release, find_toolchain, module_folder
from tests.gotypes.reading import universe

TWO = {
    "x.io/core/v1": {
        "doc.go": "// +k8s:validation-gen=*\n\n// Package v1 is one.\npackage v1\n",
        "types.go": "package v1\ntype Spec struct { A string }\ntype Phase string\ntype P2 = Phase\n"
        'const (\n On Phase = "On"\n Off Phase = "Off"\n Size int = 3\n)\n',
        "types_test.go": "package broken {{{",
        "skipped.go": "//go:build ignore\n\npackage main\n",
        "zz_generated.deepcopy.go": "package v1\nfunc (in *Spec) DeepCopy() { ) }\n",
    },
    "x.io/apps/v1": {
        "types.go": 'package v1\nimport (\n "x.io/core/v1"\n apps "x.io/core/v1"\n)\n'
        "type Set struct { Spec v1.Spec; Other *apps.Spec }\ntype Alias = apps.Spec\ntype Loop Loop2\ntype Loop2 Loop\n"
        "type Names map[string]v1.Phase\n",
    },
}


def test_names_across_packages(tmp_path: Path) -> None:
    """An import without a name goes by its package clause, one with a name by that name."""
    both = universe(tmp_path, TWO)
    found = both.find("x.io/apps/v1.Set")
    assert isinstance(found, Struct)
    assert [str(one.type) for one in found.fields] == ["x.io/core/v1.Spec", "*x.io/core/v1.Spec"]
    assert found.fields[0].type.name == "x.io/core/v1.Spec"
    assert both.diagnostics() == ()
    assert both.find("x.io/apps/v1.Nothing") is None
    assert both.find("y.io/unknown.Nothing") is None


def test_doc_comments_are_the_package_comments(tmp_path: Path) -> None:
    """All comment groups of doc.go belong to the package."""
    comments = universe(tmp_path, TWO).package("x.io/core/v1").comments
    assert [line.text for line in comments] == ["+k8s:validation-gen=*", "Package v1 is one."]


def test_constants_of_a_type(tmp_path: Path) -> None:
    """The constants of a type in source order; an alias has those of what it stands for."""
    both = universe(tmp_path, TWO)
    assert [one.value for one in both.consts_of("x.io/core/v1.Phase")] == ["On", "Off"]
    assert [one.value for one in both.consts_of("x.io/core/v1.P2")] == ["On", "Off"]
    assert both.consts_of("x.io/core/v1.Spec") == ()
    assert both.consts_of("y.io/unknown.Phase") == ()


def test_resolving(tmp_path: Path) -> None:
    """Typedefs and aliases are followed to a struct or a type without a name, and circles end."""
    both = universe(tmp_path, TWO)
    assert TypeRef("named", "x.io/core/v1.Spec") == both.resolve(TypeRef("named", "x.io/apps/v1.Alias"))
    assert TypeRef("builtin", "string") == both.resolve(TypeRef("named", "x.io/core/v1.P2"))
    assert both.resolve(TypeRef("named", "x.io/apps/v1.Loop")).kind == "named"
    assert both.resolve(TypeRef("named", "x.io/apps/v1.Names")).kind == "map"


def test_packages_are_read_when_asked_for_and_once(tmp_path: Path) -> None:
    """A package is the same object at the second look, and a broken neighbour is not read for it."""
    both = universe(tmp_path, {**TWO, "x.io/broken": {"a.go": "package {"}})
    assert both.package("x.io/core/v1") is both.package("x.io/core/v1")
    assert both.package("x.io/core/v1").diagnostics == ()
    assert {"go-syntax"} == {one.code for one in both.diagnostics()}


def test_unknown_package(tmp_path: Path) -> None:
    """An unknown import path is a mistake in the call, with a suggestion."""
    with pytest.raises(UsageError, match=r"did you mean x\.io/core/v1\?"):
        universe(tmp_path, TWO).package("x.io/core/v2")


def test_an_empty_or_missing_folder(tmp_path: Path) -> None:
    """A folder without Go files is told about."""
    (tmp_path / "empty").mkdir()
    both = Universe.from_folders({"a": tmp_path / "empty", "b": tmp_path / "missing"})
    assert [one.code for one in both.diagnostics()] == ["go-no-files", "go-no-files"]


def test_from_files(tmp_path: Path) -> None:
    """A package made of files has those files alone, and a missing one is told about."""
    (tmp_path / "a.go").write_text("package v1\ntype A int\n")
    (tmp_path / "b.go").write_text("package v1\ntype B int\n")
    one = Universe.from_files({"x": [tmp_path / "a.go", tmp_path / "none.go"]})
    assert list(one.package("x").typedefs) == ["A"]
    assert [found.code for found in one.diagnostics()] == ["go-unreadable"]


def test_files_of_two_packages(tmp_path: Path) -> None:
    """Two package clauses in one folder are told about."""
    one = universe(tmp_path, {"x": {"a.go": "package a\n", "b.go": "package b\n"}})
    assert [found.code for found in one.diagnostics()] == ["go-package"]


def test_import_cycles_end(tmp_path: Path) -> None:
    """Packages that import each other, which Go forbids, are read without an end in sight being lost."""
    packages = {
        "x/a": {"a.go": 'package a\nimport "x/b"\ntype A b.B\nconst C = b.D\nconst E = "e"\n'},
        "x/b": {"b.go": 'package b\nimport "x/a"\ntype B a.A\nconst D = a.E + a.C\nconst F a.A = 1\n'},
    }
    assert [one.value for one in universe(tmp_path, packages).package("x/a").consts] == [None, "e"]


def packages_below(root: Path, import_path: str) -> dict[str, Path]:
    """Import paths to folders of everything below a module's root that has Go files."""
    folders = {file.parent for file in root.rglob("*.go") if not file.name.endswith("_test.go")}
    kept = sorted(folder for folder in folders if "testdata" not in folder.parts)
    return {import_path + str(folder)[len(str(root)) :]: folder for folder in kept}


@pytest.mark.kubernetes
@pytest.mark.parametrize("release", ["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def test_kubernetes_is_read_without_a_complaint(release: str) -> None:
    """All packages of k8s.io/api and of apimachinery parse without a diagnostic, and every enum has its values."""
    folders: dict[str, Path] = {}
    for module in ("k8s.io/api", "k8s.io/apimachinery"):
        folders |= packages_below(module_folder(find_release(release), module, find_toolchain()), module)
    every = Universe.from_folders(folders)
    assert () == every.diagnostics()
    packages = [every.package(path) for path in every.paths]
    structs = [one for package in packages for one in package.structs.values()]
    fields = sum(len(one.fields) for one in structs)
    assert len(structs) > 1400
    assert fields > 5000
    unresolved = [
        (one.qualified, field.name)
        for one in structs
        if one.package.startswith("k8s.io/api/")
        for field in one.fields
        if field.type.kind == "named"
        and field.type.name.startswith("k8s.io/api")
        and every.find(field.type.name) is None
    ]
    assert unresolved == []
    unknown = [const for package in packages if package.path.startswith("k8s.io/api/") for const in package.consts]
    assert [const.name for const in unknown if const.value is None] == []
