"""The import block of a Go file: one name for each package, and only the packages that the file uses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from harness.objectmodel import META


@dataclass(slots=True)
class Imports:
    """The packages that a file may use, with the name of each."""

    names: dict[str, str] = field(default_factory=dict)

    def name(self, path: str, wanted: str = "") -> str:
        """Return the name of a package in this file, and add the package when it is new."""
        if path not in self.names:
            last = path.rpartition("/")[2]
            name = wanted or {META: "metav1"}.get(path, last)
            if name in self.names.values():
                name = re.sub(r"\W", "", path.split("/")[-2]) + last
            self.names[path] = name
        return self.names[path]

    def lines(self, text: str) -> list[str]:
        """Return the imports that a text uses: the standard library, an empty line, all other packages."""
        groups: tuple[list[str], list[str]] = ([], [])
        for path in sorted(self.names):
            name = self.names[path]
            if re.search(rf"(?<![\w.\"]){name}\.[A-Z]", text):
                spec = f'"{path}"' if name == path.rpartition("/")[2] else f'{name} "{path}"'
                groups["." in path.partition("/")[0]].append(spec)
        return [*groups[0], *([""] if all(groups) else []), *groups[1]]
