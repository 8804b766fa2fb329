"""Finds the lines of Python that decide whether one error is made: its statement, and the conditions that lead to it.

These are the headers of the branches and loops around the statement, and of earlier branches beside it that leave its
function or loop. What computes the values that they compare is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_LEAVE = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def lines_around(source: str, line: int) -> frozenset[int]:
    """Return the lines that decide about the statement at a line. Raises: SyntaxError."""
    return frozenset(_of_block(ast.parse(source).body, line))


def _of_block(block: Sequence[ast.AST], line: int) -> Iterator[int]:
    for number, node in enumerate(block):
        first, last = _span(node)
        if first <= line <= last:
            for earlier in block[:number]:
                if isinstance(earlier, ast.If) and isinstance(earlier.body[-1], _LEAVE):
                    yield from _header(earlier)
            yield from _of_statement(node, line)


def _of_statement(node: ast.AST, line: int) -> Iterator[int]:
    blocks = [block for name in _BLOCKS if (block := getattr(node, name, None))]
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield from _header(node)
    for block in blocks:
        yield from _of_block(block, line)


def _header(node: ast.AST) -> Iterator[int]:
    """Yield the lines of a statement without those of its blocks."""
    first, last = _span(node)
    blocks = [block for name in _BLOCKS if (block := getattr(node, name, None))]
    if blocks:
        last = max(first, _span(blocks[0][0])[0] - 1)
    yield from range(first, last + 1)


def _span(node: ast.AST) -> tuple[int, int]:
    """Return the first and last line of a statement, or of a case, which has no position of its own."""
    if isinstance(node, ast.match_case):
        return node.pattern.lineno, _span(node.body[-1])[1]
    first = getattr(node, "lineno", 0)
    return first, getattr(node, "end_lineno", None) or first
