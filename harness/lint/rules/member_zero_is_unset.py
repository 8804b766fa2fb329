"""Finds union members that are a bool or a number, and not a pointer.

Source: semantics.md#5.9.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import UNION
from harness.lint.rule import Advice, LintRule
from harness.lint.unions import unions_of
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for _, union in unions_of(view):
        for element, use in union.members:
            kind = view.types.kind(element.type)
            if not use.target and kind in ("bool", "integer") and not view.types.is_pointer(element.type):
                zero = "false" if kind == "bool" else "0"
                message = f"{path_of(element)} = {zero} is the same as unset, so it does not count as a member"
                yield advise(use, message, f"make it a pointer: *{element.type}")


RULE = LintRule(
    code="member-zero-is-unset",
    severity="warning",
    summary="A union member that is a bool or a number, and not a pointer.",
    why="a member counts as set when it is not zero",
    good=UNION.replace("@", "*int32"),
    bad=UNION.replace("@", "int32"),
    find=find,
)
