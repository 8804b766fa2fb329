"""The result of an upgrade check, of which the screen and the page are made."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

FORMAT = 1
"""The version of the document."""

Effect: TypeAlias = Literal["stuck", "sent-rejected", "rejected", "not-served", "accepted", "other-errors"]
"""What an upgrade does to an object; see `EFFECTS`."""

EFFECTS: dict[Effect, str] = {
    "stuck": "stored objects that can no longer be updated",
    "sent-rejected": "requests that clients sent and that are rejected now",
    "rejected": "objects that can no longer be created",
    "not-served": "objects in a version that is no longer served",
    "accepted": "requests that were rejected and are accepted now",
    "other-errors": "requests that are rejected as before, with other errors",
}
"""The effects, worst first, as headings."""

VERDICT_EFFECTS: tuple[Effect, ...] = ("stuck", "sent-rejected", "rejected", "not-served", "accepted")
"""The effects that change a verdict."""


class ChangedObject(msgspec.Struct, frozen=True, omit_defaults=True):
    """An object with a change, where it was read, the requests that change, and the errors that make the difference."""

    name: str
    source: str
    requests: tuple[str, ...]
    errors: tuple[str, ...]


class ChangeGroup(msgspec.Struct, frozen=True, omit_defaults=True):
    """Objects of one kind with the same change: its effect, and the field and type of each error.

    `cause` is a word that `harness explain` explains, `sentence` what was seen by experiments, `since` the gate or the
    setting that brings the change, `count` the number of objects, of which `objects` has the first.
    """

    kind: str
    effect: Effect
    cause: str
    sentence: str
    since: str
    errors: tuple[str, ...]
    fields: tuple[str, ...]
    requests: tuple[str, ...]
    count: int
    objects: tuple[ChangedObject, ...]


class LeftOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """Objects that were not judged: how many of which type, why, and where the first one is.

    `allowed` is the pattern that allows it, empty where nothing does.
    """

    kind: str
    reason: str
    count: int
    first: str
    allowed: str = ""


class KindRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """The objects of one kind: how many were judged, and how many of them changed by each effect.

    `stuck_before` counts those that neither release lets anybody update.
    """

    kind: str
    objects: int
    changed: dict[str, int] = {}
    stuck_before: int = 0


class Unread(msgspec.Struct, frozen=True):
    """Something that could not be read, and where."""

    position: str
    message: str


class Upgrade(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result: what was read and asked, what changes, and what could not be judged.

    `before` and `after` name the releases, `gates` are those that both run with beside their defaults.
    """

    format: int
    harness_version: str
    before: str
    after: str
    gates: str
    sources: tuple[str, ...]
    objects: int
    requests: int
    seconds: float
    exit_code: int
    kinds: tuple[KindRow, ...] = ()
    groups: tuple[ChangeGroup, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unread: tuple[Unread, ...] = ()
    unread_count: int = 0
    notes: tuple[str, ...] = ()

    def of_effect(self, effect: Effect) -> tuple[ChangeGroup, ...]:
        """Return the groups with an effect, the largest first."""
        return tuple(sorted((one for one in self.groups if one.effect == effect), key=lambda one: -one.count))

    def changed(self, *effects: Effect) -> int:
        """Return how many objects changed with one of these effects; an object with two changes counts twice."""
        return sum(one.count for one in self.groups if one.effect in effects)

    @property
    def stuck_before(self) -> int:
        """How many objects neither release lets anybody update."""
        return sum(one.stuck_before for one in self.kinds)


def encode(document: Upgrade) -> bytes:
    """Write the document as JSON."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"
