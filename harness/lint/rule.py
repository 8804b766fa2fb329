"""What a lint rule is, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from harness.diagnostics import Diagnostic
from harness.lint.view import PackageView

Severity: TypeAlias = Literal["error", "warning", "note"]
"""`error`: upstream refuses it, or a rule never works; `warning`: probably a mistake; `note`: worth a look."""


@dataclass(frozen=True, slots=True)
class LineEdit:
    """A safe repair of one line: `old` is the line as it stands, `new` what replaces it, None to delete it."""

    file: str
    line: int
    old: str
    new: str | None


@dataclass(frozen=True, slots=True)
class LintFinding:
    """What one rule says of one place. The rule's code is the diagnostic's."""

    diagnostic: Diagnostic
    severity: Severity
    edit: LineEdit | None = None


Check: TypeAlias = Callable[[PackageView], Iterable[LintFinding]]


@dataclass(frozen=True, slots=True)
class LintRule:
    """One rule. `good` and `bad` are Go declarations with a root `T`; `bad` is found, `good` not.

    They have no package clause, or one for each version after the first (`package v2`); comments alone above
    `package v1` are those of doc.go.

    `upstream` says that the real linter has it too. `fixes` that some of its findings carry an edit. `opt_in` rules run
    when they are asked for by name.
    """

    code: str
    severity: Severity
    summary: str
    why: str
    good: str
    bad: str
    check: Check
    upstream: bool = False
    fixes: bool = False
    opt_in: bool = False
