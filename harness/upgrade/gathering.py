"""Groups what differs by kind, effect and errors. Memory is bounded: groups count all objects, and name the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from harness.field import FieldError
from harness.jsonpath import canonical_path
from harness.stored.storedobject import StoredObject
from harness.upgrade.asking import CREATE, SENT, UPDATES, Kinds, Verdicts
from harness.upgrade.document import ChangedObject, Effect, KindRow, LeftOut

MAX_GROUPS: Final = 1_000
"""At most this many groups are told apart; the rest of the changes are counted in one group for each effect."""
MAX_NAMED: Final = 5_000
"""At most this many objects of a group are named."""
MAX_TEXTS: Final = 10
"""At most this many errors of an object are shown."""
MAX_TYPES: Final = 1_000
"""At most this many types of objects that are left out are told apart."""

ENCRYPTED: Final = "encrypted"
"""What stands for the type of encrypted objects."""

GroupKey = tuple[str, Effect, tuple[tuple[str, str], ...]]


@dataclass(slots=True)
class GroupInMaking:
    """A group in the making. `example` is the request that shows it, on the first object; None where none was asked."""

    key: GroupKey
    example: Verdicts | None
    count: int = 0
    objects: list[ChangedObject] = field(default_factory=list)
    requests: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class Gathering:
    """Everything that is known of the objects so far."""

    kinds: Kinds
    allowed: tuple[str, ...] = ()
    judged: Counter[str] = field(default_factory=Counter)
    stuck_before: Counter[str] = field(default_factory=Counter)
    changed: dict[str, Counter[str]] = field(default_factory=dict)
    groups: dict[GroupKey, GroupInMaking] = field(default_factory=dict)
    requests: int = 0
    overflow: int = 0
    _left_out: dict[tuple[str, str], LeftOut] = field(default_factory=dict)

    def leave_out(self, observed: StoredObject, reason: str) -> None:
        """Count an object that is not judged."""
        name = " ".join(observed.type)
        key = (name, reason) if len(self._left_out) < MAX_TYPES else ("other types", "too many types to tell apart")
        known = self._left_out.get(key)
        first = known.first if known else observed.source
        self._left_out[key] = LeftOut(*key, (known.count if known else 0) + 1, first, self._allowed(observed))

    def miss_encrypted(self, provider: str, count: int, first: str) -> None:
        """Count objects of a snapshot that are encrypted."""
        reason = f"encrypted with {provider}, so that only the server reads them: dump them with kubectl"
        self._left_out[ENCRYPTED, reason] = LeftOut(ENCRYPTED, reason, count, first, self._pattern_for(ENCRYPTED))

    def _allowed(self, observed: StoredObject) -> str:
        """Return the pattern that allows to leave out an object."""
        api_version, kind = observed.type
        group = api_version.rpartition("/")[0] or "core"
        return self._pattern_for(kind, f"{group}/{kind}", f"{api_version} {kind}")

    def _pattern_for(self, *names: str) -> str:
        fits = (one for one in self.allowed if any(fnmatchcase(name.lower(), one.lower()) for name in names))
        return next(fits, "")

    def removed(self, observed: StoredObject) -> None:
        """Count an object whose version only the release before serves."""
        name = " ".join(observed.type)
        self.judged[name] += 1
        others = self.kinds.others(*observed.type)
        error = f"not served any more; served: {', '.join(others)}" if others else "not served any more, in any version"
        self._add((name, "not-served", ()), observed, ("any",), (error,), None)

    def take(self, verdicts: list[Verdicts]) -> None:
        """Take all verdicts on one object."""
        observed, name = verdicts[0].request.observed, verdicts[0].request.info.name
        self.requests += len(verdicts)
        if failed := next((one.failure for one in verdicts if one.failure), ""):
            self.leave_out(observed, f"could not be asked: {failed}")
            return
        self.judged[name] += 1
        updates = [one for one in verdicts if one.request.name in UPDATES]
        self.stuck_before[name] += any(one.before and one.after for one in updates)
        found: dict[GroupKey, list[Verdicts]] = {}
        for one in verdicts:
            if one.differs:
                key = name, effect_of(one), _signature(one)
                found.setdefault(key, []).append(one)
        # The create of an object that an update is refused for too says nothing new.
        stuck = {key[2] for key in found if key[1] == "stuck"}
        for key, some in found.items():
            if key[1] == "rejected" and key[2] in stuck:
                found[name, "stuck", key[2]] += some
        for key, some in found.items():
            if key[1] != "rejected" or key[2] not in stuck:
                texts = tuple(dict.fromkeys(error.text for error in _differing(some[0])))[:MAX_TEXTS]
                self._add(key, observed, tuple(one.request.name for one in some), texts, some[0])

    def _add(
        self, key: GroupKey, observed: StoredObject, requests: tuple[str, ...], texts: tuple[str, ...],
        example: Verdicts | None,
    ) -> None:  # fmt: skip
        self.changed.setdefault(key[0], Counter())[key[1]] += 1
        if key not in self.groups and len(self.groups) >= MAX_GROUPS:
            self.overflow += 1
            return
        if key not in self.groups:
            self.groups[key] = GroupInMaking(key, example)
        group = self.groups[key]
        group.count += 1
        group.requests.update(dict.fromkeys(requests))
        if len(group.objects) < MAX_NAMED:
            group.objects.append(ChangedObject(observed.name, observed.source, requests, texts))

    def rows(self) -> Iterator[KindRow]:
        """Yield what was judged by kind, those with changes first."""
        for name in sorted(self.judged, key=lambda one: (one not in self.changed, one)):
            yield KindRow(name, self.judged[name], dict(self.changed.get(name, {})), self.stuck_before[name])

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return what was not judged, what is not allowed first."""
        return tuple(sorted(self._left_out.values(), key=lambda one: (bool(one.allowed), -one.count, one.kind)))


def effect_of(verdicts: Verdicts) -> Effect:
    """Return what the upgrade does to a request whose answer differs."""
    if verdicts.before and verdicts.after:
        return "other-errors"
    if verdicts.before:
        return "accepted"
    name = verdicts.request.name
    return "sent-rejected" if name in SENT.values() else "rejected" if name == CREATE else "stuck"


def _differing(verdicts: Verdicts) -> list[FieldError]:
    """Return the errors that only one of the releases reports, those of the release after first."""
    texts = [{error.text for error in some} for some in (verdicts.before, verdicts.after)]
    new = [error for error in verdicts.after if error.text not in texts[0]]
    gone = [error for error in verdicts.before if error.text not in texts[1]]
    return [*new, *gone] or [*verdicts.after]  # one of them reports an error twice


def _signature(verdicts: Verdicts) -> tuple[tuple[str, str], ...]:
    return tuple(sorted({(error.type, canonical_path(error.field)) for error in _differing(verdicts)}))
