"""Finds +k8s:immutable on a root type.

Source: semantics.md#S4, #S15.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import types_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element, declaration in types_of(view):
        for use in uses_on(view, element) if declaration.name in view.roots else ():
            if use.name == "immutable" and not use.target:
                message = f"+k8s:immutable on the root type {declaration.name} rejects every update"
                yield advise(use, message, "put it on the field, usually spec")


RULE = LintRule(
    code="immutable-root",
    severity="error",
    summary="+k8s:immutable on a root type.",
    why="the rule never compares: it relies on an unchanged field being skipped, and nothing leads to a root",
    good='type T struct {\n\t// +k8s:required\n\t// +k8s:immutable\n\tA string `json:"a"`\n}\n',
    bad='// +k8s:immutable\ntype T struct {\n\t// +k8s:required\n\tA string `json:"a"`\n}\n',
    find=find,
)
