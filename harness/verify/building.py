"""The two ends of a change as things that can be asked: the base from git in the cache folder, the head where it is.

Nothing of the user's checkout is written: no work tree, no index, no ref. A base is kept for the next time.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

import platformdirs

from harness.diagnostics import UsageError
from harness.subject import SubjectSpec
from harness.targets.kubernetes.build import locked
from harness.verify.change import Change
from harness.verify.git import Repository
from harness.verify.layout import suite_folders

Note = Callable[[str], None]

BASE = "base"
"""The name of a base's folder: it is part of what a comparison with it is called, and so of fingerprints."""
HEAD = "head"
_BRANCHES = ("upstream/HEAD", "upstream/master", "upstream/main", "origin/HEAD", "origin/master", "origin/main")
_KEEP = 14 * 24 * 3600.0
"""How long files are kept that nobody asks for. Units: seconds."""
_UNUSED = frozenset({"vendor", "test", "CHANGELOG", "LICENSES", "api", "docs", "logo", "_output"})
"""Top folders of Kubernetes that no worker links."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Base and head of one subject. `base` is None where only the head has it."""

    name: str
    head: SubjectSpec
    base: SubjectSpec | None


def default_base(repository: Repository) -> str:
    """Return the branch that a change is most likely to be made for.

    Raises: UsageError when the repository knows none of the usual ones.
    """
    for name in _BRANCHES:
        try:
            repository.commit(name)
        except UsageError:
            continue
        return name
    raise UsageError(
        f"{repository.top} does not say what the change is to be merged into\n"
        f"  why: it has none of {', '.join(_BRANCHES)}\n  fix: name it: --base BRANCH"
    )


def checkout_of(repository: Repository, revision: str, note: Note) -> Path:
    """Return a checkout of one revision in the cache: a clone that shares the objects of the repository.

    It is kept for a while, since commands that show a finding again open it. Raises: UsageError when git refuses.
    """
    commit = repository.commit(revision)
    cache = platformdirs.user_cache_path("equivalence-harness") / "verify"
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / commit[:20] / HEAD / repository.top.name
    with locked(cache / f"{commit[:20]}.lock", lambda text: note("another process writes the files of the head")):
        if not folder.is_dir():
            note(f"writing the files of the head {commit[:12]}")
            _clone(repository.top, commit, folder)
        os.utime(folder.parent.parent)
    return folder


def _clone(top: Path, commit: str, folder: Path) -> None:
    temporary = Path(tempfile.mkdtemp(prefix=".head-", dir=folder.parent.parent.parent))
    try:
        _git(temporary, "clone", "--quiet", "--shared", "--no-checkout", str(top), HEAD)
        _git(temporary / HEAD, "checkout", "--quiet", "--detach", commit)
        folder.parent.mkdir(parents=True, exist_ok=True)
        os.replace(temporary / HEAD, folder)
    finally:
        rmtree(temporary, ignore_errors=True)


def _git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false", *arguments]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
        raise UsageError(f"git {arguments[0]} failed\n  why: {last[:300]}\n  fix: check the clone with git fsck")


def base_folder(change: Change, repository: Repository, note: Note) -> Path:
    """Return a folder with the files of the base, written now if the cache does not have them."""
    cache = platformdirs.user_cache_path("equivalence-harness") / "verify"
    cache.mkdir(parents=True, exist_ok=True)
    commit = change.base.commit
    folder = cache / commit[:20] / BASE
    with locked(cache / f"{commit[:20]}.lock", lambda text: note("another process writes the files of the base")):
        if not folder.is_dir():
            note(f"writing the files of the base {commit[:12]} (once)")
            _write(repository, commit, folder, _wanted(change, repository))
            _forget_unused(cache)
        os.utime(folder.parent)
    return folder


def _write(repository: Repository, commit: str, folder: Path, below: Sequence[str]) -> None:
    temporary = Path(tempfile.mkdtemp(prefix=".base-", dir=folder.parent.parent))
    try:
        repository.export(commit, temporary / BASE, below)
        folder.parent.mkdir(exist_ok=True)
        os.replace(temporary / BASE, folder)
    finally:
        rmtree(temporary, ignore_errors=True)


def _wanted(change: Change, repository: Repository) -> list[str]:
    """Name what is needed of the base; nothing for all of it."""
    if change.layout != "kubernetes":
        return []
    tops = {path.partition("/")[0] for path in repository.paths(change.base.commit)}
    return sorted(name for name in tops - _UNUSED if not name.startswith("."))


def _forget_unused(cache: Path) -> None:
    for folder in (*cache.glob(f"*/{BASE}"), *cache.glob(f"*/{HEAD}")):
        if folder.parent.is_dir() and time.time() - folder.parent.stat().st_mtime > _KEEP:
            rmtree(folder.parent, ignore_errors=True)


def ends_of(change: Change, head: Path, base: Path) -> list[Ends]:
    """Say what is to be opened: the release, or every suite that the head has."""
    if change.layout == "kubernetes":
        return [Ends("kubernetes", SubjectSpec("kubernetes", str(head)), SubjectSpec("kubernetes", str(base)))]
    found = []
    for folder in suite_folders(head):
        suite = folder.relative_to(head).as_posix()
        there = (base / suite / "suite.py").is_file()
        before = SubjectSpec("suite", str(base / suite)) if there else None
        found.append(Ends(suite, SubjectSpec("suite", str(folder)), before))
    return found
