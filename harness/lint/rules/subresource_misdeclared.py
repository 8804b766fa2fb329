"""Finds subresource tags that match no request: a path that nothing serves, a type that is no root, a second path.

Source: semantics.md#1.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise, propose_rewrite
from harness.lint.elements import types_of
from harness.lint.examples import ROOTS, STATUS_TAG
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import subresource_tags, tag_text
from harness.lint.view import PackageView
from harness.openapi.crds import plural_of


def find(view: PackageView) -> Iterator[Advice]:
    for element, declaration in types_of(view):
        found = subresource_tags(element)
        for tag in found:
            text = tag.scalar.text if tag.scalar else ""
            if view.roots and declaration.name not in view.roots:
                yield advise(
                    tag, f"{tag_text(tag)} does nothing: {declaration.name} is no root type", "put it on the root type"
                )
            elif not text.startswith("/"):
                message = f'no request has the subresource path "{text}"'
                edit = propose_rewrite(view, tag.position, len(tag.source.strip()), f'+{tag.name}="/{text}"')
                yield advise(tag, message, f'+{tag.name}="/{text}"', edit if "#" not in tag.source else None)
            elif view.subresources and text not in view.subresources:
                paths = ", ".join(sorted(view.subresources))
                yield advise(tag, f'nothing serves a subresource "{text}"', f"name one that is served: {paths}")
            elif not _is_served(view, declaration.name, text):
                message = f'nothing serves a subresource "{text}" of {declaration.name}'
                yield advise(tag, message, "remove the tag, or make a storage for the subresource")
        own = [tag for tag in found if tag.name == "k8s:isSubresource"]
        for tag in own[1:]:
            yield advise(
                tag,
                f"{declaration.name} has a second {tag_text(tag)}",
                "keep one; +k8s:supportsSubresource may be repeated",
            )


def _is_served(view: PackageView, kind: str, path: str) -> bool:
    """Whether a kind has a storage for a subresource, as far as its storages are known."""
    strategies = view.strategies.get(kind)
    storages = strategies.resources.get(plural_of(kind), ()) if strategies is not None else ()
    return not storages or f"{plural_of(kind)}{path}" in storages


RULE = LintRule(
    code="subresource-misdeclared",
    severity="error",
    summary="A subresource tag that no request matches.",
    why="a path starts with a slash and names a subresource that is served, and only root types handle requests",
    good=ROOTS.format(STATUS_TAG, '"/status"'),
    bad=ROOTS.format(STATUS_TAG, '"status"'),
    find=find,
    fixes=True,
)
