"""Finds OpenAPI tags (`+k8s:validation:`) with the name of a validation tag.

Source: semantics.md#1.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.elements import OPENAPI_PREFIX, tag_lines_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.view import PackageView
from harness.tags.registry import SPECS


def find(view: PackageView) -> Iterator[Advice]:
    for line in tag_lines_of(view):
        bare = line.name.removeprefix(OPENAPI_PREFIX) if line.name.startswith(OPENAPI_PREFIX) else ""
        if f"k8s:{bare}" in SPECS:
            message = f"+{line.name} goes into the OpenAPI schema and is not checked by declarative validation"
            yield Advice(line.position, len(line.name) + 1, message, f"add +k8s:{bare} if requests should be checked")


RULE = LintRule(
    code="tag-for-openapi",
    severity="note",
    summary="A +k8s:validation: tag, which documents a limit that nothing enforces.",
    why="these tags are read by openapi-gen alone",
    good=field_of("+k8s:optional\n+k8s:maxLength=3", "string"),
    bad=field_of("+k8s:optional\n+k8s:validation:maxLength=3", "string"),
    find=find,
    supersedes=("unknown-tag",),
)
