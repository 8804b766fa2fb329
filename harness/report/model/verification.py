"""The report section of `harness verify`: a verdict for each field that a change touches.

In such a report `findings` are those that only the head has. Findings that the base has too are in `known`, and
differences between the errors that users of base and head are served are in `changes`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from harness.case import group_version
from harness.compare.finding import Finding
from harness.compare.two_servers import Direction
from harness.field import FieldError
from harness.report.model.coverage import RuleEntry
from harness.report.words import FieldVerdict


class RevisionEntry(msgspec.Struct, frozen=True):
    """The base or the head of a change. `commit` is empty for a work tree; `subject` is that of the commit message."""

    asked: str
    commit: str
    subject: str = ""


class ReasonEntry(msgspec.Struct, frozen=True):
    """Why a field counts as touched. `place` is `file:line`, in the base if `in_base`. A guess is not `certain`."""

    cause: str
    event: str
    sentence: str
    place: str
    in_base: bool = False
    certain: bool = True


class KindPath(msgspec.Struct, frozen=True):
    """The canonical path of a field in a kind."""

    group: str
    version: str
    kind: str
    path: str

    @property
    def name(self) -> str:
        """The kind and path for users: `apps/v1 Deployment spec.replicas`."""
        return f"{group_version(self.group, self.version)} {self.kind} {self.path}".rstrip()


class Effort(msgspec.Struct, frozen=True):
    """How many cases tried a field, in the search of the head; `compared` in the comparison of base and head.

    `cases` have a value at the field in the new or the old object; `creates` and `updates` are those of each operation.
    `changed` are updates that change the field, `kept` updates that change another field only. `accepted` are the cases
    that both validators accepted; `handwritten` and `declarative` are those for which that validator reported an error
    at the field or below it. `compared` are the cases that both base and head answered.
    """

    cases: int = 0
    creates: int = 0
    updates: int = 0
    changed: int = 0
    kept: int = 0
    accepted: int = 0
    handwritten: int = 0
    declarative: int = 0
    compared: int = 0


class FieldEntry(msgspec.Struct, frozen=True):
    """A touched field and its verdict.

    `name` is that of Go (`DeploymentSpec.Replicas`), `json_name` the path inside its type. `why` is the reason why it
    was not tried, or the reason for the verdict if it is not obvious. `rules` are the rules that the head declares for
    it, with what the search observed of them; `versions` are the API versions in which it was tried. `findings` are the
    fingerprints of findings that only the head has, `known` of those that the base has too, `changes` of changes for
    users.
    """

    name: str
    type_name: str
    json_name: str
    verdict: FieldVerdict
    why: str
    reasons: tuple[ReasonEntry, ...]
    paths: tuple[KindPath, ...]
    tags_before: tuple[str, ...] = ()
    tags_after: tuple[str, ...] = ()
    place: str = ""
    effort: Effort = Effort()
    rules: tuple[RuleEntry, ...] = ()
    versions: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


class UserChange(msgspec.Struct, frozen=True):
    """The smallest object, or pair of objects, for which users of base and head are served different errors.

    `before` and `after` are the errors that they are served. `settings` are the gate settings with this difference,
    empty if only one was compared. `fields` are the names of the touched fields with the difference, empty if it is at
    another field. `finding` is the finding of the comparison: its handwritten errors are those of the head, its
    declarative errors those of the base.
    """

    fingerprint: str
    direction: Direction
    sentence: str
    before: tuple[FieldError, ...]
    after: tuple[FieldError, ...]
    settings: tuple[str, ...]
    fields: tuple[str, ...]
    finding: Finding
    replay: str = ""

    @property
    def is_verdict(self) -> bool:
        """Whether an object is accepted by one of base and head only, and no exception tolerates that."""
        return self.direction != "other-errors" and self.finding.exception is None


class StaleEntry(msgspec.Struct, frozen=True):
    """Generated code that does not match the tags. `command` generates it again, `place` is `file:line`."""

    field: str
    file: str
    sentence: str
    place: str
    command: str
    edited: bool = False


class LintEntry(msgspec.Struct, frozen=True):
    """A lint finding on a touched tag."""

    code: str
    place: str
    message: str
    fix: str = ""


class BuildEntry(msgspec.Struct, frozen=True):
    """The build of the base or the head. `seconds` is its duration."""

    end: Literal["base", "head"]
    location: str
    seconds: float


class Verification(msgspec.Struct, frozen=True):
    """The verdict on a change.

    `nothing_touched` is the reason why nothing was built or searched, empty otherwise. `elsewhere` are the fingerprints
    of new findings at other than touched fields. `settings` are the names of the gate settings that were compared.
    `unsearched` are the searches that were left out, with reasons. `known` are findings that the base has too;
    `uncompared` are findings that could not be replayed at the base in time, so that they may not be new.
    """

    base: RevisionEntry
    head: RevisionEntry
    layout: str
    fields: tuple[FieldEntry, ...] = ()
    changes: tuple[UserChange, ...] = ()
    known: tuple[Finding, ...] = ()
    uncompared: tuple[Finding, ...] = ()
    elsewhere: tuple[str, ...] = ()
    stale: tuple[StaleEntry, ...] = ()
    lint: tuple[LintEntry, ...] = ()
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    unsearched: tuple[str, ...] = ()
    builds: tuple[BuildEntry, ...] = ()
    nothing_touched: str = ""

    @property
    def is_clean(self) -> bool:
        """Whether the change has no stale code, no lint finding, and no object whose verdict changes for users."""
        return not self.stale and not self.lint and not any(change.is_verdict for change in self.changes)

    @property
    def is_complete(self) -> bool:
        """Whether all fields that are certainly touched were tried, and no search was left out."""
        tried = all(one.verdict != "not-tried" for one in self.fields if any(why.certain for why in one.reasons))
        return tried and not self.unsearched
