"""Finds the functions near marked rules: those that mark an error as covered by a rule, and those whose errors are.

A plain run compares these errors with those of tags, so an edit there can be noticed without another release.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tree_sitter import Node

from harness.gotypes.gonodes import text_of, walk
from harness.limits import read_checkout
from harness.targets.kubernetes.mutants.gomutant import GoMutant
from harness.targets.kubernetes.mutants.gosource import ParsedFunction, imports_of, read_functions
from harness.targets.kubernetes.mutants.operators import MARK

_MARKS = re.compile(rf"\b{MARK}\b|\b\w*[cC]overed\b")
"""The mark itself, or an option that has a helper set it, as `sizeCovered` is."""


def near_marks(mutants: Iterable[GoMutant], folders: Mapping[str, Path]) -> list[GoMutant]:
    """Return the mutants of functions near marked rules. `folders` are those of modules, by their paths."""
    mutants = list(mutants)
    near: set[tuple[str, str]] = set()
    for module, file in sorted({(one.module, one.file) for one in mutants}):
        source = read_checkout(folders[module] / file)
        package, imports = f"{module}/{file.rpartition('/')[0]}", imports_of(source)
        for function in read_functions(file, source):
            if _MARKS.search(function.text):
                near.add((package, function.name))
                near |= {(imports.get(place, package), name) for place, name in _marked_calls(function)}
    return [one for one in mutants if (one.package, one.function) in near]


def _marked_calls(function: ParsedFunction) -> Iterator[tuple[str, str]]:
    """Yield the functions whose errors are marked where they are called, each with the name of its package or ``."""
    for node in walk(function.body):
        called = node.child_by_field_name("function") if node.type == "call_expression" else None
        if called is None or called.type != "selector_expression" or not text_of(called).endswith(f".{MARK}"):
            continue
        made = _innermost(called)
        if made is not None:
            place, _, name = text_of(made.child_by_field_name("function")).rpartition(".")
            yield place, name


def _innermost(called: Node) -> Node | None:
    """Return the first call of `a(...).B(...).C`."""
    operand = called.child_by_field_name("operand")
    while operand is not None and operand.type == "call_expression":
        inner = operand.child_by_field_name("function")
        deeper = inner.child_by_field_name("operand") if inner is not None else None
        if deeper is None or deeper.type != "call_expression":
            return operand
        operand = deeper
    return None
