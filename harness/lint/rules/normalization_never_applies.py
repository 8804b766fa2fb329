"""Finds normalization rules that change no field path of the kinds whose strategies pass them.

Source: semantics.md#6.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.errormatch.normalize import Normalizer
from harness.lint.examples import STRATEGY, field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.strategies import field_paths, versions_of
from harness.lint.view import PackageView
from harness.targets.kubernetes.strategies import PassedPathRule


def find(view: PackageView) -> Iterator[Advice]:
    passed: dict[tuple[PassedPathRule, ...], list[str]] = {}
    for kind, strategies in sorted(view.strategies.items()):
        if strategies.path_rules:
            passed.setdefault(strategies.path_rules, []).append(kind)
    for rules, kinds in passed.items():
        paths = {path for kind in kinds for one in versions_of(view, kind) for path in field_paths(one, kind)}
        yield from _unused(rules, kinds, sorted(paths))


def _unused(rules: Sequence[PassedPathRule], kinds: Sequence[str], paths: Sequence[str]) -> Iterator[Advice]:
    left = list(paths)
    for rule in rules:
        normalize = Normalizer([(rule.pattern, rule.replacement)])
        kept = [path for path in left if normalize(path) == path]
        if len(kept) == len(left):
            earlier = next((path for path in paths if normalize(path) != path), "")
            message = f"the normalization rule changes no field path of {', '.join(kinds)}"
            fix = "remove it, or correct its pattern"
            if earlier:
                message = f"an earlier normalization rule changes every field path that this one would, as {earlier}"
                fix = "remove it, or put it first: only the first rule that changes a path applies"
            yield Advice(rule.position, len(rule.pattern) + 2, message, fix)
        left = kept


RULE = LintRule(
    code="normalization-never-applies",
    severity="note",
    summary="A normalization rule that changes no field path of its kinds.",
    why=(
        "errors of both sides are compared after the first rule that changes a path; one that never does is misspelt, "
        "or what it was for is gone"
    ),
    good=field_of("+k8s:optional", "*string").replace('"f"', '"old"'),
    bad=field_of("+k8s:optional", "*string"),
    strategy=STRATEGY.format("NormalizationRules: rules")
    + """
var rules = []field.NormalizationRule{
	{
		Regexp:      regexp.MustCompile(`^old$`),
		Replacement: "new",
	},
}
""",
    find=find,
)
