"""Badges say what the counts say, in words that shields.io reads."""

from __future__ import annotations

import msgspec
import pytest

from harness.campaign.site.badges import EndpointBadge, badges, draw_badge
from harness.campaign.site.history import ReachedCount, SiteCounts


def counts(rules: tuple[int, int] = (0, 0), blocks: tuple[int, int] = (0, 0), **severities: int) -> SiteCounts:
    """Counts of a campaign."""
    return SiteCounts(10, ReachedCount(*rules), ReachedCount(*blocks), severities, 0, 0, 0)


@pytest.mark.parametrize(
    ("found", "message", "color"),
    [
        (counts(), "none", "brightgreen"),
        (counts(verdict=3, shadow=1200), "1,203, 3 verdict", "red"),
        (counts(visible=2), "2, 2 visible", "orange"),
        (counts(unreachable=1), "1, 1 unreachable", "yellow"),
    ],
)
def test_the_worst_finding_gives_the_colour(found: SiteCounts, message: str, color: str) -> None:
    """And the message counts it."""
    assert EndpointBadge("findings", message, color) == dict(badges(found))["findings"]


def test_coverage_is_never_rounded_up() -> None:
    """It is told as two numbers; what was not counted is not told as nothing."""
    some = dict(badges(counts((2909, 2911), (1, 4))))
    assert ("2,909 of 2,911", "brightgreen") == (some["rules"].message, some["rules"].color)
    assert ("1 of 4", "orange") == (some["blocks"].message, some["blocks"].color)
    none = dict(badges(counts()))
    assert ("not known", "lightgrey") == (none["rules"].message, none["rules"].color)
    assert "blocks" not in none


def test_the_json_is_that_of_the_endpoint() -> None:
    """Its keys as shields.io names them; the picture is as wide as its texts."""
    badge = dict(badges(counts()))["findings"]
    assert {"schemaVersion": 1, "label": "findings", "message": "none", "color": "brightgreen"} == msgspec.to_builtins(
        badge
    )
    assert draw_badge(badge).right < draw_badge(EndpointBadge("findings", "none at all", "red")).right
