"""Reads one Go file: its lines, its tree, its functions, and the packages that it imports."""

from __future__ import annotations

import re
from functools import cached_property

import tree_sitter_go
from tree_sitter import Language, Node, Parser

from harness.gotypes.gonodes import FUNCTIONS, below, text_of

_GO = Language(tree_sitter_go.language())


class GoText:
    """One Go file, parsed when its tree is first asked for. Lines count from 1, offsets are bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def forget(self) -> None:
        """Drop the parsed tree, which takes a hundred times the room of the file."""
        self.__dict__.pop("functions", None)
        self.__dict__.pop("root", None)

    @property
    def lines(self) -> list[str]:
        """The text of each line."""
        return self.data.decode("utf-8", "replace").splitlines()

    def count(self, name: str) -> int:
        """Count the words that are a name, without parsing."""
        word = name.encode()
        # Most files do not have it, and to find that out takes a hundredth of what the pattern takes.
        return len(re.findall(rb"\b%s\b" % word, self.data)) if word in self.data else 0

    def may_use(self, name: str, package: str = "") -> bool:
        """Whether `mentions` may find a use, without parsing: a package that is not imported is not used."""
        return package.encode() in self.data and self.count(name) > 0

    @cached_property
    def root(self) -> Node:
        """The root of its tree."""
        return Parser(_GO).parse(self.data).root_node

    @cached_property
    def imports(self) -> dict[str, str]:
        """The import path of each package by its name in the file."""
        found = {}
        for spec in below(self.root, "import_spec", stops=FUNCTIONS):
            path, name = spec.child_by_field_name("path"), spec.child_by_field_name("name")
            if path is not None:
                text = text_of(path).strip('"`')
                found[text_of(name) if name is not None else text.rpartition("/")[2]] = text
        return found

    def offset_of(self, line: int) -> int | None:
        """Return where the code of a line begins; None where there is none."""
        if not 0 < line <= len(self._line_starts) + 1:
            return None
        begin = self.offset_at(line, 1)
        text = self.data[begin : self.offset_at(line + 1, 1)].removesuffix(b"\n")
        return begin + len(text) - len(text.lstrip())

    def offset_at(self, line: int, column: int) -> int:
        """Return the offset of a line and column, in bytes from 1; the end of the file if there is no such place."""
        start = (
            0 if line <= 1 else (self._line_starts[line - 2] if line - 2 < len(self._line_starts) else len(self.data))
        )
        return min(start + column - 1, len(self.data))

    @cached_property
    def _line_starts(self) -> list[int]:
        return [found.end() for found in re.finditer(rb"\n", self.data)]

    def function_line(self, name: str) -> int | None:
        """Return the line that declares a function; None if the file does not."""
        found = next((node for node in self.functions if name_of(node) == name), None)
        return None if found is None else found.start_point[0] + 1

    @cached_property
    def functions(self) -> list[Node]:
        """The declarations of its functions and methods."""
        return [node for node in self.root.named_children if node.type in FUNCTIONS]

    def function_around(self, node: Node | None) -> Node | None:
        """Return the declaration or the function literal around a node; None outside one."""
        while node is not None and node.type not in FUNCTIONS:
            node = node.parent
        return node

    def function_at(self, offset: int) -> str:
        """Return the name of the function around an offset, empty outside one."""
        found = self.function_around(self.root.descendant_for_byte_range(offset, offset))
        return "" if found is None else name_of(found)


def name_of(function: Node) -> str:
    """Return the name that a function is declared with."""
    return text_of(function.child_by_field_name("name"))
