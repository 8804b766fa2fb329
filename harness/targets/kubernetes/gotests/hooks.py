"""Puts a call at the start of every validator of a package, which tells what the validator is given.

A validator is a function that returns a list of field errors: tests call those that are not exported as well. Functions
with parameters that have no name are left as they are, since nothing can be told of them. No line of a file moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter_go
from tree_sitter import Language, Node, Parser

RECORD = "harnessrecord"
"""The package that is called, below `pkg` of the release."""
SOURCE = b"""// Package harnessrecord is where validators tell what they are given.
package harnessrecord

// Hook is called at the start of every validator, while it is set.
var Hook func(function string, names []string, arguments []any)

// Call tells what a validator is given.
func Call(function string, names []string, arguments ...any) {
	if Hook != nil {
		Hook(function, names, arguments)
	}
}
"""

_GO = Language(tree_sitter_go.language())


@dataclass(frozen=True, slots=True)
class HookedFile:
    """A file with the calls in it, and the names of the validators that call."""

    source: bytes
    validators: tuple[str, ...]


def hook_validators(source: bytes, package: str, record: str) -> HookedFile:
    """Return a file of the package with the calls; without any when it does not parse or has no validators."""
    root = Parser(_GO).parse(source).root_node
    clause = next((node for node in root.named_children if node.type == "package_clause"), None)
    if root.has_error or clause is None:
        return HookedFile(source, ())
    found = [(name, names, begin) for name, names, begin in _validators(root) if names]
    for name, names, begin in reversed(found):
        quoted = ", ".join(f'"{one}"' for one in names)
        call = f' {RECORD}.Call("{package}.{name}", []string{{{quoted}}}, {", ".join(names)});'
        source = source[:begin] + call.encode() + source[begin:]
    if found:
        source = source[: clause.end_byte] + f'; import {RECORD} "{record}"'.encode() + source[clause.end_byte :]
    return HookedFile(source, tuple(name for name, _, _ in found))


def _validators(root: Node) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yield the name of each validator, those of its parameters, and the byte after the brace that opens its body."""
    for function in root.named_children:
        if function.type != "function_declaration":
            continue
        name, body = function.child_by_field_name("name"), function.child_by_field_name("body")
        result, parameters = function.child_by_field_name("result"), function.child_by_field_name("parameters")
        if name is None or body is None or result is None or parameters is None or name.text is None:
            continue
        if b"ErrorList" in (result.text or b""):
            yield name.text.decode(), _names(parameters), body.start_byte + 1


def _names(parameters: Node) -> tuple[str, ...]:
    """Return the names of parameters, none if one has no name."""
    names = []
    for declared in parameters.named_children:
        own = [(node.text or b"").decode() for node in declared.children_by_field_name("name")]
        if declared.type != "comment":
            names += own or ["_"]
    return () if "_" in names else tuple(names)
