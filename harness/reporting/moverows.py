"""What users of one target see when they move to another, for a terminal: changes that turn a verdict first."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from harness.compare.ends import DIRECTIONS, Ends, told
from harness.reporting.moves import Move, Moves
from harness.reporting.text import count, cut, visible

_STYLES: dict[str, str] = {"newly-rejected": "bold red", "newly-accepted": "bold yellow", "other-errors": "cyan"}
_FEWEST = 3
"""Changes of each direction that are shown however little room there is."""
_LINES = 2
"""Of one change."""


def move_rows(moves: Sequence[Moves], room: int) -> list[Text]:
    """Tell the changes in about so many lines: how many of each direction, then each with its cause and place."""
    rows: list[Text] = []
    for one in moves:
        rows += [Text(), *_moves(one, room // len(moves))]
    return rows


def _moves(one: Moves, room: int) -> list[Text]:
    before, after = visible(one.before), visible(one.after)
    rows = [Text(f"What users of {before} see when they move to {after}:", style="bold")]
    if not one.changes:
        rows.append(Text("  nothing that was tried changes"))
    shares = _shares(one, max(0, room - 8) // _LINES)
    for direction in DIRECTIONS:
        some = [change for change in one.changes if change.direction == direction]
        if some:
            rows.append(
                Text(f"  {told(direction, Ends(before, after))}: {count(len(some), 'change')}", _STYLES[direction])
            )
            rows += [_row(change) for change in some[: shares[direction]]]
            left = len(some) - shares[direction]
            rows += [Text(f"    … {left:,} more, in the report", style="dim")] if left > 0 else []
    for name, alone in ((before, one.only_before), (after, one.only_after)):
        if alone:
            more = f" and {len(alone) - 4} more" if len(alone) > 4 else ""
            rows.append(Text(f"  served by {name} only: {visible(', '.join(alone[:4]))}{more}", style="dim"))
    return rows


def _shares(one: Moves, room: int) -> dict[str, int]:
    """Part the lines: what turns a verdict goes first, and every direction gets a few."""
    shares: dict[str, int] = {}
    for number, direction in enumerate(DIRECTIONS):
        later = sum(min(_FEWEST, one.directions.get(other, 0)) for other in DIRECTIONS[number + 1 :])
        shares[direction] = min(one.directions.get(direction, 0), max(_FEWEST, room - later))
        room -= shares[direction]
    return shares


def _row(change: Move) -> Text:
    more = f" and {len(change.kinds) - 1} more" if len(change.kinds) > 1 else ""
    row = Text(f"    {change.cause:<13} ")
    row.append(visible(change.field))
    row.append(f"  {visible(change.kinds[0])}{more}  [{change.findings[0]}]", style="dim")
    row.append(f"\n      {cut(visible(_short(change.sentence)), 150)}")
    return row


def _short(sentence: str) -> str:
    """Leave out the direction, which the heading says."""
    return sentence.partition(": ")[2] or sentence
