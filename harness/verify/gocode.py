"""Go source as declarations that can be compared: without comments, formatting, and the names of what is local.

Names of a package are read as `import/path.name`, so a function that moved keeps its text but for its own name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import tree_sitter_go
from tree_sitter import Language, Node, Parser

from harness.diagnostics import Position
from harness.gotypes.constants import unquote
from harness.gotypes.scanner import read_source
from harness.verify.renames import Name

_GO = Language(tree_sitter_go.language())
_NAMES = frozenset({"identifier", "type_identifier", "package_identifier"})
_STATEMENTS = frozenset({"block", "statement_list"})
_DECLARED = {
    "function_declaration": "func",
    "method_declaration": "method",
    "const_spec": "const",
    "var_spec": "var",
    "type_spec": "type",
    "type_alias": "type",
}


@dataclass(frozen=True, eq=False)
class GoFile:
    """One file, parsed. `path` is its path in the checkout; `imports` give import paths by the name used here."""

    path: str
    package: str
    root: Node
    imports: Mapping[str, str]

    def position(self, node: Node) -> Position:
        """Where a node begins."""
        return Position(self.path, node.start_point.row + 1, node.start_point.column + 1)


@dataclass(frozen=True, eq=False)
class Decl:
    """One declaration of a package; methods are named `Receiver.name`.

    `whole` is what its meaning hangs on: the group of a constant that counts.
    """

    name: Name
    kind: str
    node: Node
    file: GoFile
    whole: Node

    @property
    def body(self) -> Node | None:
        """The statements of a function; None for what has none."""
        return self.node.child_by_field_name("body")

    @cached_property
    def locals(self) -> frozenset[str]:
        """The names that are declared inside."""
        return frozenset(_local_names(self.whole)) - {"_"}

    @property
    def short(self) -> str:
        """The name as people write it: `ValidateSpec`, `(strategy).Validate`."""
        receiver, _, name = self.name[1].rpartition(".")
        return f"({receiver}).{name}" if receiver else name.partition("#")[0]


@dataclass(frozen=True, eq=False)
class GoPackage:
    """What the files of a folder declare, tests left out."""

    path: str
    decls: Mapping[Name, Decl] = field(default_factory=dict)


def read_package(root: Path, folder: str, import_path: str) -> GoPackage:
    """Read a folder of a checkout. What is not there or not Go declares nothing."""
    place = root / folder
    decls: dict[Name, Decl] = {}
    for path in sorted(place.glob("*.go")) if place.is_dir() else ():
        if not path.name.endswith("_test.go"):
            file = parse_file(path, path.relative_to(root).as_posix(), import_path)
            for one in _declarations(file):
                decls[one.name] = one
    return GoPackage(import_path, decls)


def parse_file(path: Path, shown: str, import_path: str) -> GoFile:
    """Parse one file."""
    tree = Parser(_GO).parse(read_source(path).data)
    return GoFile(shown, import_path, tree.root_node, _imports(tree.root_node))


def text_of(node: Node | None) -> str:
    """The text of a node."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, in the order of the text."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(one.children)


def _imports(root: Node) -> dict[str, str]:
    found = {}
    for declaration in root.children:
        if declaration.type == "import_declaration":
            for spec in walk(declaration):
                if spec.type == "import_spec":
                    path = unquote(text_of(spec.child_by_field_name("path"))) or ""
                    found[text_of(spec.child_by_field_name("name")) or _last(path)] = path
    return found


def _last(path: str) -> str:
    """The name that a package most likely has: the last part of its path that is no version."""
    parts = path.split("/")
    if len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit() and "k8s.io/api" not in path:
        parts.pop()
    return parts[-1]


def _declarations(file: GoFile) -> Iterator[Decl]:
    counted: dict[str, int] = {}
    for top in file.root.children:
        if top.type in ("function_declaration", "method_declaration"):
            yield _decl(file, top, top, counted)
        elif top.type in ("const_declaration", "var_declaration", "type_declaration"):
            specs = [one for one in walk(top) if one.type in _DECLARED and _is_top(one, top)]
            counts = top.type == "const_declaration" and ("iota" in text_of(top) or any(_is_bare(s) for s in specs))
            for spec in specs:
                yield _decl(file, spec, top if counts else spec, counted)


def _is_top(spec: Node, top: Node) -> bool:
    above = spec.parent
    return above is not None and (above == top or (above.type.endswith("_list") and above.parent == top))


def _is_bare(spec: Node) -> bool:
    return spec.child_by_field_name("value") is None


def _decl(file: GoFile, node: Node, whole: Node, counted: dict[str, int]) -> Decl:
    name = text_of(node.child_by_field_name("name"))
    if node.type == "method_declaration":
        receiver = next((text_of(one) for one in walk(node.children[1]) if one.type == "type_identifier"), "")
        name = f"{receiver}.{name}"
    if name in ("_", "init"):  # there may be many, and nobody can name them
        counted[name] = counted.get(name, 0) + 1
        name = f"{name}#{file.path}#{counted[name]}"
    return Decl((file.package, name), _DECLARED[node.type], node, file, whole)


def _local_names(node: Node) -> Iterator[str]:
    for one in walk(node):
        match one.type:
            case "parameter_declaration" | "variadic_parameter_declaration":
                yield from (text_of(name) for name in one.children_by_field_name("name"))
            case "short_var_declaration" | "range_clause":
                left = one.child_by_field_name("left")
                yield from (text_of(name) for name in (left.children if left else ()) if name.type == "identifier")
            case "var_spec" | "const_spec" if one != node:
                if _is_inside_function(one):
                    yield from (text_of(name) for name in one.children_by_field_name("name"))
            case "type_switch_statement":
                alias = one.child_by_field_name("alias")
                yield from (text_of(name) for name in (alias.children if alias else ()))


def _is_inside_function(node: Node) -> bool:
    above = node.parent
    while above is not None:
        if above.type in ("function_declaration", "method_declaration", "func_literal"):
            return True
        above = above.parent
    return False


class Normal:
    """Declarations as tokens in which only what counts is left. `known` are the names of all packages compared.

    `renamed` gives names that stand for others, so that two sides speak of the same thing by the same name.
    """

    def __init__(self, known: Mapping[Name, Decl], renamed: Mapping[Name, Name] | None = None) -> None:
        self._known = known
        self._renamed = renamed or {}

    def lines(self, decl: Decl, numbered: bool) -> list[tuple[int, str]]:
        """Return the tokens of a declaration, those of one line as one text, with the line (from 0) in the file.

        Names of what is local are as written unless `numbered`: a new one would give others other numbers.
        """
        found: list[tuple[int, str]] = []
        for line, token in self._tokens(decl, numbered):
            if found and found[-1][0] == line:
                found[-1] = line, f"{found[-1][1]} {token}"
            else:
                found.append((line, token))
        return found

    def text(self, decl: Decl) -> str:
        """Return a declaration as one text."""
        return " ".join(token for _, token in self._tokens(decl)).replace(" , )", " )").replace(" , }", " }")

    def _tokens(self, decl: Decl, numbered: bool = True) -> Iterator[tuple[int, str]]:
        numbers: dict[str, str] = {}
        own = decl.node.child_by_field_name("name")
        waiting = [decl.whole]
        while waiting:
            node = waiting.pop()
            if node.type == "comment" or not node.text or not node.text.strip():
                continue
            if node.is_named and node.parent is not None and node.parent.type in _STATEMENTS:
                yield node.start_point.row, ";"
            if own is not None and node == own:
                yield node.start_point.row, "@"
            elif (name := self.name_of(node, decl)) is not None:
                yield node.start_point.row, self.shown(name)
            elif node.type in _NAMES and text_of(node) in decl.locals:
                number = numbers.setdefault(text_of(node), f"_{len(numbers)}")
                shown = number if numbered else text_of(node)
                yield node.start_point.row, f"{text_of(node)}/{shown}" if _is_key(node) else shown
            elif node.children and node.type not in ("interpreted_string_literal", "raw_string_literal"):
                waiting += reversed(node.children)
            else:
                yield node.start_point.row, text_of(node)

    def shown(self, name: Name) -> str:
        """Return a name as text, under the name it has on the other side."""
        return ".".join(self._renamed.get(name, name))

    def name_of(self, node: Node, decl: Decl) -> Name | None:
        """Return the name of a package's declaration that a node stands for; None when it stands for none."""
        if node.type in ("selector_expression", "qualified_type"):
            left, right = node.children[0], node.children[-1]
            if left.type in _NAMES and text_of(left) not in decl.locals:
                path = decl.file.imports.get(text_of(left))
                return (path, text_of(right)) if path is not None else None
        elif node.type in ("identifier", "type_identifier") and text_of(node) not in decl.locals:
            name = decl.file.package, text_of(node)
            return name if name in self._known and not _is_key(node) else None
        return None

    def references(self, decl: Decl) -> Iterator[tuple[Name, Node]]:
        """Yield what a declaration refers to: names of packages, and methods by their bare name as ("", name)."""
        own = decl.node.child_by_field_name("name")
        for node in walk(decl.node):
            name = self.name_of(node, decl) if node != own else None
            if name is not None:
                yield name, node
            elif node.type == "field_identifier" and node != own:
                yield ("", text_of(node)), node


def _is_key(node: Node) -> bool:
    """Whether a name stands before the colon of a composite literal: a field's, most likely."""
    above = node.parent
    if above is not None and above.type == "literal_element":
        node, above = above, above.parent
    return above is not None and above.type == "keyed_element" and above.children[0] == node
