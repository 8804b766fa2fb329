"""Our own lint rules: one module per subject."""

from harness.lint.advice import effect, limits, places, reach, spelling
from harness.lint.rule import LintRule

RULES: tuple[LintRule, ...] = (
    *spelling.RULES,
    *places.RULES,
    *limits.RULES,
    *reach.RULES,
    *effect.RULES,
)
