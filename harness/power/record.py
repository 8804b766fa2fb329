"""What became of one sabotage, of a suite's rule or of a target's: a record that can be pickled and written down."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

State: TypeAlias = Literal["noticed", "equivalent", "hole", "survived", "unjudged"]
"""Of survivors: `equivalent` and `hole` are on the committed list, `survived` is not."""


class Record(msgspec.Struct, frozen=True, order=True):
    """One sabotage, and what a run said of it.

    `name` lasts while the rule stays; `place` and `rule` say to what it was done, `operator` what. `shown` is the
    difference that it was noticed by; of a survivor `reason` says why nothing showed, as far as that is known, and
    `shown_by` which case would. `cases` is how many were asked for it, 0 when one run judged all.
    """

    name: str
    side: str
    operator: str
    place: str
    rule: str
    state: State
    shown: str = ""
    reason: str = ""
    shown_by: str = ""
    cases: int = 0
