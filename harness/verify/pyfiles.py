"""Which files of a checkout belong to a suite: its own, and those that they import."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from harness.limits import read_checkout
from harness.verify.layout import class_of

_MOST = 500
_OF_THE_HARNESS = ("corpus", "examples", "__pycache__", ".pytest_cache")
_KNOWN = ("power.yaml", "rules.ratchet", "rulecov.json")


def own_files(root: Path, folder: str) -> list[Path]:
    """Return the Python files in a suite's folder, tests left out."""
    found = sorted((root / folder).rglob("*.py"))
    return [path for path in found if class_of(path.relative_to(root).as_posix(), "suites") != "tests"]


def is_data(path: str, folder: str) -> bool:
    """Whether a file lies beside a suite's code and is neither the harness's nor documentation."""
    pure = PurePosixPath(path)
    if not pure.is_relative_to(folder) or pure.name in _KNOWN or pure.suffix in (".md", ".pyc"):
        return False
    return not set(pure.relative_to(folder).parts) & set(_OF_THE_HARNESS)


def imports_of(root: Path, files: Iterable[Path], deep: bool = False) -> set[Path]:
    """Return the files of a checkout that some files import; `deep` goes on with what those import."""
    found: set[Path] = set()
    waiting = list(files)
    while waiting and len(found) < _MOST:
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
                yield from _files(_tops(root, file), alias.name)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield from _files(_places(root, file, node), ".".join(filter(None, (node.module, alias.name))))
            if node.module:
                yield from _files(_places(root, file, node), node.module)


def module_of(root: Path, file: Path) -> str:
    """Return what a module goes by here: its path in the checkout without the suffix."""
    return file.relative_to(root).with_suffix("").as_posix()


def imported_from(root: Path, file: Path, node: ast.ImportFrom) -> str:
    """Return the module that names are taken from; one that is not in the checkout by its dotted name."""
    found = next(_files(_places(root, file, node), node.module), None) if node.module else None
    return module_of(root, found) if found is not None else "." * node.level + (node.module or "")


def _places(root: Path, file: Path, node: ast.ImportFrom) -> list[Path]:
    return [file.parents[node.level - 1]] if 0 < node.level <= len(file.parents) else _tops(root, file)


def _tops(root: Path, file: Path) -> list[Path]:
    """Return the folders in which a module may be looked up: those above the file, and src."""
    return [*(one for one in file.parents if one.is_relative_to(root)), root / "src"]


def _files(places: Iterable[Path], name: str) -> Iterator[Path]:
    for place in places:
        module = place.joinpath(*name.split("."))
        for path in (module.with_suffix(".py"), module / "__init__.py"):
            if path.is_file():
                yield path
