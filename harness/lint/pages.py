"""Generates the documentation of lint rules from their records: a page per rule, and the reference of all rules."""

from __future__ import annotations

from collections.abc import Iterable

from harness.lint.rule import LintRule

_INTRODUCTION = """# Lint rules

Generated from the rules in `harness/lint`: do not edit. `harness lint` runs them, `harness explain CODE` shows one
page, [how to lint in CI](../how-to/lint-in-ci.md) describes their use.

`error`: upstream's generator rejects it, or a rule never works; `warning`: probably a mistake; `note`: worth a look.
Tags that upstream's generator rejects or ignores are found as well, by the compiler; `harness explain` explains its
codes.
"""


def page_of(rule: LintRule) -> str:
    """Return the page of a rule in Markdown: its summary, reason and severity, and an example of each kind."""
    parts = [
        rule.summary,
        f"Why: {rule.why}.",
        _facts(rule),
        *([_example("Before the change", rule.base)] if rule.base else []),
        *([_example("With the strategy", rule.strategy)] if rule.strategy else []),
        _example("Found", rule.bad),
        _example("Not found", rule.good),
    ]
    return "\n\n".join(parts)


def _facts(rule: LintRule) -> str:
    facts = [f"Severity: {rule.severity}."]
    if rule.upstream:
        facts.append("Upstream's own linter has this rule too.")
    if rule.fixes:
        facts.append("`--fix` repairs it where that is safe.")
    if rule.opt_in:
        facts.append(f"Runs only with `--rule {rule.code}`.")
    if rule.base:
        facts.append("It compares types with those before a change: only `harness verify` runs it.")
    if rule.strategy:
        facts.append("It reads strategies: `harness lint --kubernetes` and `harness verify` run it.")
    return " ".join(facts)


def _example(title: str, go: str) -> str:
    return f"{title}:\n\n```go\n{go.strip()}\n```"


def reference(rules: Iterable[LintRule]) -> str:
    """Return the reference page: a table of all rules, then the page of each."""
    listed = list(rules)
    rows = "\n".join(
        f"| [{rule.code}](#{rule.code.lower()}) | {rule.severity} | {'yes' if rule.fixes else ''} "
        f"| {rule.summary.replace('|', '&#124;')} |"
        for rule in listed
    )
    table = f"| rule | severity | `--fix` | summary |\n|---|---|---|---|\n{rows}"
    return (
        "\n\n".join([_INTRODUCTION.strip(), table, *(f"## {rule.code}\n\n{page_of(rule)}" for rule in listed)]) + "\n"
    )
