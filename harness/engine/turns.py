"""Two parts of one search side by side: each asks for a while, then the other has its turn."""

from __future__ import annotations

from harness.case import Case
from harness.engine.asking import Asking
from harness.engine.plan import Search


def in_turns(search: Asking, *parts: tuple[Search, int]) -> Search:
    """Run every part to its end, at least so many questions of it at a time. A part is stopped between batches."""
    waiting: list[tuple[Search, int, list[Case] | None]] = [(part, turn, None) for part, turn in parts]
    while waiting:
        part, turn, batch = waiting.pop(0)
        until = search.asked + turn
        try:
            if batch is None:
                batch = next(part)
            while search.asked < until:
                batch = part.send((yield batch))
        except StopIteration:
            continue
        waiting.append((part, turn, batch))
