"""Reads the literals in the handwritten validators of a Kubernetes release, as values for the fuzzer.

The literals of each API group are cached in the user's cache folder until one of the files changes.
"""

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
from harness.files import delete_oldest, write_atomically
from harness.gotypes import constants as constants_reader
from harness.gotypes import gonodes, scanner
from harness.gotypes import literals as reader
from harness.gotypes.literals import NO_LITERALS, Literal, Literals, go_files, go_literals
from harness.limits import MAX_SOURCE, read_bounded, read_checkout_text

_GROUP = re.compile(r'^(?:const[ \t]+)?[ \t]*GroupName[ \t]*=[ \t]*"([^"]*)"', re.M)
_READERS = tuple(Path(str(module.__file__)) for module in (reader, constants_reader, gonodes, scanner))
_MAX_ENTRIES = 300
"""At most this many entries of the cache, which has one for each API group of a release."""
_CHECKSUM_BYTES = 32
_Entry: TypeAlias = tuple[tuple[Literal, ...], tuple[tuple[str, str], ...]]
"""The values and the patterns of `Literals`."""
_SHARED = ("pkg/util/validation", "pkg/api/validation", "pkg/api/validate/content")
"""Folders of apimachinery whose functions validators of all groups call."""


@lru_cache(maxsize=4)
def release_literals(location: str) -> Callable[[str], Literals]:
    """Return the function that reads the literals of an API group's validators.

    It returns no literals if the sources of the release cannot be found.
    """
    # Imported here, because opening a suite must not load code that only releases need.
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
    def read_group(group: str) -> Literals:
        own = folders.get(group, ())
        return cached_literals([*own, *shared], [folder.parent for folder in own])

    return read_group


def cached_literals(folders: Sequence[Path], constants: Sequence[Path] = (), cache: Path | None = None) -> Literals:
    """Return the literals in the Go files of some folders, from the user's cache if the files are unchanged.

    `constants` are the folders whose constants count where these files name them. A damaged entry is replaced. If the
    cache cannot be written, the files are read again at each call.
    """
    cache = cache or platformdirs.user_cache_path("equivalence-harness") / "literals"
    try:
        file = cache / f"{_cache_key(folders, constants)}.json"
    except OSError:
        return go_literals(folders, constants)
    with contextlib.suppress(OSError, msgspec.DecodeError):
        data = file.read_bytes()
        checksum, body = data[:_CHECKSUM_BYTES], data[_CHECKSUM_BYTES:]
        if hashlib.sha256(body).digest() == checksum:
            values, patterns = msgspec.json.decode(body, type=_Entry)
            os.utime(file)
            return Literals(values, patterns)
    literals = go_literals(folders, constants)
    with contextlib.suppress(OSError, ValueError):  # JSON has no lone surrogates, and msgspec no huge numbers
        body = msgspec.json.encode((literals.values, literals.patterns))
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(file, hashlib.sha256(body).digest() + body)
        delete_oldest(cache, "*.json", _MAX_ENTRIES)
    return literals


def _cache_key(folders: Sequence[Path], constants: Sequence[Path]) -> str:
    """Hash everything that the literals depend on: the Go files, our readers, and their grammar. Raises: OSError."""
    sources = list(go_files(folders))
    total = hashlib.sha256(f"{reader.GRAMMAR} {len(sources)}".encode())
    for file in (*_READERS, *sources, *go_files(constants)):
        total.update(hashlib.sha256(read_bounded(file, MAX_SOURCE, is_regular=True)).digest())
    return total.hexdigest()


def _group_folders(root: Path) -> dict[str, list[Path]]:
    """Return the folders of validators by API group, which is read from the register.go of the parent folder."""
    found: dict[str, list[Path]] = {}
    for register in sorted(root.glob("pkg/apis/*/register.go")):
        group = _GROUP.search(read_checkout_text(register))
        if group:
            found.setdefault(group[1], []).append(register.parent / "validation")
    return found
