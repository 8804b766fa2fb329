"""Runs the lint rules on an API, and drops duplicates and findings that a comment suppresses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from harness.diagnostics import Diagnostic
from harness.lint.build import PreparedPackage, prepare
from harness.lint.rule import LintFinding, LintRule
from harness.lint.rules import RULES
from harness.lint.suppress import suppress
from harness.subject.api import Api


def lint(
    api: Api, *, only: Collection[str] = (), ignore: Collection[str] = (), base: Api | None = None
) -> list[LintFinding]:
    """Return the findings in an API, by position: those of the rules, and the diagnostics of the compiler.

    `only` and `ignore` select by code. An opt-in rule runs only if its code is in `only`, a rule about a change only
    with the API as it was before, `base`.
    """
    rules = [rule for rule in RULES if (rule.code in only or not rule.opt_in) and (base is not None or not rule.base)]
    prepared = prepare(api, base)
    found = sort_unique([*_check_rules(prepared, rules)])
    found = sort_unique([*found, *_compiler_findings(prepared, found)])
    kept = suppress(prepared, found, {rule.code for rule in RULES} - {rule.code for rule in rules})
    return [one for one in kept if _is_selected(one.diagnostic.code, only, ignore)]


def _is_selected(code: str, only: Collection[str], ignore: Collection[str]) -> bool:
    return (code in only if only else True) and code not in ignore


def _check_rules(prepared: Iterable[PreparedPackage], rules: Iterable[LintRule]) -> Iterator[LintFinding]:
    for one in prepared:
        for rule in rules:
            yield from rule.check(one.view)


def _compiler_findings(prepared: Iterable[PreparedPackage], of_rules: Iterable[LintFinding]) -> Iterator[LintFinding]:
    """Yield the compiler's diagnostics as findings, without those that a rule's finding on the same line supersedes."""
    supersedes = {rule.code: rule.supersedes for rule in RULES}
    superseded = {
        (code, found.diagnostic.position.file, found.diagnostic.position.line)
        for found in of_rules
        for code in supersedes[found.diagnostic.code]
    }

    def is_new(found: Diagnostic) -> bool:
        return (found.code, found.position.file, found.position.line) not in superseded

    for one in prepared:
        yield from (LintFinding(found, "error") for found in one.errors if is_new(found))
        yield from (LintFinding(found, "warning") for found in one.warnings if is_new(found))


def sort_unique(findings: Iterable[LintFinding]) -> list[LintFinding]:
    """Sort findings by position, and drop duplicates: a type is linted from every package that refers to it."""
    seen = {(found.diagnostic.position, found.diagnostic.code, found.diagnostic.message): found for found in findings}
    return sorted(seen.values(), key=lambda found: (found.diagnostic.position, found.diagnostic.code))
