"""What is said of an API, as plain data: groups, sections, rows, statements. Texts are unescaped; renderers escape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

State: TypeAlias = Literal["standard", "beta", "alpha", "absent", "no field"]
"""What a version makes of a rule: its level, no such rule, or not even the field."""


@dataclass(frozen=True, slots=True)
class Key:
    """The name of a section: a type of a group, whatever the version."""

    group: str
    name: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One rule of a field in words. `words` and `condition` mark code with backquotes.

    `places` says for each version where the rule stands; `states` what the version makes of it.
    """

    words: str
    condition: str
    tag: str
    error: str
    stops: bool
    on_update: bool
    states: Mapping[str, State]
    places: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field by its path, empty for the object itself. `link` leads to the section of a type that many share."""

    path: str
    type: str
    about: str
    statements: tuple[Statement, ...]
    notes: tuple[str, ...] = ()
    link: Key | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A kind, or a type that several kinds share. `versions` are newest first.

    `requests` are the paths of requests about a kind by version: `/`, `/status`. `parts` are the shared types below it,
    `total` counts their rules too, each part once. `options` are the validation options that its rules look up.
    """

    key: Key
    is_kind: bool
    versions: tuple[str, ...]
    about: str
    places: Mapping[str, str]
    requests: Mapping[str, tuple[str, ...]]
    rows: tuple[FieldRow, ...]
    used_by: tuple[tuple[Key, str], ...] = ()
    parts: tuple[Key, ...] = ()
    total: int = 0
    options: tuple[str, ...] = ()

    @property
    def rules(self) -> int:
        """How many rules there are, versions taken together."""
        return sum(len(row.statements) for row in self.rows)


@dataclass(frozen=True, slots=True)
class ApiGroup:
    """A group of an API: its kinds, the types they share, and the kinds for which nothing is declared."""

    name: str
    kinds: tuple[Section, ...]
    shared: tuple[Section, ...]
    silent: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def sections(self) -> tuple[Section, ...]:
        """Kinds first, then shared types."""
        return self.kinds + self.shared


@dataclass(frozen=True, slots=True)
class ApiReference:
    """An API. `skipped` are packages that ask for no validation, with what they say of it."""

    name: str
    release: str
    groups: tuple[ApiGroup, ...]
    skipped: tuple[str, ...] = ()
    updates: Mapping[str, str] = field(default_factory=dict)

    @property
    def kinds(self) -> int:
        """How many kinds have rules."""
        return sum(len(group.kinds) for group in self.groups)

    @property
    def rules(self) -> int:
        """How many rules there are, versions taken together."""
        return sum(section.rules for group in self.groups for section in group.sections)
