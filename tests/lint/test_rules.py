"""Every rule finds its bad example and nothing in its good one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.lint.rule import LintRule
from harness.lint.rules import RULES, page_of, reference
from tests.lint.examples import found

EVERY = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


@EVERY
def test_the_bad_example_is_found(rule: LintRule, tmp_path: Path) -> None:
    """The rule finds its bad example, at a line that stands in it, with a reason."""
    findings = found(rule.bad, tmp_path, rule.code)
    assert findings
    for one in findings:
        where = one.diagnostic.position
        text = Path(where.file).read_text(encoding="utf-8").split("\n")
        assert tmp_path in Path(where.file).parents
        assert one.diagnostic.source.strip() in text[where.line - 1]
        assert where.column <= len(text[where.line - 1])
        assert one.diagnostic.why
    assert rule.fixes or not any(one.edit is not None for one in findings)


@EVERY
def test_the_good_example_is_silent(rule: LintRule, tmp_path: Path) -> None:
    """The rule finds nothing in its good example."""
    assert [] == found(rule.good, tmp_path, rule.code)


@EVERY
def test_the_record_is_complete(rule: LintRule) -> None:
    """A code is a slug, the summary is one sentence, and no two rules share a code."""
    assert re.fullmatch(r"[a-z][a-zA-Z]*(-[a-z]+)*", rule.code)
    assert rule.summary.endswith(".")
    assert 1 == sum(other.code == rule.code for other in RULES)
    assert rule.severity in ("error", "warning", "note")


REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "lint.md"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_page_shows_both_examples(rule: LintRule) -> None:
    """A page has the summary, the reason and both examples."""
    page = page_of(rule)
    assert all(part.strip() in page for part in (rule.summary, rule.why, rule.good, rule.bad))


def test_the_reference_is_current() -> None:
    """docs/reference/lint.md is generated: `python -c "..."` in its test's message writes it anew."""
    wanted = reference(RULES)
    assert wanted == REFERENCE.read_text(encoding="utf-8"), (
        "write it anew: python -c 'from harness.lint.rules import RULES, reference; "
        'print(reference(RULES), end="")\' > docs/reference/lint.md'
    )
