"""Finds +k8s:item with a key that is misspelt: it is similar to a constant of the key's type, but not equal.

Source: semantics.md#3.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from harness.lint.advice import advise
from harness.lint.elements import target_type
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tagged_elements
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        for tag, _ in element.find_tags("k8s:item"):
            ref = target_type(view, element.type, ("eachVal",)) if view.types.value(element.type).elem else None
            struct = view.types.struct(ref) if ref else None
            for arg in tag.args if struct else ():
                key = view.types.member(struct, arg.name) if struct else None
                known = [c.value for c in view.types.consts_of(view.types.declared(key.type).name)] if key else []
                words = [value for value in known if isinstance(value, str)]
                meant = get_close_matches(arg.value.text, words, n=1, cutoff=0.8)
                if meant and arg.value.text not in words:
                    message = f'no constant of {key.type if key else ""} is "{arg.value.text}"'
                    yield advise(tag, message, f'did you mean {arg.name}: "{meant[0]}"?')


_ITEM = """type Kind string

const (
	Ready Kind = "Ready"
)

type T struct {
	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=kind
	// +k8s:item(kind: "@")=+k8s:immutable
	F []S `json:"f"`
}

type S struct {
	// +k8s:required
	Kind Kind `json:"kind"`
}
"""

RULE = LintRule(
    code="item-near-miss",
    severity="warning",
    summary="+k8s:item selects by a value that is nearly a constant of the key's type.",
    why="the rule applies to an item that never occurs",
    good=_ITEM.replace("@", "Ready"),
    bad=_ITEM.replace("@", "Raedy"),
    find=find,
)
