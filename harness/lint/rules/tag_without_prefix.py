"""Finds tag names without `k8s:`, except names that other generators or conventions use.

Source: semantics.md#1.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import propose_rewrite
from harness.lint.elements import is_tag, tag_lines_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.view import PackageView
from harness.tags.registry import SPECS

_SHARED = frozenset({"optional", "required", "enum", "listType", "listMapKey", "immutable", "unionDiscriminator",
                     "unionMember", "unique", "format", "minimum", "maximum", "item", "alpha", "beta", "update",
                     "forbidden"})  # fmt: skip
"""Names that other generators or conventions use without the prefix."""


def find(view: PackageView) -> Iterator[Advice]:
    for line in tag_lines_of(view):
        if ":" not in line.name and line.name not in _SHARED and f"k8s:{line.name}" in SPECS:
            message = f"+{line.name} has no prefix, so nothing is checked"
            edit = propose_rewrite(view, line.position, 1, "+k8s:") if is_tag(f"+k8s:{line.text[1:]}") else None
            yield Advice(line.position, len(line.name) + 1, message, f"write +k8s:{line.text[1:]}", edit)


RULE = LintRule(
    code="tag-without-prefix",
    severity="warning",
    summary="The name of a tag without k8s: before it.",
    why="+maxLength is a tag of another generator or of none; validation reads only names that start with k8s:",
    good=field_of("+optional\n+k8s:optional\n+k8s:maxLength=3", "string"),
    bad=field_of("+k8s:optional\n+maxLength=3", "string"),
    find=find,
    fixes=True,
)
