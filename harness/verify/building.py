"""Prepares base and head of a change for searches: their files, their subjects, and their budgets and gate settings.

The files of the base are exported from git to the cache folder, and kept for later verifications; the head is read from
its work tree. Nothing in the user's checkout is written: no work tree, no index, no ref.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree

import platformdirs

from harness.compare.composition import BETA
from harness.diagnostics import UsageError
from harness.events import Budget
from harness.files import locked
from harness.git import Repository
from harness.subject import SubjectSpec
from harness.subject.definitions import WITHOUT_CEL
from harness.verify.change import Change, Layout
from harness.verify.layout import layout_of, suite_folders

Note = Callable[[str], None]

BASE = "base"
"""The name of a base's folder: it is part of the name of every comparison with a base, and so of fingerprints."""
HEAD = "head"
_BRANCHES = ("upstream/HEAD", "upstream/master", "upstream/main", "origin/HEAD", "origin/master", "origin/main")
_LOCATION = re.compile(r"(?P<commit>[0-9a-f]{20}):(?P<folder>.+)")
_MAX_AGE = 14 * 24 * 3600.0
"""How long unused files are kept. Units: seconds."""
_UNUSED_FOLDERS = frozenset({"vendor", "test", "CHANGELOG", "LICENSES", "api", "docs", "logo", "_output"})
"""Top folders of Kubernetes that workers do not compile."""


@dataclass(frozen=True, slots=True)
class BaseAndHead:
    """Base and head of one subject. `base` is None where only the head has it."""

    name: str
    head: SubjectSpec
    base: SubjectSpec | None


def default_base(repository: Repository) -> str:
    """Return the branch that a change is most likely to be merged into.

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

    It is kept for a while, because commands that replay a finding open it. Raises: UsageError when git refuses.
    """
    commit = repository.commit(revision)
    cache = _cache()
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = cache / commit[:20] / HEAD / repository.top.name
    with locked(cache / f"{commit[:20]}.lock", lambda: note("another process writes the files of the head")):
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


def base_folder(repository: Repository, commit: str, layout: Layout, note: Note) -> Path:
    """Return a folder with the files of a commit, exporting them when they are not in the cache."""
    cache = _cache()
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = cache / commit[:20] / BASE
    with locked(cache / f"{commit[:20]}.lock", lambda: note("another process writes the files of the base")):
        if not folder.is_dir():
            note(f"writing the files of the base {commit[:12]} (once)")
            _write(repository, commit, folder, _needed_folders(repository, commit, layout))
            _forget_unused(cache)
        os.utime(folder.parent)
    return folder


def _cache() -> Path:
    return platformdirs.user_cache_path("equivalence-harness") / "verify"


def name_location(location: str, here: Path) -> str:
    """Name a folder so that another machine finds it: relative to `here`, or `COMMIT:FOLDER` for one in the cache."""
    path, cache = Path(location), _cache()
    if path.is_relative_to(cache):
        commit, end, *inside = path.relative_to(cache).parts
        return f"{commit}:{'/'.join(inside[1:] if end == HEAD else inside) or '.'}"
    return os.path.relpath(path, here) if path.is_absolute() and path.is_relative_to(here) else location


def find_location(name: str, here: Path, note: Note) -> str:
    """Return the folder that `name_location` named, exporting the files of its commit when the cache has none.

    Raises: UsageError when the repository of `here` does not have the commit.
    """
    found = _LOCATION.fullmatch(name)
    if found is None:
        return name
    head = next(iter((_cache() / found["commit"] / HEAD).glob("*")), None)
    if head is not None and (head / found["folder"]).is_dir():
        return str(head / found["folder"])
    kept = _cache() / found["commit"] / BASE
    if not kept.is_dir():
        repository = Repository.at(here)
        kept = base_folder(repository, repository.commit(found["commit"]), _layout_or_crds(repository.top), note)
    return str(kept / found["folder"]) if found["folder"] != "." else str(kept)


def _layout_or_crds(top: Path) -> Layout:
    try:
        return layout_of(top)
    except UsageError:  # nothing but CRDs is verified in other checkouts
        return "crds"


def _write(repository: Repository, commit: str, folder: Path, below: Sequence[str]) -> None:
    temporary = Path(tempfile.mkdtemp(prefix=".base-", dir=folder.parent.parent))
    try:
        repository.export(commit, temporary / BASE, below)
        folder.parent.mkdir(exist_ok=True)
        os.replace(temporary / BASE, folder)
    finally:
        rmtree(temporary, ignore_errors=True)


def _needed_folders(repository: Repository, commit: str, layout: Layout) -> list[str]:
    """Return the top folders of a commit that are needed; empty for all of them."""
    if layout != "kubernetes":
        return []
    tops = {path.partition("/")[0] for path in repository.paths(commit)}
    return sorted(name for name in tops - _UNUSED_FOLDERS if not name.startswith("."))


def _forget_unused(cache: Path) -> None:
    for folder in (*cache.glob(f"*/{BASE}"), *cache.glob(f"*/{HEAD}")):
        if folder.parent.is_dir() and time.time() - folder.parent.stat().st_mtime > _MAX_AGE:
            rmtree(folder.parent, ignore_errors=True)


def base_and_head_of(change: Change, head: Path, base: Path, validator: str | None = None) -> list[BaseAndHead]:
    """Return the subjects of a change: the release, every suite of the head, or the CRDs with their validator."""
    if change.layout == "crds":
        location, old = str(head / change.crds), base / change.crds
        spec = SubjectSpec("crd", location, against=validator and f"{WITHOUT_CEL}{location}", validator=validator)
        return [BaseAndHead("crds", spec, SubjectSpec("crd", str(old)) if old.exists() else None)]
    if change.layout == "kubernetes":
        return [BaseAndHead("kubernetes", SubjectSpec("kubernetes", str(head)), SubjectSpec("kubernetes", str(base)))]
    found = []
    for folder in suite_folders(head):
        suite = folder.relative_to(head).as_posix()
        there = (base / suite / "suite.py").is_file()
        before = SubjectSpec("suite", str(base / suite)) if there else None
        found.append(BaseAndHead(suite, SubjectSpec("suite", str(folder)), before))
    return found


EVERY_GATE = {"AllAlpha": True, "AllBeta": True}
"""The gates that the second part of a search on a checkout of Kubernetes turns on."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Budgets of one subject: the search of the head, and the comparison of base and head.

    The remaining tenth is for replaying findings of the head at the base.
    """

    head: Budget
    users: Budget

    @classmethod
    def of(cls, seconds: float | None, cases: int | None, subjects: int) -> Shares:
        """Divide a budget in seconds among subjects; a budget in cases applies to each search."""
        each = None if seconds is None else seconds / max(1, subjects)
        return cls(Budget(each and 0.5 * each, cases), Budget(each and 0.4 * each, cases))


def head_parts(subject: BaseAndHead, gates: dict[str, bool]) -> list[SubjectSpec]:
    """Return the parts of the search of the head, which composes the served errors for every gate setting.

    CRDs without a validator have nothing to be compared with in the head, and so none.
    """
    spec = replace(subject.head, gates=gates)
    if spec.kind == "crd" and spec.validator is None:
        return []
    return [spec] if gates or spec.kind != "kubernetes" else [spec, replace(spec, gates=EVERY_GATE)]


def user_parts(subject: BaseAndHead, gates: dict[str, bool]) -> list[SubjectSpec]:
    """Return the parts of the comparison of base and head.

    With the beta gate off, the base serves its handwritten errors where the migration is not finished. Rules whose
    handwritten check the change removes must agree with these.
    """
    if subject.base is None:
        return []
    spec = replace(subject.head, gates=gates, against=subject.base.location, validator=None)
    if spec.kind == "crd":
        return [spec]
    parts = [spec] if BETA in gates else [spec, replace(spec, gates={**gates, BETA: False})]
    return parts if gates or spec.kind != "kubernetes" else [*parts, replace(spec, gates=EVERY_GATE)]


def base_spec(spec: SubjectSpec, subject: BaseAndHead) -> SubjectSpec | None:
    """Return how to open the base under the settings of a part of the head; None without a base."""
    if subject.base is None:
        return None
    against = f"{WITHOUT_CEL}{subject.base.location}" if spec.kind == "crd" else spec.against
    return replace(spec, location=subject.base.location, against=against)
