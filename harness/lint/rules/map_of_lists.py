"""Finds maps of lists whose items have rules.

Source: semantics.md#S20.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import S
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import is_validated
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in view.elements:
        declared = view.types.declared(element.type)
        if element.member is None or declared.kind != "map" or declared.elem is None:
            continue
        inner = view.types.declared(declared.elem)
        struct = view.types.struct(inner.elem) if inner.kind == "list" and inner.elem else None
        if struct is not None and is_validated(view, struct):
            message = f"the rules of {struct.name} never run in {path_of(element)}, a map of lists"
            yield advise(element, message, "use a list with keys, or check it by hand")


RULE = LintRule(
    code="map-of-lists",
    severity="warning",
    summary="A map of lists of something that has rules.",
    why="upstream does not iterate over the lists in a map, and reports nothing as long as the field has no tags",
    good='type T struct {\n\tF map[string]S `json:"f"`\n}\n\n' + S,
    bad='type T struct {\n\tF map[string][]S `json:"f"`\n}\n\n' + S,
    find=find,
)
