"""Finds types defined by another type (`type B A`) that do not inherit the tags on A.

Source: semantics.md#S32, #S33.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.gotypes.model import Typedef
from harness.lint.advice import advise
from harness.lint.elements import types_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import find_uses, tag_text, uses_on, validation_tags
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element, declaration in types_of(view):
        if not isinstance(declaration, Typedef) or declaration.alias or declaration.underlying.kind != "named":
            continue
        source = view.types.find(declaration.underlying.name)
        lost = [use for use in find_uses(validation_tags(source.comments)) if use.can_reject] if source else []
        own = {(use.target, use.name) for use in uses_on(view, element)}
        for use in lost:
            if (use.target, use.name) not in own and source is not None:
                message = f"{declaration.name} does not inherit {tag_text(use.outer)} from {source.name}"
                fix = f"repeat it on {declaration.name}, or make it an alias: type {declaration.name} = {source.name}"
                yield advise(element, message, fix)


RULE = LintRule(
    code="copy-loses-rules",
    severity="warning",
    summary="A type defined by another type, whose type tags are not inherited.",
    why="`type B A` copies the fields with their tags, not the tags of A itself",
    good="// +k8s:maxLength=9\ntype A string\n\n// +k8s:maxLength=9\ntype B A\n\n" + field_of("+k8s:optional", "B"),
    bad="// +k8s:maxLength=9\ntype A string\n\ntype B A\n\n" + field_of("+k8s:optional", "B"),
    find=find,
)
