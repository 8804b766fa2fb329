"""Aims of a search: an error at a path, or an accepted value at the limit of a rule.

Aims are derived from the rules and used to generate objects; the comparison of answers never reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.case import Json
from harness.field.facts import RuleLimit


@dataclass(frozen=True, slots=True)
class Aim:
    """A rule that has not yet rejected a value, or not yet accepted a value at its limit.

    `path` is canonical: JSON names, `[*]` for items and values, keys at their map. `type` and `origin` are those of its
    error. `limit` is the last size or value that the rule accepts, None without a limit; `tag` the name of the tag that
    declares it. `wants` is `reject` (the rule reports an error) or `accept` (its field is set, at the limit, without an
    error). `argument` has the other arguments of its tag, as plain data: union members, enum values, another field.
    """

    path: str
    type: str
    origin: str = ""
    tag: str = ""
    limit: int | None = None
    wants: str = "reject"
    update: bool = False
    argument: Mapping[str, Json] = field(default_factory=dict)
    counts: RuleLimit | None = None
