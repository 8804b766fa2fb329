"""An entry of the exceptions file: one tolerated finding, or one tolerated group of findings.

An entry with a scope matches one finding. An entry with a place matches one root cause on one or several Go types, and
lists every rule that it tolerates, each with the kind of mismatch and the worst severity. Reads only the attributes of
findings that it compares, and does not import the judge.
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

VERSION = "version"
"""The optional key of an entry that tolerates the findings of one version of the API alone."""

SEVERITIES = ("verdict", "graduation", "visible", "shadow", "unreachable")
ANY = "*"
NONE = "-"
"""In a rule, the type of a finding without a type, or the member of a finding that is about the type itself."""
BOTH = ", "
"""The separator of the values of a key with several values. No Go type, cause or side contains it."""
UNEXPLAINED = "not-explained"
"""The cause of a finding that was not explained in time. It is matched by its other properties."""

_RULE = re.compile(  # a validator may name a child after several fields: `{topologyKey, whenUnsatisfiable}`
    r"(?P<member>(?:\{[^{}]*\}|[^\s{])+) "
    r"(?P<type>[^\s/]+)(?:/(?P<origin>\S+))? (?P<mismatch>[a-z]+|\*) (?P<severity>[a-z]+)"
)


class Tolerable(Protocol):
    """The attributes of a finding that an exception reads; a frozen msgspec Struct."""

    @property
    def cause(self) -> Any: ...
    @property
    def severity(self) -> Any: ...
    @property
    def exception(self) -> str | None: ...


def is_no_worse(finding: Tolerable, severity: str) -> bool:
    """Whether a finding is at most as severe as `severity`."""
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
        """The keys that match any value."""
        return tuple(name for name in ("member", "type", "origin", "mismatch") if getattr(self, name) == ANY)

    def matches_finding(self, finding: Any) -> bool:
        """Whether the rule matches this finding of its group, whatever its severity."""
        return (
            self.member in (ANY, finding.member)
            and self.type in (ANY, finding.type)
            and self.origin in (ANY, finding.origin)
            and self.mismatch in (ANY, finding.mismatch)
        )

    def tolerates(self, finding: Any) -> bool:
        """Whether the rule matches this finding of its group, and permits its severity."""
        return self.matches_finding(finding) and is_no_worse(finding, self.severity)

    def __str__(self) -> str:
        origin = f"/{self.origin}" if self.origin and (self.type, self.origin) != (ANY, ANY) else ""
        return f"{self.member or NONE} {self.type or NONE}{origin} {self.mismatch} {self.severity}"


def rule_of(finding: Any) -> GroupRule | None:
    """Return the rule that speaks of one finding; None when its texts do not fit into a line."""
    rule = GroupRule(finding.member, finding.type, finding.origin, finding.mismatch, str(finding.severity))
    return rule if parse_rule(str(rule)) == rule else None


def parse_rule(text: str) -> GroupRule | None:
    """Read a line of `rules`; None if it has another form. Its values are not checked here."""
    found = _RULE.fullmatch(text)
    if found is None:
        return None
    member, of_type = ("" if found[name] == NONE else found[name] for name in ("member", "type"))
    origin = found["origin"] or (ANY if of_type == ANY else "")
    return GroupRule(member, of_type, origin, found["mismatch"], found["severity"])


@dataclass(frozen=True, slots=True)
class ExceptionSpec:
    """An entry: the findings that it tolerates, with its reason, owner and end date.

    `scope` has the attributes of a finding that are compared, by name; those of a group may have several values. The
    version of the API is one of them only if the entry has it.
    `rules` are the rules of a group, empty for an entry that tolerates one finding. `severity` is the worst that is
    tolerated. `id` is a hash of suite and scope, so it stays the same when the file is sorted, the reason is improved,
    or a rule is added to a group.
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
        """The tolerated findings, in one line for users."""
        if self.rules:
            first, *others = self.values("owner")
            more = f" and {len(others)} more" if others else ""
            return f"{first}{more}{self._version}, {len(self.rules)} rule{'s' * (len(self.rules) != 1)}"
        rule = "/".join(filter(None, (self.scope["type"], self.scope["origin"])))
        return " ".join(filter(None, (self.scope["kind"] + self._version, self.scope["path"], rule)))

    @property
    def _version(self) -> str:
        return f" of {self.scope[VERSION]}" if VERSION in self.scope else ""

    def of(self, subject: str) -> bool:
        """Whether the entry is for a subject: its suite, with any feature gates after the name."""
        return self.suite in (ANY, subject) or subject.startswith(f"{self.suite} ")

    def values(self, key: str) -> tuple[str, ...]:
        """Return the permitted values of an attribute of a finding."""
        return tuple(self.scope[key].split(BOTH)) if self.rules else (self.scope[key],)

    def matches_finding(self, finding: Any) -> bool:
        """Whether the entry matches a difference, apart from its cause and its severity."""
        if not all(self._has(key, finding) for key in self.scope if key != "cause"):
            return False
        return not self.rules or any(rule.matches_finding(finding) for rule in self.rules)

    def tolerates(self, finding: Tolerable, subject: str) -> bool:
        """Whether this entry matches this finding and permits its severity.

        The cause of a finding that was not explained is not compared.
        """
        if not self.of(subject) or not (finding.cause == UNEXPLAINED or self._has("cause", finding)):
            return False
        if not self.matches_finding(finding):
            return False
        if self.rules:
            return any(rule.tolerates(finding) for rule in self.rules)
        return is_no_worse(finding, self.severity)

    def _has(self, key: str, finding: Any) -> bool:
        values = self.values(key)
        found = str(getattr(finding, key))
        # A case of a witness has its version beside the differences that it shows.
        return ANY in values or found in values or (key == VERSION and not found)

    def __str__(self) -> str:
        scope = " ".join(f"{key}={value!r}" for key, value in self.scope.items() if value != ANY)
        return f"suite={self.suite!r} {scope} severity={self.severity!r}"


def identity(suite: str, scope: Mapping[str, str], severity: str, grouped: bool) -> str:
    """Return the stable id of an entry: 8 hexadecimal digits, after a `g` for a group."""
    cause = BOTH.join(sorted(map(first_name, scope["cause"].split(BOTH))))
    parts = (suite, *{**scope, "cause": cause}.values(), *(() if grouped else (severity,)))
    digits = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"g{digits}" if grouped else digits
