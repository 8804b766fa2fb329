"""Badges of open findings and of coverage: SVG, and the JSON that shields.io reads from an endpoint.

Source: https://shields.io/badges/endpoint-badge, 2026-11-24.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from harness.campaign.site.history import ReachedCount, SiteCounts
from harness.compare.finding import SEVERITIES
from harness.report.words import SEVERITY

_COLORS = {
    "brightgreen": "#3c7d1a", "yellow": "#8a6400", "orange": "#a84f00", "red": "#b3261e", "lightgrey": "#5f6670",
}  # fmt: skip
"""The names of shields.io, and colours on which white text can be read."""
_OF_LEVEL = {"error": "red", "warning": "orange", "note": "yellow"}
_ENOUGH = ((0.95, "brightgreen"), (0.8, "yellow"), (0.0, "orange"))
"""From which share on coverage has which colour."""
_WIDE, _NARROW, _MARGIN = 7.2, 3.6, 12.0
"""The widths of characters, about, and of the margins; the text is fitted to them. Units: pixels."""


class EndpointBadge(msgspec.Struct, frozen=True, rename="camel"):
    """What shields.io reads."""

    label: str
    message: str
    color: str
    schema_version: int = 1


class BadgePicture(msgspec.Struct, frozen=True):
    """The texts and widths of a badge as a picture. Units: pixels."""

    label: str
    message: str
    fill: str
    left: float
    right: float


def badges(counts: SiteCounts) -> Iterator[tuple[str, EndpointBadge]]:
    """Yield the badges of counts with the names of their files. Blocks and mutants have one if they were counted."""
    yield "findings", _findings(counts)
    yield "rules", _coverage("rules fired", counts.rules)
    if counts.blocks.total:
        yield "blocks", _coverage("handwritten blocks reached", counts.blocks)
    if counts.mutants.total:
        yield "mutants", _coverage("mutants killed", counts.mutants)


def draw_badge(badge: EndpointBadge) -> BadgePicture:
    """Compute the picture of a badge."""
    return BadgePicture(
        badge.label, badge.message, _COLORS[badge.color], _width(badge.label), _width(badge.message)
    )  # fmt: skip


def _findings(counts: SiteCounts) -> EndpointBadge:
    worst = next((name for name in SEVERITIES if name in counts.severities), None)
    if worst is None:
        return EndpointBadge("findings", "none", "brightgreen")
    message = f"{counts.findings:,}, {counts.severities[worst]:,} {worst}"
    return EndpointBadge("findings", message, _OF_LEVEL[SEVERITY[worst].level])


def _coverage(label: str, count: ReachedCount) -> EndpointBadge:
    if not count.total:
        return EndpointBadge(label, "not known", "lightgrey")
    color = next(name for least, name in _ENOUGH if count.reached >= least * count.total)
    return EndpointBadge(label, f"{count.reached:,} of {count.total:,}", color)


def _width(text: str) -> float:
    return round(_MARGIN + sum(_NARROW if char in "iljtf,.: " else _WIDE for char in text), 1)
