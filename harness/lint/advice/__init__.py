"""Our own lint rules: one module per subject."""

from harness.lint.advice import limits, reach
from harness.lint.rule import LintRule

RULES: tuple[LintRule, ...] = (*limits.RULES, *reach.RULES)
