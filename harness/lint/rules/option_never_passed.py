"""Finds options that a tag reads and no strategy of the kind passes.

Source: semantics.md#5.8, #7.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.examples import STRATEGY, field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.strategies import rules_of
from harness.lint.uses import tag_text
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for kind, strategies in sorted(view.strategies.items()):
        if strategies.unread:  # option-never-read says so
            continue
        for use, _ in rules_of(view, kind):
            for option, tag in use.options:
                if option not in strategies.options:
                    passed = ", ".join(sorted(strategies.options)) or "none"
                    message = f"{tag_text(tag)} reads the option {option}, which no strategy of {kind} passes"
                    yield advise(tag, message, f"pass it in the strategy of {kind}, which passes {passed}")


RULE = LintRule(
    code="option-never-passed",
    severity="error",
    summary="A tag reads an option that no strategy of the kind passes.",
    why=(
        "since 1.37 every request whose validation reads the option is answered with an internal error; before, the "
        "option was always off"
    ),
    good=field_of("+k8s:ifEnabled(FeatureA)=+k8s:optional\n+k8s:ifDisabled(FeatureA)=+k8s:forbidden", "*string"),
    bad=field_of("+k8s:ifEnabled(FeatureA)=+k8s:optional\n+k8s:ifDisabled(FeatureB)=+k8s:forbidden", "*string"),
    strategy=STRATEGY.format("Options: map[string]bool{string(features.FeatureA): true}"),
    find=find,
)
