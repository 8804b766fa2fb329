"""Git by its plumbing: names and contents of any kind, bad revisions told well, nothing of a repository run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from harness import git as module
from harness.diagnostics import UsageError
from harness.git import FileDifference, Repository
from tests.verify.checkout import commit, git, repository

STRANGE = ("a\nb.go", 'quo"te.go', "-rf", "tab\there", "blank at end ", "ünïcode.go", "*.go", ":(glob)x")


def test_differences(tmp_path: Path) -> None:
    """What differs is the work tree: committed, staged, edited and new files alike; a moved one knows its old name."""
    top = repository(tmp_path, {"old.go": "package a\n" * 20, "gone.go": "x", "staged.go": "x", "edited.go": "x"})
    commit(top, "Rename", {"old.go": None, "new.go": "package a\n" * 20})
    (top / "gone.go").unlink()
    (top / "staged.go").write_text("y")
    git(top, "add", "staged.go")
    (top / "edited.go").write_text("y")
    (top / "loose.go").write_text("z")
    found = Repository.at(top).differences(git(top, "rev-parse", "base"))
    assert [
        FileDifference("M", "edited.go", "edited.go"),
        FileDifference("D", "gone.go", "gone.go"),
        FileDifference("A", "loose.go", "", tracked=False),
        FileDifference("R", "new.go", "old.go"),
        FileDifference("M", "staged.go", "staged.go"),
    ] == found
    assert {"gone.go", "staged.go", "edited.go", "loose.go"} == Repository.at(top).uncommitted()


def test_ignored_files_do_not_count(tmp_path: Path) -> None:
    """A new file that git ignores is no part of a change."""
    top = repository(tmp_path, {".gitignore": "*.log\n"})
    (top / "x.log").write_text("x")
    assert [] == Repository.at(top).differences("base")


def test_strange_names(tmp_path: Path) -> None:
    """Line breaks, quotes, dashes and patterns in file names are names and nothing else."""
    top = repository(tmp_path, {name: f"content of {name}" for name in STRANGE})
    raw = os.fsencode(tmp_path) + b"/not-\xff-utf8"
    with open(raw, "wb") as file:
        file.write(b"bytes")
    commit(top, "Odd")
    repo, head = Repository.at(top), git(top, "rev-parse", "HEAD")
    assert sorted([*STRANGE, "not-\udcff-utf8"]) == sorted(repo.paths(head))
    assert [b"content of *.go", None] == [repo.read(head, "*.go"), repo.read(head, "?.go")]
    written = tmp_path / "export"
    assert len(STRANGE) + 1 == repo.export(head, written)
    assert "content of -rf" == (written / "-rf").read_text()
    (top / "-rf").write_text("other")
    assert ["-rf"] == [one.path for one in repo.differences(head) if not one.path.startswith("export/")]


def test_export_chooses_and_leaves_links_out(tmp_path: Path) -> None:
    """Only what is asked for is written, and no link: one could lead out of the folder."""
    top = repository(tmp_path / "r", {"a/x.go": "x", "a/y.txt": "y", "b/z.go": "z"})
    (top / "a" / "link.go").symlink_to("/etc/passwd")
    head = commit(top, "Link")
    target = tmp_path / "out"
    assert 1 == Repository.at(top).export(head, target, ["a"], lambda path: path.endswith(".go"))
    assert ["a/x.go"] == [path.relative_to(target).as_posix() for path in target.rglob("*.*")]


@pytest.mark.parametrize(
    ("revision", "words"),
    [
        ("no-such-branch", "no branch, tag or commit of that name was fetched"),
        ("--upload-pack=touch /tmp/x", "is not a revision"),
        ("", "is not a revision"),
        ("x" * 5000, "there is no revision"),
        ("base:a.go", "there is no revision"),
    ],
)
def test_unknown_revision(tmp_path: Path, revision: str, words: str) -> None:
    """A revision that is not there gets a message with what to do, and is never taken for an option."""
    top = repository(tmp_path, {"a.go": "x"})
    with pytest.raises(UsageError) as caught:
        Repository.at(top).commit(revision)
    assert words in str(caught.value)
    assert "fix:" in str(caught.value)
    assert len(str(caught.value)) < 1000


def shallow(tmp_path: Path) -> Path:
    """Clone a repository of three commits with the newest one only."""
    top = repository(tmp_path / "whole", {"a.go": "x"})
    commit(top, "Two", {"a.go": "y"})
    commit(top, "Three", {"a.go": "z"})
    git(tmp_path, "clone", "-q", "--depth=1", "--no-tags", f"file://{top}", "shallow")
    return tmp_path / "shallow"


def test_shallow_clone(tmp_path: Path) -> None:
    """In a shallow clone the message says that it is one, and how to fetch the rest."""
    repo = Repository.at(shallow(tmp_path))
    with pytest.raises(UsageError, match=r"the clone is shallow(.|\n)*git fetch --unshallow"):
        repo.commit("base")


def test_no_common_commit(tmp_path: Path) -> None:
    """Two histories without a common commit are told from a shallow clone."""
    top = repository(tmp_path / "r", {"a.go": "x"})
    git(top, "checkout", "-q", "--orphan", "other")
    other = commit(top, "Another beginning")
    repo = Repository.at(top)
    with pytest.raises(UsageError, match="nothing in common"):
        repo.merge_base(other, repo.commit("base"))


def test_merge_base(tmp_path: Path) -> None:
    """What others did to the base branch meanwhile is no part of the change."""
    top = repository(tmp_path, {"a.go": "x"})
    git(top, "checkout", "-q", "-b", "work")
    mine = commit(top, "Mine", {"b.go": "x"})
    git(top, "checkout", "-q", "main")
    theirs = commit(top, "Theirs", {"c.go": "x"})
    repo = Repository.at(top)
    assert repo.commit("base") == repo.merge_base(mine, theirs)


def test_no_repository(tmp_path: Path) -> None:
    """A folder that is no checkout, or not there, is told so."""
    with pytest.raises(UsageError, match="is not a git checkout"):
        Repository.at(tmp_path)
    with pytest.raises(UsageError, match="there is no folder"):
        Repository.at(tmp_path / "missing")
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "bare"], check=True)
    with pytest.raises(UsageError, match="is not a git checkout"):
        Repository.at(tmp_path / "bare")


def test_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without git is told what is missing."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="git was not found"):
        Repository.at(tmp_path)


def test_nothing_of_a_repository_runs(tmp_path: Path) -> None:
    """Programs that a repository's settings name (monitors, diff drivers, hooks) are not started."""
    top = repository(tmp_path / "r", {"a.go": "x\n", ".gitattributes": "*.go diff=evil\n"})
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    script.chmod(0o755)
    for name in ("core.fsmonitor", "diff.external", "diff.evil.command", "diff.evil.textconv", "core.pager"):
        git(top, "config", name, str(script))
    hooks = top / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "post-checkout", "reference-transaction"):
        (hooks / name).write_text(script.read_text())
        (hooks / name).chmod(0o755)
    (top / "a.go").write_text("y\n")
    (tmp_path / "ran").unlink(missing_ok=True)
    repo = Repository.at(top)
    base = repo.commit("base")
    assert ["a.go"] == [one.path for one in repo.differences(base)]
    repo.export(base, tmp_path / "out")
    assert "Begin" == repo.subject(base)
    assert not (tmp_path / "ran").exists()


def test_other_repositories_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a hook git sets variables that lead to its own repository; the folder's counts all the same."""
    one = repository(tmp_path / "one", {"one.go": "x"})
    other = repository(tmp_path / "other", {"other.go": "x"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    repo = Repository.at(one)
    assert ["one.go"] == repo.paths(repo.commit("HEAD"))


def test_too_much_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Output without end is cut off with a message."""
    top = repository(tmp_path, {f"a-long-name-of-a-file-{number}.go": "x" for number in range(50)})
    repo = Repository.at(top)
    monkeypatch.setattr(module, "MAX_OUTPUT_BYTES", 100)
    with pytest.raises(UsageError, match="was stopped"):
        repo.paths("HEAD")


def test_git_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that does not come back is stopped with a message."""
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(slow.parent), prepend=os.pathsep)
    monkeypatch.setattr(module, "TIMEOUT_SECONDS", 0.2)
    with pytest.raises(UsageError, match="it took more than"):
        Repository.at(tmp_path)


def test_large_files_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file beyond what is read is left out, and those behind it are not."""
    top = repository(tmp_path / "r", {"a.go": "x" * 1000, "b.go": "y"})
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 100)
    repo = Repository.at(top)
    assert [None, b"y"] == [repo.read("HEAD", "a.go"), repo.read("HEAD", "b.go")]
    assert 1 == repo.export("HEAD", tmp_path / "out")
