"""Finds +k8s:enumExclude where it has no effect: on a constant without an enum, or under several conditions.

Source: semantics.md#5.4.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import find_uses, tagged_elements, uses_on, validation_tags
from harness.lint.view import PackageView
from harness.tags.spec import Scope


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        if element.scope is not Scope.CONST:
            continue
        for use in uses_on(view, element):
            if use.name != "enumExclude":
                continue
            declaration = view.types.find(element.type.name)
            tags = [] if declaration is None else list(validation_tags(declaration.comments))
            if not any(one.name == "enum" for one in find_uses(tags)):
                name = element.type.name.rpartition(".")[2]
                message = f"+k8s:enumExclude does nothing on {element.name}: "
                message += f"{name} is no +k8s:enum" if name else "the constant has no type"
                yield advise(use, message, f"put +k8s:enum on {name}" if name else "give the constant its type")
            elif len(use.wrappers) > 1:
                yield advise(use, "+k8s:enumExclude under more than one condition is ignored", "use one option")


_ENUM = """@type E string

const (
	A E = "a"
	// +k8s:enumExclude
	B E = "b"
)

type T struct {
	// +k8s:optional
	F E `json:"f"`
}
"""

RULE = LintRule(
    code="exclusion-outside-enum",
    severity="warning",
    summary="+k8s:enumExclude on a constant of no enum, or nested too deeply.",
    why="only constants that are declared with exactly the type of an enum belong to it",
    good=_ENUM.replace("@", "// +k8s:enum\n"),
    bad=_ENUM.replace("@", ""),
    find=find,
)
