"""Collects the text of one module: unique names, helper functions, imports, literals."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Sequence

SECTIONS = {
    "types": "Types: the roots, then what they hold",
    "rules": "Rules that are called for parts of a value",
    "parts": "What members and items are",
    "same": "When values are the same",
    "show": "How values are shown",
}


class Source:
    """The functions of a module by section, in the order in which they were added, and its imports."""

    def __init__(self) -> None:
        self._names: dict[object, str] = {}
        self._used_names: set[str] = set()
        self._imports: dict[str, set[str]] = {}
        self._functions: dict[str, list[str]] = {section: [] for section in SECTIONS}

    def add(self, section: str, function: str) -> None:
        """Append the text of a function to a section."""
        self._functions[section].append(function)

    def text(self, header: str, package: str) -> str:
        """Return the module. `header` is its beginning, with places for `{package}` and `{imports}`."""
        lines = [_import(module, sorted(self._imports[module])) for module in sorted(self._imports)]
        parts = [header.format(package=escape_quoted(package), imports="\n".join(lines)).rstrip()]
        for section, title in SECTIONS.items():
            functions = self._functions[section]
            parts += [f"# {title}\n\n\n{functions[0]}", *functions[1:]] if functions else []
        return "\n\n\n".join(parts) + "\n"

    def unique_name(self, key: object, wanted: str) -> str:
        """Return the unique name for a key: the given name, with a number if another key has it."""
        if key not in self._names:
            name, count = wanted, 1
            while name in self._used_names:
                count += 1
                name = f"{wanted}_{count}"
            self._used_names.add(name)
            self._names[key] = name
        return self._names[key]

    def add_once(self, section: str, key: object, wanted: str, body: Callable[[str], str]) -> str:
        """Return the name of a helper function, which is written on first use."""
        known = key in self._names
        name = self.unique_name(key, wanted)
        if not known:
            self.add(section, body(name))
        return name

    def use(self, module: str, name: str) -> str:
        """Import a name and return it."""
        self._imports.setdefault(module, set()).add(name)
        self._used_names.add(name)
        return name

    def runtime(self, name: str) -> str:
        """Import a name of the runtime and return it."""
        return self.use("harness.tags.runtime", name)


def _import(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= 100:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")"


def literal(value: object) -> str:
    """Write a constant as Python source, strings in double quotes."""
    if isinstance(value, str):
        return f'"{escape_quoted(value)}"'
    if isinstance(value, frozenset):
        return "{" + ", ".join(literal(v) for v in sorted(value)) + "}"
    if isinstance(value, tuple):
        return "(" + "".join(f"{literal(v)}, " for v in value).strip() + ")"
    return repr(value)


def escape_quoted(text: str) -> str:
    """Escape a text, so that nothing in it ends a literal or a docstring in double quotes."""
    return escape_comment(text.replace("\\", "\\\\").replace('"', '\\"'))


def escape_comment(text: str) -> str:
    """Escape a text, so that nothing in it ends a comment."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def add_brackets(expression: str) -> str:
    """Put an expression in brackets if operator precedence requires it."""
    return f"({expression})" if " or " in expression or " if " in expression else expression


def identifier_of(text: str) -> str:
    """Convert any text to a Python identifier, or to a part of one."""
    word = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_") or "it"
    if word[0].isdigit():
        return f"n{word}"
    return f"{word}_" if keyword.iskeyword(word) else word


def indent(lines: Iterable[str], depth: int = 1) -> list[str]:
    """Indent lines by one level."""
    return ["    " * depth + line if line else line for line in lines]
