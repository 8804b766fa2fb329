"""Compiled packages are kept in the user's cache folder, so that the types of a release are compiled once.

What is kept is code: the folder must be the user's own and nobody else's to write. An entry holds for the very bytes of
all files of an API, for this version of the compiler and this Python; a damaged one is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import marshal
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

import harness
from harness.compiler.plan import Root
from harness.compiler.validators import Module, RootValidator
from harness.diagnostics import Diagnostic, Position
from harness.files import forget_old, is_private, write_atomically

MOST = 600
"""Entries that are kept; the ones that were used least recently go."""

_PARTS = ("case.py", "compiler", "content", "diagnostics.py", "field", "gotypes", "tags")
"""What decides on the text of a module."""


class ModuleCache:
    """Modules by key. `folder` is made when it is first written to."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or platformdirs.user_cache_path("equivalence-harness") / "compiled"

    def get(self, key: str, make: Callable[[], Module]) -> Module:
        """Return the module of a key; one that is not there, or damaged, is made and kept. Raises what `make` does."""
        place = self._folder / f"{key}.module"
        if (found := self._load(place)) is not None:
            return found
        made = make()
        self._keep(place, made)
        return made

    def _load(self, place: Path) -> Module | None:
        if not is_private(self._folder):
            return None
        try:
            data = place.read_bytes()
            if hashlib.sha256(data[32:]).digest() != data[:32]:
                return None
            module = _module(marshal.loads(data[32:]))
        except (OSError, EOFError, ValueError, TypeError):
            return None
        with contextlib.suppress(OSError):
            os.utime(place)
        return module

    def _keep(self, place: Path, module: Module) -> None:
        """Write an entry. A folder that cannot be written costs time, not the run."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if is_private(self._folder):
                body = marshal.dumps(_plain(module))
                write_atomically(place, hashlib.sha256(body).digest() + body)
                forget_old(self._folder, "*.module", MOST)


def key_of(universe: bytes, package: str, release: str, criteria: tuple[str, ...]) -> str:
    """Return the key of a package: `universe` is the digest of all its API's files."""
    total = hashlib.sha256(_software() + universe)
    total.update(repr((package, release, criteria)).encode())
    return total.hexdigest()


@cache
def _software() -> bytes:
    """Hash the parts of this program that write modules, and the version of Python that runs them."""
    total = hashlib.sha256(importlib.util.MAGIC_NUMBER)
    root = Path(harness.__file__).parent
    for part in _PARTS:
        place = root / part
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            total.update(file.read_bytes())
    return total.digest()


def _plain(module: Module) -> tuple[Any, ...]:
    """Take a module apart into what `marshal` knows."""
    entries = tuple(
        (name, e.root.name, e.root.type, e.root.go_type, tuple(e.root.paths), e.function, e.is_struct, tuple(e.options))
        for name, e in module.entries.items()
    )
    warnings = tuple(
        ((w.position.file, w.position.line, w.position.column), (w.code, w.message, w.why, w.fix, w.source, w.width))
        for w in module.warnings
    )
    return module.package, module.source, module.code, entries, module.custom, warnings


def _module(plain: tuple[Any, ...]) -> Module:
    package, source, code, entries, custom, warnings = plain
    return Module(
        package,
        source,
        code,
        {
            name: RootValidator(Root(root, of, go_type, frozenset(paths)), function, is_struct, frozenset(options))
            for name, root, of, go_type, paths, function, is_struct, options in entries
        },
        custom,
        tuple(Diagnostic(Position(*where), *rest) for where, rest in warnings),
    )
