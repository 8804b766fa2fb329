"""Runs git's plumbing commands to read commits, differences and the files of a commit.

Nothing in a repository is executed or written: no shell, hooks, external diff or filter. Output and time are limited,
and file names are parsed as NUL-terminated bytes.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from shutil import which
from typing import IO

from harness.diagnostics import UsageError

MAX_OUTPUT_BYTES = 64 << 20
"""At most this many bytes of output are read of one command, far more than the largest list of files."""
MAX_FILE_BYTES = 32 << 20
"""At most this many bytes of one file are read."""
TIMEOUT_SECONDS = 120.0

_SETTINGS = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=", "diff.ignoreSubmodules=all",
             "log.showSignature=false", "submodule.recurse=false")  # fmt: skip
_SAFE = tuple(part for setting in _SETTINGS for part in ("-c", setting))
"""Overrides of user and repository settings that would run programs or read other repositories."""
_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REGULAR = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class FileDifference:
    """A file that differs between a commit and the work tree. `status` is git's letter; `before` the older path."""

    status: str
    path: str
    before: str
    tracked: bool = True


class Repository:
    """A repository with a work tree. Paths are relative to its top folder, with slashes."""

    def __init__(self, top: Path) -> None:
        self.top = top

    @classmethod
    def at(cls, folder: Path) -> Repository:
        """Find the repository that contains a folder. Raises: UsageError when there is none, or no git."""
        if which("git") is None:
            raise UsageError("git was not found\n  why: what a change touches is read from git\n  fix: install git")
        if not folder.is_dir():
            raise UsageError(f"there is no folder {folder}\n  fix: name the folder of a git checkout")
        done = _run(folder, ["rev-parse", "--show-toplevel"])
        top = done.out.decode("utf-8", "surrogateescape").removesuffix("\n")
        if done.code or not top:
            raise UsageError(
                f"{folder} is not a git checkout\n  why: {done.why or 'it has no work tree'}\n"
                "  fix: run it in a clone of the project, or name one"
            )
        return cls(Path(top))

    def commit(self, revision: str) -> str:
        """Return the full id of a commit. Raises: UsageError for a revision that the repository does not have."""
        done = _run(self.top, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"])
        found = done.out.decode("ascii", "replace").strip()
        if done.code or not _OBJECT.fullmatch(found):
            raise UsageError(self._unknown(revision))
        return found

    def _unknown(self, revision: str) -> str:
        shown = revision if len(revision) <= 100 else f"{revision[:99]}…"
        if not revision.strip() or revision.startswith("-"):
            return f"{shown!r} is not a revision\n  fix: name a branch, a tag or a commit, such as origin/master"
        if self.is_shallow:
            return (
                f"there is no revision {shown!r} in {self.top}\n  why: the clone is shallow, it holds the newest "
                "commits only\n  fix: git fetch --unshallow, or in a workflow: actions/checkout with fetch-depth: 0"
            )
        return (
            f"there is no revision {shown!r} in {self.top}\n  why: no branch, tag or commit of that name was fetched\n"
            "  fix: check the spelling (git branch --all), or git fetch origin it"
        )

    @property
    def is_shallow(self) -> bool:
        """Whether the clone holds only the newest commits."""
        return _run(self.top, ["rev-parse", "--is-shallow-repository"]).out.strip() == b"true"

    def subject(self, commit: str) -> str:
        """Return the first line of a commit's message."""
        return _run(self.top, ["log", "-1", "--no-show-signature", "--format=%s", commit]).text.strip()[:200]

    def merge_base(self, one: str, other: str) -> str:
        """Return the newest commit that both contain. Raises: UsageError when there is none."""
        done = _run(self.top, ["merge-base", one, other])
        found = done.out.decode("ascii", "replace").split("\n", 1)[0]
        if _OBJECT.fullmatch(found):
            return found
        why, fix = "their histories have nothing in common", "name the branch that this one was made from"
        if self.is_shallow:
            why = "the clone is shallow: the commit where they parted is missing"
            fix = "git fetch --unshallow, or in a workflow: actions/checkout with fetch-depth: 0"
        raise UsageError(f"{one[:12]} and {other[:12]} have no common commit\n  why: {why}\n  fix: {fix}")

    def differences(self, commit: str) -> list[FileDifference]:
        """Return the files in which the work tree differs from a commit, untracked ones too, by path."""
        output = self._run_checked(
            ["diff", "--raw", "-z", "-M", "--no-ext-diff", "--no-textconv", "--abbrev=40", commit, "--"]
        )
        found = list(_raw(output))
        new = self._run_checked(["ls-files", "-z", "--others", "--exclude-standard"])
        found += [FileDifference("A", name, "", False) for name in _names(new)]
        return sorted(found, key=lambda one: one.path)

    def uncommitted(self) -> frozenset[str]:
        """Return the paths in which the work tree differs from HEAD."""
        return frozenset(one.path for one in self.differences("HEAD"))

    def paths(self, commit: str, below: Sequence[str] = ()) -> list[str]:
        """Return the regular files of a commit, those below some folders, by path."""
        return [path for _, path in self._tree(commit, below)]

    def _tree(self, commit: str, below: Sequence[str]) -> list[tuple[str, str]]:
        output = self._run_checked(["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, "--", *below])
        found = []
        for line in _names(output):
            head, _, path = line.partition("\t")
            mode, kind, object_id = [*head.split(" "), "", ""][:3]
            if kind == "blob" and mode in _REGULAR:
                found.append((object_id, path))
        return found

    def read(self, commit: str, path: str) -> bytes | None:
        """Return the content of a file in a commit; None when it does not exist or is too large."""
        found = [(object_id, name) for object_id, name in self._tree(commit, [path]) if name == path]
        return next((data for _, data in self._blobs(found)), None)

    def export(
        self,
        commit: str,
        folder: Path,
        below: Sequence[str] = (),
        wanted: Callable[[str], bool] = lambda path: True,
    ) -> int:
        """Write the regular files of a commit below a folder, and return their number. Links are skipped.

        `below` are files and folders of the repository, all when empty; `wanted` filters the files in them. Paths that
        lead out of the folder are skipped.
        """
        number = 0
        listed = [(one, path) for one, path in self._tree(commit, below) if wanted(path) and _is_inside(path)]
        made: set[Path] = set()
        for path, data in self._blobs(listed):
            place = folder / path
            if place.parent not in made:
                place.parent.mkdir(parents=True, exist_ok=True)
                made.add(place.parent)
            place.write_bytes(data)
            number += 1
        return number

    def _blobs(self, wanted: Sequence[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
        """Yield (path, content) of objects that are not too large, read by one git process."""
        if not wanted:
            return
        process = subprocess.Popen(
            ["git", *_SAFE, "cat-file", "--batch"], cwd=self.top, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=_environment(),
        )  # fmt: skip
        timer = threading.Timer(TIMEOUT_SECONDS + len(wanted) / 100, process.kill)
        timer.start()
        assert process.stdin is not None
        assert process.stdout is not None
        feeder = threading.Thread(target=_feed, args=(process.stdin, [one for one, _ in wanted]), daemon=True)
        feeder.start()
        try:
            for _, path in wanted:
                data = _next_blob(process.stdout, path)
                if data is not None:
                    yield path, data
        finally:
            timer.cancel()
            process.kill()
            process.stdout.close()
            feeder.join()
            process.wait()

    def _run_checked(self, arguments: Sequence[str]) -> bytes:
        done = _run(self.top, arguments)
        if done.code:
            raise UsageError(
                f"git {arguments[0]} failed in {self.top}\n  why: {done.why or f'it ended with {done.code}'}\n"
                "  fix: check the clone with git fsck, or clone it anew"
            )
        return done.out


@dataclass(frozen=True, slots=True)
class _GitOutput:
    code: int
    out: bytes
    why: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "replace")


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "", "LC_ALL": "C.UTF-8"}


_LEFT_OUT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_TRACE", "GIT_PREFIX",
             "GIT_OBJECT_DIRECTORY", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS",
             "GIT_ICASE_PATHSPECS")  # fmt: skip
"""Environment variables, such as git sets for hooks, that would select a repository other than the folder's."""


def _run(folder: Path, arguments: Sequence[str]) -> _GitOutput:
    """Run git with limits on its output and time. Raises: UsageError when either is exceeded."""
    process = subprocess.Popen(
        ["git", *_SAFE, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=_environment(),
    )  # fmt: skip
    timer = threading.Timer(TIMEOUT_SECONDS, process.kill)
    timer.start()
    messages: list[bytes] = []
    assert process.stdout is not None
    assert process.stderr is not None
    listener = threading.Thread(target=_drain, args=(process.stderr, messages), daemon=True)
    listener.start()
    try:
        out = process.stdout.read(MAX_OUTPUT_BYTES + 1)
    finally:
        late = not timer.is_alive()
        timer.cancel()
        if process.poll() is None and (late or len(out) > MAX_OUTPUT_BYTES):
            process.kill()
        process.stdout.close()
        listener.join()
        code = process.wait()
        process.stderr.close()
    name = next((one for one in arguments if not one.startswith("-")), "")
    if late or len(out) > MAX_OUTPUT_BYTES:
        why = (
            f"it said more than {MAX_OUTPUT_BYTES >> 20} MiB"
            if len(out) > MAX_OUTPUT_BYTES
            else f"it took more than {TIMEOUT_SECONDS:.0f} s"
        )
        raise UsageError(f"git {name} was stopped in {folder}\n  why: {why}\n  fix: name a base that is nearer")
    lines = b"".join(messages).decode("utf-8", "replace").strip().splitlines()
    return _GitOutput(code, out, lines[-1][:300] if lines else "")


def _drain(stream: IO[bytes], messages: list[bytes]) -> None:
    """Collect the beginning of a stream and read the rest, so that the program does not block."""
    kept = 0
    while part := stream.read1(1 << 16) if hasattr(stream, "read1") else stream.read(1 << 16):
        if kept < 1 << 16:
            messages.append(part)
            kept += len(part)


def _feed(stream: IO[bytes], objects: Iterable[str]) -> None:
    try:
        stream.write("".join(f"{one}\n" for one in objects).encode())
        stream.close()
    except OSError:  # git was killed: the reader reports it
        return


def _next_blob(stream: IO[bytes], path: str) -> bytes | None:
    """Read one object; None when it is too large. Raises: UsageError when the repository lacks it."""
    parts = stream.readline(200).split()
    if len(parts) != 3 or not parts[2].isdigit():
        raise UsageError(
            f"the repository lacks {path} as it was in the base\n  why: the clone is partial or damaged\n"
            "  fix: git fetch --refetch --no-filter, or clone it anew"
        )
    size = int(parts[2])
    if size > MAX_FILE_BYTES:
        left = size + 1
        while left > 0 and (part := stream.read(min(left, 1 << 20))):
            left -= len(part)
        return None
    data = stream.read(size)
    stream.read(1)
    return data


def _names(output: bytes) -> list[str]:
    return [one.decode("utf-8", "surrogateescape") for one in output.split(b"\0") if one]


def _raw(output: bytes) -> Iterator[FileDifference]:
    """Read `git diff --raw -z`: a header, a path, and for renames a second path."""
    waiting = iter(_names(output))
    for header in waiting:
        letter = header.rpartition(" ")[2][:1]
        path = next(waiting, "")
        if letter in ("R", "C"):
            yield FileDifference(letter, next(waiting, ""), path)
        else:
            yield FileDifference(letter, path, path if letter != "A" else "")


def _is_inside(path: str) -> bool:
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and ".git" not in {part.lower() for part in pure.parts}
