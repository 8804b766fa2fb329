"""Renders a report as one self-contained HTML page that sends no requests and is safe against the text it contains.

All text of objects and messages is untrusted: the template engine escapes it, control characters become visible, and a
content security policy allows only the page's own style and script, by their hashes. The details of the first findings
are readable without scripts, because some viewers of CI artifacts do not run any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from harness.compare.finding import SEVERITIES
from harness.compare.two_servers import DIRECTIONS, TwoServers
from harness.explain import pages_of
from harness.report.escaping import bounded, count, cut
from harness.report.formats.html.code import CodePacker
from harness.report.formats.html.costplot import draw, select_rows, write_time
from harness.report.formats.html.details import (
    MAX_INLINE,
    PackedPieces,
    change_variables,
    embed_json,
    write_bodies,
    write_error,
    write_lines,
    write_message,
)
from harness.report.formats.html.environment import breakable, create_environment, hash_source, mark_code, read_source
from harness.report.formats.html.story import name_sides
from harness.report.model.coverage import RuleEntry
from harness.report.model.document import KindEntry, Report, ReportedFinding
from harness.report.model.gaps import allowance_rows, find_gaps, find_open_gaps
from harness.report.model.grouping import Group, by_cause, group
from harness.report.model.moves import Move, Moves
from harness.report.text.code import (
    describe_call,
    describe_calls,
    describe_errors,
    describe_lines,
    describe_missed,
    describe_reason,
    describe_share,
    name_case,
    name_field,
    name_function,
)
from harness.report.text.cost import cost_method, cost_tables
from harness.report.text.effort import describe_effort
from harness.report.text.rules import rule_rows
from harness.report.text.verdict import (
    change_title,
    describe_field_effort,
    describe_seen_rule,
    failure_reasons,
    fields_worst_first,
    headline,
    summarize_change,
)
from harness.report.words import DIRECTION, FIELD_VERDICT, SEVERITY, VERDICT

MAX_PRINTED_GROUPS = 10
"""At most this many groups are printed on paper with their smallest object, to keep printed reports short."""
MAX_CHANGES = 200
"""At most this many changes for users are shown."""
SCRIPTS = ("report.js", "rules.js")


class CauseSection(NamedTuple):
    """The findings of one cause: the summary of the cause, its page, and the groups."""

    name: str
    sentence: str
    more: str
    groups: list[Group]

    @property
    def severities(self) -> dict[str, int]:
        """The number of findings of each severity, worst first."""
        found = Counter(finding.severity for one in self.groups for finding in one.findings)
        return {name: found[name] for name in SEVERITIES if found[name]}

    @property
    def size(self) -> int:
        """The number of findings."""
        return sum(one.size for one in self.groups)


def render_html(report: Report, at_once: int = MAX_INLINE) -> str:
    """Render a report as one self-contained page.

    The details of the first `at_once` findings, and as many tables of code coverage, are plain HTML; the others are
    compressed, and a script unpacks them when they are opened.
    """
    environment = _environment()
    style = read_source(environment, "report.css")
    script = "\n".join(read_source(environment, name) for name in SCRIPTS)
    groups = group(report.open_findings)
    tolerated = group(f for f in report.findings if f.exception is not None)
    packed_pieces = PackedPieces()
    bodies = write_bodies(
        report, [*groups, *tolerated], packed_pieces, environment.get_template("finding.html.j2"), at_once
    )
    causes, tolerated_causes = ([_cause(*one) for one in by_cause(some).items()] for some in (groups, tolerated))
    order = [f for cause in (*causes, *tolerated_causes) for one in cause.groups for f in one.findings]
    packer = CodePacker(environment, packed_pieces, at_once)
    return environment.get_template("report.html.j2").render(
        report=report,
        **_heading(report, groups),
        **_sections(report),
        budget=_budget(report),
        at_once=at_once,
        causes=causes,
        tolerated=tolerated_causes,
        meaning={name: words.summary for name, words in SEVERITY.items()},
        severities=SEVERITIES,
        bodies=bodies,
        code_packages=packer.packages(report.code, with_fields=not report.fields),
        code_kinds=packer.kinds(report.fields),
        printed={one.first.fingerprint for one in groups[:MAX_PRINTED_GROUPS]},
        not_printed=max(0, len(groups) - MAX_PRINTED_GROUPS),
        chunks=packed_pieces.chunks,
        index=embed_json(_index(order)),
        index_size=len(order),
        kind_names=sorted({bounded(finding.name, 200) for finding in order}),
        cause_names=list(dict.fromkeys(finding.cause for finding in order)),
        severity_names=[name for name in SEVERITIES if any(finding.severity == name for finding in order)],
        mismatch_words=_mismatch_words(order),
        effort=describe_effort(report),
        gaps=find_open_gaps(report),
        allowances=list(allowance_rows(report)),
        subjects=len(report.parts),
        style=Markup(style),
        script=Markup(script),
        policy=(
            f"default-src 'none'; style-src '{hash_source(style)}'; script-src '{hash_source(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )


@cache
def _environment() -> jinja2.Environment:
    functions = {
        "state": _state, "missed": _missed, "rule_rows": rule_rows, "rules_by_kind": _rules_by_kind,
        "rule_state": _rule_state, "fired": _fired, "bounded": bounded, "upper": _upper, "breakable": breakable,
        "cut": cut, "count": count,
        "write_lines": write_lines, "write_message": write_message, "write_error": write_error,
        "write_time": write_time, "verdicts": FIELD_VERDICT, "directions": DIRECTION, "tones": VERDICT,
        "describe_field_effort": describe_field_effort, "describe_seen_rule": describe_seen_rule,
        "change_title": change_title, "describe_call": describe_call, "describe_calls": describe_calls,
        "describe_missed": describe_missed, "describe_errors": describe_errors,
        "describe_lines": describe_lines, "describe_reason": describe_reason, "describe_share": describe_share,
        "name_case": name_case, "name_field": name_field, "name_function": name_function,
    }  # fmt: skip
    return create_environment("harness.report.formats.html", {"prose": mark_code}, functions)


def _heading(report: Report, groups: Sequence[Group]) -> dict[str, Any]:
    """Return the headline of the page, its tone (colour), the sentences below it, and why the run fails."""
    change = report.verification
    if change is not None:
        tone = {0: "equivalent", 1: "different"}.get(report.exit_code, "incomplete")
        return {
            "headline": headline(report)[0],
            "lead": summarize_change(report, change),
            "tone": tone,
            "failing": [],
        }
    if report.cost is not None:  # a cost report has no verdict; it found its differences while searching for objects
        return {
            "headline": "What declarative validation costs",
            "lead": report.cost.answer,
            "tone": "plain",
            "failing": [],
        }
    tone = "different" if report.exit_code == 1 else report.verdict
    return {
        "headline": headline(report)[0],
        "lead": _lead(report, groups),
        "tone": tone,
        "failing": failure_reasons(report),
    }


def _sections(report: Report) -> dict[str, Any]:
    """Return the variables of the optional sections: verification, moves, and cost."""
    change, cost = report.verification, report.cost
    rows = select_rows(cost) if cost is not None else []
    return {
        "verification": change,
        "nothing_touched": change is not None and bool(change.nothing_touched),
        "fields": list(fields_worst_first(change)) if change is not None else [],
        "known_findings": {finding.fingerprint: finding for finding in report.findings},
        "known_changes": {one.fingerprint: one for one in change.changes[:MAX_CHANGES]} if change is not None else {},
        "user_changes": [change_variables(one) for one in change.changes[:MAX_CHANGES]] if change is not None else [],
        "moves": [(one, _directions(one)) for one in report.moves],
        "cost": cost,
        "plot": draw(rows),
        "cost_rows": rows,
        "cost_tables": list(cost_tables(cost)) if cost is not None else [],
        "cost_method": cost_method(cost) if cost is not None else [],
    }


def _directions(moves: Moves) -> list[tuple[str, list[Move]]]:
    """Group the changes between two targets by their direction, worst first."""
    servers = TwoServers(moves.before, moves.after)
    by_direction = [
        (servers.describe_direction(name), [one for one in moves.changes if one.direction == name])
        for name in DIRECTIONS
    ]
    return [(words, some) for words, some in by_direction if some]


def _lead(report: Report, groups: Sequence[Group]) -> str:
    """Return one or two sentences on what was compared, and the number of differences."""
    names = name_sides(report.parts[0].between if report.parts else ())
    compared = (
        f"Users of {names.left} and users of {names.right} were"
        if names.releases
        else "The handwritten validators (the old code) and the declarative ones (new, made from rules on types) were"
    )
    asked = f"{compared} asked the same {count(report.cases, 'case')}."
    if not groups:
        return asked
    causes = len({one.cause for one in groups})
    return (
        f"{asked} They do not always give the same answer: {count(report.totals.findings, 'difference')}, "
        f"from {count(causes, 'cause')}, in {count(len(groups), 'group')}."
    )


def _budget(report: Report) -> str:
    cases, seconds = report.budget.max_cases, report.budget.max_time
    limits = [count(cases, "case")] if cases else []
    limits += [f"{seconds:,.0f} s"] if seconds else []
    return " and ".join(limits) or "none"


def _mismatch_words(findings: Iterable[ReportedFinding]) -> list[tuple[str, str]]:
    """Return each kind of mismatch that occurs, with its summary."""
    seen = {finding.mismatch for finding in findings}
    return [
        (page.code, page.summary) for code in sorted(seen) for page in pages_of(code) if page.category == "mismatches"
    ]


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cause(name: str, groups: list[Group]) -> CauseSection:
    page = next(page for page in pages_of(name) if page.category == "causes")
    return CauseSection(name, page.summary, page.text, groups)


def _index(order: Iterable[ReportedFinding]) -> list[tuple[str, ...]]:
    """Return the fields that the page's filters use, for each finding in the order of the page."""
    return [
        (
            f.fingerprint,
            f.severity,
            f.cause,
            bounded(f.name, 200),
            "open" if f.exception is None else "tolerated",
            _words(f),
        )
        for f in order
    ]


def _words(finding: ReportedFinding) -> str:
    """What the search field looks through, besides the names that stand in the index anyway."""
    parts = (
        finding.kind, finding.operation, finding.path, finding.type, finding.origin, finding.owner, finding.mismatch,
        finding.detail, finding.exception or "",
    )  # fmt: skip
    return " ".join(cut(part, 600) for part in parts if part).lower()


def _state(kind: KindEntry) -> str:
    if kind.error:
        return "search stopped"
    if not kind.cases:
        return "not reached"
    if kind.has_accepted:
        return "accepted object found"
    return "errors remained" if kind.seed_search_complete else "not searched: time ran out"


def _missed(report: Report) -> dict[int, str]:
    """Return why a kind is incomplete, by its index in the report."""
    incomplete = {id(kind): gap for gap in find_gaps(report) for kind in gap.kinds}
    return {
        number: f"incomplete, accepted by {gap.allowed}" if gap.allowed else f"incomplete: {gap.sentence}"
        for number, kind in enumerate(report.kinds)
        if (gap := incomplete.get(id(kind))) is not None
    }


def _rules_by_kind(rules: Sequence[RuleEntry]) -> list[tuple[str, list[RuleEntry]]]:
    return [(name, list(own)) for name, own in groupby(rules, lambda rule: rule.name)]


def _fired(rules: Sequence[RuleEntry]) -> int:
    return sum(bool(rule.declarative) for rule in rules)


def _rule_state(rule: RuleEntry) -> str:
    """Return the letters that the page's filter of rules uses, one for each fact that was not observed."""
    flags = {
        "F": not rule.declarative, "H": not rule.handwritten, "A": not rule.accepted, "R": not rule.rejected,
        "U": rule.unserved, "N": not rule.asked,
    }  # fmt: skip
    return "".join(letter for letter, holds in flags.items() if holds)
