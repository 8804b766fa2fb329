"""Finds pointers to a struct with rules that are checked for nil in one mode only, so that other requests panic.

Upstream's linter accepts such a check.

Source: semantics.md#S5.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import S, mode_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import PRESENCE, is_validated, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        guards = [use for use in uses_on(view, element) if use.name in PRESENCE]
        struct = view.types.struct(element.type) if view.types.is_pointer(element.type) else None
        opaque = any(use.name == "opaqueType" and not use.target for use in uses_on(view, element))
        if struct is None or opaque or not guards or element.member is None:
            continue
        if all(use.is_in_mode or use.target for use in guards) and is_validated(view, struct):
            message = f"a request without {path_of(element)} panics: only a mode checks whether it is missing"
            yield advise(element, message, "add +k8s:optional")


RULE = LintRule(
    code="nil-panics",
    severity="error",
    summary="A pointer to a struct with rules, which only a mode guards against nil.",
    why=(
        "rules of a mode do not short-circuit others; the struct's rules dereference nil, and every request "
        "fails with an internal error"
    ),
    good=S + mode_of('+k8s:ifMode("A")=+k8s:required\n+k8s:optional', "*S"),
    bad=S + mode_of('+k8s:ifMode("A")=+k8s:required', "*S"),
    find=find,
)
