"""The report that the page is measured with."""

from __future__ import annotations

from bench.page import both, made
from harness.report.formats.html.page import render_html
from tests.browser import chromium, needs_browser


def test_the_made_report_is_a_whole_page() -> None:
    """Every finding has its details, packed or not; packed ones make the page smaller."""
    report = made(300)
    assert 300 == len(report.findings)
    packed, naive = render_html(report), render_html(report, 300)
    assert 300 == naive.count("What is wrong</dt>")
    assert len(packed) < len(naive) * 0.7


@needs_browser
def test_both_pages_are_measured() -> None:
    """Written, loaded, filtered twice, and asked for the last finding."""
    lines = list(both(chromium(), made(150)))
    assert 10 == len(lines)
    assert [] == [line.name for line in lines if line.seconds <= 0]
