"""What a change in git touches: the records that `harness verify` goes by, as `read.py` makes them.

The base is the merge base of the named revision and HEAD, which is what a pull request shows: what others did to
the named branch in the meantime is no part of the change. The head is the work tree as it lies, with what is not
committed yet, staged or not, and with new files that are not ignored.
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
"""What a file is to validation. `types`: Go files that declare types with their tags; `doc`: doc.go with the tags of
generators; `handwritten`: validators written by hand, Go or Python; `generated`: what validation-gen wrote;
`normalization`: rules that bring the paths of errors together; `suite`: suite.py, which says what is examined;
`tests`: tests of validation, generated declarative ones too."""

Status: TypeAlias = Literal["added", "deleted", "modified", "renamed"]

Cause: TypeAlias = Literal[
    "tags", "type", "handwritten", "generated", "normalization", "strategy", "conversion", "defaults", "suite"
]
"""The side of a change that touches a field: its tags, its Go type, code that validates, normalizes or prepares it."""

Event: TypeAlias = Literal[
    "added", "removed", "changed", "level raised", "level lowered", "check added", "check removed", "mark added",
    "mark removed",
]  # fmt: skip
"""What happened. `level raised`: alpha to beta, beta to standard; `check`: a handwritten error; `mark`: of an error as
covered by declarative validation."""

Layout: TypeAlias = Literal["kubernetes", "suites"]


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit. `asked` is what was named, `commit` the full id, `subject` its first line; head is the work tree."""

    asked: str
    commit: str
    subject: str = ""


@dataclass(frozen=True, slots=True, order=True)
class ChangedFile:
    """A file that differs, by its path in the checkout. `before` is the path in the base when it was another one."""

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
    """Why something counts as touched, in a sentence. `position` is in the head, in the base for what is gone.

    `certain` is False where code was read and not understood: then more is named than may be touched.
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

    `level` is empty for standard. `limit` is the number of its tag, None without one; `argument` what else it says.
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
    """Where a kind has a field: JSON names from the root, `[*]` for items and values."""

    kind: KindName
    path: str


@dataclass(frozen=True, slots=True)
class TouchedField:
    """A field of a Go type that the change touches; `go_field` is empty for the type itself.

    `type_name` is qualified (`k8s.io/api/apps/v1.DeploymentSpec`), `json_name` the path inside the type. `paths` are
    all places where kinds have it, `certain` reasons first. Positions are those of the declaration, None where there
    is none.
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
    """A declared rule of a kind that only base or only head has, or that both have in another way.

    `path` is canonical, from the root.
    """

    path: str
    event: Event
    before: RuleState | None
    after: RuleState | None


@dataclass(frozen=True, slots=True)
class TouchedKind:
    """A kind that the change reaches.

    `resources` are `resource` or `resource/subresource` where the sources tell them. `paths` are those touched, sorted;
    `whole` says that code was changed of which nobody can say which fields it judges: then the whole kind counts.
    `in_base` and `in_head` tell whether it exists there.
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
    """A generated file that does not say what the types do. `command` writes it anew.

    `edited` is True when the types did not change and the file did: somebody edited generated code by hand.
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
    """Everything a change touches. `nothing_touched` says why nothing is, in a sentence; empty when something is.

    `left_out` are the fields that `--field` left out, by name. `notes` are remarks for people: what was taken as
    harmless and why.
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
