"""Every rule has findings in its bad example and none in its good one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.lint import rules
from harness.lint.rule import LintRule
from harness.lint.rules import RULES
from tests.lint.examples import found

EVERY = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


@EVERY
def test_the_bad_example_has_findings(rule: LintRule, tmp_path: Path) -> None:
    """The rule has findings in its bad example, at lines of it and with a reason."""
    findings = found(rule.bad, tmp_path, rule.code, base=rule.base, strategy=rule.strategy)
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
def test_the_good_example_has_no_finding(rule: LintRule, tmp_path: Path) -> None:
    """The rule has no finding in its good example."""
    assert [] == found(rule.good, tmp_path, rule.code, base=rule.base, strategy=rule.strategy)


@EVERY
def test_the_record_is_complete(rule: LintRule) -> None:
    """A code is a slug, the summary is one sentence, and no two rules share a code."""
    assert re.fullmatch(r"[a-z][a-zA-Z]*(-[a-z]+)*", rule.code)
    assert rule.summary.endswith(".")
    assert 1 == sum(other.code == rule.code for other in RULES)
    assert rule.severity in ("error", "warning", "note")


def test_a_rule_is_one_file_with_its_name() -> None:
    """Every file of the folder is a rule, is named after its code, and is in `RULES`."""
    files = sorted(path.stem for path in Path(rules.__file__).parent.glob("[!_]*.py"))
    codes = (re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", rule.code) for rule in RULES)
    assert files == sorted(code.replace("-", "_") for code in codes)
