"""Finds the pattern that ignores case in the code behind a rule: Go's `(?i)` takes "ſ" for "s" too.

A rule calls functions of its library, which use a variable with a pattern, which is made of constants. These names are
followed from the function that makes the error, in its package and those that it imports. Nothing is interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.subject.callsites import places_of
from harness.subject.gocallsites import GoCallSites

_DECLARED = re.compile(r"^(?:func|var|const) (?P<name>\w+)")
_IGNORES_CASE = "(?i)"
_WORD = re.compile(r"(?:\b(?P<package>\w+)\.)?\b(?P<name>\w+)")
_MOST_STEPS = 5
_LIBRARY = re.compile(r"^k8s\.io/\w+/")


class NamedCode(NamedTuple):
    """A function, variable or constant: the file and the line that declare it, and its text."""

    file: str
    line: int
    text: str


def find_caseless(sites: GoCallSites, stack: str) -> str:
    """Return the line of the pattern that ignores case behind the innermost call of a stack; empty without one."""
    for place in places_of(stack)[:1]:
        packages: dict[str, dict[str, NamedCode]] = {}
        seen, wanted = set[tuple[str, str]](), [(place.file.rpartition("/")[0], place.function)]
        for _ in range(_MOST_STEPS):
            found = []
            for folder, name in wanted:
                if folder not in packages:
                    packages[folder] = dict(_declared_in(sites, folder))
                one = packages[folder].get(name)
                if one is None or (folder, name) in seen:
                    continue
                seen.add((folder, name))
                if _IGNORES_CASE in one.text:
                    return f"`{one.text.strip()}` at {one.file}:{one.line}"
                found += list(_names_in(sites, one, folder))
            wanted = found
    return ""


def _declared_in(sites: GoCallSites, folder: str) -> Iterator[tuple[str, NamedCode]]:
    for file in sites.files_beside(f"{folder}/x.go"):
        lines = sites.source(file).lines
        for number, line in enumerate(lines, 1):
            found = _DECLARED.match(line)
            if found is None:
                continue
            is_one = not line.startswith("func") or line.rstrip().endswith("}")
            ends = (at for at, one in enumerate(lines[number:], number) if one == "}")
            end = number if is_one else next(ends, number)
            yield found["name"], NamedCode(file, number, "\n".join(lines[number - 1 : end]))


def _names_in(sites: GoCallSites, one: NamedCode, folder: str) -> Iterator[tuple[str, str]]:
    imports = sites.source(one.file).imports
    for found in _WORD.finditer(one.text):
        package = found["package"]
        if package is None:
            yield folder, found["name"]
        elif _LIBRARY.match(imports.get(package, "")):
            yield imports[package], found["name"]
