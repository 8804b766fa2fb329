"""Reads nodes of Go's syntax tree: their text, and those below them."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

FUNCTIONS = ("function_declaration", "method_declaration")
"""The types of nodes that declare functions."""


def text_of(node: Node | None) -> str:
    """Return the source text of a node; empty for none."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all named nodes below it, in the order of the source."""
    yield from _walk(node, ())


def below(node: Node, *types: str, stops: tuple[str, ...] = ()) -> Iterator[Node]:
    """Yield the nodes of some types in a tree, the node itself among them; nothing below nodes of the types `stops`."""
    return (one for one in _walk(node, stops) if one.type in types)


def _walk(node: Node, stops: tuple[str, ...]) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        if one.type not in stops:
            waiting += reversed(one.named_children)
