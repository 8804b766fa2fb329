"""One difference between the two sides, as the comparator states it: a record first, text is rendered from it."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec

from harness.compare.composition import Setting
from harness.field import FieldError
from harness.field.path import subscripts

MismatchKind: TypeAlias = Literal["unmatched", "extra", "served", "version", "composition", "path", "panic", "self"]

Side: TypeAlias = Literal["", "handwritten", "declarative", "both"]

Signature: TypeAlias = tuple[str, str, str, str, str]
"""Kind, canonical path, type, origin, side."""


@lru_cache(maxsize=16384)
def canonical_path(path: str) -> str:
    """Replace every subscript by `[*]`; the root path `<nil>` becomes the empty string (semantics.md#9.2)."""
    if path == "<nil>":
        return ""
    spans = subscripts(path)
    if not spans:
        return path
    between = zip([0, *(end for _, end in spans)], [*(begin for begin, _ in spans), len(path)], strict=True)
    return "[*]".join(path[begin:end] for begin, end in between)


class Mismatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """One difference on one case.

    `path` is the path as reported, `type` and `origin` those of the error concerned, `side` who reported it.
    `setting` names the setting of the gates under which it shows (empty when it shows without composition), `gates`
    are its gates. `detail` is a sentence for people: what was expected beside what. `ratcheting` tells wanted
    forgiveness of an unchanged value apart (docs/explanation/ratcheting.md).
    """

    kind: MismatchKind
    path: str
    type: str = ""
    origin: str = ""
    side: Side = ""
    setting: str = ""
    gates: dict[str, bool] = {}
    detail: str = ""
    ratcheting: bool = False

    @property
    def signature(self) -> Signature:
        """What makes two mismatches of one kind and operation the same: kind, canonical path, type, origin, side."""
        return self.kind, canonical_path(self.path), self.type, self.origin, self.side


def mismatch_of(kind: MismatchKind, error: FieldError, side: Side, setting: Setting | None, detail: str) -> Mismatch:
    """Make the mismatch of an error, under a setting or without composition."""
    name, gates = (setting.name, dict(setting.gates)) if setting else ("", {})
    return Mismatch(kind, error.field, error.type, error.origin, side, name, gates, detail)
