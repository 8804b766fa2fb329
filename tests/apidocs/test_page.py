"""The page: self-contained, safe, linked, readable without a script, and alive in a real browser."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from harness.apidocs.page import render_page
from harness.report.formats.html.environment import mark_code
from tests.apidocs import made
from tests.browser import needs_browser, opened
from tests.report.formats.html.test_page import Reader

_DRIVER = """<script>
const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
const told = [];
const tell = () => { const at = document.activeElement; told.push(at.id || at.tagName); };
press("/"); tell();
press("ArrowDown"); tell();
press("ArrowDown"); tell();
press("ArrowUp"); tell();
press("Enter"); told.push(decodeURIComponent(location.hash));
press("Escape"); tell();
document.title = told.join(" ");
</script></body>"""


def test_every_link_leads_to_a_place_on_the_page(tmp_path: Path) -> None:
    """Each fragment is the id of an element, and no id stands twice."""
    page = Reader(render_page(made.widgets(tmp_path)))
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    links = [unquote((attrs["href"] or "").removeprefix("#")) for tag, attrs in page.tags if tag == "a"]
    assert len(ids) == len(set(ids))
    assert set() == set(links) - set(ids)
    assert "widgets.example.com/Widget/spec.parts[*].count" in links


def test_the_page_is_read_without_a_script(tmp_path: Path) -> None:
    """Words, conditions, levels, places and what is missing stand there."""
    words = Reader(render_page(made.widgets(tmp_path))).text
    for part in (
        "What example.com/api validates", "at most 9 while Turbo is on", "exactly one of a and b must be set",
        "+k8s:maxLength → FieldValueTooLong maxLength · widgets/v1/types.go", "standard alpha", "no field",
        "No rules are declared for Quiet (v1).", "rules of Tree", "Used in 2 places",
        "checked by the handwritten function ValidateCustom_WidgetSpec_Odd",
    ):  # fmt: skip
        assert part in words, part


def test_the_page_asks_nothing_of_any_network(tmp_path: Path) -> None:
    """Links stay on the page, and the policy allows only the page's own style and script."""
    page = Reader(render_page(made.widgets(tmp_path)))
    assert not [attrs for _, attrs in page.tags if {"src", "action"} & set(attrs)]
    assert all((attrs["href"] or "").startswith("#") for _, attrs in page.tags if "href" in attrs)
    policy = next(a["content"] or "" for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_hostile_texts_stay_text(tmp_path: Path) -> None:
    """The only script is ours, no handler stands in an attribute, and nothing invisible is left."""
    html = render_page(made.hostile(tmp_path))
    page = Reader(html)
    assert 1 == [tag for tag, _ in page.tags].count("script")
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on") or name == "style"]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", html)
    assert "Evil <script>alert(1)</script>" in page.text


def test_unpaired_marks_are_harmless() -> None:
    """A backquote in a value of others changes how it looks and nothing else."""
    assert "a<code>&lt;b&gt;</code>" == str(mark_code("a`<b>"))


def _open(place: Path, html: str, query: str = "") -> Reader:
    """Open a page in a browser and return what has become of it."""
    page = place / "index.html"
    page.write_text(html, encoding="utf-8")
    return Reader(opened(page, query))


def _rows(page: Reader) -> list[str]:
    """The rows that are shown."""
    return [a["id"] or "" for tag, a in page.tags if tag == "tbody" and "hidden" not in a]


@needs_browser
def test_search_shows_what_matches_all_words(tmp_path: Path) -> None:
    """Words are looked for in kind, path, rule and tag; sections and links without a match go."""
    page = _open(tmp_path, render_page(made.widgets(tmp_path)), "?q=WIDGET%20characters")
    assert ["widgets.example.com/Widget/spec.name"] == _rows(page)
    assert "1 field in 1 type" in page.text
    assert {"widgets.example.com/Tree"} == {a["id"] for tag, a in page.tags if tag == "article" and "hidden" in a}
    assert {"widgets.example.com/Tree"} == {a["data-for"] for tag, a in page.tags if tag == "li" and "hidden" in a}


@needs_browser
def test_search_by_level_and_version(tmp_path: Path) -> None:
    """Level and version are looked for together: a rule that is alpha in this very version."""
    html = render_page(made.widgets(tmp_path))
    assert ["widgets.example.com/Widget/spec.name"] == _rows(_open(tmp_path, html, "?level=alpha&version=v1beta1"))
    assert [] == _rows(_open(tmp_path, html, "?level=alpha&version=v1"))


@needs_browser
def test_a_deep_link_undoes_the_search(tmp_path: Path) -> None:
    """What a link names is shown, whatever was searched."""
    page = _open(tmp_path, render_page(made.widgets(tmp_path)), "?q=nothing#widgets.example.com/Widget/spec.name")
    assert "widgets.example.com/Widget/spec.name" in _rows(page)
    assert len(_rows(page)) > 10


@needs_browser
def test_keys_move_through_what_is_found(tmp_path: Path) -> None:
    """Slash searches, arrows move, Enter makes a link, Escape starts again."""
    html = re.sub(r"<meta http-equiv[^>]*>", "", render_page(made.widgets(tmp_path))).replace("</body>", _DRIVER)
    page = _open(tmp_path, html)
    first = made.section(made.widgets(_other(tmp_path)), "Widget").rows
    prefix = "widgets.example.com/Widget/"
    title = re.search(r"q .*", page.text)
    assert title is not None
    expected = f"q {prefix}{first[0].path} {prefix}{first[1].path} {prefix}{first[0].path} #{prefix}{first[0].path} q"
    assert title[0].startswith(expected)


def _other(place: Path) -> Path:
    folder = place / "other"
    folder.mkdir()
    return folder


@needs_browser
def test_hostile_texts_do_nothing_in_a_browser(tmp_path: Path) -> None:
    """The page works and no element of theirs is there."""
    page = _open(tmp_path, render_page(made.hostile(tmp_path)), "?q=alert")
    tags = [tag for tag, _ in page.tags]
    assert (0, 1) == (tags.count("img"), tags.count("script"))
    assert 2 == len(_rows(page))
