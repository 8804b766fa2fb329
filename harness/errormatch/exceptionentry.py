"""One tolerated finding, or one tolerated group of findings: what it speaks of.

An entry with a scope speaks of one finding. An entry with a place speaks of one root cause on one Go type, or on a few,
and lists every rule there that it tolerates, each with the kind of mismatch and the worst severity. Knows nothing of
findings but the attributes that it compares, so that it stays below the judge.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from harness.diagnostics import Position
from harness.errormatch.oldcauses import first_name

SCOPE = ("kind", "path", "type", "origin", "mismatch", "cause")
"""Keys of an entry for one finding that are compared with it, value by value."""
PLACE = {"place": "owner", "cause": "cause", "side": "side"}
"""Keys of an entry for a group, and the attributes of a finding that they are compared with."""

SEVERITIES = ("verdict", "graduation", "visible", "shadow", "unreachable")
ANY = "*"
NONE = "-"
"""Stands in a rule where the finding has no type, or has no member because it is about the type itself."""
BOTH = ", "
"""Stands between the values of a key that has several. No Go type, cause or side holds it."""
UNEXPLAINED = "not-explained"
"""The cause of a finding for whose explanation there was no time: it is matched by everything else."""

_RULE = re.compile(  # a validator may call a child by what it is made of: `{topologyKey, whenUnsatisfiable}`
    r"(?P<member>(?:\{[^{}]*\}|[^\s{])+) "
    r"(?P<type>[^\s/]+)(?:/(?P<origin>\S+))? (?P<mismatch>[a-z]+|\*) (?P<severity>[a-z]+)"
)


class Tolerable(Protocol):
    """What an exception looks at in a finding: a frozen msgspec Struct with these attributes."""

    @property
    def cause(self) -> Any: ...
    @property
    def severity(self) -> Any: ...
    @property
    def exception(self) -> str | None: ...


def is_no_worse(finding: Tolerable, severity: str) -> bool:
    """Whether a finding is at most so severe."""
    return SEVERITIES.index(str(finding.severity)) >= SEVERITIES.index(severity)


def worst(severities: tuple[str, ...]) -> str:
    """Return the worst of some severities."""
    return min(severities, key=SEVERITIES.index)


@dataclass(frozen=True, slots=True, order=True)
class GroupRule:
    """One rule of a group: `name FieldValueInvalid/format=dns-label unmatched graduation`.

    `member` is the field below the Go type. Everything but the severity, which is the worst that is tolerated, may be
    `*`, for any; a type `*` alone is any type of any origin. Texts are as findings have them, empty where there is
    none.
    """

    member: str
    type: str
    origin: str
    mismatch: str
    severity: str

    @property
    def open(self) -> tuple[str, ...]:
        """What it leaves open."""
        return tuple(name for name in ("member", "type", "origin", "mismatch") if getattr(self, name) == ANY)

    def speaks_of(self, finding: Any) -> bool:
        """Whether the rule speaks of this finding of its group, however bad it is."""
        return (
            self.member in (ANY, finding.member)
            and self.type in (ANY, finding.type)
            and self.origin in (ANY, finding.origin)
            and self.mismatch in (ANY, finding.mismatch)
        )

    def tolerates(self, finding: Any) -> bool:
        """Whether the rule speaks of this finding of its group, and the finding is not worse than it says."""
        return self.speaks_of(finding) and is_no_worse(finding, self.severity)

    def __str__(self) -> str:
        origin = f"/{self.origin}" if self.origin and (self.type, self.origin) != (ANY, ANY) else ""
        return f"{self.member or NONE} {self.type or NONE}{origin} {self.mismatch} {self.severity}"


def rule_of(finding: Any) -> GroupRule | None:
    """Return the rule that speaks of one finding; None when its texts do not fit into a line."""
    rule = GroupRule(finding.member, finding.type, finding.origin, finding.mismatch, str(finding.severity))
    return rule if parse_rule(str(rule)) == rule else None


def parse_rule(text: str) -> GroupRule | None:
    """Read a line of `rules`; None when it has another form. What the words mean is not checked here."""
    found = _RULE.fullmatch(text)
    if found is None:
        return None
    member, of_type = ("" if found[name] == NONE else found[name] for name in ("member", "type"))
    origin = found["origin"] or (ANY if of_type == ANY else "")
    return GroupRule(member, of_type, origin, found["mismatch"], found["severity"])


@dataclass(frozen=True, slots=True)
class ExceptionSpec:
    """What is tolerated, why, by whom and until when.

    `scope` holds the attributes of a finding that are compared, by name; those of a group may have several values.
    `rules` are those of a group, empty for an entry that speaks of one finding. `severity` is the worst that is
    tolerated. `id` is made of suite and scope, so it stays when the file is sorted, the reason improved, or a rule
    added to a group.
    """

    id: str
    suite: str
    scope: Mapping[str, str]
    severity: str
    rules: tuple[GroupRule, ...]
    reason: str
    owner: str
    until: date
    link: str
    position: Position

    @property
    def key(self) -> tuple[str, ...]:
        """What the file is sorted by."""
        return self.suite, *self.scope.values(), self.severity

    @property
    def about(self) -> str:
        """What it speaks of, in one line for people."""
        if self.rules:
            first, *others = self.values("owner")
            more = f" and {len(others)} more" if others else ""
            return f"{first}{more}, {len(self.rules)} rule{'s' * (len(self.rules) != 1)}"
        rule = "/".join(filter(None, (self.scope["type"], self.scope["origin"])))
        return " ".join(filter(None, (self.scope["kind"], self.scope["path"], rule)))

    def of(self, subject: str) -> bool:
        """Whether it speaks of findings of a subject: its suite, with whatever settings of the gates behind it."""
        return self.suite in (ANY, subject) or subject.startswith(f"{self.suite} ")

    def values(self, key: str) -> tuple[str, ...]:
        """Return what an attribute of a finding may be."""
        return tuple(self.scope[key].split(BOTH)) if self.rules else (self.scope[key],)

    def speaks_of(self, finding: Any) -> bool:
        """Whether it speaks of a difference by what is certain of it: anything but its cause and its severity."""
        if not all(self._has(key, finding) for key in self.scope if key != "cause"):
            return False
        return not self.rules or any(rule.speaks_of(finding) for rule in self.rules)

    def tolerates(self, finding: Tolerable, subject: str) -> bool:
        """Whether this entry speaks of this finding, and the finding is not worse than the entry says.

        A finding that was not explained has no cause to compare: the rest of it decides.
        """
        if not self.of(subject) or not (finding.cause == UNEXPLAINED or self._has("cause", finding)):
            return False
        if not self.speaks_of(finding):
            return False
        if self.rules:
            return any(rule.tolerates(finding) for rule in self.rules)
        return is_no_worse(finding, self.severity)

    def _has(self, key: str, finding: Any) -> bool:
        values = self.values(key)
        return ANY in values or str(getattr(finding, key)) in values

    def __str__(self) -> str:
        scope = " ".join(f"{key}={value!r}" for key, value in self.scope.items() if value != ANY)
        return f"suite={self.suite!r} {scope} severity={self.severity!r}"


def identity(suite: str, scope: Mapping[str, str], severity: str, grouped: bool) -> str:
    """Name an entry for good: 8 hexadecimal digits, behind a `g` for a group."""
    cause = BOTH.join(sorted(map(first_name, scope["cause"].split(BOTH))))
    parts = (suite, *{**scope, "cause": cause}.values(), *(() if grouped else (severity,)))
    digits = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"g{digits}" if grouped else digits
