"""Names what the files of a target contain, so that units computed from other files are no part of one result.

A plan names a target by words: a release by its number, everything else by paths. What the files import from elsewhere
is not seen.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

LEDGER_MARKER = "campaign-ledger.json"
"""The file that makes a folder a ledger."""
_WITHOUT_FILES = frozenset({"--kind", "--operation", "--mode", "--declarative"})
"""The options of a target whose values name no files, whatever is called like them in the folder."""
_WRITTEN_FOLDERS = frozenset({"__pycache__", "_output", "reports"})
"""Folders with what commands write, next to hidden ones, ledgers and folders of reports."""
_RELEASE = re.compile(r"v?\d+\.\d+(\.\d+)?")
_MARKS_OF_RESULTS = (LEDGER_MARKER, "report.json")
_NOT_ASKED = frozenset({"equivalence_exceptions.yaml"})
_NOT_ASKED_SUFFIXES = frozenset({".md", ".ratchet", ".pyc"})
"""Files that no unit reads: exceptions and ratchets judge what units found."""


def content_digest(words: Sequence[str], folder: Path) -> str:
    """Return the digest of the files that the words of a target name in a folder; empty if they name none.

    Raises: OSError if one cannot be read.
    """
    digest, some = hashlib.sha256(), False
    for place in _places(words, folder):
        for file in _files_of(place):
            some = True
            digest.update(file.relative_to(place.parent).as_posix().encode("utf-8", "surrogateescape") + b"\0")
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:20] if some else ""


def names_files(words: Sequence[str]) -> bool:
    """Whether the words of a target name files: all do but those of a release alone, which are its number."""
    return not any(before == "--kubernetes" and _RELEASE.fullmatch(word) for before, word in pairwise(words))


def _places(words: Sequence[str], folder: Path) -> Iterator[Path]:
    """Yield the files and folders that words name: whole, as `module.py:function`, or as a word of a command."""
    for before, word in pairwise(("", *words)):
        if word.startswith("--") or before in _WITHOUT_FILES:
            continue
        try:
            parts = [word, word.rpartition(":")[0], *shlex.split(word)]
        except ValueError:  # a quotation that is not closed
            parts = [word]
        for part in dict.fromkeys(part for part in parts if part):
            place = folder / part
            if place.exists():
                yield place.resolve()


def _files_of(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
        return
    entries = sorted(place.iterdir()) if place.is_dir() else []
    if any(one.name in _MARKS_OF_RESULTS for one in entries):
        return
    for one in entries:
        if one.name.startswith(".") or one.name in _WRITTEN_FOLDERS or one.name in _NOT_ASKED or one.is_symlink():
            continue
        if one.is_dir():
            yield from _files_of(one)
        elif one.is_file() and one.suffix not in _NOT_ASKED_SUFFIXES:
            yield one
