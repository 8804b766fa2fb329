"""The document of an API's validation rules as plain data. Texts are not escaped; the renderers escape them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

State: TypeAlias = Literal["standard", "beta", "alpha", "absent", "no field"]
"""The state of a rule in one version: its level, `absent` if the field has no such rule, or `no field`."""


@dataclass(frozen=True, slots=True)
class Key:
    """The name of a section: a type of a group, whatever the version."""

    group: str
    name: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One rule of a field in English. `text` and `condition` mark code with backquotes.

    `positions` are the source lines that declare the rule and `states` its states, both by version.
    """

    text: str
    condition: str
    tag: str
    error: str
    short_circuits: bool
    only_updates: bool
    states: Mapping[str, State]
    positions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field by its path, which is empty for the object itself. `link` is the section of a shared type."""

    path: str
    type: str
    summary: str
    statements: tuple[Statement, ...]
    notes: tuple[str, ...] = ()
    link: Key | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A kind, or a type that several kinds share. `versions` are newest first.

    `requests` are the paths of requests about a kind by version: `/`, `/status`. `linked_types` are the shared types
    that the section links to, directly or not; `total_rules` counts their rules too, each type once. `options` are the
    validation options that the rules read.
    """

    key: Key
    is_kind: bool
    versions: tuple[str, ...]
    summary: str
    positions: Mapping[str, str]
    requests: Mapping[str, tuple[str, ...]]
    rows: tuple[FieldRow, ...]
    used_by: tuple[tuple[Key, str], ...] = ()
    linked_types: tuple[Key, ...] = ()
    total_rules: int = 0
    options: tuple[str, ...] = ()

    @property
    def rule_count(self) -> int:
        """The number of rules; a rule of several versions counts once."""
        return sum(len(row.statements) for row in self.rows)


@dataclass(frozen=True, slots=True)
class ApiGroup:
    """A group of an API: its kinds, the types they share, and the kinds without rules, each with its versions."""

    name: str
    kinds: tuple[Section, ...]
    shared: tuple[Section, ...]
    without_rules: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def sections(self) -> tuple[Section, ...]:
        """Kinds first, then shared types."""
        return self.kinds + self.shared


@dataclass(frozen=True, slots=True)
class ApiReference:
    """An API. `skipped` are packages with +k8s:validation-gen=false; `updates` explains how tags treat updates."""

    name: str
    release: str
    groups: tuple[ApiGroup, ...]
    skipped: tuple[str, ...] = ()
    updates: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind_count(self) -> int:
        """The number of kinds with rules."""
        return sum(len(group.kinds) for group in self.groups)

    @property
    def rule_count(self) -> int:
        """The number of rules; a rule of several versions counts once."""
        return sum(section.rule_count for group in self.groups for section in group.sections)
