"""Reads the functions of a Go file, with what a mutant of one needs: its names, statements and their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import tree_sitter_go
from tree_sitter import Language, Node, Parser

from harness.gotypes.gonodes import FUNCTIONS, text_of

_GO = Language(tree_sitter_go.language())
_BODIES = ("block", "expression_case", "default_case", "type_case", "communication_case")
_IMPORT = re.compile(r'^\s*(?:import\s+)?(?:(\w+)\s+)?"([^"\n]+)"\s*(?://.*)?$', re.M)


@dataclass(frozen=True, eq=False)
class ParsedFunction:
    """A function or method with a body. `file` is the path within its module."""

    file: str
    node: Node

    @property
    def name(self) -> str:
        """Its name, without the type of a receiver."""
        return text_of(self.node.child_by_field_name("name"))

    @property
    def body(self) -> Node:
        """Its block of statements."""
        body = self.node.child_by_field_name("body")
        assert body is not None  # see read_functions
        return body

    @cached_property
    def text(self) -> str:
        """The text of its body."""
        return text_of(self.body)

    @property
    def has_result(self) -> bool:
        """Whether it returns anything."""
        return self.node.child_by_field_name("result") is not None

    @cached_property
    def call(self) -> str | None:
        """How it calls a function of another name with its own arguments, `{}` for the name; None if it cannot."""
        names = _parameter_names(self.node.child_by_field_name("parameters"))
        receiver = self.node.child_by_field_name("receiver")
        owner = _parameter_names(receiver) if receiver is not None else []
        if names is None or owner is None or len(owner) != (receiver is not None):
            return None
        types = self.node.child_by_field_name("type_parameters")
        given = _type_names(types) if types is not None else []
        generic = f"[{', '.join(given)}]" if given else ""
        return f"{''.join(f'{one}.' for one in owner)}{{}}{generic}({', '.join(names)})"


def parse(source: bytes) -> Node:
    """Return the root of the syntax tree of a file, with errors where it is no Go."""
    return Parser(_GO).parse(source).root_node


def read_functions(file: str, source: bytes) -> list[ParsedFunction]:
    """Return the functions of a file that have a body; none if it cannot be parsed."""
    root = parse(source)
    if root.has_error:
        return []
    found = [ParsedFunction(file, node) for node in root.named_children if node.type in FUNCTIONS]
    return [one for one in found if one.node.child_by_field_name("body") is not None]


def end_of_package_clause(source: bytes) -> int:
    """Return where the package clause of a file ends, behind which an import may stand on the same line."""
    return next(node.end_byte for node in parse(source).named_children if node.type == "package_clause")


def imports_of(source: bytes) -> dict[str, str]:
    """Return the import paths of a file, by the name that it uses: the last part of the path if it names none."""
    head = source.decode("utf-8", "replace").partition("\nfunc ")[0]
    return {name or path.rpartition("/")[2]: path for name, path in _IMPORT.findall(head)}


def statement_around(node: Node) -> Node:
    """Return the statement of a block that a node is part of, before which another statement may stand."""
    while node.parent is not None:
        parent = node.parent
        holder = parent.parent if parent.type == "statement_list" else parent
        if holder is not None and holder.type in _BODIES and _is_statement(parent, node):
            return node
        node = parent
    return node


def _is_statement(parent: Node, node: Node) -> bool:
    """Whether a child of a block or case is one of its statements, and not the value of the case."""
    if parent.type == "statement_list" or parent.type == "block":
        return node.type not in ("labeled_statement", "comment")
    return node.type.endswith(("_statement", "_declaration")) and node.type != "labeled_statement"


def _parameter_names(parameters: Node | None) -> list[str] | None:
    """Return the names of parameters as a call passes them on; None if one has no name."""
    names: list[str] = []
    for one in parameters.named_children if parameters is not None else ():
        if one.type == "comment":
            continue
        given = [text_of(name) for name in one.children_by_field_name("name")]
        if not given or "_" in given:
            return None
        names += [f"{name}..." for name in given] if one.type == "variadic_parameter_declaration" else given
    return names


def _type_names(parameters: Node) -> list[str]:
    return [text_of(name) for one in parameters.named_children for name in one.children_by_field_name("name")]
