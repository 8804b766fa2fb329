"""Thins a corpus: keeps the cases that reach a block of handwritten code that no smaller one reaches.

A run explains the differences of every case that it replays, and edits every object that is accepted. Thousands of
cases that reach the same code take the time of its own search.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from harness.case import Case
from harness.targets.target import Target

_NAME = "corpus"
"""What the worker calls the one who asks for blocks: it tells no block twice."""
_BATCH = 200


def thin(cases: Iterable[Case], target: Target) -> list[Case]:
    """Return the cases that reach a block that none before reaches, the small ones first. The target counts blocks."""
    ordered = sorted(cases, key=lambda case: (len(msgspec.json.encode(case)), msgspec.json.encode(case)))
    kept = []
    for start in range(0, len(ordered), _BATCH):
        batch = ordered[start : start + _BATCH]
        numbered = [msgspec.structs.replace(case, id=id, blocks=_NAME) for id, case in enumerate(batch)]
        answers = target.ask(numbered)
        kept += [case for case, answer in zip(batch, answers, strict=True) if answer.blocks]
    return kept
