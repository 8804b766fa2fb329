"""Finds files of a checkout that differ from files compiled before in comments only, to reuse Go's build cache.

A tag is a comment. Because compiled packages contain line numbers, a changed comment in the types of k8s.io/api makes
Go compile nearly all of Kubernetes again. So the file is replaced, by `go build -overlay`, with the first one that had
the same code.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from harness.diagnostics import TargetError
from harness.files import is_private, write_atomically
from harness.limits import read_checkout

_TYPES = ("api/*/*/*.go", "apimachinery/pkg/apis/meta/v*/*.go", "apimachinery/pkg/api/resource/*.go")
"""Packages that nearly everything imports, below staging/src/k8s.io."""
_TOKEN = re.compile(
    r'(?P<kept>"(?:\\.|[^"\\\n])*"|`[^`]*`|\'(?:\\.|[^\'\\\n])*\')|(?P<comment>//[^\n]*|/\*.*?\*/)', re.DOTALL
)
_COMPILER_COMMENT = re.compile(r'//go:|//line |/\*line |// \+build|import "C"')
"""Comments that the compiler reads."""
_SWAGGER_DOC = re.compile(r"^func \(\w+\) SwaggerDoc\(\).*$", re.MULTILINE)
_MAX_AGE = 30 * 24 * 3600.0
"""Stored files that were not used for this time are deleted. Units: seconds."""


def type_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a checkout in which comments are ignored."""
    for pattern in _TYPES:
        for path in sorted((folder / "staging/src/k8s.io").glob(pattern)):
            if not path.name.endswith("_test.go") and path.name != "generated.pb.go":
                yield path


def code_of(path: Path, name: str = "") -> bytes:
    """Return the code of a file without comments, or the whole file if the compiler reads its comments.

    Generated documentation (SwaggerDoc maps) is reduced to the names of its types, because validators do not read it.
    `name` is the name of the file in the checkout.
    """
    data = read_checkout(path)
    text = data.decode("utf-8", "surrogateescape")
    if _COMPILER_COMMENT.search(text):
        return data
    if (name or path.name) == "types_swagger_doc_generated.go":
        return "\n".join(_SWAGGER_DOC.findall(text)).encode("utf-8", "surrogateescape")
    bare = _TOKEN.sub(lambda found: found["kept"] or ("\n" if "\n" in found["comment"] else " "), text)
    lines = (line.strip() for line in bare.split("\n"))
    return "\n".join(line for line in lines if line).encode("utf-8", "surrogateescape")


def remember(folder: Path, store: Path) -> dict[str, str]:
    """Store the files of a checkout, and return the stored files that replace files with the same code, by path.

    The code of stored files is checked again, so a damaged one is not used. Raises: TargetError, OSError.
    """
    replacements: dict[str, str] = {}
    store.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_private(store):
        raise TargetError(
            f"other users own {store} or can write to it",
            why="its files are compiled into a program that runs with your permissions",
            fix=f"chown it to yourself and chmod go-w it, or delete {store}: it is created again",
        )
    for path in type_files(folder):
        name = path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape")
        known = store / (hashlib.sha256(name + b"\0" + code_of(path)).hexdigest()[:32] + ".go")
        if not known.is_file() or not is_private(known) or code_of(known, path.name) != code_of(path):
            write_atomically(known, read_checkout(path))
        elif known.read_bytes() != read_checkout(path):
            replacements[str(path)] = str(known)
        with suppress(OSError):
            os.utime(known)
    for old in store.glob("*.go"):
        if time.time() - old.stat().st_mtime > _MAX_AGE:
            old.unlink(missing_ok=True)
    return replacements


def overlay(replacements: Mapping[str, str]) -> str:
    """Return the text of the file for `go build -overlay`."""
    return json.dumps({"Replace": dict(replacements)})
