"""One tolerated finding, or one tolerated group of findings: what it speaks of, and when it must occur.

An entry with a scope speaks of one finding. An entry with a place speaks of one cause, reported by one side, on one Go
type, and lists every rule there that it tolerates, each with the kind of mismatch and the worst severity. Knows nothing
of findings but the attributes that it compares, so that it stays below the judge.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from harness.diagnostics import Position

SCOPE = ("kind", "path", "type", "origin", "mismatch", "cause")
"""Keys of an entry for one finding that are compared with it, value by value."""
PLACE = {"place": "owner", "cause": "cause", "side": "side"}
"""Keys of an entry for a group, and the attributes of a finding that they are compared with."""

SEVERITIES = ("verdict", "graduation", "visible", "shadow", "unreachable")
ANY = "*"
NONE = "-"
"""Stands in a rule where the finding has no type, or has no member because it is about the type itself."""

_RULE = re.compile(  # a validator may call a child by what it is made of: `{topologyKey, whenUnsatisfiable}`
    r"(?P<member>(?:\{[^{}]*\}|[^\s{])+) "
    r"(?P<type>[^\s/]+)(?:/(?P<origin>\S+))? (?P<mismatch>[a-z]+) (?P<severity>[a-z]+)"
)
_WITHIN = re.compile(r"within (?P<cases>[1-9]\d{0,14}) cases(?: of (?P<release>\S+))?")


class Tolerable(Protocol):
    """What an exception looks at in a finding: a frozen msgspec Struct with these attributes."""

    @property
    def severity(self) -> Any: ...
    @property
    def exception(self) -> str | None: ...


def worst(severities: tuple[str, ...]) -> str:
    """Return the worst of some severities."""
    return min(severities, key=SEVERITIES.index)


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """One rule of a group: `name FieldValueInvalid/format=dns-label unmatched graduation`.

    `member` is the field below the Go type; it and the origin may be `*`, for any. `severity` is the worst that is
    tolerated. Texts are as findings have them, empty where there is none.
    """

    member: str
    type: str
    origin: str
    mismatch: str
    severity: str

    def tolerates(self, finding: Any) -> bool:
        """Whether the rule speaks of this finding of its group, and the finding is not worse than it says."""
        return (
            (self.type, self.mismatch) == (finding.type, finding.mismatch)
            and self.member in (ANY, finding.member)
            and self.origin in (ANY, finding.origin)
            and SEVERITIES.index(str(finding.severity)) >= SEVERITIES.index(self.severity)
        )

    def __str__(self) -> str:
        origin = f"/{self.origin}" if self.origin else ""
        return f"{self.member or NONE} {self.type or NONE}{origin} {self.mismatch} {self.severity}"


def rule_of(finding: Any) -> Rule | None:
    """Return the rule that speaks of one finding; None when its texts do not fit into a line."""
    rule = Rule(finding.member, finding.type, finding.origin, finding.mismatch, str(finding.severity))
    return rule if parse_rule(str(rule)) == rule else None


def parse_rule(text: str) -> Rule | None:
    """Read a line of `rules`; None when it has another form. What the words mean is not checked here."""
    found = _RULE.fullmatch(text)
    if found is None:
        return None
    member, of_type = ("" if found[name] == NONE else found[name] for name in ("member", "type"))
    return Rule(member, of_type, found["origin"] or "", found["mismatch"], found["severity"])


@dataclass(frozen=True, slots=True)
class Occurs:
    """When a difference shows, and so which run without it proves that it is gone.

    `cases` is how many a run must ask at least, of `release` where that is named; 0 stands for any whole run. A
    difference that shows only `sometimes` is never missed by one run.
    """

    sometimes: bool = False
    cases: int = 0
    release: str = ""

    def __str__(self) -> str:
        if self.sometimes:
            return "sometimes"
        of = f" of {self.release}" if self.release else ""
        return f"within {self.cases} cases{of}" if self.cases else "always"


def parse_occurs(text: str) -> Occurs | None:
    """Read the value of `occurs`; None when it has another form."""
    if text in ("", "always", "sometimes"):
        return Occurs(sometimes=text == "sometimes")
    found = _WITHIN.fullmatch(text)
    return Occurs(cases=int(found["cases"]), release=found["release"] or "") if found else None


@dataclass(frozen=True, slots=True)
class ExceptionEntry:
    """What is tolerated, why, by whom and until when.

    `scope` holds the attributes of a finding that are compared, by name. `rules` are those of a group, empty for an
    entry that speaks of one finding. `severity` is the worst that is tolerated. `id` is made of suite and scope, so it
    stays when the file is sorted, the reason improved, or a rule added to a group.
    """

    id: str
    suite: str
    scope: Mapping[str, str]
    severity: str
    rules: tuple[Rule, ...]
    reason: str
    owner: str
    until: date
    link: str
    occurs: Occurs
    position: Position

    @property
    def key(self) -> tuple[str, ...]:
        """What the file is sorted by."""
        return self.suite, *self.scope.values(), self.severity

    @property
    def about(self) -> str:
        """What it speaks of, in one line for people."""
        if self.rules:
            return f"{self.scope['owner']}, {len(self.rules)} rule{'s' * (len(self.rules) != 1)}"
        rule = "/".join(filter(None, (self.scope["type"], self.scope["origin"])))
        return " ".join(filter(None, (self.scope["kind"], self.scope["path"], rule)))

    def of(self, subject: str) -> bool:
        """Whether it speaks of findings of a subject: its suite, with whatever settings of the gates behind it."""
        return self.suite in (ANY, subject) or subject.startswith(f"{self.suite} ")

    def tolerates(self, finding: Tolerable, subject: str) -> bool:
        """Whether this entry speaks of this finding, and the finding is not worse than the entry says."""
        if not self.of(subject):
            return False
        if not all(wanted in (ANY, str(getattr(finding, key))) for key, wanted in self.scope.items()):
            return False
        if self.rules:
            return any(rule.tolerates(finding) for rule in self.rules)
        return SEVERITIES.index(str(finding.severity)) >= SEVERITIES.index(self.severity)

    def __str__(self) -> str:
        scope = " ".join(f"{key}={value!r}" for key, value in self.scope.items() if value != ANY)
        return f"suite={self.suite!r} {scope} severity={self.severity!r}"


def identity(suite: str, scope: Mapping[str, str], severity: str, grouped: bool) -> str:
    """Name an entry for good: 8 hexadecimal digits, behind a `g` for a group."""
    parts = (suite, *scope.values(), *(() if grouped else (severity,)))
    digits = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"g{digits}" if grouped else digits
