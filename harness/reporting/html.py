"""The report as one page: no request leaves it, no script is needed to read it, and no text in it can act.

Everything shown was written by others. It is escaped by the template engine, control characters become visible, and a
content security policy allows only the page's own style and script, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Any

import jinja2
from markupsafe import Markup

from harness.reporting.changes import changes
from harness.reporting.coverage import RuleEntry
from harness.reporting.document import KindEntry, Report, ReportedFinding
from harness.reporting.grouping import SEVERITY_MEANING, group
from harness.reporting.overview import by_cause
from harness.reporting.pages import environment
from harness.reporting.ruletext import rule_rows
from harness.reporting.terminal import HEADLINES, counted, effort
from harness.reporting.text import compact, lines, pretty, visible

FOLDED = 1_500
"""Characters of an indented object from which it is folded."""
CUT = 60_000
"""Characters of one object on the page; the document has it whole."""


def render_html(report: Report) -> str:
    """Write a report as one self-contained page."""
    environment = _environment()
    assert environment.loader is not None
    style, script = (environment.loader.get_source(environment, name)[0] for name in ("report.css", "report.js"))
    groups = group(report.open_findings)
    return environment.get_template("report.html.j2").render(
        report=report,
        headline=HEADLINES[report.verdict][0],
        groups=list(enumerate(groups, 1)),
        causes=by_cause(groups),
        tolerated=group(f for f in report.findings if f.exception is not None),
        meaning=SEVERITY_MEANING,
        effort=effort(report),
        unfound=[k for k in report.kinds if not k.base],
        subjects=len(report.parts),
        style=Markup(style),
        script=Markup(script),
        policy=(
            f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )


@cache
def _environment() -> jinja2.Environment:
    filters = {"compact": compact, "visible": visible, "lines": lines, "object": _object}
    functions = {
        "changes": _changes, "words": _words, "state": _state, "counted": counted, "rule_rows": rule_rows,
        "rules_by_kind": _rules_by_kind, "rule_state": _rule_state, "fired": _fired,
    }  # fmt: skip
    return environment("harness.reporting", filters, functions)


def _object(value: Any) -> dict[str, Any]:
    text = pretty(value, CUT)
    return {"text": text, "folded": len(text) > FOLDED, "size": f"{len(text):,}"}


def _changes(finding: ReportedFinding) -> Any:
    return changes(finding.case.old, finding.case.object) if finding.case.old is not None else []


def _words(finding: ReportedFinding) -> str:
    """What the search field looks through."""
    parts = (
        finding.fingerprint, finding.cause, finding.severity, finding.mismatch, finding.name, finding.kind,
        finding.operation, finding.path, finding.type, finding.origin, finding.detail,
    )  # fmt: skip
    return " ".join(part for part in parts if part).lower()


def _state(kind: KindEntry) -> str:
    if kind.error:
        return "search stopped"
    if not kind.cases:
        return "not reached"
    return "accepted object found" if kind.base else "errors remained"


def _rules_by_kind(rules: Sequence[RuleEntry]) -> list[tuple[str, list[RuleEntry]]]:
    return [(name, list(own)) for name, own in groupby(rules, lambda rule: rule.name)]


def _fired(rules: Sequence[RuleEntry]) -> int:
    return sum(bool(rule.declarative) for rule in rules)


def _rule_state(rule: RuleEntry) -> str:
    """What the filter of rules looks at: a letter for everything that was not seen."""
    flags = {
        "F": not rule.declarative, "H": not rule.handwritten, "A": not rule.accepted, "R": not rule.rejected,
        "U": rule.unserved, "N": not rule.asked,
    }  # fmt: skip
    return "".join(letter for letter, holds in flags.items() if holds)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
