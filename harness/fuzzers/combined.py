"""Edits of many paths of an object at once: boundary values of all its scalars, or of its innermost containers.

No path of such edits contains another, so that the object has each of the values. Metadata is left out, because it is
common to all kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.fuzzers.edits import Site
from harness.fuzzers.feedback import Harvest
from harness.jsonpath import Edit, JsonPath
from harness.objectmodel import is_in_metadata

_CONTAINERS = frozenset({"struct", "list", "map"})


def combined_edits(sites: Sequence[Site], harvest: Harvest, turn: int) -> Iterator[list[Edit]]:
    """Yield the edits that put the boundary value number `turn` at every scalar, then at every innermost container.

    Sites without so many boundary values are left out.
    """
    own = [site for site in sites if not is_in_metadata(site.path)]
    scalars = [site for site in own if site.shape.kind not in _CONTAINERS]
    for group in (scalars, _innermost([site for site in own if site.shape.kind in _CONTAINERS])):
        probes = [(site.path, site.values(harvest)) for site in group]
        edits = [Edit(path, values[turn]) for path, values in probes if turn < len(values)]
        if edits:
            yield edits


def _innermost(sites: Sequence[Site]) -> list[Site]:
    """Return the sites that contain no other one."""
    outer: set[JsonPath] = set()
    for site in sites:
        outer.update(site.path[:depth] for depth in range(len(site.path)))
    return [site for site in sites if site.path not in outer]
