"""The base is written from git beside the user's checkout, once, and nothing of the checkout changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest

from harness.diagnostics import UsageError
from harness.git import Repository
from harness.verify.building import (
    base_and_head_of,
    base_folder,
    checkout_of,
    default_base,
    find_location,
    name_location,
)
from harness.verify.change import Change, Revision
from tests.verify.checkout import commit, git
from tests.verify.project import LIMIT, apply, make_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return make_project(tmp_path / "cups")


def change_of(project: Path) -> Change:
    """Make a change whose base is the tag."""
    base = git(project, "rev-parse", "base")
    return Change(project, "suites", Revision("base", base), Revision("HEAD", base), ())


def base_of(project: Path, note: Callable[[str], None]) -> Path:
    """Write the files of the base."""
    return base_folder(Repository.at(project), git(project, "rev-parse", "base"), "suites", note)


def test_the_base_is_written_once_and_the_checkout_stays(project: Path) -> None:
    """The second time nothing is written; the work tree, with its change, and git's own files are as they were."""
    apply(project, LIMIT)
    before = sorted((path, path.stat().st_mtime_ns) for path in project.rglob("*"))
    told: list[str] = []
    folders = [base_of(project, told.append) for _ in range(2)]
    assert folders[0] == folders[1]
    assert ["writing the files of the base"] == [line[:29] for line in told]
    assert "maximum=500" in (folders[0] / "suites/cups/types.go").read_text()
    assert before == sorted((path, path.stat().st_mtime_ns) for path in project.rglob("*"))


def test_a_suite_that_the_base_lacks_has_no_base(project: Path) -> None:
    """And one that the head lacks is not opened at all."""
    folder = base_of(project, lambda text: None)
    (project / "suites/plates").mkdir()
    (project / "suites/plates/suite.py").write_text("SUITE = None\n")
    (project / "suites/kubernetes").mkdir()
    (project / "suites/kubernetes/suite.py").write_text('SUITE = KubernetesSuite(release="1.37.1")\n')
    found = base_and_head_of(change_of(project), project, folder)
    assert [("suites/cups", True), ("suites/plates", False)] == [(one.name, one.base is not None) for one in found]


def test_a_commit_is_looked_at_in_a_clone(project: Path) -> None:
    """The clone has the commit and shares the objects; it is made once, so that findings can be asked again."""
    apply(project, LIMIT)
    head = commit(project, "Raise the limit")
    git(project, "checkout", "-q", "base")
    told: list[str] = []
    folder, again = [checkout_of(Repository.at(project), head, told.append) for _ in range(2)]
    assert (folder, 1) == (again, len(told))
    assert "maximum=501" in (folder / "suites/cups/types.go").read_text()
    assert head == git(folder, "rev-parse", "HEAD")


def test_the_branch_to_merge_into_is_that_of_upstream_before_that_of_origin(project: Path) -> None:
    """Contributors push to a fork called origin, and merge into upstream."""
    with pytest.raises(UsageError, match="name it: --base BRANCH"):
        default_base(Repository.at(project))
    git(project, "update-ref", "refs/remotes/origin/main", "base")
    assert "origin/main" == default_base(Repository.at(project))
    git(project, "update-ref", "refs/remotes/upstream/master", "base")
    assert "upstream/master" == default_base(Repository.at(project))


def test_a_place_is_named_so_that_another_machine_finds_it(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the checkout by its path there, what is kept by its commit; a clone elsewhere finds the same files."""
    base = base_of(project, lambda text: None)
    name = name_location(str(base / "suites/cups"), project)
    assert f"{git(project, 'rev-parse', 'base')[:20]}:suites/cups" == name
    assert "suites/cups" == name_location(str(project / "suites/cups"), project)
    assert "suites/cups" == find_location("suites/cups", project, lambda text: None)
    rmtree(tmp_path / "cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    git(tmp_path, "clone", "-q", str(project), str(tmp_path / "clone"))
    found = Path(find_location(name, tmp_path / "clone", lambda text: None))
    assert found.is_relative_to(tmp_path / "other")
    assert "maximum=500" in (found / "types.go").read_text()


def test_a_commit_that_a_clone_does_not_have_is_told(project: Path) -> None:
    """With what to do about it."""
    with pytest.raises(UsageError, match="there is no revision"):
        find_location(f"{'0' * 20}:suites/cups", project, lambda text: None)


def test_the_head_of_a_commit_is_opened_where_it_was_verified(project: Path) -> None:
    """A worker that was built there need not be built again."""
    folder = checkout_of(Repository.at(project), "HEAD", lambda text: None)
    name = name_location(str(folder / "suites/cups"), project)
    assert str(folder / "suites/cups") == find_location(name, project, lambda text: None)
