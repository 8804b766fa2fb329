"""The list of rules that no object can fire, each with its reason; conformance tests check that they never fire."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

import msgspec
import yaml

Key: TypeAlias = tuple[str, str, str, str, str, str]
"""Group, version, kind, path, type, origin."""

FILE = Path(__file__).parent / "unfireable.yaml"


class Unfireable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule of one release that cannot fire, and why."""

    release: str
    group: str
    version: str
    kind: str
    path: str
    type: str
    origin: str
    reason: str

    @property
    def key(self) -> Key:
        """The identity of the rule."""
        return self.group, self.version, self.kind, self.path, self.type, self.origin


@cache
def unfireable() -> tuple[Unfireable, ...]:
    """Return every entry of the file."""
    return msgspec.convert(yaml.safe_load(FILE.read_text(encoding="utf-8")), tuple[Unfireable, ...])


@cache
def reasons_for(release: str) -> Mapping[Key, str]:
    """Return the reasons by rule, for a release named as targets do (`1.37.1`, `v1.37.1`)."""
    return {one.key: one.reason for one in unfireable() if one.release == release.removeprefix("v")}
