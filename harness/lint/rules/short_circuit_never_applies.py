"""Finds strategies that let a short-circuit account for other errors, though no tag of the kind short-circuits so.

Source: semantics.md#6.5, #3.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.examples import STRATEGY, field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.strategies import rules_of, short_circuits_above, versions_of
from harness.lint.view import PackageView

_FIELD = 'type S struct {\n\t// +k8s:required\n\tN string `json:"n"`\n}\n\n'


def find(view: PackageView) -> Iterator[Advice]:
    for kind, strategies in sorted(view.strategies.items()):
        position = strategies.short_circuits
        if position is not None and not any(
            short_circuits_above(one, use, ref) for one in versions_of(view, kind) for use, ref in rules_of(one, kind)
        ):
            message = f"ShortCircuitMismatch is set for {kind}, and no alpha or beta tag of a struct, list or map "
            yield Advice(position, 4, f"{message}short-circuits there", "leave ShortCircuitMismatch out")


RULE = LintRule(
    code="short-circuit-never-applies",
    severity="note",
    summary="A strategy sets ShortCircuitMismatch, and no tag of the kind short-circuits above other fields.",
    why=(
        "the setting lets a declarative error of a field account for handwritten errors below it; where none is "
        "needed, it hides differences that come later"
    ),
    good=field_of("+k8s:optional\n+k8s:alpha=+k8s:immutable", "*S", _FIELD),
    bad=field_of("+k8s:optional\n+k8s:alpha=+k8s:immutable", "*string", _FIELD),
    strategy=STRATEGY.format("ShortCircuitMismatch: true"),
    find=find,
)
