"""Runs rules over an API: each finding once, at its place, without those that somebody silenced with a reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from harness.diagnostics import Diagnostic
from harness.lint.build import Prepared, prepare
from harness.lint.rule import LintFinding, LintRule
from harness.lint.rules import RULES
from harness.lint.suppress import suppress
from harness.subject.api import Api

_SAID_BETTER = {"unknown-tag": ("unknown-tag", "tag-for-openapi"), "tag-syntax": ("tag-not-parsed",),
                "tag-release": ("unknown-tag",), "alphaBetaPrefix": ("alphaBetaPrefix",)}  # fmt: skip
"""What the compiler says and rules of ours say too, with a repair: by the compiler's code."""


def lint(api: Api, *, only: Collection[str] = (), ignore: Collection[str] = ()) -> list[LintFinding]:
    """Return what is found in an API, by position. `only` and `ignore` choose by code; opt-in rules run when in `only`.

    What upstream's generator refuses and what it ignores in silence is found too, in the compiler's words.
    """
    rules = [rule for rule in RULES if rule.code in only or not rule.opt_in]
    prepared = prepare(api)
    found = unique([*_of_rules(prepared, rules)])
    found = unique([*found, *_of_compiler(prepared, found)])
    kept = suppress(prepared, found, {rule.code for rule in RULES} - {rule.code for rule in rules})
    return [one for one in kept if _is_chosen(one.diagnostic.code, only, ignore)]


def _is_chosen(code: str, only: Collection[str], ignore: Collection[str]) -> bool:
    return (code in only if only else True) and code not in ignore


def _of_rules(prepared: Iterable[Prepared], rules: Iterable[LintRule]) -> Iterator[LintFinding]:
    for one in prepared:
        for rule in rules:
            yield from rule.check(one.view)


def _of_compiler(prepared: Iterable[Prepared], said: Iterable[LintFinding]) -> Iterator[LintFinding]:
    better = {(found.diagnostic.code, found.diagnostic.position.file, found.diagnostic.position.line) for found in said}

    def is_new(found: Diagnostic) -> bool:
        codes = _SAID_BETTER.get(found.code, ())
        return not any((code, found.position.file, found.position.line) in better for code in codes)

    for one in prepared:
        yield from (LintFinding(found, "error") for found in one.errors if is_new(found))
        yield from (LintFinding(found, "warning") for found in one.warnings if is_new(found))


def unique(findings: Iterable[LintFinding]) -> list[LintFinding]:
    """Sort by position and say the same of the same place once, however many packages lead there."""
    seen = {(found.diagnostic.position, found.diagnostic.code, found.diagnostic.message): found for found in findings}
    return sorted(seen.values(), key=lambda found: (found.diagnostic.position, found.diagnostic.code))
