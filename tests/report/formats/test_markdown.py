"""Markdown for the page of a CI job: what a reviewer needs, limited in size, with untrusted text escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from harness.case import Answer
from harness.report.escaping import plain
from harness.report.formats.markdown import LIMIT, render_markdown
from harness.report.model.assembly import build_report
from harness.report.model.document import ExceptionEntry, Exceptions, Report
from tests.report import made, sections

READER = MarkdownIt("gfm-like", {"linkify": False, "html": True})
HOSTILE = (
    "](https://x.example) <img src=x onerror=alert(1)> | a | ```\n```` @octocat #12 **bold** _it_ `code` ~~no~~ "
    "</details></summary><script>alert(1)</script> https://x.example www.x.example :tada: $x$ &lt; \\| [a]: b\r\n"
    "# head\n- item"
)


def hostile_report() -> Report:
    """Return a report in which every untrusted text tries to be markup."""
    bad = made.error(f"spec[{HOSTILE}]", detail=HOSTILE, value=HOSTILE, origin=HOSTILE)
    finding = made.finding(path=f"spec[{HOSTILE}]", detail=HOSTILE, fix=HOSTILE, owner=f"x/y.{HOSTILE}", member=HOSTILE)
    finding = made.finding(
        path=finding.path, detail=HOSTILE, fix=HOSTILE, owner=finding.owner, member=HOSTILE, origin=HOSTILE,
        answer=Answer(1, handwritten=(bad,)), source="x/y.go:3",
    )  # fmt: skip
    entry = ExceptionEntry("1a2b", "widgets_v1", HOSTILE, HOSTILE, "2027-01-31")
    return build_report(
        made.result(finding, subject=HOSTILE, stopped_detail=HOSTILE),
        exceptions=Exceptions("f.yaml", unused=(entry,)),
        replay=lambda one: f"harness replay {HOSTILE}",
    )


def tokens(text: str) -> list[Token]:
    """Parse Markdown, and return its tokens with inner ones."""
    found = []
    for token in READER.parse(text):
        found += [token, *(token.children or ())]
    return found


class Tags(HTMLParser):
    """Collects the tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember it."""
        self.found.append(tag)


def test_the_page_has_all_of_a_finding() -> None:
    """It has verdict, severity, cause, the smallest object, both error lists, the fix and the command."""
    finding = made.finding(source="k8s.io/api/apps/v1/types.go:7")
    text = render_markdown(build_report(made.result(finding), replay=lambda one: "harness replay r.json 0123456789ab"))
    assert text.startswith("## Not equivalent: widgets_v1\n")
    for words in (
        "**1 finding**, 1 cause in 1 group", "| graduation | 1 |", "| no-rule | graduation | 1 | spec.size |",
        '"size": 3', '"size": 2', "spec.size: Invalid value: 3: must be even  (covered)", "**Fix**: declare a rule",
        "staging/src/k8s.io/api/apps/v1/types.go line 7", "harness replay r.json 0123456789ab", "100 cases in 2 s",
    ):  # fmt: skip
        assert words in text


def test_untrusted_text_is_not_markup() -> None:
    """All links, images, tags, code, headings and emphasis are those of the page itself."""
    page = tokens(render_markdown(hostile_report()))
    kinds = {token.type for token in page}
    assert set() == kinds & {"link_open", "image", "code_inline", "em_open", "s_open", "html_inline"}
    assert 1 == sum(token.type == "heading_open" for token in page)
    tags = Tags()
    for token in page:
        if token.type == "html_block":
            tags.feed(token.content)
    assert {"details", "summary"} == set(tags.found)


def test_untrusted_text_of_a_change_is_not_markup() -> None:
    """Fields, reasons, sentences, positions and commands are untrusted texts of the change."""
    page = tokens(render_markdown(sections.whole(HOSTILE)))
    assert set() == {token.type for token in page} & {"link_open", "image", "code_inline", "em_open", "html_inline"}
    tags = Tags()
    for token in page:
        if token.type == "html_block":
            tags.feed(token.content)
    assert {"details", "summary"} == set(tags.found)


def test_a_verdict_on_a_change_comes_first() -> None:
    """It lists each field with its verdict, changes for users, stale code, and lint findings."""
    text = render_markdown(sections.whole())
    for words in (
        "| WidgetSpec.Size | ✗ different |", "| WidgetSpec.Name | ! not tried | no kind has it |",
        "| WidgetSpec.Other | ✓ equivalent as far as tried |", "was accepted, is now rejected", "**stale**",
        "make generated", "**lint** tag-payload", "**not searched**",
    ):  # fmt: skip
        assert words in text
    assert text.index("WidgetSpec.Size") < text.index("| severity |")


def test_a_fence_cannot_be_closed_by_its_text() -> None:
    """An object that contains fences is one block, and the text after it is part of the page again."""
    page = tokens(render_markdown(hostile_report()))
    fences = [token for token in page if token.type == "fence"]
    assert ["json", "json", "text", "text", "sh"] == [token.info for token in fences]
    assert any("alert(1)" in token.content for token in fences)
    assert "</details>\n" == [token for token in page if token.type == "html_block"][-1].content


def test_a_table_keeps_its_columns() -> None:
    """A vertical bar in a name is not a column separator."""
    kinds = [token.type for token in READER.parse(render_markdown(hostile_report()))]
    rows = [row.count("td_open") for row in re.findall(r"tr_open (.*?) tr_close", " ".join(kinds))]
    assert [0, 3, 0, 5] == rows


@pytest.mark.parametrize(
    "text", ["@octocat", "#12", "https://x", "www.x.example", ":tada:", "<b>", "- a", "1. a", "_a_", "$a$", "a@b.c"]
)
def test_mentions_references_and_addresses_are_disarmed(text: str) -> None:
    """Their special character is an entity, so that readers see the text unchanged."""
    assert text not in plain(text)
    assert text == re.sub(r"&#(\d+);", lambda match: chr(int(match[1])), plain(text))


def test_ordinary_text_is_not_escaped() -> None:
    """Paths and sentences contain no entities."""
    for text in ("spec.size", "apps/v1 deployments/scale update", "must be no more than 3: it's (not) even", "a_b-c"):
        assert text == plain(text)


def many(number: int) -> Report:
    """Return a report with this number of groups, each with a large object."""
    large = {"spec": {"name": "é" * 3000}}
    case = made.finding().case
    findings = [
        made.finding(
            f"{n:012x}", owner=f"x/y.T{n}", member="a",
            case=type(case)(1, "example.io", "v1", "Widget", case.operation, large, large, "widgets"),
        )
        for n in range(number)
    ]  # fmt: skip
    return build_report(made.result(*findings))


def test_a_page_is_cut_to_size() -> None:
    """The mildest findings are left out and counted, and the size is below the limit."""
    report = many(200)
    text = render_markdown(report)
    assert len(text.encode()) <= LIMIT
    left = re.search(r"\*\*(\d+) findings in (\d+) groups left out here\*\*", text)
    assert left is not None
    assert 200 == int(left[1]) + text.count("<details>")
    assert text.count("<details>") == text.count("</details>")
    assert "How hard was tried" in text


@pytest.mark.parametrize("limit", [0, 300, 2_000, 20_000])
def test_a_page_is_cut_to_any_size(limit: int) -> None:
    """The verdict is always there completely, even if the file is already full."""
    text = render_markdown(many(30), limit)
    assert text.startswith("## Not equivalent")
    assert "left out" in text
    assert len(text.encode()) <= max(limit, 200)


def test_a_clean_run_is_short() -> None:
    """It has only the verdict and the effort."""
    text = render_markdown(build_report(made.result()))
    assert text.startswith("## Equivalent as far as we looked")
    assert "<details>" not in text
    assert "|" not in text
