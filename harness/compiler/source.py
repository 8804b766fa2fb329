"""The text of one module while it is written: names that are given once, helpers, imports, literals."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable, Iterable


class Source:
    """Functions in the order in which they were written, and what they import."""

    def __init__(self) -> None:
        self._names: dict[object, str] = {}
        self._taken: set[str] = set()
        self._imports: dict[str, set[str]] = {}
        self._functions: list[str] = []

    def add(self, function: str) -> None:
        """Append the text of a function."""
        self._functions.append(function)

    def text(self, header: str) -> str:
        """Return the module. `header` is its beginning, with a place for `{imports}`."""
        lines = [f"from {m} import {', '.join(sorted(self._imports[m]))}" for m in sorted(self._imports)]
        return "\n\n".join([header.format(imports="\n".join(lines)).rstrip(), *self._functions]) + "\n"

    def named(self, key: object, wanted: str) -> str:
        """Return the name that stands for a key: the wanted one, with a number when that is taken."""
        if key not in self._names:
            name, count = wanted, 1
            while name in self._taken:
                count += 1
                name = f"{wanted}_{count}"
            self._taken.add(name)
            self._names[key] = name
        return self._names[key]

    def once(self, key: object, wanted: str, body: Callable[[str], str]) -> str:
        """Return the name of a helper, which is written when it is first asked for."""
        known = key in self._names
        name = self.named(key, wanted)
        if not known:
            self.add(body(name))
        return name

    def use(self, module: str, name: str) -> str:
        """Import a name and return it."""
        self._imports.setdefault(module, set()).add(name)
        self._taken.add(name)
        return name

    def runtime(self, name: str) -> str:
        """Import a name of the runtime and return it."""
        return self.use("harness.tags.runtime", name)


def literal(value: object) -> str:
    """Write a constant as Python does, strings in double quotes."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, frozenset):
        return "{" + ", ".join(json.dumps(v) for v in sorted(value)) + "}"
    if isinstance(value, tuple):
        return "(" + "".join(f"{literal(v)}, " for v in value).strip() + ")"
    return repr(value)


def word(text: str) -> str:
    """Turn any text into part of a name."""
    word = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_") or "it"
    return f"{word}_" if keyword.iskeyword(word) else word


def indent(lines: Iterable[str], depth: int = 1) -> list[str]:
    """Move lines to the right."""
    return ["    " * depth + line if line else line for line in lines]
