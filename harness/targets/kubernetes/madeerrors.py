"""Lets a worker see where each error of its release is made, by a changed copy of one file of the release.

`field.Error` keeps no stack. Every constructor of its package ends in `return &Error{...}`; in the copy, which
`go build -overlay` puts in place of the file, each of them passes the error to a function that does nothing until the
worker sets what it calls. A file of another form is left as it is, and no error is traced.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import tree_sitter_go
from tree_sitter import Language, Node, Parser

from harness.limits import read_checkout
from harness.targets.kubernetes.hooks import Hook

MODULE = "k8s.io/apimachinery"
ERRORS = "pkg/util/validation/field/errors.go"

_GO = Language(tree_sitter_go.language())
_HOOK = b"""
// HarnessMade is told of every error that a constructor makes, while it is set.
var HarnessMade func(*Error)

func harnessMade(err *Error) *Error {
	if HarnessMade != nil {
		HarnessMade(err)
	}
	return err
}
"""
_LEAST = 10
"""A package with fewer constructors than this is not the one that is known."""

_CONNECTION = """package main

import "k8s.io/apimachinery/pkg/util/validation/field"

func init() { errorHook = func(made func(*field.Error)) { field.HarnessMade = made } }
"""


def tell_made_errors(apimachinery: Path) -> bytes:
    """Return the file of error constructors with the hook in it; empty if it has another form."""
    file = apimachinery / ERRORS
    source = read_checkout(file) if file.is_file() else b""
    made = list(_made_errors(source))
    if len(made) < _LEAST or b"arnessMade" in source:
        return b""
    for begin, end in reversed(made):
        source = source[:begin] + b"harnessMade(" + source[begin:end] + b")" + source[end:]
    return source + _HOOK


def _made_errors(source: bytes) -> Iterator[tuple[int, int]]:
    """Yield begin and end of every `&Error{...}` that a function of the file returns, in order."""
    root = Parser(_GO).parse(source).root_node
    if root.has_error:
        return
    for function in root.named_children:
        body = function.child_by_field_name("body") if function.type == "function_declaration" else None
        for statement in body.named_children if body is not None else ():
            yield from (_range(node) for node in _returned(statement) if _is_new_error(node))


def _returned(statement: Node) -> Iterator[Node]:
    if statement.type == "return_statement":
        for values in statement.named_children:
            yield from values.named_children
    elif statement.type == "statement_list":
        for inner in statement.named_children:
            yield from _returned(inner)


def _is_new_error(node: Node) -> bool:
    value = node.child_by_field_name("operand") if node.type == "unary_expression" else None
    kind = value.child_by_field_name("type") if value is not None and value.type == "composite_literal" else None
    return kind is not None and kind.text == b"Error"


def _range(node: Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


MADE_ERRORS = Hook(MODULE, ERRORS, tell_made_errors, _CONNECTION)
