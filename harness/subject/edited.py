"""An edited copy of some of an API's types, put in the place of the originals.

A copy may be of a whole module, of one package or of several: each folder says which package it is by the import path
that it is given (`IMPORT/PATH=DIR`), by the go.mod above it, by its own path, or by its GroupName and package clause.
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
    """Return the API with packages of `types` in the place of its own, and the paths of these.

    `folders` are the originals; `types` is empty, `DIR` or `IMPORT/PATH=DIR`. Raises: UsageError.
    """
    if not types:
        return api, ()
    path, _, place = types.rpartition("=")
    root = Path(place).expanduser()
    if not root.is_dir():
        raise UsageError(f"the folder of types {place} does not exist\n  fix: --types DIR, or --types IMPORT/PATH=DIR")
    if path and path not in folders:
        raise UsageError(f"{api.name} has no package {path}\n  fix: name one such as {next(iter(folders))}")
    found = {path: root} if path else _found(api, folders, root)
    if not found:
        raise UsageError(
            f"nothing below {root} can be told to be a package of {api.name}\n"
            f"  fix: --types IMPORT/PATH=DIR, such as --types {next(iter(folders))}={root}"
        )
    return replace(api, universe=Universe.from_folders({**folders, **found})), tuple(sorted(found))


def _found(api: Api, folders: Mapping[str, Path], root: Path) -> dict[str, Path]:
    """Tell which packages the folders below a root are copies of; others are left alone."""
    found: dict[str, Path] = {}
    for folder in sorted({file.parent for file in root.rglob("*.go")}):
        name = _import_path(folder, folders) or _by_group(api, folder)
        if name:
            found.setdefault(name, folder)
    return found


def _import_path(folder: Path, folders: Mapping[str, Path]) -> str:
    """Tell a package by the module it is in, or by its own path, which must end as that of one package alone."""
    place = folder.resolve()
    top, module = module_of(place)
    name = f"{module}/{place.relative_to(top).as_posix()}" if module else ""
    if name in folders:
        return name
    fits = [name for name in folders if tuple(name.split("/")[-2:]) == place.parts[-2:]]
    return fits[0] if len(fits) == 1 else ""


def _by_group(api: Api, folder: Path) -> str:
    """Tell a package by what its files say of themselves."""
    texts = [read_checkout_text(file) for file in sorted(folder.glob("*.go"))]
    group, version = _first(GROUP_NAME, texts), _first(_PACKAGE, texts)
    fits = [one.path for one in api.packages if group is not None and (one.group, one.version) == (group, version)]
    return fits[0] if len(fits) == 1 else ""


def _first(pattern: re.Pattern[str], texts: Sequence[str]) -> str | None:
    return next((match[1] for text in texts if (match := pattern.search(text))), None)
