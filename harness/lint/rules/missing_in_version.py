"""Finds fields that lack a rule that they have in another version of the kind."""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import TWO_VERSIONS
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import Use, tag_text
from harness.lint.versions import RuleKey, rules_by_key, version_order, versioned_fields
from harness.lint.view import Element, PackageView


def find(view: PackageView) -> Iterator[Advice]:
    lacking: dict[tuple[int, RuleKey], tuple[Element, Use, list[str]]] = {}
    for field in versioned_fields(view):
        own, others = rules_by_key(view, field.element), rules_by_key(field.other, field.counterpart)
        for key in (key for key in others if key not in own):
            _, _, versions = lacking.setdefault((id(field.element), key), (field.element, others[key], []))
            versions.append(field.other.version)
    for element, use, versions in lacking.values():
        listed = " and ".join(sorted(set(versions), key=lambda version: (version_order(version), version)))
        message = f"{path_of(element)} has no {tag_text(use.outer)}, which it has in {listed}"
        yield advise(element, message, f"add it, or remove it from {listed}")


RULE = LintRule(
    code="missing-in-version",
    severity="warning",
    summary="A field lacks a rule that it has in another version of the kind.",
    why="versions are converted into each other: what one accepts, another would reject",
    good=TWO_VERSIONS.replace("@", "+k8s:beta=+k8s:maxLength=9"),
    bad=TWO_VERSIONS.replace("@", "The name."),
    find=find,
)
