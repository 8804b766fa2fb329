"""Finds rules whose level differs between two versions of a kind. Reported in the version where it is lower."""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import TWO_VERSIONS
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import STRENGTH, tag_text
from harness.lint.versions import rules_by_key, versioned_fields
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for field in versioned_fields(view):
        own, others = rules_by_key(view, field.element), rules_by_key(field.other, field.counterpart)
        for key in (key for key in own if key in others):
            use, other = own[key], others[key]
            if STRENGTH[use.level] < STRENGTH[other.level]:
                message = f"{tag_text(use.tag)} on {path_of(field.element)} is {use.level} here"
                message += f" and {other.level or 'standard'} in {field.other.version}"
                subject = use.outer if use.is_own else field.element
                yield advise(subject, message, f"give it the same level: {tag_text(other.outer)}")


RULE = LintRule(
    code="level-differs-by-version",
    severity="warning",
    summary="A rule has a lower level than in another version of the kind.",
    why="the same object is rejected or accepted depending on the version that a client happens to use",
    good=TWO_VERSIONS.replace("@", "+k8s:beta=+k8s:maxLength=9"),
    bad=TWO_VERSIONS.replace("@", "+k8s:alpha=+k8s:maxLength=9"),
    find=find,
)
