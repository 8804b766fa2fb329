"""Compares a package with what it was before a change: finds the elements that it had already, and their rules.

Left out are +k8s:optional, which rejects nothing that was accepted; rules that an option enables, because its gate
decides when they run; and packages of an alpha version, whose objects may stop being valid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from harness.lint.uses import Use, tagged_elements, uses_on
from harness.lint.versions import RuleKey, rules_by_key
from harness.lint.view import Element, PackageView


@dataclass(frozen=True, slots=True)
class KeptElement:
    """A type or field that there was before the change, with its own rules now and all rules that applied before."""

    element: Element
    rules: dict[RuleKey, Use]
    before: dict[RuleKey, Use]


def kept_elements(view: PackageView) -> Iterator[KeptElement]:
    """Yield the elements with rules that the base has too."""
    if view.base is None or "alpha" in view.version:
        return
    known = {_name(element): element for element in view.base.elements}
    for element in tagged_elements(view):
        before = known.get(_name(element))
        if before is not None:
            own = set(map(id, uses_on(view, element)))
            found = {key: use for key, use in rules_by_key(view, element).items() if id(use) in own}
            rules = {key: use for key, use in found.items() if _is_about_all_objects(use)}
            yield KeptElement(element, rules, rules_by_key(view.base, before))


def _name(element: Element) -> tuple[str, str, str]:
    return element.scope.name, element.declaration.name, element.name


def _is_about_all_objects(use: Use) -> bool:
    is_gated = any(wrapper.name in ("k8s:ifEnabled", "k8s:ifDisabled") for wrapper in use.wrappers)
    return use.can_reject and use.name != "optional" and not is_gated
