"""An edited copy of types takes the place of the package that it is a copy of."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import UsageError
from harness.gotypes.packages import Universe
from harness.subject.api import Api, ApiPackage
from harness.subject.edited import edited_api

NAMES = ("k8s.io/api/apps/v1", "k8s.io/api/apps/v1beta1", "k8s.io/api/core/v1")


def original(folder: Path) -> tuple[Api, dict[str, Path]]:
    folders = {}
    for name in NAMES:
        folders[name] = folder / "original" / name
        write(folders[name], "Old")
    packages = tuple(ApiPackage(name, name.split("/")[2], name.rpartition("/")[2]) for name in NAMES)
    return Api("Some API", "1.37", Universe.from_folders(folders), packages), folders


def write(folder: Path, name: str, more: str = "") -> None:
    folder.mkdir(parents=True)
    package = folder.name if folder.name.startswith("v") else "v1"
    (folder / "types.go").write_text(f"package {package}\n\n{more}\n\ntype {name} struct{{}}\n")


def replaced(tmp_path: Path, types: str) -> list[str]:
    """The packages that the copy took the place of, checked against what the API then holds."""
    api, paths = edited_api(*original(tmp_path), types)
    assert list(paths) == [name for name in NAMES if api.universe.find(f"{name}.New") is not None]
    return list(paths)


def test_no_copy_changes_nothing(tmp_path: Path) -> None:
    """The API is the very same."""
    api, folders = original(tmp_path)
    assert (api, ()) == edited_api(api, folders, "")


def test_a_module_says_its_path(tmp_path: Path) -> None:
    """A copy of the whole module, or of some of its folders; others below it are left alone."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "go.mod").write_text("module k8s.io/api\n")
    write(tmp_path / "mine" / "apps" / "v1", "New")
    write(tmp_path / "mine" / "other" / "v7", "New")
    assert ["k8s.io/api/apps/v1"] == replaced(tmp_path, str(tmp_path / "mine"))


def test_a_path_says_its_package(tmp_path: Path) -> None:
    """By its last two parts, which no other package has."""
    write(tmp_path / "mine" / "apps" / "v1beta1", "New")
    assert ["k8s.io/api/apps/v1beta1"] == replaced(tmp_path, str(tmp_path / "mine"))


def test_files_say_their_group(tmp_path: Path) -> None:
    """By GroupName and the package clause; the empty group too."""
    write(tmp_path / "mine", "New", 'const GroupName = "core"')
    assert ["k8s.io/api/core/v1"] == replaced(tmp_path, str(tmp_path / "mine"))


def test_an_import_path_is_believed(tmp_path: Path) -> None:
    """Whatever the folder is called."""
    write(tmp_path / "mine", "New")
    assert ["k8s.io/api/apps/v1"] == replaced(tmp_path, f"k8s.io/api/apps/v1={tmp_path / 'mine'}")


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ("{}/nowhere", "does not exist"),
        ("{}/mine", "no folder that can be recognised as a package of Some API"),
        ("k8s.io/api/apps/v9={}/mine", "Some API has no package k8s.io/api/apps/v9"),
    ],
)
def test_unrecognised_packages_are_an_error(tmp_path: Path, types: str, message: str) -> None:
    """The fix has the syntax that names a package."""
    write(tmp_path / "mine", "New")
    with pytest.raises(UsageError, match=message):
        edited_api(*original(tmp_path), types.format(tmp_path))
