"""Parses the declarations of Python files. Docstrings and annotations count as comments."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

from harness.limits import read_checkout
from harness.verify.sources import Declaration, Name, lines_of

_LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER)
_BLOCKS = {tokenize.NEWLINE: ";", tokenize.INDENT: "{", tokenize.DEDENT: "}"}
"""Significant layout, as the tokens that other languages write for it."""
_Span = tuple[tuple[int, int], tuple[int, int]]


def read_module(root: Path, file: Path) -> dict[Name, Declaration]:
    """Parse a file of a checkout. A file that is missing or not Python has no declarations."""
    try:
        data = read_checkout(file)
        tree = ast.parse(data)
        tokens = [one for one in tokenize.tokenize(io.BytesIO(data).readline) if one.type not in _LAYOUT]
    except (OSError, SyntaxError, ValueError, RecursionError, tokenize.TokenError):
        return {}
    path, written = file.relative_to(root).as_posix(), data.decode("utf-8", "replace").split("\n")
    module = path.removesuffix(".py")
    imported = (alias for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names)
    imports = {alias.asname or alias.name: alias.name for alias in imported}
    found: dict[Name, Declaration] = {}
    for node in tree.body:
        comments = list(_comment_spans(node))
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        own_tokens = [
            (
                one.start[0],
                max(one.start[1], one.end[1] * (one.type == tokenize.INDENT)),
                _BLOCKS.get(one.type, one.string),
            )
            for one in tokens
            if first <= one.start[0] <= (node.end_lineno or first)
            and one.string != "->"
            and not (one.start[0] == first and one.type in (tokenize.INDENT, tokenize.DEDENT))
            and not any(start <= one.start < end for start, end in comments)
        ]
        for name in _declared(node) if own_tokens else ():
            found[module, name] = Declaration((module, name), path, lines_of(own_tokens, written), imports)
    return found


def _comment_spans(top: ast.stmt) -> Iterator[_Span]:
    """Yield the spans of docstrings and annotations, the latter with their colons."""
    for node in ast.walk(top):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield (node.lineno, node.col_offset), ((node.end_lineno or node.lineno) + 1, 0)
        elif isinstance(node, ast.arg) and node.annotation is not None:
            yield (node.lineno, node.col_offset + len(node.arg)), _span(node.annotation)[1]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield _span(node.returns)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield _span(node.target)[1], _span(node.annotation)[1]


def _span(node: ast.expr) -> _Span:
    return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


def _declared(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))
    elif not isinstance(node, ast.Import | ast.ImportFrom):
        yield f"#{ast.unparse(node)[:60]}"  # a statement that runs on import
