"""Finds options that a strategy passes and no tag of the kind reads, and those whose names cannot be read here.

Source: semantics.md#5.8, #7.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.examples import STRATEGY, field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.strategies import rules_of, versions_of
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for kind, strategies in sorted(view.strategies.items()):
        for position in strategies.unread:
            message = f"the options of {kind} cannot be read here, so they are not compared with tags"
            yield Advice(position, 1, message, 'name each in a map that compiles: "NAME", or string(features.NAME)')
        if not strategies.options:
            continue
        read = {name for one in versions_of(view, kind) for use, _ in rules_of(one, kind) for name, _ in use.options}
        for option, position in strategies.options.items():
            if option not in read:
                message = f"the option {option} is passed for {kind}, and no tag of {kind} reads it"
                yield Advice(position, len(option), message, "remove it, or add the tags that should read it")


RULE = LintRule(
    code="option-never-read",
    severity="note",
    summary="A strategy passes an option that no tag of the kind reads.",
    why="it has no effect: a tag was removed or forgotten, or the option is that of another kind",
    good=field_of("+k8s:ifEnabled(FeatureA)=+k8s:optional\n+k8s:ifDisabled(FeatureA)=+k8s:forbidden", "*string"),
    bad=field_of("+k8s:optional", "*string"),
    strategy=STRATEGY.format("Options: map[string]bool{string(features.FeatureA): true}"),
    find=find,
)
