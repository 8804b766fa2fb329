"""Finds unions with one member and no discriminator.

Source: semantics.md#5.9.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import UNION
from harness.lint.rule import Advice, LintRule
from harness.lint.unions import unions_of
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for group, union in unions_of(view):
        if len(union.members) == 1 and union.discriminator is None:
            element, use = union.members[0]
            if group == "unionMember":
                message = f"{path_of(element)} is the only member of its union, which makes it required"
                yield advise(use, message, "write +k8s:required, or add the other members (check their union names)")
            else:
                message = f"{path_of(element)} is the only one of which at most one may be set: nothing is checked"
                yield advise(use, message, "remove it, or add the other members (check their union names)")


RULE = LintRule(
    code="lone-union-member",
    severity="note",
    summary="A union with one member.",
    why=(
        "one of one must always be set, and of one at most one always is: another tag expresses it better, "
        "or the members are in different unions"
    ),
    good=UNION.replace("@", "*string"),
    bad=UNION.replace("@", "*string").replace("\t// +k8s:unionMember\n\tB", "\tB"),
    find=find,
)
