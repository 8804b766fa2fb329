"""The record of a lint rule, and the records of its findings and their safe edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from harness.diagnostics import Diagnostic, Position
from harness.lint.view import PackageView

Severity: TypeAlias = Literal["error", "warning", "note"]
"""`error`: upstream rejects the code, or a tag never has an effect; `warning`: probably a mistake; `note`: worth a
look."""


@dataclass(frozen=True, slots=True)
class LineEdit:
    """A safe edit of one line: `old` is its text in the file, `new` the replacement, or None to delete the line."""

    file: str
    line: int
    old: str
    new: str | None


@dataclass(frozen=True, slots=True)
class Advice:
    """A finding as the function of a rule returns it; the rule's record adds code, severity and reason."""

    position: Position
    width: int
    message: str
    fix: str = ""
    edit: LineEdit | None = None


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A finding of lint. Its rule is the one with the diagnostic's code."""

    diagnostic: Diagnostic
    severity: Severity
    edit: LineEdit | None = None


@dataclass(frozen=True, slots=True)
class LintRule:
    """A lint rule. `good` and `bad` are Go declarations with a root `T`; `find` has findings only in `bad`.

    The examples have no package clause, or one for each version after the first (`package v2`). Comments before a line
    `package v1` are those of doc.go.

    `upstream`: upstream's linter has the rule too. `fixes`: some of its findings have a safe edit. `opt_in`: the rule
    runs only when it is selected by name. `base`: the rule is about a change, and this is what both examples were
    before; only `harness verify` runs it. `strategy`: the rule compares tags with what strategies pass, and this is the
    source of that of both examples. `supersedes` are codes of the compiler's diagnostics that are dropped on a
    line where this rule has a finding.
    """

    code: str
    severity: Severity
    summary: str
    why: str
    good: str
    bad: str
    find: Callable[[PackageView], Iterable[Advice]]
    supersedes: tuple[str, ...] = ()
    upstream: bool = False
    fixes: bool = False
    opt_in: bool = False
    base: str = ""
    strategy: str = ""

    def check(self, view: PackageView) -> Iterator[LintFinding]:
        """Yield the findings of the rule in a package, without duplicates."""
        for advice in dict.fromkeys(self.find(view)):
            source = view.line(advice.position)
            diagnostic = Diagnostic(
                advice.position, self.code, advice.message, self.why, advice.fix, source, advice.width
            )
            yield LintFinding(diagnostic, self.severity, advice.edit)
