"""Finds tags on fields that are not exported.

Source: semantics.md#2.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise, propose_deletion
from harness.lint.elements import path_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    members = [element for element in tagged_elements(view) if element.member is not None and element.tags]
    seen = {tag.position for element in members if element.member and element.member.exported for tag in element.tags}
    for element in members:
        if element.member is not None and not element.member.exported:
            for use in uses_on(view, element):
                if use.outer.position not in seen:  # `A, b string` share their comment
                    message = f"{tag_text(use.outer)} does nothing: {path_of(element)} is not exported"
                    yield advise(
                        use.outer,
                        message,
                        "export the field, or remove the tag",
                        propose_deletion(view, use.outer),
                    )


RULE = LintRule(
    code="tag-unexported",
    severity="error",
    summary="A tag on a field that is not exported.",
    why="validation sees only fields whose name starts with an upper-case letter",
    good='type T struct {\n\t// +k8s:required\n\tA string `json:"a"`\n}\n',
    bad="type T struct {\n\t// +k8s:required\n\ta string\n}\n",
    find=find,
    fixes=True,
)
