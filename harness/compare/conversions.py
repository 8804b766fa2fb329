"""Compares an accepted object with what is left of it once a client has read and written it in another version.

What upstream's own fuzzing of conversions leaves out is left out here: annotations, in which a conversion keeps what
the other version has no field for, and values that it adds, as a default would. Everything else that is lost or changed
is a mismatch of its path and of the version.

Source: k8s.io/kubernetes pkg/api/testing serialization_test.go, and the fuzzers of its groups (2026-11).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from harness.case import Answer, Json, RoundTrip
from harness.compare.mismatch import Mismatch
from harness.jsonpath import ABSENT, JsonPath, canonical_path, differences, is_within, look, write
from harness.objectmodel import METADATA

_MAX_VALUE = 60
_ANNOTATIONS = (METADATA, "annotations")


def compare_round_trips(answer: Answer, is_served: Callable[[str], bool]) -> Iterator[Mismatch]:
    """Yield one mismatch for each version and canonical path at which an accepted object does not come back.

    The origin of a mismatch is the version. Versions that are not served are left out: no client reads them.
    """
    if answer.failure is not None or answer.handwritten or answer.declarative:
        return
    for version, turned in sorted(answer.round_trips.items()):
        if not is_served(version):
            continue
        if turned.error:
            yield Mismatch("conversion", "", origin=version, detail=f"{version} cannot hold the object: {turned.error}")
        seen: set[str] = set()
        for path in losses(turned):
            field = write(path)
            if canonical_path(field) not in seen:
                seen.add(canonical_path(field))
                yield Mismatch("conversion", field, origin=version, detail=_sentence(turned, path, version))


def losses(turned: RoundTrip) -> Iterator[JsonPath]:
    """Yield the paths of what is lost or changed, without what is allowed."""
    for path in differences(turned.before, turned.after):
        before = look(turned.before, tuple(map(str, path)))
        if path[: len(_ANNOTATIONS)] != _ANNOTATIONS and before is not ABSENT and before is not None:
            yield path


def version_losing(round_trips: Mapping[str, RoundTrip], versions: list[str], path: str) -> str:
    """Return the first of some versions that does not keep what is at a field path, above or below it; else empty."""
    field = canonical_path(path)
    for version in versions:
        for lost in losses(round_trips.get(version, RoundTrip())):
            place = canonical_path(write(lost))
            if is_within(place, field) or is_within(field, place):
                return version
    return ""


def _sentence(turned: RoundTrip, path: JsonPath, version: str) -> str:
    steps = tuple(map(str, path))
    before, after = (_shown(look(obj, steps)) for obj in (turned.before, turned.after))
    return f"read and written in {version}, {before} is {'lost' if after == 'nothing' else f'{after} afterwards'}"


def _shown(value: Json) -> str:
    """Write a value in one short line; `nothing` if there is none."""
    if value is ABSENT or value is None:
        return "nothing"
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…"
