"""The page in a browser: filters, links, keys, themes, print, narrow screens, and untrusted text that must not act."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from harness.case import Answer, Case, Operation
from harness.compare.finding import SEVERITIES, Finding
from harness.report.formats.html.details import MAX_INLINE
from harness.report.formats.html.page import render_html
from harness.report.model.assembly import build_report
from harness.report.model.code import BlockEntry, NearestObject
from harness.report.model.document import ExceptionEntry, Exceptions, Report
from tests.browser import needs_browser, visiting, wait
from tests.report import made
from tests.report.covered import covered, function
from tests.report.ruled import rule, ruled
from tests.report.sections import costing, row, whole

if TYPE_CHECKING:
    from playwright.sync_api import Page

NASTY = (
    "</script><script>document.title='owned'</script>", "<!--<script>", "<img src=x onerror=alert(1)>", "\u2028\u2029",
    "\u202egnp.exe", "\x00\x1b[31m", "\ud800", "{{7*7}}{% raw %}", "javascript:alert(1)", '" onclick="alert(1)',
    "]]>", "${alert(1)}", "&lt;b&gt;", "x" * 100_000,
)  # fmt: skip


def written(folder: Path, findings: Sequence[Finding], **more: Any) -> Path:
    """Write the page of a report with these findings to a file, and return its path."""
    page = folder / "report.html"
    report = build_report(
        made.result(*findings), replay=lambda f: f"harness replay 'my report.json' {f.fingerprint}", **more
    )
    page.write_text(render_html(report), encoding="utf-8")
    return page


def several() -> list[Finding]:
    """Return twelve findings with two severities, three causes and two kinds; the last one is tolerated."""
    causes = ("no-rule", "masked", "wording")
    return [
        made.finding(
            f"{n:012x}", cause=causes[n % 3], severity=("graduation", "visible")[n % 2], path=f"spec.f{n}",
            resource=("widgets", "gadgets")[n % 4 == 0], owner=f"p.{causes[n % 3]}", detail=f"detail {n} of it",
            exception="1a2b" if n == 11 else None,
        )
        for n in range(12)
    ]  # fmt: skip


def tolerated() -> Exceptions:
    """Return the exception that tolerates the last of `several`."""
    return Exceptions("e.yaml", used=(ExceptionEntry("1a2b", "widgets_v1", "known", "sig-example", "2030-01-01"),))


def shown(tab: Page) -> list[str]:
    """Return the last three digits of the listed fingerprints."""
    return [str(node.get_attribute("id"))[-3:] for node in tab.locator("details.finding").all() if node.is_visible()]


def told(tab: Page) -> str:
    """Return the sentence on how many findings are shown."""
    return tab.locator("#shown").inner_text()


def focused(tab: Page) -> str:
    """Return the ID of the focused element, or of the finding that contains it."""
    found = tab.evaluate("(document.activeElement.closest('[id]') || {}).id")
    return str(found)


@needs_browser
def test_filters_combine_and_are_part_of_the_address(tmp_path: Path) -> None:
    """Severity, cause, kind, state and words filter together, and the address opens the page with the same filters."""
    page = written(tmp_path, several(), exceptions=tolerated())
    with visiting(page) as tab:
        assert told(tab).startswith("12 of 12 findings, in 4 groups")
        tab.uncheck("input[value=visible]")
        assert told(tab).startswith("6 of 12 findings")
        tab.select_option("#cause", "masked")
        assert ["004", "00a"] == shown(tab)
        tab.select_option("#kind", "example.io/v1 gadgets")
        assert ["004"] == shown(tab)
        assert "1 of 12 findings, in 1 group" == told(tab)
        address = tab.evaluate("location.hash")
        assert {"severity=graduation", "cause=masked"} <= set(address[1:].split("&"))
        tab.fill("#search", "no such words")
        tab.wait_for_selector("#no-match", state="visible")
        assert "0 of 12 findings, in 0 groups" == told(tab)
        tab.click("#no-match .reset")
        assert told(tab).startswith("12 of 12")
        tab.select_option("#state", "tolerated")
        assert ["00b"] == shown(tab)
    with visiting(page, address) as tab:
        assert ["004"] == shown(tab)
        assert "masked" == tab.locator("#cause").input_value()
        assert not tab.is_checked("input[value=visible]")


@needs_browser
def test_every_value_of_a_filter_has_the_number_of_its_findings(tmp_path: Path) -> None:
    """The number is counted with all other filters applied."""
    with visiting(written(tmp_path, several())) as tab:
        tab.select_option("#cause", "masked")
        texts = tab.locator("#cause option").all_inner_texts()
        assert ["all", "masked (4)", "no-rule (4)", "wording (4)"] == texts
        assert ["2", "2"] == tab.locator(".chip .n").all_inner_texts()
        tab.uncheck("input[value=visible]")
        assert "masked (2)" in tab.locator("#cause option").all_inner_texts()


@needs_browser
def test_the_search_finds_words_of_a_finding(tmp_path: Path) -> None:
    """It matches all words, in any order and case, in fingerprint, kind, path and detail."""
    with visiting(written(tmp_path, several())) as tab:
        for words, expected in (("DETAIL 7", ["007"]), ("00000000000a", ["00a"]), ("gadgets spec.f8", ["008"])):
            tab.fill("#search", words)
            wait(tab, lambda: told(tab).startswith("1 of"))
            assert expected == shown(tab), words
            tab.fill("#search", "")
            wait(tab, lambda: told(tab).startswith("12 of"))


@needs_browser
def test_a_link_opens_its_finding_whatever_is_filtered(tmp_path: Path) -> None:
    """It is opened, visible and focused, even if the filters exclude it."""
    page = written(tmp_path, several())
    with visiting(page, "#f-000000000005&cause=masked", viewport={"width": 900, "height": 500}) as tab:
        tab.wait_for_selector("#f-000000000005[open]")
        assert "f-000000000005" == focused(tab)
        assert {"005", "001"} <= set(shown(tab))
        assert "4 of 12 findings, in 1 group" == told(tab)
        assert tab.evaluate("(r => r.top >= 0 && r.top < innerHeight)(document.activeElement.getBoundingClientRect())")
        tab.evaluate("location.hash = '#f-000000000008&cause=masked'")
        tab.wait_for_selector("#f-000000000008[open]")
        assert "f-000000000008" == focused(tab)
        tab.click("nav a[href='#kinds']")
        assert "#kinds&cause=masked" == tab.evaluate("location.hash")


@needs_browser
def test_keys_move_open_search_and_help(tmp_path: Path) -> None:
    """The keys are slash, j, k, Enter, Escape and the question mark; in the search field they are letters."""
    with visiting(written(tmp_path, several())) as tab:
        order = [f"f-{0:09}{name}" for name in shown(tab)]
        tab.keyboard.press("j")
        assert order[0] == focused(tab)
        tab.keyboard.press("j")
        tab.keyboard.press("j")
        tab.keyboard.press("k")
        assert order[1] == focused(tab)
        tab.keyboard.press("Enter")
        assert tab.locator(f"#{order[1]}[open]").count()
        tab.keyboard.press("Escape")
        assert not tab.locator(f"#{order[1]}[open]").count()
        tab.keyboard.press("/")
        assert "search" == focused(tab)
        tab.keyboard.type("jk?")
        assert "jk?" == tab.input_value("#search")
        tab.keyboard.press("Escape")
        assert "" == tab.input_value("#search")
        assert "search" != focused(tab)
        tab.keyboard.press("?")
        assert tab.locator("#help").is_visible()
        tab.uncheck("#keys-on")
        tab.keyboard.press("Escape")
        assert not tab.locator("#help").is_visible()
        tab.keyboard.press("/")
        assert "search" != focused(tab)


@needs_browser
def test_commands_and_objects_are_copied_whole(tmp_path: Path) -> None:
    """A button and a key copy them, and confirm it."""
    folded = {f"k{n:02}": n for n in range(60)}
    case = Case(1, "example.io", "v1", "Widget", Operation.UPDATE, {**folded, "k30": 0}, folded, "widgets")
    page = written(tmp_path, [made.finding(case=case)])
    with visiting(page, permissions=["clipboard-read", "clipboard-write"]) as tab:
        tab.click("[data-copy=command]")
        wait(tab, lambda: tab.locator("#said").inner_text() == "Copied")
        assert "harness replay 'my report.json' 0123456789ab" == _clipboard(tab)
        tab.locator("[data-copy=object]").nth(1).click()
        wait(tab, lambda: _clipboard(tab).startswith("{"))
        assert case.object == json.loads(_clipboard(tab))
        tab.keyboard.press("j")
        tab.keyboard.press("c")
        wait(tab, lambda: _clipboard(tab).startswith("harness"))


def _clipboard(tab: Page) -> str:
    return str(tab.evaluate("navigator.clipboard.readText()"))


@needs_browser
def test_packed_details_are_unpacked_when_they_are_opened(tmp_path: Path) -> None:
    """A click or a link opens them, with the same text as details that are not packed."""
    many = [made.finding(f"{n:012}", path=f"spec.f{n}", owner="p.T") for n in range(MAX_INLINE + 100)]
    last = f"f-{MAX_INLINE + 99:012}"
    with visiting(written(tmp_path, many)) as tab:
        assert 5 == len(shown(tab))
        tab.click("button.more")
        assert MAX_INLINE + 100 == len(shown(tab))
        tab.click(f"#{last} summary")
        tab.wait_for_selector(f"#{last} .story")
        assert last.removeprefix("f-") in tab.locator(f"#{last} .command").inner_text()
    with visiting(written(tmp_path, many), f"#{last}") as tab:
        tab.wait_for_selector(f"#{last} .story")
        assert 6 == len(shown(tab))


@needs_browser
@pytest.mark.parametrize("packed", [False, True], ids=["on the page", "packed"])
def test_hostile_texts_do_nothing(tmp_path: Path, packed: bool) -> None:
    """Untrusted text runs no script, adds no element, violates no policy, and has no invisible characters."""
    everything = {name: name for name in NASTY}
    case = Case(1, "g", "v1", "K", Operation.UPDATE, everything, {NASTY[0]: "<b>"}, "widgets")
    findings = [
        made.finding(
            f"{n:02}0123456789", case=case, path=f"spec[{text}]", detail=text, fix=text, origin=text, group=text,
            resource=text, kind=text, source=text, owner=f"p.T{n}",
            answer=Answer(1, handwritten=(made.error(f"spec[{text}]", detail=text, origin=text, value=text),)),
        )
        for n, text in enumerate(NASTY)
    ]  # fmt: skip
    before = [made.finding(f"f{n:011}", owner=f"q.T{n}", cause="masked") for n in range(MAX_INLINE if packed else 0)]
    with visiting(written(tmp_path, [*before, *findings])) as tab:
        for node in tab.locator("details.finding").all()[-len(NASTY) :]:
            node.evaluate("node => { node.open = true; }")
            node.locator(".story").wait_for()
        assert 0 == tab.locator("img, b, svg, iframe, [onclick], [onerror]").count()
        assert tab.title().startswith("Not equivalent")
        text = str(tab.locator("main").text_content())
        for escaped in ("\\u202egnp.exe", "\\u2028\\u2029", "\\ud800", "\\x1b[31m", "{{7*7}}", "&lt;b&gt;"):
            assert escaped in text, escaped
        assert "(shown: the first 2,000 of 100,000 characters)" in text
        tab.fill("#search", "<!--<script>")
        wait(tab, lambda: told(tab).startswith("1 of"))


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_in_both_themes(tmp_path: Path, scheme: str) -> None:
    """It follows all rules of WCAG 2.2 A and AA that can be checked automatically, especially contrast."""
    from axe_playwright_python.sync_playwright import Axe

    reports = {
        "rules": ruled(rule(declarative=("create",)), rule(path="spec.b"), lost=True),
        "change": whole(),
        "cost": costing(row(1, 700.0), row(2, 9000.0)),
        "code": nearing(),
    }
    pages = [written(tmp_path, several(), exceptions=tolerated())]
    for name, report in reports.items():
        pages.append(tmp_path / f"{name}.html")
        pages[-1].write_text(render_html(report), encoding="utf-8")
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    for file in pages:
        with visiting(file, color_scheme=scheme, reduced_motion="reduce", bypass_csp=True) as tab:
            for node in tab.locator("details").all():
                node.evaluate("node => { node.open = true; }")
            wait(tab, lambda: tab.locator(".inside:empty").count() == 0)
            found = Axe().run(tab, options=options)
            assert [] == [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in found.response["violations"]]


@needs_browser
def test_contrast_is_enough_in_both_themes(tmp_path: Path) -> None:
    """Every pair of text and background colours has a contrast of at least 4.5 to 1, as WCAG computes it."""
    texts = ("ink", "soft", "link", "verdict", "graduation", "visible", "shadow", "unreachable", "good")
    grounds = ("bg", "card", "code", "mark")
    seen = set()
    for scheme in ("light", "dark"):
        with visiting(written(tmp_path, several()), color_scheme=scheme) as tab:
            colors = tab.evaluate(_COLORS, [*texts, *grounds, "add", "del"])
            seen.add(tuple(colors["bg"]))
            pairs = [(t, g) for t in texts for g in grounds] + [("ink", "add"), ("ink", "del"), ("visible", "add")]
            assert [] == [(scheme, *pair) for pair in pairs if _contrast(colors[pair[0]], colors[pair[1]]) < 4.5]
    assert 2 == len(seen)


_COLORS = """names => Object.fromEntries(names.map((name) => {
  const node = document.body.appendChild(document.createElement("span"));
  node.style.color = `var(--${name})`;
  const color = getComputedStyle(node).color.match(/[\\d.]+/g).map(Number);
  node.remove();
  return [name, color];
}))"""


def _contrast(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.2, relative luminance)."""

    def luminance(color: Sequence[float]) -> float:
        linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color[:3]]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@needs_browser
def test_the_theme_follows_the_system_until_it_is_chosen(tmp_path: Path) -> None:
    """The choice is stored for the next visit."""
    ground = "getComputedStyle(document.body).backgroundColor"
    with visiting(written(tmp_path, several()), color_scheme="dark") as tab:
        dark = tab.evaluate(ground)
        tab.select_option("#theme", "light")
        light = tab.evaluate(ground)
        assert dark != light
        tab.reload()
        assert light == tab.evaluate(ground)
        tab.keyboard.press("t")
        assert dark == tab.evaluate(ground)
        tab.select_option("#theme", "")
        tab.emulate_media(color_scheme="light")
        assert light == tab.evaluate(ground)


@needs_browser
def test_a_narrow_screen_needs_no_scrolling_to_the_side(tmp_path: Path) -> None:
    """The width is 360 pixels, everything is open, and long words cannot be broken."""
    long = made.finding("f" * 12, path="spec." + "x" * 300, detail="y" * 300, owner="a.B" + "z" * 200)
    with visiting(written(tmp_path, [*several(), long]), viewport={"width": 360, "height": 740}) as tab:
        for node in tab.locator("details").all():
            node.evaluate("node => { node.open = true; }")
        assert 360 == tab.evaluate("document.documentElement.scrollWidth")


@needs_browser
def test_paper_shows_what_is_open_with_its_object_and_no_controls(tmp_path: Path) -> None:
    """It is light in every theme; tolerated findings are only counted."""
    with visiting(written(tmp_path, several(), exceptions=tolerated()), color_scheme="dark") as tab:
        assert not tab.locator("#f-000000000001 .story").is_visible()
        tab.emulate_media(media="print")
        assert [True, True, True, False] == [node.is_visible() for node in tab.locator("details.first .story").all()]
        assert tab.get_by_text("1 finding tolerated by 1 exception stands on the page, not on paper.").is_visible()
        assert not tab.locator("#kinds").is_visible()
        assert not tab.locator("#f-000000000003 .story").is_visible()
        for control in ("#tools", "#theme", "#help-open", "nav", "button.copy"):
            assert not tab.locator(control).first.is_visible(), control
        assert tab.evaluate("getComputedStyle(document.querySelector('h4')).color") == "rgb(27, 31, 36)"


@needs_browser
def test_a_large_report_is_printed_on_few_pages(tmp_path: Path) -> None:
    """It prints the summary and the opened findings, for fifty findings in each of a hundred and fifty groups."""
    causes = ("ratcheting", "no-rule", "masked", "wording", "version", "boundary")
    many = [
        made.finding(
            f"{n:012x}", cause=causes[n % 6], severity=SEVERITIES[n % 4], path=f"spec.f{n // 50}",
            owner=f"p.T{n // 50}", member=f"f{n // 50}", resource=f"widgets{n % 50}", detail="words of a message " * 10,
        )
        for n in range(7500)
    ]  # fmt: skip
    entry = ExceptionEntry("1a2b", "widgets_v1", "known", "sig-example", "2030-01-01")
    known = [msgspec.structs.replace(one, exception="1a2b") for one in many]
    pages = []
    for findings, more in ((many, {}), (known, {"exceptions": Exceptions("e.yaml", used=(entry,))})):
        with visiting(written(tmp_path, findings, **more)) as tab:
            pages.append(tab.pdf(format="A4").count(b"/Type /Page\n"))
    assert 10 < pages[0] < 60
    assert 0 < pages[1] <= 4


@needs_browser
def test_columns_do_not_break_words(tmp_path: Path) -> None:
    """On wide and narrow screens, the name of an owner and the words of a reason are not broken."""
    owner = "sig-api-machinery-and-a-long-name"
    entry = ExceptionEntry("1a2b", "widgets_v1", "a reason of some words " * 20, owner, "2030-01-01")
    for width in (1280, 400):
        page = written(tmp_path, several(), exceptions=Exceptions("e.yaml", used=(entry,)))
        with visiting(page, viewport={"width": width, "height": 800}) as tab:
            cells = "[...document.querySelectorAll('td, th')].filter((cell) => !cell.querySelector('code'))"
            broken = f"{cells}.flatMap((cell) => {{ const range = document.createRange(); const found = [];"
            broken += " const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);"
            broken += " while (walk.nextNode()) { for (const word of walk.currentNode.data.matchAll(/[\\w]+/g)) {"
            broken += " range.setStart(walk.currentNode, word.index);"
            broken += " range.setEnd(walk.currentNode, word.index + word[0].length);"
            broken += (
                " if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) { found.push(word[0]); } } }"
            )
            assert [] == tab.evaluate(broken + " return found; })")


@needs_browser
def test_headings_count_what_is_shown(tmp_path: Path) -> None:
    """With a filter they count the matching findings and groups of a cause, and the tolerated findings."""
    with visiting(written(tmp_path, several(), exceptions=tolerated())) as tab:

        def counts() -> list[str]:
            return [node.inner_text() for node in tab.locator("main .count").all() if node.is_visible()]

        shown_first = counts()
        assert ["4 findings in 1 group"] * 2 + ["3 findings in 1 group", "1 finding"] == shown_first[:4]
        tab.uncheck("input[value=visible]")
        assert ["2 findings in 1 group"] * 3 == counts()[:3]
        assert not tab.locator("#tolerated").is_visible()


@needs_browser
def test_without_scripts_the_page_is_complete(tmp_path: Path) -> None:
    """There are no controls that need scripts; every finding is listed and can be opened."""
    with visiting(written(tmp_path, several()), java_script_enabled=False) as tab:
        assert 12 == len(shown(tab))
        assert not tab.locator("#tools").is_visible()
        assert not tab.locator("#theme").is_visible()
        tab.locator("#f-000000000007 summary").click()
        assert tab.locator("#f-000000000007 .story").is_visible()


@needs_browser
def test_rules_are_filtered_by_their_coverage(tmp_path: Path) -> None:
    """The filters are the state of a rule, and words."""
    page = tmp_path / "report.html"
    page.write_text(render_html(ruled(rule(declarative=("create",)), rule(path="spec.b"))), encoding="utf-8")
    with visiting(page) as tab:
        assert "2 shown" == tab.locator("#rules-shown").inner_text()
        tab.select_option("#rule-state", "F")
        assert "1 shown" == tab.locator("#rules-shown").inner_text()
        tab.fill("#rule-search", "no such rule")
        assert "0 shown" == tab.locator("#rules-shown").inner_text()


def nearing(text: str = "a", size: int = 1) -> Report:
    """Return a report with functions, each with a block that an update came near to."""
    case = Case(1, "apps", "v1", "Deployment", Operation.UPDATE, {"name": text}, {"name": "b"}, "deployments")
    return covered(
        *(
            function(
                f"{text[:500]}{n}",
                BlockEntry((n + 1, 1), (n + 2, 1), 1, condition=text, errors=(("Invalid", text),), reason=text,
                           nearest=NearestObject("p", n, case)),
                package=f"k8s.io/kubernetes/{text[:500]}",
            )
            for n in range(size)
        )
    )  # fmt: skip


@needs_browser
def test_code_is_unpacked_when_it_is_opened(tmp_path: Path) -> None:
    """With the keyboard alone: a package, a function beyond the first, and the object that came near."""
    page = tmp_path / "report.html"
    page.write_text(render_html(nearing(size=MAX_INLINE + 5)), encoding="utf-8")
    with visiting(page) as tab:
        for node in (
            tab.locator("#code-1 > summary"),
            tab.locator("details.packed > summary", has_text=f":{MAX_INLINE + 5} ").first,
            tab.locator("details.packed[open] details.packed > summary"),
        ):
            node.focus()
            tab.keyboard.press("Enter")
            tab.locator("details[open] > summary").last.wait_for()
        tab.locator("figure", has_text="New object").wait_for()
        assert tab.get_by_text("Why not").last.is_visible()


@needs_browser
@pytest.mark.parametrize("text", NASTY)
def test_untrusted_text_of_code_does_not_act(tmp_path: Path, text: str) -> None:
    """Names, conditions, reasons and objects come from sources and cases; nothing is wider than a narrow screen."""
    page = tmp_path / "report.html"
    page.write_text(render_html(nearing(text)), encoding="utf-8")
    with visiting(page, viewport={"width": 360, "height": 740}) as tab:
        for node in tab.locator("details.code, details.packed").all():
            node.evaluate("node => { node.open = true; }")
        tab.locator("#code-1 figure").first.wait_for(state="attached")
        assert 0 == tab.locator("#code-1 :is(img, b, svg, iframe, script, [onclick], [onerror])").count()
        assert tab.title().startswith("Equivalent")
        assert 360 == tab.evaluate("document.documentElement.scrollWidth")


@needs_browser
def test_optional_sections_are_safe_and_fit_narrow_screens(tmp_path: Path) -> None:
    """The verdict on a change and the cost of validation, with hostile texts, at 360 pixels; links open targets."""
    page = tmp_path / "report.html"
    for report in (whole(made.HOSTILE), costing(row(1, 700.0, made.HOSTILE), text=made.HOSTILE), whole()):
        page.write_text(render_html(report), encoding="utf-8")
        with visiting(page, viewport={"width": 360, "height": 740}) as tab:
            for node in tab.locator("details").all():
                node.evaluate("node => { node.open = true; }")
            assert 360 == tab.evaluate("document.documentElement.scrollWidth")
    with visiting(page) as tab:
        tab.evaluate("location.hash = '#u-cccccccccccc'")
        wait(tab, lambda: focused(tab) == "u-cccccccccccc")
