"""All rules, in reading order: upstream's own first, then ours."""

from __future__ import annotations

from harness.lint import packages, upstream
from harness.lint.advice import RULES as ADVICE
from harness.lint.rule import LintRule

RULES: tuple[LintRule, ...] = (*upstream.RULES, *packages.RULES, *ADVICE)

BY_CODE: dict[str, LintRule] = {rule.code: rule for rule in RULES}
