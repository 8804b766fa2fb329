"""What a search is asked to go for: an error at a place, or a value at the limit of a rule.

Aims come from those who read the rules and are used by those who make objects; who judges never sees them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.case import Json


@dataclass(frozen=True, slots=True)
class Aim:
    """A rule that has not been seen to speak, or to keep silent at its limit.

    `path` is canonical: JSON names, `[*]` for items and values, keys at their map. `type` and `origin` are those of its
    error. `limit` is the last size or value that the rule allows, None when it has no such thing; `tag` the name of the
    tag that declares it. `wants` is `reject` (make it fire), `accept` (its field there, at the limit, and no error).
    `argument` holds what else its tag says, as plain data: members of a union, values of an enum, another field.
    """

    path: str
    type: str
    origin: str = ""
    tag: str = ""
    limit: int | None = None
    wants: str = "reject"
    update: bool = False
    argument: Mapping[str, Json] = field(default_factory=dict)
