"""Finds +k8s:zeroOrOneOfMember on fields of a struct: it is made for the items of a list.

Source: semantics.md#5.9; the warning of the tag in validation-gen of 1.36 and 1.37.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import UNION
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        for use in uses_on(view, element):
            if use.name == "zeroOrOneOfMember" and not any(step.startswith("item(") for step in use.target):
                message = f"+k8s:zeroOrOneOfMember is on {path_of(element)}, a field of a struct"
                yield advise(use, message, "+k8s:unionMember, with a member for the case that none of them is set")


RULE = LintRule(
    code="zero-or-one-of-fields",
    severity="warning",
    summary="+k8s:zeroOrOneOfMember on a field of a struct, instead of items of a list.",
    why=(
        "a client that does not know a member added later reads an object that sets it as one that sets none, which "
        "is valid here; upstream says to use the tag for items of lists alone"
    ),
    good=UNION.replace("@", "*string"),
    bad=UNION.replace("unionMember", "zeroOrOneOfMember").replace("@", "*string"),
    find=find,
)
