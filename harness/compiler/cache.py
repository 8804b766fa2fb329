"""Caches compiled packages in the user's cache folder, so that the types of a release are compiled once.

Entries are executable code, so the folder must be writable by the user only. The key of an entry is a hash of all files
of an API, of the compiler's source and of the Python version. A damaged entry is compiled again.
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
from harness.files import delete_oldest, is_private, write_atomically

MAX_ENTRIES = 600
"""At most this many entries; the least recently used ones are deleted."""

_PARTS = ("case.py", "compiler", "content", "diagnostics.py", "field", "gotypes", "tags")
"""The parts of the package that determine the text of a compiled module."""


class ModuleCache:
    """Cached modules by key. `folder` is created when the first entry is written."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or platformdirs.user_cache_path("equivalence-harness") / "compiled"

    def get(self, key: str, make: Callable[[], Module]) -> Module:
        """Return the module of a key; a missing or damaged one is made and cached. Raises: what `make` raises."""
        place = self._folder / f"{key}.module"
        if (found := self._load(place)) is not None:
            return found
        made = make()
        self._store(place, made)
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

    def _store(self, place: Path, module: Module) -> None:
        """Write an entry. If the folder cannot be written, modules are compiled again and the run continues."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if is_private(self._folder):
                body = marshal.dumps(_plain(module))
                write_atomically(place, hashlib.sha256(body).digest() + body)
                delete_oldest(self._folder, "*.module", MAX_ENTRIES)


def key_of(universe: bytes, package: str, release: str, criteria: tuple[str, ...]) -> str:
    """Return the key of a package: `universe` is the digest of all its API's files."""
    total = hashlib.sha256(_software() + universe)
    total.update(repr((package, release, criteria)).encode())
    return total.hexdigest()


@cache
def _software() -> bytes:
    """Hash the parts of this package that write modules, and the version of Python."""
    total = hashlib.sha256(importlib.util.MAGIC_NUMBER)
    root = Path(harness.__file__).parent
    for part in _PARTS:
        path = root / part
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            total.update(file.read_bytes())
    return total.digest()


def _plain(module: Module) -> tuple[Any, ...]:
    """Convert a module to types that `marshal` supports."""
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
