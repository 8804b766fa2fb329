"""The page: self-contained, safe, readable without a script, and alive in a real browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from harness.case import Excluded, Operation
from harness.reporting.document import ExceptionEntry, Exceptions, build_report
from harness.reporting.html import render_html
from tests.browser import needs_browser, opened
from tests.reporting import made
from tests.reporting.ruled import rule, ruled


class Reader(HTMLParser):
    """Reads a page as a browser would: elements, their attributes, and the text outside of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Leave a script or style."""
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        """Note a text."""
        if not self._inside:
            self.words.append(data)

    @property
    def text(self) -> str:
        """What a person reads, blanks folded."""
        return " ".join(" ".join(self.words).split())


def read(*args: object, **more: object) -> Reader:
    """The page of a report."""
    return Reader(render_html(build_report(*args, **more)))  # type: ignore[arg-type]


def test_the_page_tells_the_whole_finding() -> None:
    """Both lists, every setting, what changed, the fix and the command are there without a script."""
    text = read(made.result(made.finding()), replay=lambda f: f"harness replay r.json {f.fingerprint}").text
    for part in (
        "Not equivalent", "spec.size: Invalid value: 3: must be even", "no errors", "beta-on rejected",
        "graduated accepted", "changed spec.size 2 3", 'set spec.name "a"', "Fix: declare a rule",
        "harness replay r.json 0123456789ab", "harness explain no-rule", "seed 1",
    ):  # fmt: skip
        assert part in text, part


def test_the_page_asks_nothing_of_any_network() -> None:
    """No element names another place, and the policy forbids what the page does not need."""
    page = read(made.hostile())
    named = [attrs[name] for _, attrs in page.tags for name in ("src", "href", "action") if name in attrs]
    assert not [place for place in named if not str(place).startswith("#g")]
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_hostile_texts_stay_text() -> None:
    """The only script is ours, no handler or style stands in an attribute, and nothing invisible is left."""
    html = render_html(build_report(made.hostile()))
    page = Reader(html)
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on") or name == "style"]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", html)
    assert "<script>alert(1)</script>" in page.text


def test_a_clean_run_has_a_page_too() -> None:
    """It says that no difference was found and how hard was tried; there is nothing to filter."""
    page = read(made.result())
    assert "No difference was found" in page.text
    assert "100 cases in 2.0 s" in page.text
    assert not [attrs for tag, attrs in page.tags if attrs.get("id") == "tools"]


def test_a_huge_object_is_folded_and_cut() -> None:
    """A page stays small whatever was found."""
    case = made.finding().case.__class__(
        1, "example.io", "v1", "Widget", Operation.CREATE, {"a": ["x" * 100] * 20_000}, None, "widgets"
    )
    html = render_html(build_report(made.result(made.finding(case=case))))
    assert len(html) < 150_000
    assert "more characters" in html


def test_what_is_excluded_tolerated_or_must_go_is_listed() -> None:
    """Reasons are given for everything that is not judged."""
    entry = ExceptionEntry("1a2b", "widgets_v1", "known since March", "sig-example", "2027-01-31")
    excluded = Excluded("example.io", "v1", "gadgets", "has no strategy")
    text = read(
        made.result(made.finding(exception="1a2b"), excluded=(excluded,)),
        exceptions=Exceptions("f.yaml", used=(entry,), unused=(entry,)),
    ).text
    for part in ("has no strategy", "known since March", "Tolerated by exception 1a2b", "Exceptions that must go"):
        assert part in text, part


@pytest.mark.browser
@needs_browser
def test_the_page_lives_in_a_browser(tmp_path: Path) -> None:
    """The script runs under its policy, shows every finding, and nothing is written to the console."""
    page = tmp_path / "report.html"
    page.write_text(render_html(build_report(made.hostile())), encoding="utf-8")
    dom = Reader(opened(page))
    shown = next(attrs for tag, attrs in dom.tags if attrs.get("id") == "tools")
    assert "hidden" not in shown
    assert "3 shown" in dom.text
    assert sum(attrs.get("class") == "finding" for _, attrs in dom.tags) == 3
    assert "spec.size: Invalid value: 3: must be even" in dom.text


def test_rules_are_listed_by_kind_with_what_was_seen() -> None:
    """Each row says to the filter what is missing, and needs no script to be read."""
    page = render_html(ruled(rule(declarative=("create",), rejected=True, first=1.5), rule(path="spec.b")))
    assert "1 of 2 fired" in page
    assert 'data-s="HA"' in page
    assert 'data-s="FHAR"' in page
    assert "Handwritten checks without a rule" in page


def test_without_rules_there_is_no_section() -> None:
    """Not even an empty one."""
    assert 'id="rules"' not in render_html(build_report(made.result()))


def test_rules_cannot_act() -> None:
    """Their texts come from types and programs that others wrote."""
    page = render_html(ruled(rule(path=made.HOSTILE, cannot=made.HOSTILE), lost=True, hostile=made.HOSTILE))
    assert "<script>alert" not in page
    assert "\x1b" not in page


def test_many_findings_begin_with_a_list_of_causes() -> None:
    """Each cause is told with its worst places, and each place leads to its findings."""
    causes = ("no-rule", "masked", "origin", "path")
    page = read(made.result(*(made.finding(f"{n:012}", path=f"a.f{n}", cause=causes[n % 4]) for n in range(20))))
    assert "masked 5 5 graduation a.f1 , graduation a.f13 , graduation a.f17 and 2 more" in page.text
    places = {attrs["href"] for tag, attrs in page.tags if tag == "a"}
    assert places <= {f"#{attrs['id']}" for tag, attrs in page.tags if tag == "section"}


@needs_browser
def test_rules_live_in_a_browser(tmp_path: Path) -> None:
    """The filter is there and counts every rule."""
    page = tmp_path / "report.html"
    page.write_text(render_html(ruled(rule(declarative=("create",)), rule(path="spec.b"))), encoding="utf-8")
    dom = Reader(opened(page))
    shown = next(attrs for tag, attrs in dom.tags if attrs.get("id") == "rule-tools")
    assert "hidden" not in shown
    assert "2 shown" in dom.text
