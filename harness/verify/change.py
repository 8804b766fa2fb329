"""The records of a change in git and of the fields, kinds and rules that it touches; `read.py` creates them.

The base is the merge base of the named revision and HEAD, as in a pull request: later commits on the named branch are
not part of the change. The head is the work tree, including uncommitted changes, staged or not, and new files that are
not ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from harness.diagnostics import Diagnostic, Position

FileClass: TypeAlias = Literal[
    "types", "doc", "handwritten", "generated", "normalization", "strategy", "conversion", "defaults", "suite",
    "tests", "other",
]  # fmt: skip
"""The role of a file in validation. `types`: Go files that declare types and tags; `doc`: doc.go with the tags of
generators; `handwritten`: validators written by hand, Go or Python; `generated`: output of
validation-gen; `normalization`: rules that map declarative field paths to handwritten ones; `suite`: suite.py, which
defines the tested kinds; `tests`: tests of validation, generated declarative ones too."""

Status: TypeAlias = Literal["added", "deleted", "modified", "renamed"]

Cause: TypeAlias = Literal[
    "tags", "type", "handwritten", "generated", "normalization", "strategy", "conversion", "defaults", "suite", "schema"
]
"""Why a field is touched: its tags, its Go type, its schema in a CRD, or code that validates, normalizes or
prepares it changed."""

Event: TypeAlias = Literal[
    "added", "removed", "changed", "level raised", "level lowered", "check added", "check removed", "mark added",
    "mark removed",
]  # fmt: skip
"""What happened. `level raised`: alpha to beta, beta to standard; `check`: a handwritten error; `mark`: of an error as
covered by declarative validation."""

Layout: TypeAlias = Literal["kubernetes", "suites", "crds"]


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit. `asked` is the revision as named, `commit` the full id, `subject` the first line of the message."""

    asked: str
    commit: str
    subject: str = ""


@dataclass(frozen=True, slots=True, order=True)
class ChangedFile:
    """A file that differs, by its path in the checkout. `before` is the path in the base when the file was renamed."""

    path: str
    file_class: FileClass
    status: Status
    before: str = ""
    committed: bool = True


@dataclass(frozen=True, slots=True, order=True)
class KindName:
    """A kind of the API."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        return f"{self.group}/{self.version} {self.kind}" if self.group else f"{self.version} {self.kind}"


@dataclass(frozen=True, slots=True, order=True)
class Reason:
    """Why a field or kind counts as touched, in a sentence. `position` is in the head, or in the base for removals.

    `certain` is False where code could not be attributed to fields: then some named fields may not be touched.
    """

    cause: Cause
    event: Event
    sentence: str
    position: Position
    in_base: bool = False
    certain: bool = True


@dataclass(frozen=True, slots=True, order=True)
class RuleState:
    """A declared rule of one field: the error it causes, at `path` below the field (`` or `[*]`), and its level.

    `level` is empty for standard. `limit` is the number of its tag, None without one; `argument` the rest of its
    payload.
    """

    path: str
    type: str
    origin: str
    level: str
    tag: str
    limit: int | None = None
    argument: str = ""


@dataclass(frozen=True, slots=True, order=True)
class FieldPath:
    """The path of a field in a kind: JSON names from the root, `[*]` for items and values."""

    kind: KindName
    path: str


@dataclass(frozen=True, slots=True)
class TouchedField:
    """A field of a Go type that the change touches; `go_field` is empty for the type itself.

    `type_name` is qualified (`k8s.io/api/apps/v1.DeploymentSpec`), `json_name` the path inside the type. `paths` are
    its paths in all kinds; `reasons` are sorted with certain ones first. Positions are those of the declaration, None
    without one.
    """

    type_name: str
    go_field: str
    json_name: str
    paths: tuple[FieldPath, ...]
    reasons: tuple[Reason, ...]
    tags_before: tuple[str, ...] = ()
    tags_after: tuple[str, ...] = ()
    rules_before: tuple[RuleState, ...] = ()
    rules_after: tuple[RuleState, ...] = ()
    position: Position | None = None
    position_before: Position | None = None

    @property
    def name(self) -> str:
        """The short name: `DeploymentSpec.Replicas`."""
        short = self.type_name.rpartition(".")[2]
        return f"{short}.{self.go_field}" if self.go_field else short

    @property
    def certain(self) -> bool:
        """Whether any reason is more than a guess."""
        return any(reason.certain for reason in self.reasons)

    def reasons_of(self, *causes: Cause) -> tuple[Reason, ...]:
        """Return the reasons of some causes."""
        return tuple(reason for reason in self.reasons if reason.cause in causes)


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A declared rule of a kind that was added, removed or changed.

    `path` is canonical, from the root.
    """

    path: str
    event: Event
    before: RuleState | None
    after: RuleState | None


@dataclass(frozen=True, slots=True)
class TouchedKind:
    """A kind that the change touches.

    `resources` are `resource` or `resource/subresource` where the sources declare them. `paths` are the touched paths,
    sorted. `whole` is True when the changed code cannot be attributed to single fields. `in_base` and `in_head` are
    whether the kind exists there.
    """

    name: KindName
    paths: tuple[str, ...]
    rules: tuple[RuleChange, ...] = ()
    resources: tuple[str, ...] = ()
    whole: bool = False
    reasons: tuple[Reason, ...] = ()
    in_base: bool = True
    in_head: bool = True


@dataclass(frozen=True, slots=True)
class StaleFile:
    """A generated file that does not match its types. `command` regenerates it.

    `edited` is True when the file changed and the types did not: generated code was edited by hand.
    """

    file: str
    type_name: str
    go_field: str
    sentence: str
    position: Position
    command: str
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """Everything a change touches. `nothing_touched` is the reason, in a sentence, why nothing is; else empty.

    `crds` is the folder or file of CRDs in the checkout, where they are what changes. `left_out` are the names of the
    fields that `--field` excluded. `notes` are remarks on changes that were considered
    harmless, with the reason.
    """

    checkout: Path
    layout: Layout
    base: Revision
    head: Revision
    files: tuple[ChangedFile, ...]
    fields: tuple[TouchedField, ...] = ()
    kinds: tuple[TouchedKind, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    not_regenerated: tuple[StaleFile, ...] = ()
    nothing_touched: str = ""
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    crds: str = ""
