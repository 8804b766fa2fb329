"""Splice accepted values of other searches into a growth: the fullest value of a type, then values with further paths.

A kind may require or forbid more than the kind of the donor (another restart policy, say). The edits that make the
first value accepted are applied to all others before they are evaluated.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from harness.case import Answer, Case, Json
from harness.fuzzers.donors import Donor, Splice, splice_paths
from harness.fuzzers.growth import Growth, GrowthSteps
from harness.fuzzers.repair import SeedObject
from harness.fuzzers.typepaths import path_of
from harness.jsonpath import ABSENT, JsonPath, differences, look, put

MAX_FIRST_VALUES = 24
"""At most this many other values are tried where the fullest one is rejected."""


def splice_in(growth: Growth, donors: Sequence[Donor]) -> GrowthSteps:
    """Splice the values of donors into a growth that has not begun, at every path of their types."""
    donor_of = {name: donor for donor in donors for name in donor.types}
    for path, name in splice_paths(growth.shape, frozenset(donor_of)):
        donor = donor_of[name]
        splices, type_path = donor.splices(name), path_of(path, growth.shape)
        accepted = yield from _splice_fullest(growth, path, splices)
        if accepted is not None:
            growth.given_up |= {f"{type_path}.{inner}": error for inner, error in donor.given_up(name).items()}
            adapted = [Splice(_adapt(splice, *accepted), splice.focus) for splice in splices]
            yield from _splice_variants(growth, path, adapted)
    growth.grown_variants = len(growth.variants)


def _splice_fullest(
    growth: Growth, path: JsonPath, splices: list[Splice]
) -> Generator[list[Case], list[Answer], tuple[Json, Json] | None]:
    """Splice one value in, the fullest if possible. Returns it as it was and as accepted, None if none is accepted."""
    full: Json = next((splice.value for splice in splices), {})
    if not growth.paths_of(put(growth.main, path, full)) & ~growth.accepted.bits:
        return full, full
    for candidates in (splices[:1], splices[1 : 1 + MAX_FIRST_VALUES]):
        results = yield from growth.prune([put(growth.main, path, splice.value) for splice in candidates], path)
        found = [(splice, one.obj) for splice, one in zip(candidates, results, strict=True) if one.is_accepted]
        if found:
            splice, obj = max(found, key=lambda pair: growth.paths_of(pair[1]).bit_count())
            growth.main = obj
            growth.record_accepted(obj)
            return splice.value, look(obj, path)
    return None


def _adapt(splice: Splice, before: Json, now: Json) -> Json:
    """Return a value with the edits that made the first one accepted, except those that would change its focus."""
    value = splice.value
    for path in differences(now, before):
        if look(value, path[:-1]) is not ABSENT and (not splice.focus or splice.focus[: len(path)] != path):
            value = put(value, path, look(now, path))
    return value


def _splice_variants(growth: Growth, path: JsonPath, splices: list[Splice]) -> GrowthSteps:
    """Keep variants with the values that have further paths."""
    wanted: list[tuple[Splice, Json]] = []
    known = growth.accepted.bits
    for splice in splices:
        obj = put(growth.main, path, splice.value)
        found = growth.paths_of(obj)
        if found & ~known:
            known |= found
            wanted.append((splice, obj))
    results = yield from growth.prune([obj for _, obj in wanted], path)
    for (splice, _), one in zip(wanted, results, strict=True):
        if one.is_accepted:
            growth.keep_variant(SeedObject(one.obj, path + splice.focus))
        elif splice.focus:
            growth.given_up[path_of(path + splice.focus, growth.shape)] = one.error
