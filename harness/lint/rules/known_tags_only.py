"""Finds generator tags in doc.go that belong to no generator.

Source: semantics.md#8.4.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.diagnostics import near_miss
from harness.lint.rule import Advice, LintRule
from harness.lint.upstream import GENERATORS
from harness.lint.view import PackageView
from harness.tags.grammar import tag_lines


def find(view: PackageView) -> Iterator[Advice]:
    package = view.universe.package(view.path)
    for line in tag_lines(package.comments):
        base = ":".join(line.name.split(":")[:2])
        if line.name.startswith("k8s:") and "-gen" in line.name and base not in GENERATORS:
            message = f"unrecognized +k8s: tag(s): +{line.name}"
            yield Advice(line.position, len(line.name) + 1, message, near_miss(base, sorted(GENERATORS)))


RULE = LintRule(
    code="known-tags-only",
    severity="warning",
    summary="Every +k8s:*-gen tag of doc.go belongs to a known generator.",
    why="a misspelt generator tag is ignored silently, and the generator does not run",
    good="// +k8s:deepcopy-gen=package\n\npackage v1\n",
    bad="// +k8s:deepcopi-gen=package\n\npackage v1\n",
    find=find,
    upstream=True,
    opt_in=True,
)
