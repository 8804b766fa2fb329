"""Python source as declarations that can be compared, without comments, docstrings, annotations and local names.

Names of a module are read as `path/of/module.name`, through imports, so a function that moved keeps its text.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from harness.diagnostics import Position
from harness.limits import read_checkout
from harness.verify.pyfiles import imported_from, module_of
from harness.verify.renames import Name

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, eq=False)
class PyDecl:
    """One declaration of a module: a function, a class, or a name with a value. `path` is in the checkout."""

    name: Name
    node: ast.stmt
    path: str
    imports: Mapping[str, Name] = field(repr=False)

    @property
    def kind(self) -> str:
        """What is declared."""
        return {ast.FunctionDef: "func", ast.AsyncFunctionDef: "func", ast.ClassDef: "type"}.get(type(self.node), "var")

    @property
    def short(self) -> str:
        """The name as people write it."""
        return self.name[1]

    @cached_property
    def locals(self) -> frozenset[str]:
        """The names that are bound inside."""
        return frozenset(_bound(self.node)) if isinstance(self.node, _SCOPES) else frozenset()

    def position(self, node: ast.AST) -> Position:
        """Where a node begins."""
        return Position(self.path, getattr(node, "lineno", 0), getattr(node, "col_offset", -1) + 1)


def read_module(root: Path, path: Path) -> dict[Name, PyDecl]:
    """Read the declarations of a file of a checkout; none when it is not there, or no Python."""
    try:
        tree = ast.parse(read_checkout(path))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return {}
    imports, module = dict(_imports(root, path, tree)), module_of(root, path)
    found: dict[Name, PyDecl] = {}
    for node in tree.body:
        for name in _declared(node):
            found[module, name] = PyDecl((module, name), node, path.relative_to(root).as_posix(), imports)
    return found


def _imports(root: Path, path: Path, tree: ast.Module) -> Iterator[tuple[str, Name]]:
    """Yield what names of other modules are called here."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                yield name, ("", alias.name if alias.asname else name)
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, (imported_from(root, path, node), alias.name)


def _declared(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))
    elif not isinstance(node, ast.Import | ast.ImportFrom) and not _is_docstring(node):
        yield f"#{ast.unparse(node)[:60]}"  # a statement that is run
    elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        yield f"#{ast.unparse(node)}"


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _bound(function: ast.AST) -> Iterator[str]:
    released = {name for one in ast.walk(function) if isinstance(one, ast.Global) for name in one.names}
    for node in ast.walk(function):
        match node:
            case ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if name not in released:
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if node is not function:
                yield name


def keywords_of(decls: Iterable[PyDecl]) -> frozenset[str]:
    """Return the names by which arguments are handed over: a parameter of such a name cannot change it alone."""
    nodes = (node for decl in decls for node in ast.walk(decl.node))
    return frozenset(node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg)


class PyNormal:
    """Declarations as text in which only what counts is left. `known` are the names that are compared.

    `renamed` gives names that stand for others; `fixed` are names of parameters that callers use.
    """

    def __init__(
        self,
        known: Mapping[Name, PyDecl],
        renamed: Mapping[Name, Name] | None = None,
        fixed: frozenset[str] = frozenset(),
    ) -> None:
        self._known, self._renamed, self._fixed = known, renamed or {}, fixed

    def text(self, decl: PyDecl) -> str:
        """Return a declaration as one text."""
        return ast.dump(self._plain(decl, decl.node))

    def statements(self, decl: PyDecl) -> list[tuple[str, ast.stmt]]:
        """Return the statements of a function with their texts, those with a body by their head alone."""
        numbers: dict[str, str] = {}
        return [(ast.dump(self._plain(decl, _head(node), numbers)), node) for node in _simple(decl.node)]

    def _plain(self, decl: PyDecl, node: ast.stmt, numbers: dict[str, str] | None = None) -> ast.AST:
        plain: ast.AST = _Plain(self, decl, {} if numbers is None else numbers).visit(copy.deepcopy(node))
        return plain

    def shown(self, name: Name) -> str:
        """Return a name as text, under the name it has on the other side."""
        return ".".join(self._renamed.get(name, name))

    def name_of(self, name: str, decl: PyDecl) -> Name | None:
        """Return the declaration that a name stands for; None when it is local, built in or nobody's."""
        if name in decl.locals:
            return None
        if name in decl.imports:
            return decl.imports[name]
        own = decl.name[0], name
        return own if own in self._known else None

    def is_fixed(self, name: str) -> bool:
        """Whether a local name is one that callers use."""
        return name in self._fixed

    def references(self, decl: PyDecl) -> Iterator[tuple[Name, ast.AST]]:
        """Yield what a declaration refers to, and where; annotations do not count."""
        for node in _without_annotations(decl.node):
            if isinstance(node, ast.Name) and (name := self.name_of(node.id, decl)) is not None and name != decl.name:
                yield name, node


def _head(node: ast.stmt) -> ast.stmt:
    """Copy a statement without the statements inside it; what it matches or catches stays."""
    head = copy.copy(node)
    for part in ("body", "orelse", "finalbody"):
        if isinstance(getattr(head, part, None), list):
            setattr(head, part, [])
    for part in ("handlers", "cases"):
        for number, inner in enumerate(getattr(head, part, ())):
            if not number:
                setattr(head, part, list(getattr(head, part)))
            bare = copy.copy(inner)
            bare.body = []
            getattr(head, part)[number] = bare
    return head


def _without_annotations(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _without_annotations(child)


def _simple(node: ast.stmt) -> Iterator[ast.stmt]:
    """Yield a statement and all inside it, in the order of the text."""
    yield node
    for part in ("body", "handlers", "orelse", "finalbody", "cases"):
        for child in getattr(node, part, ()):
            if isinstance(child, ast.stmt):
                yield from _simple(child)
            else:
                for inner in child.body:
                    yield from _simple(inner)


class _Plain(ast.NodeTransformer):
    """Takes out of a copy what does not count, and gives names their places."""

    def __init__(self, normal: PyNormal, decl: PyDecl, numbers: dict[str, str]) -> None:
        self._normal, self._decl, self._numbers = normal, decl, numbers

    def _local(self, name: str) -> str:
        return name if self._normal.is_fixed(name) else self._numbers.setdefault(name, f"_{len(self._numbers)}")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        if node.body and _is_docstring(node.body[0]):
            node.body = node.body[1:]
        node.name = "@" if node.name == self._decl.name[1] else self._local(node.name)
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        if node.body and _is_docstring(node.body[0]):
            node.body = node.body[1:]
        node.name = "@" if node.name == self._decl.name[1] else node.name
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        node.arg = self._local(node.arg) if node.arg in self._decl.locals else node.arg
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if isinstance(self._decl.node, _SCOPES):
            node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._decl.locals:
            node.id = self._local(node.id)
        elif (self._decl.name[0], node.id) == self._decl.name:
            node.id = "@"
        elif (name := self._normal.name_of(node.id, self._decl)) is not None:
            node.id = self._normal.shown(name)
        return node
