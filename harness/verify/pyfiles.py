"""Finds the files of a suite: those in its folder, and those that they import."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from harness.limits import read_checkout
from harness.verify.layout import class_of

_MAX_FILES = 500
_HARNESS_FOLDERS = ("corpus", "examples", "__pycache__", ".pytest_cache")
_HARNESS_FILES = ("power.yaml", "rules.ratchet", "rulecov.json")


def own_files(root: Path, folder: str) -> list[Path]:
    """Return the Python files in a suite's folder, without tests."""
    found = sorted((root / folder).rglob("*.py"))
    return [path for path in found if class_of(path.relative_to(root).as_posix(), "suites") != "tests"]


def is_data(path: str, folder: str) -> bool:
    """Whether a file of a suite's folder is data that its code may read: neither the harness's nor documentation."""
    pure = PurePosixPath(path)
    if not pure.is_relative_to(folder) or pure.name in _HARNESS_FILES or pure.suffix in (".md", ".pyc"):
        return False
    return not set(pure.relative_to(folder).parts) & set(_HARNESS_FOLDERS)


def imports_of(root: Path, files: Iterable[Path], deep: bool = False) -> set[Path]:
    """Return the files of a checkout that some files import; with `deep`, indirectly imported ones too."""
    found: set[Path] = set()
    waiting = list(files)
    while waiting and len(found) < _MAX_FILES:
        new = {path for file in waiting for path in _imported(root, file)} - found
        found |= new
        waiting = sorted(new) if deep else []
    return found


def _imported(root: Path, file: Path) -> Iterator[Path]:
    try:
        tree = ast.parse(read_checkout(file))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(_lookup_folders(root, file), alias.name)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield from _files(_import_folders(root, file, node), ".".join(filter(None, (node.module, alias.name))))
            if node.module:
                yield from _files(_import_folders(root, file, node), node.module)


def module_of(root: Path, file: Path) -> str:
    """Return the name of a module: its path in the checkout without the suffix."""
    return file.relative_to(root).with_suffix("").as_posix()


def _import_folders(root: Path, file: Path, node: ast.ImportFrom) -> list[Path]:
    return [file.parents[node.level - 1]] if 0 < node.level <= len(file.parents) else _lookup_folders(root, file)


def _lookup_folders(root: Path, file: Path) -> list[Path]:
    """Return the folders in which a module may be found: the parents of the file, and src."""
    return [*(one for one in file.parents if one.is_relative_to(root)), root / "src"]


def _files(folders: Iterable[Path], name: str) -> Iterator[Path]:
    for folder in folders:
        module = folder.joinpath(*name.split("."))
        for path in (module.with_suffix(".py"), module / "__init__.py"):
            if path.is_file():
                yield path
