"""The claims that findings make with never, only, both, none and alone, and what of a report contradicts each.

A claim is a pattern of a sentence and a question to the report: the lists of the finding itself, and of every other
finding of the same kind. Nothing is asked of a target, so that a report that lies is caught from itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from harness.case import Operation
from harness.compare.finding import SEVERITIES, Finding
from harness.field import FieldError
from harness.jsonpath import ABSENT, canonical_path, look, path_of

Kind: TypeAlias = tuple[str, str, str, str]
Error: TypeAlias = tuple[str, str, str]
"""Type, origin and canonical path."""


class Sighting(NamedTuple):
    """A side reported an error in the answer of a finding."""

    finding: Finding
    side: str


class Observations:
    """What the answers of a report show."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = findings

    @cached_property
    def _sightings(self) -> dict[tuple[Kind, Error], list[Sighting]]:
        found: dict[tuple[Kind, Error], list[Sighting]] = {}
        for one in self.findings:
            group, version, resource, subresource = kind_of(one)
            lists = [(version, "handwritten", one.answer.handwritten), (version, "declarative", one.answer.declarative)]
            lists += [(other, "declarative", errors) for other, errors in one.answer.versions.items()]
            for name, side, errors in lists:
                for error in errors:
                    key = (group, name, resource, subresource), error_of(error)
                    found.setdefault(key, []).append(Sighting(one, side))
        return found

    def of(self, finding: Finding, side: str) -> list[Finding]:
        """Return the findings of the same kind in whose answers a side reports the error of this one."""
        seen = self._sightings.get((kind_of(finding), own_error(finding)), ())
        return [one.finding for one in seen if one.side == side]

    def same(self, finding: Finding) -> Iterator[Finding]:
        """Yield the other findings of the same kind and side about the same error."""
        for one in self.findings:
            is_same = kind_of(one) == kind_of(finding) and own_error(one) == own_error(finding)
            if one is not finding and is_same and (one.side, one.mismatch) == (finding.side, finding.mismatch):
                yield one

    def has_rules(self, finding: Finding, version: str) -> bool:
        """Whether a rule of a version of a kind was seen to report anything."""
        group, _, resource, subresource = kind_of(finding)
        key = group, version, resource, subresource
        return any(
            kind == key and one.side == "declarative" for (kind, _), all in self._sightings.items() for one in all
        )


def kind_of(finding: Finding) -> Kind:
    """Return the identity of the kind of a finding."""
    return finding.group, finding.version, finding.resource, finding.subresource


def error_of(error: FieldError) -> Error:
    """Return what two equal errors have in common."""
    return error.type, error.origin, canonical_path(error.field)


def own_error(finding: Finding) -> Error:
    """Return the error that a finding is about."""
    return finding.type, finding.origin, finding.path


def silent_side(finding: Finding) -> str:
    """Return the side that does not report the error of a finding."""
    return "handwritten" if finding.side == "declarative" else "declarative"


def reported(finding: Finding, side: str) -> list[FieldError]:
    """Return the errors of a side in a finding's own answer that are the one it is about."""
    errors = finding.answer.handwritten if side == "handwritten" else finding.answer.declarative
    return [one for one in errors if error_of(one) == own_error(finding)]


Ask: TypeAlias = Callable[[Observations, Finding, "re.Match[str]"], str]
"""Returns what contradicts a claim, empty where nothing does."""


class Claim(NamedTuple):
    """A sort of sentence, and what of a report contradicts it; `contradicted` is None where a report cannot."""

    name: str
    pattern: re.Pattern[str]
    contradicted: Ask | None


def _for_none(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    """The silent side reports it for no value: then it does so in no answer."""
    side = silent_side(finding)
    others = seen.of(finding, side)
    return f"the {side} side reports it in {others[0].fingerprint}" if others else ""


def _for_none_here(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    side = silent_side(finding)
    return f"the {side} side reports it in its own answer" if reported(finding, side) else ""


def _no_rules(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    version = found[1]
    if finding.rule_source and version == finding.version:
        return f"it names the line of a rule, {finding.rule_source}"
    return f"a rule of {version} reports an error of the same kind" if seen.has_rules(finding, version) else ""


def _no_request(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    return "" if finding.severity == "unreachable" else f"its severity is {finding.severity}"


def _only_version(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    lists = {finding.version: finding.answer.declarative, **finding.answer.versions}
    has = {version: any(error_of(one) == own_error(finding) for one in errors) for version, errors in lists.items()}
    named, *others = (name for name in found.groups() if name)
    kinds = {(one.type, one.origin) for one in lists.get(named, ())}  # its path may be another one there
    if named in lists and (finding.type, finding.origin) not in kinds:
        return f"{named} does not report it"
    return next((f"{name} reports it too" for name in others if has.get(name)), "")


def _agree(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    """Both agree as a create, or without the old value: then no finding differs there on the same object."""
    is_create = found[1].startswith("as a create")
    wanted = finding.case.old if found[1].endswith("of the old object") else finding.case.object
    for one in seen.same(finding):
        if one.case.object != wanted or (one.case.operation is Operation.CREATE) != is_create:
            continue
        if is_create or look(one.case.old, path_of(finding.path)) is ABSENT:
            return f"they differ there in {one.fingerprint}"
    return ""


def _without_it(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    """Without the other error both agree: then nobody is silent whose list is empty."""
    side = silent_side(finding)
    own = finding.answer.handwritten if side == "handwritten" else finding.answer.declarative
    if not own:
        return f"the {side} side reports nothing at all, so no error hid this one"
    for one in seen.same(finding):
        errors = one.answer.handwritten if side == "handwritten" else one.answer.declarative
        if not errors and one.cause == finding.cause:
            return f"the {side} side is silent without any error in {one.fingerprint}"
    return ""


def _beside(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    field = found[1]
    if look(finding.case.object, path_of(field)) is ABSENT:
        return f"the object has no {field}"
    return ""


def _alone(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    """One side alone reports the value: then its list has it, and the other one has not."""
    loud = found[1]
    if finding.mismatch == "version":
        return ""
    if loud != finding.side:
        return f"the finding says that the {finding.side} side reports it"
    return _for_none_here(seen, finding, found)


def _no_field(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    """No field has the path: then no other finding of the kind is about that field."""
    same = (one for one in seen.findings if kind_of(one) == kind_of(finding) and one.path == finding.path)
    known = (one for one in same if one.cause != finding.cause and one.source)
    other = next((one for one in known if one.member and "." not in one.member), None)
    return "" if other is None else f"{other.fingerprint} is about that field, {other.source}"


def _narrowed(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    """Both limits were narrowed down: then both are named, and they differ."""
    limits = re.findall(r"rejects (?:a [a-z ]+ of )?(-?\d+)( bytes| characters)?", finding.detail)
    if len(limits) != 2:
        return f"the detail names {len(limits)} limits"
    return "both limits are the same" if limits[0] == limits[1] else ""


def _severer(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    is_worse = SEVERITIES.index(found[1]) < SEVERITIES.index(finding.severity)
    return "" if is_worse else f"the finding is of severity {finding.severity}"


def _none_severer(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    tried, shown = (int(one.replace(",", "")) for one in found.groups())
    if shown > tried:
        return f"{shown} of {tried}"
    rank = SEVERITIES.index(finding.severity)
    worse = (
        one
        for one in seen.same(finding)
        if (one.operation, one.parts) == (finding.operation, finding.parts) and SEVERITIES.index(one.severity) < rank
    )
    return next((f"{one.fingerprint} is of severity {one.severity}" for one in worse), "")


def _not_on_updates(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    """Not even a changed value is reported on the update: then the side reports it on no update."""
    side = silent_side(finding)
    updates = (one for one in seen.of(finding, side) if one.case.operation is Operation.UPDATE)
    return next((f"the {side} side reports it on an update in {one.fingerprint}" for one in updates), "")


def _by_both(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    silent = [side for side in ("handwritten", "declarative") if not reported(finding, side)]
    return f"the {silent[0]} list does not have it" if silent else ""


def _no_counterpart(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    """No counterpart: then the other list has no such error with the same keys, or has it less often."""
    other = silent_side(finding)
    theirs = Counter(one.field for one in reported(finding, other) if one.covered or other == "declarative")
    mine = Counter(one.field for one in reported(finding, finding.side))
    return "" if mine - theirs or not mine else f"the {other} list has it as often"


def _no_level(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    has_level = any(one.level for one in reported(finding, "declarative"))
    return "the declarative list has it with a level" if has_level else ""


def _no_experiment(seen: Observations, finding: Finding, found: re.Match[str]) -> str:
    return "the certainty is that of an experiment" if finding.certainty == "experiment" else ""


def _claim(name: str, pattern: str, contradicted: Ask | None) -> Claim:
    return Claim(name, re.compile(pattern), contradicted)


_CHANGE = r"(as a create(?: of the old object)?|against an? (?:accepted )?old object(?: without \S+(?: value)?)?)"
_SIDE = r"the (handwritten|declarative) side"
CLAIMS: tuple[Claim, ...] = (
    _claim("a tag that was tried", r"^differs: ", None),
    _claim("no field of their own", r"^the types have no field ", None),
    _claim("no counterpart", r"^no (?:covered handwritten|declarative) counterpart of", _no_counterpart),
    _claim("no counterpart with a level", r"^no declarative counterpart with a level of", _no_level),
    _claim("for no value here", r"for none of the [\d of]+ other values? tried in this one", _for_none_here),
    _claim("for no value", r"reports it for none\b", _for_none),
    _claim("no rules at all", r"^(\S+) has no declarative validation at all", _no_rules),
    _claim("no rules at all", r"^.* have no declarative validation at all$", None),
    _claim("one version only", r"^only the rules of (\S+) report .*?, those of (\S+) do not$", _only_version),
    _claim("one version only", r"^only the rules of (\S+) report", _only_version),
    _claim("agree without", rf"{_CHANGE},? both (?:sides )?(?:agree|report it)$", _agree),
    _claim("agree without the error", r"^without it both (?:sides )?agree$", _without_it),
    _claim("agree without a field", r"does not (?:run|check) beside (\S+): without that field both", _beside),
    _claim("agree with another field", r"does not (?:run|check) with(?:out)? .*: with .* there both", None),
    _claim("one side alone", rf"{_SIDE} alone", _alone),
    _claim("no field", r"^no field of the type has this path$", _no_field),
    _claim("no field", r"^the type has no field ", _no_field),
    _claim("both limits", r"^then both limits narrowed down$", _narrowed),
    _claim("both limits", r"both sides check(?: the same limit|, at another limit)", None),
    _claim("severity alone", r"^alone, this error would be of severity (\w+)$", _severer),
    _claim(
        "none more severely", r"^of (?:the first )?([\d,]+) other objects .*, ([\d,]+) show it, none", _none_severer
    ),
    _claim("none more severely", r"^of ([\d,]+) repairs of errors beside it, ([\d,]+) show it, none", _none_severer),
    _claim("no other object", r"^not tried, because its value could not be put into another object$", None),
    _claim("not even changed", r"on this update, not even when", _not_on_updates),
    _claim("not even changed", r"while the old object has the error there too, not even when", None),
    _claim("by both", r"^reported by both sides$", _by_both),
    _claim("no origin", r"^both errors lack an origin", _by_both),
    _claim("no experiment", r"^none: ", _no_experiment),
    _claim("every other experiment", r"^every (?:other experiment|one that applies)", None),
    _claim("marked or repaired", r"^none where the list marks", None),
    _claim("no value tried", r"no other (?:value )?was tried|none of the \d+ other values that were tried has", None),
    _claim("an experiment", r"until both sides report it|for some of which both sides report it", None),
    _claim("no answer", r"^none of the [\d,]+ cases of experiments was answered", None),
    _claim("no explanation", r"^none explains it$", None),
    _claim("no origin of one", r"^the origins differ: ", None),
    _claim("no request", r"^nothing to do for requests, none of which", _no_request),
    _claim("runs only under", r"^the check runs only under `", None),  # read in the sources
    # Read in the sources.
    _claim("letters of ASCII alone", r"^the check is to lower letters of ASCII alone then, under ", None),
    _claim("only one caller", r"^only \w+ uses it(, which only \w+ uses)*, which is called by ", None),
    _claim("with a gate", r"both (?:sides )?agree (?:with|without) |both sides report it$", None),
)
"""What a report can be held against, the narrower pattern first."""
