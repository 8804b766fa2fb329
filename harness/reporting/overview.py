"""What is not told at length, on one screen: each cause with where it shows, how bad it is, and its smallest object.

Lines are limited, so causes share them: every cause has its line, then the worst group of each, then the next ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from harness.compare.finding import SEVERITIES
from harness.objectmodel import essence_of
from harness.reporting.document import ReportedFinding
from harness.reporting.grouping import Group
from harness.reporting.text import compact, count, cut, visible

STYLES = {
    "verdict": "bold red",
    "graduation": "bold magenta",
    "visible": "yellow",
    "shadow": "cyan",
    "unreachable": "dim",
}
WIDTH = 150
"""Characters of a line, about."""

_EXAMPLE = 2  # lines of a cause's first group: where, and its smallest object


def by_cause(groups: Sequence[Group]) -> dict[str, list[Group]]:
    """Gather groups by cause, in the order of their worst groups."""
    found: dict[str, list[Group]] = {}
    for one in groups:
        found.setdefault(one.cause, []).append(one)
    return found


def overview(groups: Sequence[Group], lines: int) -> list[Text]:
    """Tell every cause in at most so many lines (at least one each), the worst first."""
    causes = by_cause(groups)
    shown = _shares(list(causes.values()), lines - len(causes))
    rows: list[Text] = []
    for (cause, members), number in zip(causes.items(), shown, strict=True):
        rows.append(_headline(cause, members, len(members) - number))
        for index, one in enumerate(members[:number]):
            rows += [place_row(one), *([_smallest(one.first)] if index == 0 else [])]
    return rows


def _shares(causes: Sequence[Sequence[Group]], lines: int) -> list[int]:
    """Say how many groups of each cause are shown: one of each first, then in turns, as long as there are lines."""
    shares = [0] * len(causes)
    turn = True
    while turn:
        turn = False
        for index, members in enumerate(causes):
            price = 1 if shares[index] else _EXAMPLE
            if shares[index] < len(members) and price <= lines:
                shares[index] += 1
                lines -= price
                turn = True
    return shares


def _headline(cause: str, members: Sequence[Group], left_out: int) -> Text:
    findings = [finding for one in members for finding in one.findings]
    severities = Counter(finding.severity for finding in findings)
    kinds = len({finding.name for finding in findings})
    row = Text()
    row.append(f"{visible(cause):<13} ", style="bold")
    row.append(f"{count(len(findings), 'finding')} in {count(len(members), 'group')} on {count(kinds, 'kind')}: ")
    for index, name in enumerate(name for name in SEVERITIES if severities[name]):
        row.append(", " if index else "")
        row.append(f"{severities[name]:,} {name}", style=STYLES[name])
    if left_out and left_out < len(members):
        row.append(f"; {count(left_out, 'group')} not shown", style="dim")
    return row


def place_row(one: Group, cause: str = "") -> Text:
    """Tell a group in one line: how many findings, how bad, the cause where it stands nowhere else, where, its id."""
    row = Text(f"{len(one.findings):>7,} ")
    row.append(f"{one.severity:<11} ", style=STYLES[one.severity])
    row.append(f"{visible(cause):<13} " if cause else "")
    members = list(dict.fromkeys(member for member, _, _ in one.rules if member))
    inside = f" ({', '.join(members)})" if len(members) > 1 else ""
    shown, more = one.kinds[0], f" and {len(one.kinds) - 1} more" if len(one.kinds) > 1 else ""
    row.append(cut(visible(f"{one.title}{inside}"), WIDTH - 75))
    row.append(f"  {visible(shown)}{more}  [{one.id}]", style="dim")
    return row


def _smallest(finding: ReportedFinding) -> Text:
    row = Text("                    ")
    case = finding.case
    text = f"{finding.operation} {compact(essence_of(case.object))}"
    if case.old is not None:
        text += ", unchanged" if case.old == case.object else f" of {compact(essence_of(case.old))}"
    row.append(cut(visible(text), WIDTH - 35))
    row.append(f"  {finding.fingerprint}", style="dim")
    return row
