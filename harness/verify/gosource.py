"""Parses the declarations of Go files; a file that is not Go has none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_go
from tree_sitter import Language, Node, Parser

from harness.gotypes.constants import unquote
from harness.gotypes.gonodes import text_of
from harness.gotypes.scanner import read_source
from harness.verify.sources import Declaration, Name, lines_of

_GO = Language(tree_sitter_go.language())
_FUNCTIONS = ("function_declaration", "method_declaration")
_GROUPS = ("const_declaration", "var_declaration", "type_declaration")
_SPECS = ("const_spec", "var_spec", "type_spec", "type_alias")
_STATEMENTS = ("block", "statement_list")


@dataclass(frozen=True, eq=False)
class GoFile:
    """A parsed file. `path` is its path in the checkout; `imports` are import paths by the name used in the file."""

    path: str
    package: str
    root: Node
    imports: Mapping[str, str]
    text: str


def parse_file(path: Path, shown: str, import_path: str) -> GoFile:
    """Parse one file."""
    data = read_source(path).data
    root = Parser(_GO).parse(data).root_node
    return GoFile(shown, import_path, root, dict(_imports(root)), data.decode("utf-8", "replace"))


def read_package(root: Path, folder: str, import_path: str) -> dict[Name, Declaration]:
    """Parse the files of a folder, without tests. A missing folder has no declarations."""
    found: dict[Name, Declaration] = {}
    place = root / folder
    for path in sorted(place.glob("*.go")) if place.is_dir() else ():
        if not path.name.endswith("_test.go"):
            file = parse_file(path, path.relative_to(root).as_posix(), import_path)
            written = file.text.split("\n")
            for number, (name, node) in enumerate(_declared(file.root)):
                unique = f"{name}#{file.path}#{number}" if name in ("_", "init") else name
                lines = lines_of(_tokens(node), written)
                found[import_path, unique] = Declaration((import_path, unique), file.path, lines, file.imports)
    return found


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and its descendants in the order of the text."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(one.children)


def _declared(root: Node) -> Iterator[tuple[str, Node]]:
    for top in root.children:
        if top.type in _FUNCTIONS:
            name = text_of(top.child_by_field_name("name"))
            receiver = top.child_by_field_name("receiver")
            types = (text_of(one) for one in walk(receiver) if one.type == "type_identifier") if receiver else ()
            yield ".".join([*list(types)[:1], name]), top
        elif top.type in _GROUPS:
            specs = [one for one in walk(top) if one.type in _SPECS and _is_top(one, top)]
            # The value of a constant without an expression depends on the constants before it.
            whole = top.type == "const_declaration" and any(not one.child_by_field_name("value") for one in specs)
            for spec in specs:
                yield text_of(spec.child_by_field_name("name")), top if whole or "iota" in text_of(top) else spec


def _is_top(spec: Node, top: Node) -> bool:
    parent = spec.parent
    return parent is not None and (parent == top or (parent.type.endswith("_list") and parent.parent == top))


def _imports(root: Node) -> Iterator[tuple[str, str]]:
    for top in root.children:
        for spec in walk(top) if top.type == "import_declaration" else ():
            if spec.type == "import_spec":
                path = unquote(text_of(spec.child_by_field_name("path"))) or ""
                yield text_of(spec.child_by_field_name("name")) or _last(path), path


def _last(path: str) -> str:
    """Return the most likely name of a package: the last part of its path that is not a version."""
    parts = path.split("/")
    if len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit() and "k8s.io/api" not in path:
        parts.pop()
    return parts[-1]


def _tokens(top: Node) -> Iterator[tuple[int, int, str]]:
    waiting = [top]
    while waiting:
        node = waiting.pop()
        if node.type == "comment" or not node.text or not node.text.strip():
            continue
        if node.is_named and node.parent is not None and node.parent.type in _STATEMENTS:
            yield node.start_point.row + 1, node.start_point.column, ";"
        if node.children and not node.type.endswith("string_literal"):
            waiting += reversed(node.children)
        else:
            yield node.start_point.row + 1, node.start_point.column, text_of(node)
