"""The pages of the rules, and the reference of them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.lint.pages import page_of, reference
from harness.lint.rule import LintRule
from harness.lint.rules import RULES

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "lint.md"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_page_shows_both_examples(rule: LintRule) -> None:
    """A page has the summary, the reason and both examples."""
    page = page_of(rule)
    assert all(part.strip() in page for part in (rule.summary, rule.why, rule.base, rule.good, rule.bad))


def test_the_reference_is_current() -> None:
    """docs/reference/lint.md equals the generated page; the message of this test has the command that writes it."""
    wanted = reference(RULES)
    assert wanted == REFERENCE.read_text(encoding="utf-8"), (
        "write it anew: python -c 'from harness.lint.pages import reference; from harness.lint.rules import RULES; "
        'print(reference(RULES), end="")\' > docs/reference/lint.md'
    )
