"""Where the handwritten validators of a subject lie, and what literals stand in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from harness.diagnostics import TargetError
from harness.gotypes.literals import NO_LITERALS, Literal, Literals, go_literals

_GROUP = re.compile(r'^(?:const[ \t]+)?[ \t]*GroupName[ \t]*=[ \t]*"([^"]*)"', re.M)
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
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
        return go_literals([*folders.get(group, ()), *shared])

    return of_group


def _group_folders(root: Path) -> dict[str, list[Path]]:
    """Find the folders of each group's validators by the group that the folder above registers."""
    found: dict[str, list[Path]] = {}
    for register in sorted(root.glob("pkg/apis/*/register.go")):
        group = _GROUP.search(register.read_text(encoding="utf-8", errors="replace"))
        if group:
            found.setdefault(group[1], []).append(register.parent / "validation")
    return found


def python_literals(validate: Callable[..., object] | None) -> Literals:
    """Read the source of a handwritten validator in Python: the whole module it stands in."""
    code = getattr(validate, "__code__", None)
    file = Path(code.co_filename) if code else None
    if file is None or not file.is_file():
        return NO_LITERALS
    return _of_module(file)


@lru_cache(maxsize=32)
def _of_module(file: Path) -> Literals:
    try:
        tree = ast.parse(file.read_text(encoding="utf-8", errors="replace"))
    except (SyntaxError, ValueError):
        return NO_LITERALS
    return Literals.of(found for statement in tree.body for found in _of_statement(statement))


def _of_statement(statement: ast.stmt) -> Iterator[Literal]:
    """Yield the constants of a function, class or assignment, without its docstring."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    named = [
        *([statement.name] if isinstance(statement, _NAMED) else ()),
        *(one.id for one in targets if isinstance(one, ast.Name)),
    ]
    where = " ".join(named).lower()
    for node in ast.walk(statement):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int) and not isinstance(node.value, bool):
            yield where, node.value
