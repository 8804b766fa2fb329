"""Writes Go text as packages of a folder: a package `v1`, and further versions after lines `package v2`."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from harness.lint.rule import LintFinding
from harness.lint.run import lint
from harness.subject.api import Api, open_api

_PACKAGE = re.compile(r"^package (\w+)$", re.MULTILINE)


def write(go: str, folder: Path, version: str = "v1") -> Path:
    """Write the packages and return their common folder."""
    head, *rest = _PACKAGE.split(go)
    versions = {version: head, **dict(zip(rest[::2], rest[1::2], strict=True))}
    doc = head if rest and rest[0] == version else ""
    for name, text in versions.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "types.go").write_text(f"package {name}\n\n{text.strip()}\n", encoding="utf-8")
    if doc:
        (folder / version / "doc.go").write_text(f"{doc}package {version}\n", encoding="utf-8")
    return folder


def found(
    go: str, folder: Path, *codes: str, version: str = "v1", ignore: Collection[str] = (), base: str = "",
    strategy: str = "",
) -> list[LintFinding]:  # fmt: skip
    """Return the findings in Go text, with the given codes or with any; `base` is the text before a change."""
    before = open_api(write(base, folder / "base" / "api", version)) if base else None
    api = open_with(strategy, write(go, folder / "head" / "api", version))
    return lint(api, only=codes, ignore=ignore, base=before)


def open_with(strategy: str, folder: Path, release: str = "") -> Api:
    """Open the packages of a folder, with the source of the strategy of a kind if there is one."""
    api = open_api(folder, release=release)
    if not strategy:
        return api
    root = folder.parent / "server"
    place = root / "pkg" / "registry" / "api" / "t"
    place.mkdir(parents=True)
    (place / "strategy.go").write_text(f"package t\n\n{strategy.strip()}\n", encoding="utf-8")
    return replace(api, sources=root)


def messages(go: str, folder: Path, *codes: str, version: str = "v1") -> list[str]:
    """Return the messages of the findings in Go text."""
    return [one.diagnostic.message for one in found(go, folder, *codes, version=version)]
