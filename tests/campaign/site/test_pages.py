"""The site: pages that link to one another, in a browser as well, and nothing of a ledger that acts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as xml
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from harness.campaign.mutants import MutantCount
from harness.campaign.result import MergedSetting
from harness.campaign.site.history import CampaignState, SiteHistory, SiteScope, gather
from harness.campaign.site.pages import page_name, render_site
from harness.report.model.assembly import build_report
from harness.report.model.document import TargetSummary
from tests.browser import needs_browser, visiting
from tests.campaign.site.made import report, state
from tests.report import made

HOSTILE_NAMES = ("../../etc/passwd", "a/b", "A", "a", made.HOSTILE, "", ".", "x" * 300, "\ud800")


def history() -> SiteHistory:
    """Three campaigns of two releases."""
    old = report(made.finding("a" * 12), release="1.36.3")
    found = gather(
        [
            state("monday", report(made.finding("a" * 12)), old, day="2026-11-02"),
            state("tuesday", report(made.finding("b" * 12), fired=3), old, day="2026-11-03"),
            state(
                "wednesday", report(made.finding("b" * 12, severity="verdict"), made.finding("d" * 12), fired=4), old,
                day="2026-11-04",
            ),
        ]
    )  # fmt: skip
    assert found is not None
    return found


def hostile() -> SiteHistory:
    """A campaign whose texts all try to be markup or a control sequence."""
    bad = msgspec.structs.replace(
        build_report(made.hostile()), target=TargetSummary(made.HOSTILE, made.HOSTILE, {}), started=made.HOSTILE
    )
    findings = tuple(msgspec.structs.replace(one, group=made.HOSTILE) for one in bad.findings)
    settings = (MergedSetting(made.HOSTILE, msgspec.structs.replace(bad, findings=findings), ()),)
    last = CampaignState(made.HOSTILE, made.HOSTILE[:10], settings, 1)
    found = gather([CampaignState(made.HOSTILE, made.HOSTILE[:10], (), 0), last])
    assert found is not None
    return found


def written(found: SiteHistory, folder: Path) -> Path:
    """Write the site to a folder."""
    for name, data in render_site(found):
        file = folder / name
        assert file.resolve().is_relative_to(folder)
        assert not file.exists()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder


def test_surviving_mutants_stand_on_the_page_of_their_release(tmp_path: Path) -> None:
    """With a badge of those that were killed; a name that is markup is shown as text."""
    found = state("monday", report(made.finding("a" * 12)))
    settings = tuple(replace(one, mutants=MutantCount("", 3, 4, (made.HOSTILE,))) for one in found.settings)
    shown = gather([replace(found, settings=settings)])
    assert shown is not None
    site = written(shown, tmp_path)
    (page,) = (file.read_text() for file in site.glob("release-*.html"))
    assert "1 mutant</span>" in page
    assert "3 of 4 mutants were killed" in page
    assert "<script" not in page
    assert "badges/mutants.svg" in (site / "index.html").read_text()
    assert "3 of 4" in (site / "badges" / "mutants.json").read_text()
    assert "Surviving mutants" not in "".join(
        one.read_text() for one in written(history(), tmp_path / "b").glob("*.html")
    )


def test_every_link_leads_to_a_page(tmp_path: Path) -> None:
    """The index names each release and group, and these say what is known of them."""
    site = written(history(), tmp_path)
    names = {file.relative_to(site).as_posix() for file in site.rglob("*.*") if file.is_file()}
    assert {"index.html", "group-example.io.html", "badges/findings.svg", "badges/rules.json"} <= names
    assert 2 == sum(name.startswith("release-") for name in names)
    linked = {link for file in site.glob("*.html") for link in re.findall(r'href="([^"#]+)"', file.read_text())}
    assert names == linked
    for file in site.rglob("*.svg"):
        assert "http://www.w3.org/2000/svg" in str(xml.parse(file).getroot().tag)
    group = re.sub(r"<[^>]+>", "", (site / "group-example.io.html").read_text())
    for fact in ("b" * 12, "d" * 12, "1 came, 0 went", "graduation → verdict", "4 of 8", "2026-11-02 monday", "new"):
        assert fact in group


def test_a_campaign_that_misses_units_says_so(tmp_path: Path) -> None:
    """A site without findings is not green then."""
    found = gather([state("one", report(), missing=3)])
    assert found is not None
    page = (written(found, tmp_path) / "index.html").read_text()
    assert "3 units of the last campaign have no report" in page
    assert '<header class="incomplete">' in page


def test_what_a_ledger_says_is_not_believed(tmp_path: Path) -> None:
    """Names, findings and objects are text, and no name leads out of the folder."""
    for file in written(hostile(), tmp_path).rglob("*.*"):
        text = file.read_text()
        assert "<script" not in text
        assert not {"\x1b", "\x07", "\u202e"} & {*text}


def test_names_of_files_are_plain_and_distinct() -> None:
    """Whatever a release or group is called, also where letters of both cases are one."""
    names = [page_name(SiteScope(release=one)) for one in HOSTILE_NAMES]
    names += [page_name(SiteScope(group=one)) for one in HOSTILE_NAMES]
    assert len(names) == len({name.lower() for name in names})
    assert all(re.fullmatch(r"[a-z0-9.-]{1,90}", name) for name in names)


@needs_browser
def test_the_site_opens_from_a_folder(tmp_path: Path) -> None:
    """From the index to a release and back to a group, without a network and without a script."""
    site = written(history(), tmp_path)
    with visiting(site / "index.html") as tab:
        assert "3 open findings" in tab.locator("h1 + .lead").inner_text()
        assert 2 == tab.locator("svg.chart").count()
        tab.click("text=kubernetes 1.37.1")
        assert "kubernetes 1.37.1" in tab.locator("h1").inner_text()
        tab.click("text=All campaigns")
        tab.locator("#groups ~ div a").click()
        body = tab.locator("details").first
        body.locator("summary").click()
        assert "spec" in body.locator("pre").first.inner_text()
        tab.click("text=All campaigns")
        tab.click("text=JSON for shields.io >> nth=0")
        assert '"schemaVersion": 1' in tab.locator("pre").inner_text()


@needs_browser
def test_a_hostile_ledger_does_nothing_in_a_browser(tmp_path: Path) -> None:
    """No element of it is there, on no page."""
    site = written(hostile(), tmp_path)
    for file in site.glob("*.html"):
        with visiting(file) as tab:
            assert 0 == tab.locator("script, img, iframe, [onclick], [onerror]").count()
            assert "\\x1b[31m" in str(tab.locator("body").text_content())


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_site_is_accessible_and_fits_a_narrow_screen(tmp_path: Path, scheme: str) -> None:
    """It follows the rules of WCAG 2.2 A and AA that can be checked automatically."""
    from axe_playwright_python.sync_playwright import Axe

    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    for file in written(history(), tmp_path).glob("*.html"):
        screen = {"width": 360, "height": 800}
        with visiting(file, color_scheme=scheme, bypass_csp=True, viewport=screen) as tab:
            assert tab.evaluate("document.documentElement.scrollWidth") <= 360
            for node in tab.locator("details").all():
                node.evaluate("node => { node.open = true; }")
            found = Axe().run(tab, options=options)
            assert [] == [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in found.response["violations"]]
