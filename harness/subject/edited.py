"""Replaces packages of an API by edited copies.

A copy has a whole module, one package or several. The package of a folder is found by the given import path
(`IMPORT/PATH=DIR`), by the go.mod of its module, by the end of its path, or by its GroupName and package clause.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from harness.diagnostics import UsageError
from harness.gotypes.packages import Universe
from harness.limits import read_checkout_text
from harness.subject.api import GROUP_NAME, Api, module_of

_PACKAGE = re.compile(r"^package[ \t]+(\w+)", re.M)


def edited_api(api: Api, folders: Mapping[str, Path], types: str) -> tuple[Api, tuple[str, ...]]:
    """Return the API with the packages of `types` in place of its own, and their import paths.

    `folders` are the originals; `types` is empty, `DIR` or `IMPORT/PATH=DIR`. Raises: UsageError.
    """
    if not types:
        return api, ()
    path, _, folder = types.rpartition("=")
    root = Path(folder).expanduser()
    if not root.is_dir():
        raise UsageError(f"the folder of types {folder} does not exist\n  fix: --types DIR, or --types IMPORT/PATH=DIR")
    if path and path not in folders:
        raise UsageError(f"{api.name} has no package {path}\n  fix: name one such as {next(iter(folders))}")
    found = {path: root} if path else _find_packages(api, folders, root)
    if not found:
        raise UsageError(
            f"{root} has no folder that can be recognised as a package of {api.name}\n"
            f"  fix: --types IMPORT/PATH=DIR, such as --types {next(iter(folders))}={root}"
        )
    return replace(api, universe=Universe.from_folders({**folders, **found})), tuple(sorted(found))


def _find_packages(api: Api, folders: Mapping[str, Path], root: Path) -> dict[str, Path]:
    """Return the folders of a tree that are copies of packages, by import path. Other folders are ignored."""
    found: dict[str, Path] = {}
    for folder in sorted({file.parent for file in root.rglob("*.go")}):
        name = _find_by_path(folder, folders) or _find_by_group(api, folder)
        if name:
            found.setdefault(name, folder)
    return found


def _find_by_path(folder: Path, folders: Mapping[str, Path]) -> str:
    """Find a package by its module, or by the last two parts of its path if they are unique."""
    path = folder.resolve()
    top, module = module_of(path)
    name = f"{module}/{path.relative_to(top).as_posix()}" if module else ""
    if name in folders:
        return name
    matches = [name for name in folders if tuple(name.split("/")[-2:]) == path.parts[-2:]]
    return matches[0] if len(matches) == 1 else ""


def _find_by_group(api: Api, folder: Path) -> str:
    """Find a package by the GroupName and the package clause of its files."""
    texts = [read_checkout_text(file) for file in sorted(folder.glob("*.go"))]
    group, version = _first_match(GROUP_NAME, texts), _first_match(_PACKAGE, texts)
    matches = [one.path for one in api.packages if group is not None and (one.group, one.version) == (group, version)]
    return matches[0] if len(matches) == 1 else ""


def _first_match(pattern: re.Pattern[str], texts: Sequence[str]) -> str | None:
    return next((match[1] for text in texts if (match := pattern.search(text))), None)
