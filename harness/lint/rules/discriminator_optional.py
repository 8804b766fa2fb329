"""Finds unions whose discriminator is optional.

Source: semantics.md#5.9.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import UNION_BY_KIND
from harness.lint.rule import Advice, LintRule
from harness.lint.unions import unions_of
from harness.lint.uses import uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for _, union in unions_of(view):
        if union.discriminator is None or not union.members:
            continue
        element, use = union.discriminator
        found = [one for one in uses_on(view, element) if not one.target]
        if not any(one.name == "required" for one in found) and any(one.name == "optional" for one in found):
            message = f"{path_of(element)} may be omitted, and then no member of the union is required"
            yield advise(use, message, "put +k8s:required on it, if one member must always be set")


RULE = LintRule(
    code="discriminator-optional",
    severity="note",
    summary="A union whose discriminator is optional.",
    why="without a value the discriminator names no member, so an object with none of them passes",
    good=UNION_BY_KIND.replace("@", "required"),
    bad=UNION_BY_KIND.replace("@", "optional"),
    find=find,
)
