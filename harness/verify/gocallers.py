"""Who uses a function or constant of handwritten Go, found by name over all code that validates or prepares objects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from tree_sitter import Node

from harness.limits import read_checkout
from harness.verify.gocode import Decl, GoPackage, Normal, read_package
from harness.verify.layout import class_of, import_path
from harness.verify.renames import Name

_CODE = frozenset({"handwritten", "normalization", "strategy", "conversion", "defaults"})
_TOPS = ("pkg/apis", "pkg/api", "pkg/registry", "staging/src/k8s.io/apimachinery/pkg")
_STATEMENTS = frozenset({"block", "statement_list"})


class Callers:
    """The code of one side. Packages are read when a name in question occurs in one of their files."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._packages: dict[str, GoPackage] = {}
        self._references: dict[str, dict[Name, list[tuple[Decl, Node]]]] = {}

    @cached_property
    def _texts(self) -> dict[str, bytes]:
        """The text of each folder of code."""
        texts: dict[str, list[bytes]] = {}
        for top in _TOPS:
            for path in sorted((self._root / top).rglob("*.go")):
                shown = path.relative_to(self._root).as_posix()
                if class_of(shown, "kubernetes") in _CODE:
                    texts.setdefault(shown.rpartition("/")[0], []).append(read_checkout(path))
        return {folder: b"\n".join(found) for folder, found in texts.items()}

    def package(self, folder: str) -> GoPackage:
        """Return a package by its folder."""
        if folder not in self._packages:
            self._packages[folder] = read_package(self._root, folder, import_path(f"{folder}/x.go"))
        return self._packages[folder]

    def of(self, name: Name) -> Iterator[tuple[Decl, Node]]:
        """Yield every declaration that speaks of a name, with the place; methods are found by their bare name."""
        receiver, _, bare = name[1].rpartition(".")
        word = re.compile(rb"\b" + re.escape(bare.encode()) + rb"\b")
        for folder, text in self._texts.items():
            if word.search(text) and (not receiver or import_path(f"{folder}/x.go") == name[0]):
                found = self._of_package(folder)
                for decl, node in found.get(("", bare) if receiver else name, ()):
                    if decl.name != name:
                        yield decl, node

    def _of_package(self, folder: str) -> dict[Name, list[tuple[Decl, Node]]]:
        if folder not in self._references:
            package = self.package(folder)
            normal = Normal(package.decls)
            found: dict[Name, list[tuple[Decl, Node]]] = {}
            for decl in package.decls.values():
                for name, node in normal.references(decl):
                    found.setdefault(name, []).append((decl, node))
            self._references[folder] = found
        return self._references[folder]


def statement_of(node: Node) -> Node:
    """Return the statement that a node stands in; of one with a body, the whole when the node is in its head."""
    below, above = node, node.parent
    while above is not None and above.type not in _STATEMENTS:
        below, above = above, above.parent
    return below


def statements_on(body: Node, lines: set[int]) -> Iterator[Node]:
    """Yield the innermost statements that have text on some lines (from 0); whole ones where their head has."""
    for child in _opened(body).named_children:
        if not _is_on(child, lines):
            continue
        blocks = list(_blocks(child))
        inside = {line for block in blocks for line in range(block.start_point.row + 1, block.end_point.row)}
        own = lines & set(range(child.start_point.row, child.end_point.row + 1))
        if not blocks or own - inside:
            yield child
        else:
            for block in blocks:
                yield from statements_on(block, lines)


def _is_on(node: Node, lines: set[int]) -> bool:
    return any(node.start_point.row <= line <= node.end_point.row for line in lines)


def _blocks(node: Node) -> Iterator[Node]:
    """Yield the outermost blocks inside a statement."""
    for child in node.named_children:
        if child.type in _STATEMENTS:
            yield child
        else:
            yield from _blocks(child)


def _opened(block: Node) -> Node:
    """Return the list of statements of a block; the block itself where the grammar has no such list."""
    return next((one for one in block.named_children if one.type == "statement_list"), block)
