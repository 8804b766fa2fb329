"""Our own lint rules: one module per subject."""

from harness.lint.advice import effect, limits, lists, places, reach, requests, spelling, surprises, unions, versions
from harness.lint.rule import LintRule

RULES: tuple[LintRule, ...] = (
    *spelling.RULES,
    *places.RULES,
    *limits.RULES,
    *reach.RULES,
    *effect.RULES,
    *lists.RULES,
    *unions.RULES,
    *requests.RULES,
    *surprises.RULES,
    *versions.RULES,
)
