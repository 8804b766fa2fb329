"""Which files of a checkout say the same to the compiler as files that were compiled before.

A tag is a comment. The compiler remembers lines, so a comment in the types of k8s.io/api makes it compile nearly all of
Kubernetes again, for the same program. So such a file is compiled as the one with the same code that was met first.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
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
_MEANT = re.compile(r'//go:|//line |/\*line |// \+build|import "C"')
"""Comments that the compiler reads."""
_DOCUMENTS = re.compile(r"^func \(\w+\) SwaggerDoc\(\).*$", re.MULTILINE)
_KEEP = 30 * 24 * 3600.0


def type_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a checkout whose comments are worth leaving out."""
    for pattern in _TYPES:
        for path in sorted((folder / "staging/src/k8s.io").glob(pattern)):
            if not path.name.endswith("_test.go") and path.name != "generated.pb.go":
                yield path


def code_of(path: Path, name: str = "") -> bytes:
    """Return what counts of a file: its code without comments, or all of it where comments have a meaning.

    Of the documentation of types as Go maps, which no validator reads, only which types have one. `name` is what the
    file is called where it is used.
    """
    data = read_checkout(path)
    text = data.decode("utf-8", "surrogateescape")
    if _MEANT.search(text):
        return data
    if (name or path.name) == "types_swagger_doc_generated.go":
        return "\n".join(_DOCUMENTS.findall(text)).encode("utf-8", "surrogateescape")
    bare = _TOKEN.sub(lambda found: found["kept"] or ("\n" if "\n" in found["comment"] else " "), text)
    lines = (line.strip() for line in bare.split("\n"))
    return "\n".join(line for line in lines if line).encode("utf-8", "surrogateescape")


def remember(folder: Path, store: Path) -> dict[str, str]:
    """Remember the files of a checkout, and return those that stand for files with the same code, by path.

    What is kept is held to its code again: a damaged file stands for nothing. Raises: TargetError, OSError.
    """
    standing: dict[str, str] = {}
    store.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_private(store):
        raise TargetError(
            f"others can write or own {store}",
            why="what is kept there is compiled into a program that runs with your rights",
            fix=f"chown it to yourself and chmod go-w it, or delete {store}: it is written again",
        )
    for path in type_files(folder):
        name = path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape")
        known = store / (hashlib.sha256(name + b"\0" + code_of(path)).hexdigest()[:32] + ".go")
        if not known.is_file() or not is_private(known) or code_of(known, path.name) != code_of(path):
            write_atomically(known, read_checkout(path))
        elif known.read_bytes() != read_checkout(path):
            standing[str(path)] = str(known)
        with suppress(OSError):
            os.utime(known)
    for old in store.glob("*.go"):
        if time.time() - old.stat().st_mtime > _KEEP:
            old.unlink(missing_ok=True)
    return standing


def overlay(standing: dict[str, str]) -> str:
    """Write what `go build -overlay` reads."""
    return json.dumps({"Replace": standing})
