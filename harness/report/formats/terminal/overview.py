"""Renders the groups that are not described in full, and the changes between two servers, in the remaining lines.

Every cause has a line. The remaining lines are distributed over the causes: first the worst group of each cause, then
the next one of each, and so on. Of the changes between two servers, those that change a verdict come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from harness.compare.finding import SEVERITIES
from harness.compare.two_servers import DIRECTIONS, TwoServers
from harness.objectmodel import essence_of
from harness.report.escaping import compact, count, cut, visible
from harness.report.model.document import ReportedFinding
from harness.report.model.grouping import Group, by_cause
from harness.report.model.moves import Move, Moves
from harness.report.words import DIRECTION, SEVERITY

MAX_WIDTH = 150
"""Lines are cut at about this many characters."""

_EXAMPLE_LINES = 2  # lines of the first group of a cause: the group, and its smallest object
_MIN_CHANGES = 3  # changes of each direction that are always shown
_CHANGE_LINES = 2  # lines of a change between two servers


def cause_rows(groups: Sequence[Group], lines: int) -> list[Text]:
    """Render all causes in at most `lines` lines, but at least one for each cause, the worst first."""
    causes = by_cause(groups)
    shown = _distribute_lines(list(causes.values()), lines - len(causes))
    rows: list[Text] = []
    for (cause, members), number in zip(causes.items(), shown, strict=True):
        rows.append(_headline(cause, members, len(members) - number))
        for index, one in enumerate(members[:number]):
            rows += [group_row(one), *([_smallest(one.first)] if index == 0 else [])]
    return rows


def _distribute_lines(causes: Sequence[Sequence[Group]], lines: int) -> list[int]:
    """Return how many groups of each cause are shown: one group of each cause per round, while there are lines."""
    shares = [0] * len(causes)
    is_changed = True
    while is_changed:
        is_changed = False
        for index, members in enumerate(causes):
            needed = 1 if shares[index] else _EXAMPLE_LINES
            if shares[index] < len(members) and needed <= lines:
                shares[index] += 1
                lines -= needed
                is_changed = True
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
        row.append(f"{severities[name]:,} {name}", style=SEVERITY[name].style)
    if left_out and left_out < len(members):
        row.append(f"; {count(left_out, 'group')} not shown", style="dim")
    return row


def group_row(one: Group, cause: str = "") -> Text:
    """Render a group as one line: number of findings, severity, the cause if given, members, a kind, and its ID."""
    row = Text(f"{len(one.findings):>7,} ")
    row.append(f"{one.severity:<11} ", style=SEVERITY[one.severity].style)
    row.append(f"{visible(cause):<13} " if cause else "")
    members = list(dict.fromkeys(member for member, _, _ in one.rules if member))
    inside = f" ({', '.join(members)})" if len(members) > 1 else ""
    shown, more = one.kinds[0], f" and {len(one.kinds) - 1} more" if len(one.kinds) > 1 else ""
    row.append(cut(visible(f"{one.title}{inside}"), MAX_WIDTH - 75))
    row.append(f"  {visible(shown)}{more}  [{one.id}]", style="dim")
    return row


def _smallest(finding: ReportedFinding) -> Text:
    row = Text("                    ")
    case = finding.case
    text = f"{finding.operation} {compact(essence_of(case.object))}"
    if case.old is not None:
        text += ", unchanged" if case.old == case.object else f" of {compact(essence_of(case.old))}"
    row.append(cut(visible(text), MAX_WIDTH - 35))
    row.append(f"  {finding.fingerprint}", style="dim")
    return row


def move_rows(moves: Sequence[Moves], room: int) -> list[Text]:
    """Render the changes between servers in about `room` lines: for each direction, their number, and each change."""
    rows: list[Text] = []
    for one in moves:
        rows += [Text(), *_moves(one, room // len(moves))]
    return rows


def _moves(one: Moves, room: int) -> list[Text]:
    before, after = visible(one.before), visible(one.after)
    rows = [Text(f"What users of {before} see when they move to {after}:", style="bold")]
    if not one.changes:
        rows.append(Text("  nothing that was tried changes"))
    shares = _distribute_changes(one, max(0, room - 8) // _CHANGE_LINES)
    for direction in DIRECTIONS:
        some = [change for change in one.changes if change.direction == direction]
        if some:
            words = TwoServers(before, after).describe_direction(direction)
            rows.append(Text(f"  {words}: {count(len(some), 'change')}", DIRECTION[direction].of_move))
            rows += [_move_row(change) for change in some[: shares[direction]]]
            left_out = len(some) - shares[direction]
            rows += [Text(f"    … {left_out:,} more, in the report", style="dim")] if left_out > 0 else []
    for name, alone in ((before, one.only_before), (after, one.only_after)):
        if alone:
            more = f" and {len(alone) - 4} more" if len(alone) > 4 else ""
            rows.append(Text(f"  served by {name} only: {visible(', '.join(alone[:4]))}{more}", style="dim"))
    return rows


def _distribute_changes(one: Moves, room: int) -> dict[str, int]:
    """Return how many changes of each direction are shown, preferring the worst direction."""
    shares: dict[str, int] = {}
    for number, direction in enumerate(DIRECTIONS):
        later = sum(min(_MIN_CHANGES, one.directions.get(other, 0)) for other in DIRECTIONS[number + 1 :])
        shares[direction] = min(one.directions.get(direction, 0), max(_MIN_CHANGES, room - later))
        room -= shares[direction]
    return shares


def _move_row(change: Move) -> Text:
    more = f" and {len(change.kinds) - 1} more" if len(change.kinds) > 1 else ""
    row = Text(f"    {change.cause:<13} ")
    row.append(visible(change.field))
    row.append(f"  {visible(change.kinds[0])}{more}  [{change.findings[0]}]", style="dim")
    row.append(f"\n      {cut(visible(_without_direction(change.sentence)), 150)}")
    return row


def _without_direction(sentence: str) -> str:
    """Remove the direction from a sentence, because the heading has it."""
    return sentence.partition(": ")[2] or sentence
