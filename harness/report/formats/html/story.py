"""Describes a finding to readers who do not know the project: the difference, who notices it, and the gate settings.

All sentences are computed from the report document. Terms of the project are explained where they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.case import ServedList, group_version
from harness.compare.composition import GRADUATED
from harness.field import FieldError
from harness.report.model.document import ReportedFinding
from harness.report.words import meaning_of

SETTINGS: dict[str, str] = {
    "beta-on": "today, gate DeclarativeValidationBeta on: rules of levels beta and standard decide",
    "beta-off": "today, gate DeclarativeValidationBeta off: standard rules decide, for all else the handwritten code",
    "graduated": "after the migration: every rule decides, and handwritten checks marked as covered are deleted",
    "takeover": "gates DeclarativeValidation and DeclarativeValidationTakeover on: rules replace covered checks",
    "validation-on": "gate DeclarativeValidation on: rules run unseen, the handwritten code decides",
    "takeover-only": "gate DeclarativeValidationTakeover on alone: it has no effect, the handwritten code decides",
    "validation-off": "both gates off: the handwritten code decides",
}
"""The meaning of each setting of the migration's feature gates."""

_WHAT: dict[str, str] = {
    "unmatched": (
        "The handwritten code reports an error that it marks as covered, which promises that a declarative rule "
        "reports the same. No rule reports it here:"
    ),
    "extra": "A declarative rule reports an error that no handwritten check marked as covered reports:",
    "served": "Users read different errors for the same request, depending on the setting of the gates:",
    "version": "Two API versions of this kind disagree about the same object:",
    "conversion": "An accepted object is another one after it was read and written in another version:",
    "generated": "Generated code does not report what the tags that it was generated from say:",
    "composition": "The target served another list of errors than follows from its two lists:",
    "path": "An error names a field that the type does not have:",
    "panic": "A validator crashed on this object:",
    "self": "Asked twice about the same object, the validator gave two answers:",
}


class SideNames(NamedTuple):
    """The headings of the two error lists: handwritten and declarative, or the target before and the one after."""

    left: str = "Handwritten"
    right: str = "Declarative"

    @property
    def releases(self) -> bool:
        """Whether the lists are those of two targets, and not of the two validators of one."""
        return self != TWO_SIDES


TWO_SIDES = SideNames()


class ServedSettings(NamedTuple):
    """Gate settings that serve the same errors, each with its meaning.

    `common` are the errors that are served under every setting, `only` those of these settings.
    """

    settings: tuple[tuple[str, str], ...]
    common: list[FieldError]
    only: list[FieldError]

    @property
    def errors(self) -> list[FieldError]:
        """All errors that are served under these settings."""
        return self.only + self.common


def name_sides(between: Sequence[str]) -> SideNames:
    """Return the headings for a finding, or for a part of a run, whose `between` is given."""
    return SideNames(*between) if len(between) == 2 else TWO_SIDES


def describe_mismatch(finding: ReportedFinding) -> str:
    """Return a sentence on the kind of mismatch, which ends with a colon before the error that it is about."""
    if len(finding.between) == 2:
        return f"Users of {finding.between[0]} and of {finding.between[1]} read different errors for the same request:"
    return _WHAT[finding.mismatch]


def name_request(finding: ReportedFinding) -> str:
    """Return the request that shows a finding: `Create of kind DeviceClass (resource.k8s.io/v1)`.

    A Python callable has no versions, and then there are no parentheses.
    """
    part = f"subresource {finding.subresource}" if finding.subresource else ""
    where = ", ".join(filter(None, (group_version(finding.group, finding.version), part)))
    return f"{finding.operation.capitalize()} of kind {finding.kind}{f' ({where})' if where else ''}"


def describe_audience(finding: ReportedFinding) -> str:
    """Return who notices a finding: under which gate settings the request is accepted or rejected."""
    if finding.severity == "unreachable":
        return (
            "Nobody who sends requests: the server would have changed such an object or refused such a request first, "
            "or does not serve this version. It shows only when validators are called directly, as unit tests do."
        )
    told = meaning_of(finding)
    meaning = f"{told[:1].upper()}{told[1:]}."
    if finding.mismatch == "panic" or not finding.answer.served:
        return meaning
    if len(finding.between) == 2:
        return _between(finding.answer.served)
    if finding.mismatch == "version":
        when = {"verdict": "Users, today", "graduation": "Everybody, once the migration is finished"}
        if finding.severity in when:
            return f"{when[finding.severity]}: whether the request is accepted depends on the version it is sent as."
    accepted = [one.setting for one in finding.answer.served if not one.errors]
    rejected = [one.setting for one in finding.answer.served if one.errors]
    if accepted and rejected:
        if finding.severity != "verdict":
            now, then = ("rejected", "accepted") if GRADUATED in accepted else ("accepted", "rejected")
            return f"Everybody, once the migration is finished: the request is {now} today and will be {then} then."
        return (
            f"Users, today: the request is accepted under setting {_join(accepted)} "
            f"and rejected under {_join(rejected)}."
        )
    if finding.severity == "visible":
        return "Users: the request is rejected under every setting, but the errors that they read change."
    verdict = "accepted" if accepted else "rejected"
    return f"Nobody today: the request is {verdict} under every setting. {meaning}"


def _between(served: Sequence[ServedList]) -> str:
    before, after = ("rejected" if one.errors else "accepted" for one in served[:2])
    if before == after:
        return "Users who move: the request is rejected by both, but the errors that they read change."
    return f"Users who move: the request is {before} by {served[0].setting} and {after} by {served[1].setting}."


def group_settings(finding: ReportedFinding) -> list[ServedSettings]:
    """Group the gate settings that serve the same errors."""
    found: dict[tuple[FieldError, ...], list[tuple[str, str]]] = {}
    ends = dict(zip(finding.between, ("what users have", "what they move to"), strict=False))
    for one in finding.answer.served:
        gates = " ".join(f"{name}={value}" for name, value in one.gates.items())
        found.setdefault(one.errors, []).append((one.setting, (ends or SETTINGS).get(one.setting, gates)))
    common = set.intersection(*({error.text for error in errors} for errors in found)) if found else set()
    return [
        ServedSettings(
            tuple(settings),
            [error for error in errors if error.text in common],
            [error for error in errors if error.text not in common],
        )
        for errors, settings in found.items()
    ]


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
