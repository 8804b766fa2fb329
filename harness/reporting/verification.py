"""What `harness verify` says of a change, as a section of the report document: a verdict for each field it touches.

In such a report `findings` are those that the head has and the base has not; what the base has too is in `known`, and
what the users of base and head are served in `changes`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from harness.compare.ends import Direction
from harness.compare.finding import Finding
from harness.field import FieldError
from harness.reporting.coverage import RuleEntry

FieldVerdict: TypeAlias = Literal["equivalent", "different", "not-tried"]
"""`equivalent`: as far as was tried; `different`: there are findings, or users are served something else."""


class RevisionEntry(msgspec.Struct, frozen=True):
    """One end of the change. `commit` is empty for a work tree; `subject` is the first line of the commit's message."""

    asked: str
    commit: str
    subject: str = ""


class ReasonEntry(msgspec.Struct, frozen=True):
    """Why a field counts as touched. `place` is `file:line`, of the base when `in_base`; a guess is not `certain`."""

    cause: str
    event: str
    sentence: str
    place: str
    in_base: bool = False
    certain: bool = True


class KindPath(msgspec.Struct, frozen=True):
    """Where a kind has a field; `path` is canonical."""

    group: str
    version: str
    kind: str
    path: str

    @property
    def name(self) -> str:
        """The path for people: `apps/v1 Deployment spec.replicas`."""
        version = f"{self.group}/{self.version}" if self.group else self.version
        return f"{version} {self.kind} {self.path}".rstrip()


class Effort(msgspec.Struct, frozen=True):
    """How hard a field was tried, by the search of the head; `compared` by that of base against head.

    `cases` have a value at the field, new or old, or changed it; `creates` and `updates` are those of each operation.
    `changed` are updates that give it another value, `kept` those that leave it alone and change something else.
    `accepted` were accepted by both sides, `handwritten` and `declarative` count answers in which that side reports an
    error at the field or below it. `compared` counts cases that base and head were both asked.
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

    `name` is that of Go (`DeploymentSpec.Replicas`), `json_name` the path inside its type. `why` says in a sentence why
    it was not tried, or what the verdict rests on where that is not obvious. `rules` are those declared for it at the
    head, with what was seen of them, `versions` the API versions in which it was tried. `findings` are fingerprints of
    findings that only the head has, `known` of those that the base has too, `changes` of changes for users.
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
    """The smallest object, or pair, that users of base and head are told different things about.

    `before` and `after` are what each is served. `settings` are the settings of the gates under which that is so, empty
    where there was only one. `fields` are names of touched fields, empty when it shows elsewhere. `finding` is what
    the search made of it: its handwritten side is the head, its declarative side the base.
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
        """Whether an object changes sides, and no exception tolerates that."""
        return self.direction != "other-errors" and self.finding.exception is None


class StaleEntry(msgspec.Struct, frozen=True):
    """Generated code that does not say what the tags do; `command` writes it anew, `place` is `file:line`."""

    field: str
    file: str
    sentence: str
    place: str
    command: str
    edited: bool = False


class LintEntry(msgspec.Struct, frozen=True):
    """What the linter says of the touched tags."""

    code: str
    place: str
    message: str
    fix: str = ""


class BuildEntry(msgspec.Struct, frozen=True):
    """How one end came to be asked. `seconds` is how long that took."""

    end: Literal["base", "head"]
    location: str
    seconds: float


class Verification(msgspec.Struct, frozen=True):
    """The verdict on a change.

    `nothing_touched` says in a sentence why nothing was built or searched, empty otherwise. `elsewhere` are
    fingerprints of new findings at no touched field. `settings` name the settings of gates that were compared.
    `unsearched` says what was left out, and why. `known` are findings that the base has too, `uncompared` those that
    there was no time to ask the base about: nobody knows whether they are new.
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
        """Whether the change itself gives no reason to fail, whatever the findings are."""
        return not self.stale and not self.lint and not any(change.is_verdict for change in self.changes)

    @property
    def is_complete(self) -> bool:
        """Whether everything that is surely touched could be tried, and base and head were compared."""
        tried = all(one.verdict != "not-tried" for one in self.fields if any(why.certain for why in one.reasons))
        return tried and not self.unsearched
