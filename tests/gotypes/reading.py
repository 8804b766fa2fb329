"""What the tests of this folder share: reading Go from a text."""

from __future__ import annotations

import re
from pathlib import Path

from harness.gotypes.model import Package
from harness.gotypes.packages import Universe

_WANT = re.compile(r"// want ([\w-]+(?: [\w-]+)*)")


def read(folder: Path, text: str, path: str = "example.io/api/v1") -> Package:
    """The package that has this one file."""
    return universe(folder, {path: {"types.go": text}}).package(path)


def universe(folder: Path, packages: dict[str, dict[str, str]]) -> Universe:
    """Packages by import path, with their files by name."""
    folders = {}
    for path, files in packages.items():
        folders[path] = folder / path
        folders[path].mkdir(parents=True)
        for name, text in files.items():
            (folders[path] / name).write_text(text, encoding="utf-8")
    return Universe.from_folders(folders)


def wanted(text: str) -> list[tuple[int, str]]:
    """The diagnostics that the fixture asks for: line and code, from `// want code`."""
    return [
        (number, code)
        for number, line in enumerate(text.splitlines(), 1)
        for found in _WANT.finditer(line)
        for code in found[1].split()
    ]


def found_in(package: Package) -> list[tuple[int, str]]:
    """The diagnostics that were found: line and code."""
    return [(found.position.line, found.code) for found in package.diagnostics]
