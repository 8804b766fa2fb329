"""Finds limits that differ between two versions of a kind. Reported in the version that is less mature."""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import TWO_VERSIONS
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text
from harness.lint.versions import rules_by_key, version_order, versioned_fields
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for field in versioned_fields(view):
        if version_order(view.version) >= version_order(field.other.version):
            continue
        own, others = rules_by_key(view, field.element), rules_by_key(field.other, field.counterpart)
        for key in (key for key in own if key in others):
            use, other = own[key], others[key]
            if use.number != other.number:
                message = f"{tag_text(use.tag)} on {path_of(field.element)}"
                message += f", but {tag_text(other.tag)} in {field.other.version}"
                yield advise(use if use.is_own else field.element, message, f"use one limit: {tag_text(other.tag)}")


RULE = LintRule(
    code="limit-differs-by-version",
    severity="warning",
    summary="A limit is another number than in another version of the kind.",
    why="an object that one version accepts cannot be written again through the other",
    good=TWO_VERSIONS.replace("@", "+k8s:beta=+k8s:maxLength=9"),
    bad=TWO_VERSIONS.replace("@", "+k8s:beta=+k8s:maxLength=8"),
    find=find,
)
