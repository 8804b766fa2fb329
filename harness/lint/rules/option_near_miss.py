"""Finds options that are probably misspelt: used once, and similar to a common option or to a feature gate.

Source: semantics.md#5.8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

from harness.lint.advice import advise
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tagged_elements, uses_on
from harness.lint.view import PackageView
from harness.tags.grammar import Tag


def find(view: PackageView) -> Iterator[Advice]:
    counted = Counter(name for one in (view, *view.siblings.values()) for name, _ in _options(one))
    gates = {line.text.partition("=")[2].strip() for e in view.elements for line in e.comments
             if line.text.lstrip().startswith("+featureGate=")}  # fmt: skip
    for name, tag in _options(view):
        if counted[name] > 1 or name in gates:
            continue
        for known in sorted({*counted, *gates} - {name}):
            sure = counted[known] > 1 or known in gates
            if sure and SequenceMatcher(None, name, known).ratio() >= 0.9:
                message = f"the option {name} is used once, {known} more often: are they one?"
                yield advise(tag, message, f"did you mean {known}?")


def _options(view: PackageView) -> Iterator[tuple[str, Tag]]:
    for element in tagged_elements(view):
        for use in uses_on(view, element):
            yield from use.options


_OPTIONS = """+k8s:ifEnabled(FeatureA)=+k8s:optional
+k8s:ifEnabled(FeatureA)=+k8s:maxLength=9
+k8s:ifDisabled({})=+k8s:forbidden"""

RULE = LintRule(
    code="option-near-miss",
    severity="warning",
    summary="An option that is used once and looks like another one.",
    why="an undefined option makes every request for the field an internal error",
    good=field_of(_OPTIONS.format("FeatureA"), "string"),
    bad=field_of(_OPTIONS.format("FeaturA"), "string"),
    find=find,
)
