"""Which JSON paths a piece of a handwritten Python validator speaks of.

Paths are followed from the entry (`Path().child("spec")`) through calls, by name and position; words that loops and
arguments hand over are followed too. What is not understood has no path.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import product

from harness.jsonpath import ITEMS, join
from harness.verify.pycode import PyDecl, PyNormal
from harness.verify.renames import Name

_MOST = 200
_ROUNDS = 12


@dataclass
class _Scope:
    """What is known inside a function: paths and words by name, as handed over and as assigned."""

    paths: dict[str, set[str]] = field(default_factory=dict)
    words: dict[str, set[str]] = field(default_factory=dict)


class PyPaths:
    """The paths of one kind: those its functions work on when `entry` validates an object."""

    def __init__(self, decls: Mapping[Name, PyDecl], entry: Name) -> None:
        self._decls = decls
        self._normal = PyNormal(decls)
        self._given: dict[Name, _Scope] = {entry: _Scope()}
        self._scopes: dict[Name, _Scope] = {}
        waiting, rounds = [entry], dict[Name, int]()
        while waiting:
            name = waiting.pop()
            rounds[name] = rounds.get(name, 0) + 1
            if name in decls and rounds[name] <= _ROUNDS:
                waiting += self._run(decls[name])

    def reaches(self, name: Name) -> bool:
        """Whether a function is called, with paths or without."""
        return name in self._scopes

    def named_in(self, decl: PyDecl, nodes: Iterable[ast.AST]) -> set[str]:
        """Return the paths that pieces of a function speak of; none where none is understood."""
        scope = self._scopes.get(decl.name, _Scope())
        return {path for node in nodes for path in self._within(node, scope)}

    def handed(self, decl: PyDecl) -> set[str]:
        """Return the paths that a function is called with."""
        given = self._given.get(decl.name, _Scope())
        return {path for paths in given.paths.values() for path in paths}

    def is_path(self, decl: PyDecl, node: ast.expr) -> bool:
        """Whether an expression is a path."""
        return bool(self._path(node, self._scopes.get(decl.name, _Scope())))

    # Following calls

    def _run(self, decl: PyDecl) -> Iterator[Name]:
        given = self._given.get(decl.name, _Scope())
        scope = self._scopes[decl.name] = _Scope(
            {name: set(found) for name, found in given.paths.items()},
            {name: set(found) for name, found in given.words.items()},
        )
        for node in _in_order(decl.node):
            self._bind(node, scope)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                callee = self._normal.name_of(node.func.id, decl)
                if callee is not None and callee in self._decls and self._hand_over(node, self._decls[callee], scope):
                    yield callee

    def _bind(self, node: ast.AST, scope: _Scope) -> None:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                values = node.value.elts if isinstance(node.value, ast.Tuple) else []
                parts = target.elts if isinstance(target, ast.Tuple) and len(target.elts) == len(values) else []
                for one, value in zip(parts, values, strict=True) if parts else ((target, node.value),):
                    if isinstance(one, ast.Name):
                        self._put(one.id, value, scope)
        elif isinstance(node, ast.For | ast.comprehension):
            self._loop(node.target, node.iter, scope)

    def _put(self, name: str, value: ast.expr, scope: _Scope) -> None:
        if paths := self._path(value, scope):
            scope.paths[name] = paths
        elif words := _words(value, scope):
            scope.words[name] = words

    def _loop(self, target: ast.expr, over: ast.expr, scope: _Scope) -> None:
        """Take the words of `for name in ("a", "b")`, and the paths of `for value, at in ((x, path), ...)`."""
        items = over.elts if isinstance(over, ast.Tuple | ast.List | ast.Set) else []
        if isinstance(target, ast.Name):
            words = {word for item in items for word in _words(item, scope)}
            scope.words.update({target.id: words} if words else {})
            paths = {path for item in items for path in self._path(item, scope)}
            scope.paths.update({target.id: paths} if paths else {})
        elif isinstance(target, ast.Tuple):
            for number, one in enumerate(target.elts):
                parts = [item.elts[number] for item in items if isinstance(item, ast.Tuple) and number < len(item.elts)]
                if parts:
                    self._loop(one, ast.List(parts, ast.Load()), scope)

    def _hand_over(self, call: ast.Call, callee: PyDecl, scope: _Scope) -> bool:
        """Bind what a call hands over, and say whether the callee learnt something, its being called included."""
        known = self._given.get(callee.name)
        given = self._given.setdefault(callee.name, _Scope())
        learnt = known is None
        arguments = getattr(callee.node, "args", None)
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)] if arguments else []
        handed = [*zip(names, call.args, strict=False), *((one.arg, one.value) for one in call.keywords if one.arg)]
        for name, value in handed:
            for found, kept in ((self._path(value, scope), given.paths), (_words(value, scope), given.words)):
                new = found - kept.get(name, set())
                if new and len(kept.get(name, ())) < _MOST:
                    kept.setdefault(name, set()).update(new)
                    learnt = True
        return learnt

    # Reading expressions

    def _within(self, node: ast.AST, scope: _Scope) -> Iterator[str]:
        """Yield the paths of the longest expressions that are paths."""
        if isinstance(node, ast.expr) and (paths := self._path(node, scope)):
            yield from paths
            return
        for child in ast.iter_child_nodes(node):
            yield from self._within(child, scope)

    def _path(self, node: ast.expr, scope: _Scope) -> set[str]:
        match node:
            case ast.Name(id=name):
                return scope.paths.get(name, set())
            case ast.Call(func=ast.Name(id="Path"), args=[]):
                return {""}
            case ast.Call(func=ast.Attribute(value=inner, attr="child"), args=args):
                found = self._path(inner, scope)
                words = [_words(one, scope) for one in args]
                return {_child(path, names) for path in found for names in product(*words)} if all(words) else set()
            case ast.Call(func=ast.Attribute(value=inner, attr="index" | "key")):
                return {join(path, ITEMS) for path in self._path(inner, scope)}
            case ast.IfExp(body=one, orelse=other):
                return self._path(one, scope) | self._path(other, scope)
        return set()


def _child(path: str, names: Iterable[str]) -> str:
    return reduce(join, names, path)


def _words(node: ast.expr, scope: _Scope) -> set[str]:
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.Name(id=name):
            return scope.words.get(name, set())
    return set()


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all below it, in the order of the text; comprehensions before what they make."""
    yield node
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        children = [*node.generators, *(child for child in children if not isinstance(child, ast.comprehension))]
    for child in children:
        yield from _in_order(child)
