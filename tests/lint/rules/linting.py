"""Runs one rule on Go text: a package `v1`, and further versions after lines `package v2`."""

from __future__ import annotations

from pathlib import Path

from harness.lint.build import prepare
from harness.lint.rule import LintFinding
from harness.lint.rules import RULES
from harness.subject.api import open_api
from tests.lint.examples import open_with, write


def findings(code: str, go: str, folder: Path, release: str = "1.37", base: str = "") -> list[LintFinding]:
    """Return the findings of the rule with this code in the first version of the package.

    `base` is the Go text before the change; by default that of the rule's examples.
    """
    rule = next(rule for rule in RULES if rule.code == code)
    before = base or rule.base
    prepared = prepare(
        open_with(rule.strategy, write(go, folder / "head" / "api"), release),
        open_api(write(before, folder / "base" / "api"), release=release) if before else None,
    )
    view = next(one.view for one in prepared if one.view.version == "v1")
    return sorted(rule.check(view), key=lambda finding: finding.diagnostic.position)


def struct(*fields: str, before: str = "", name: str = "T") -> str:
    """Return a struct with fields `a` to `h`, each given as its tags, one per line, and its Go type as last line."""
    lines = []
    for letter, field in zip("abcdefgh", fields, strict=False):
        *tags, go = field.split("\n")
        lines += [f"\t// {tag}" for tag in tags]
        lines.append(f'\t{letter.upper()} {go} `json:"{letter}"`')
    return before + f"type {name} struct {{\n" + "\n".join(lines) + "\n}\n"


def repaired(finding: LintFinding, go: str) -> str:
    """Return the text after the finding's edit, without the package clause."""
    assert finding.edit is not None
    lines = f"package v1\n\n{go}".split("\n")
    assert finding.edit.old == lines[finding.edit.line - 1]
    lines[finding.edit.line - 1 : finding.edit.line] = [] if finding.edit.new is None else finding.edit.new.split("\n")
    return "\n".join(lines).removeprefix("package v1\n\n")
