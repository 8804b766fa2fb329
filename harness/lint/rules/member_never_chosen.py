"""Finds union members whose name is not a value of the discriminator.

Source: semantics.md#5.9.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import member_of, path_of
from harness.lint.examples import UNION_BY_KIND
from harness.lint.rule import Advice, LintRule
from harness.lint.unions import discriminator_values, suggest, unions_of
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for _, union in unions_of(view):
        if union.discriminator is None:
            continue
        element, _ = union.discriminator
        known = discriminator_values(view, element)
        for member, use in union.members if known else ():
            given = use.tag.arg("memberName")
            value = given.text if given else member_of(member).name
            if not use.target and value not in known:
                said = "" if given else ", its Go name"
                message = f'{path_of(member)} belongs to "{value}"{said}, but {path_of(element)} is never that'
                yield advise(use, message, suggest(value, known, '(memberName: "%s")'))


RULE = LintRule(
    code="member-never-chosen",
    severity="error",
    summary="A union member whose name is not a value of the discriminator.",
    why=(
        "a member's name is its Go name unless memberName overrides it; if no value matches, "
        "setting the member is always an error"
    ),
    good=UNION_BY_KIND.replace("@", "required"),
    bad=UNION_BY_KIND.replace("@", "required").replace('(memberName: "B")', ""),
    find=find,
)
