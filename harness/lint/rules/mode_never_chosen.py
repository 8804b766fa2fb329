"""Finds +k8s:ifMode with a value that the discriminator never has.

Source: semantics.md#5.10.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of, struct_elements
from harness.lint.rule import Advice, LintRule
from harness.lint.unions import discriminator_values, suggest
from harness.lint.uses import uses_on
from harness.lint.view import PackageView
from harness.tags.grammar import Tag


def find(view: PackageView) -> Iterator[Advice]:
    for fields in struct_elements(view).values():
        discriminators = {
            _modality(use.tag): element
            for element in fields
            for use in uses_on(view, element)
            if use.name == "modeDiscriminator"
        }
        for element in fields:
            for tag, _ in element.find_tags("k8s:ifMode"):
                mode, holder = tag.arg("mode") or tag.arg(), discriminators.get(_modality(tag))
                known = discriminator_values(view, holder) if holder else []
                if mode and known and holder and mode.text not in known:
                    message = f'+k8s:ifMode names "{mode.text}", but {path_of(holder)} is never that'
                    yield advise(tag, message, suggest(mode.text, known, '"%s"'))


def _modality(tag: Tag) -> str:
    found = tag.arg("modality")
    return found.text if found else ""


_MODES = """type Kind string

const (
	KindA Kind = "A"
	KindB Kind = "B"
)

type T struct {
	// +k8s:modeDiscriminator
	// +k8s:required
	D Kind `json:"d"`
	// +k8s:ifMode("A")=+k8s:required
	F *string `json:"f"`
}
"""

RULE = LintRule(
    code="mode-never-chosen",
    severity="error",
    summary="+k8s:ifMode names no value of the discriminator.",
    why="the rule never runs",
    good=_MODES,
    bad=_MODES.replace('"A")', '"a")'),
    find=find,
)
