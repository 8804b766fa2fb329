"""Finds levels that are not the first tag of a chain, or have no payload, as upstream's linter does.

Source: semantics.md#8.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.compiler.lintwalk import FIX, WHY, level_problem
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.upstream import advise_as_upstream, visits_from_roots
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for visit in visits_from_roots(view):
        found = next((found for tag in visit.tags if (found := level_problem(tag)) is not None), None)
        if found is not None:
            yield advise_as_upstream(visit, found, FIX)


RULE = LintRule(
    code="alphaBetaPrefix",
    severity="error",
    summary="+k8s:alpha and +k8s:beta are first in a chain, and have a payload.",
    why=WHY,
    good=field_of("+k8s:optional\n+k8s:alpha=+k8s:eachVal=+k8s:maxLength=5", "[]string"),
    bad=field_of("+k8s:optional\n+k8s:eachVal=+k8s:alpha=+k8s:maxLength=5", "[]string"),
    find=find,
    supersedes=("alphaBetaPrefix",),
    upstream=True,
)
