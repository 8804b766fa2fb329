"""Charts stand in their frame, and no name of a line stands on another."""

from __future__ import annotations

import itertools
from dataclasses import replace

from harness.campaign.site.charts import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, draw_charts
from harness.campaign.site.history import ReachedCount, SiteCounts


def counts(reached: int, blocks: int = 0, **severities: int) -> SiteCounts:
    """Counts of a campaign."""
    return SiteCounts(10, ReachedCount(reached, 10), ReachedCount(blocks, 10 if blocks else 0), severities, 0, 0, 0)


def test_lines_stand_in_the_frame() -> None:
    """The least at the bottom, the most at the top, the first left, the last right."""
    coverage, findings = draw_charts([counts(0, verdict=4), counts(10, 5, verdict=2, shadow=1)])
    rules, blocks = sorted(coverage.lines, key=lambda line: line.name, reverse=True)
    assert ((LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, TOP)) == rules.points
    assert 1 == len(blocks.points), "what the first campaign did not count has no point"
    assert {"verdict", "shadow"} == {line.name for line in findings.lines}
    assert ["0", "2", "4"] == [words for _, words in findings.ticks]


def test_names_of_lines_do_not_overlap() -> None:
    """Also where all lines end at one point, at the bottom."""
    (chart,) = draw_charts([SiteCounts(1, ReachedCount(0, 0), ReachedCount(0, 0), one, 0, 0, 0) for one in (
        {"verdict": 1, "graduation": 1, "visible": 1, "shadow": 1, "unreachable": 1}, {},
    )])  # fmt: skip
    labels = [line.label for line in chart.lines]
    assert all(second - first >= 15 for first, second in itertools.pairwise(labels))
    assert max(labels) <= HEIGHT - BOTTOM
    assert min(labels) >= TOP


def test_speed_is_a_chart_where_it_is_known() -> None:
    """From nothing to the fastest campaign."""
    known = [replace(counts(1), speed=speed) for speed in (None, 200.0, 100.0)]
    (chart,) = [one for one in draw_charts(known) if "second" in one.title]
    assert [TOP, (TOP + HEIGHT - BOTTOM) / 2] == [y for _, y in chart.lines[0].points]
    assert ["0", "100", "200"] == [words for _, words in chart.ticks]
    assert not any("second" in one.title for one in draw_charts([counts(1)]))


def test_nothing_counted_is_no_chart() -> None:
    """Neither coverage nor findings."""
    assert [] == draw_charts([SiteCounts(1, ReachedCount(0, 0), ReachedCount(0, 0), {}, 3, 0, 0)])
