"""Where the handwritten validators of a release lie, and what literals stand in them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import msgspec
import platformdirs

from harness.diagnostics import TargetError
from harness.files import forget_old, write_atomically
from harness.gotypes import constants, scanner
from harness.gotypes import literals as reader
from harness.gotypes.literals import NO_LITERALS, Literal, Literals, go_files, go_literals
from harness.limits import MOST_SOURCE, read_bounded, read_checkout_text

_GROUP = re.compile(r'^(?:const[ \t]+)?[ \t]*GroupName[ \t]*=[ \t]*"([^"]*)"', re.M)
_READERS = tuple(Path(str(module.__file__)) for module in (reader, constants, scanner))
_MOST_KEPT = 300
"""Entries of the cache: one for each API group of a release."""
_Kept: TypeAlias = tuple[tuple[Literal, ...], tuple[tuple[str, str], ...]]
_SHARED = ("pkg/util/validation", "pkg/api/validation", "pkg/api/validate/content")


@lru_cache(maxsize=4)
def release_literals(location: str) -> Callable[[str], Literals]:
    """Return how to read what the validators of a release's API group know; nothing where sources are not found."""
    # Imported here: suites must open without anything that only a release needs.
    from harness.targets.kubernetes.release import find_release, find_toolchain, module_folder

    try:
        release = find_release(location)
        toolchain = find_toolchain()
        roots = [
            release.folder / part if release.folder else module_folder(release, module, toolchain)
            for module, part in (("k8s.io/kubernetes", ""), ("k8s.io/apimachinery", "staging/src/k8s.io/apimachinery"))
        ]
    except TargetError:
        return lambda group: NO_LITERALS
    folders = _group_folders(roots[0])
    shared = [roots[1] / part for part in _SHARED]

    @lru_cache(maxsize=128)
    def of_group(group: str) -> Literals:
        return kept_literals([*folders.get(group, ()), *shared])

    return of_group


def kept_literals(folders: Sequence[Path], cache: Path | None = None) -> Literals:
    """Return what the Go files of folders know, from the user's cache when they are unchanged.

    A damaged entry is made again; a cache that cannot be written costs time, nothing else.
    """
    cache = cache or platformdirs.user_cache_path("equivalence-harness") / "literals"
    try:
        place = cache / f"{_key(folders)}.json"
    except OSError:
        return go_literals(folders)
    with contextlib.suppress(OSError, msgspec.DecodeError):
        data = place.read_bytes()
        if hashlib.sha256(data[32:]).digest() == data[:32]:
            values, patterns = msgspec.json.decode(data[32:], type=_Kept)
            os.utime(place)
            return Literals(values, patterns)
    made = go_literals(folders)
    with contextlib.suppress(OSError, ValueError):  # half a surrogate pair cannot be written, nor a huge number
        body = msgspec.json.encode((made.values, made.patterns))
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(place, hashlib.sha256(body).digest() + body)
        forget_old(cache, "*.json", _MOST_KEPT)
    return made


def _key(folders: Sequence[Path]) -> str:
    """Name what decides on literals: the files, the readers, and the grammar they use. Raises: OSError."""
    total = hashlib.sha256(reader.GRAMMAR.encode())
    for file in (*_READERS, *go_files(folders)):
        total.update(hashlib.sha256(read_bounded(file, MOST_SOURCE, is_regular=True)).digest())
    return total.hexdigest()


def _group_folders(root: Path) -> dict[str, list[Path]]:
    """Find the folders of each group's validators by the group that the folder above registers."""
    found: dict[str, list[Path]] = {}
    for register in sorted(root.glob("pkg/apis/*/register.go")):
        group = _GROUP.search(read_checkout_text(register))
        if group:
            found.setdefault(group[1], []).append(register.parent / "validation")
    return found
