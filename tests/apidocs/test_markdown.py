"""The Markdown tree: links lead somewhere, tables stay tables, and no text of others is markup."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from harness.apidocs.document import ApiReference, Key
from harness.apidocs.markdown import code, render_pages, text, text_with_code
from tests.apidocs import made


def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    """Index, kinds and shared types find each other."""
    pages = render_pages(made.widgets(tmp_path))
    assert {"index.md", "widgets.example.com/Widget.md", "widgets.example.com/Tree.md"} == set(pages)
    for name, page in pages.items():
        for link in re.findall(r"\]\(([^)]+)\)", page):
            place = PurePosixPath(name).parent / link
            parts = [part for part in place.parts if part != "."]
            while ".." in parts:
                at = parts.index("..")
                del parts[at - 1 : at + 1]
            assert "/".join(parts) in pages


def test_a_page_says_rules_levels_and_places(tmp_path: Path) -> None:
    """A row has the words, what each version makes of them, and where the tag stands."""
    page = render_pages(made.widgets(tmp_path))["widgets.example.com/Widget.md"]
    row = next(line for line in page.splitlines() if "at most 63 characters" in line)
    assert "| standard | alpha |" in row
    assert "`widgets/v1/types.go:" in row
    assert "`+k8s:maxLength`: FieldValueTooLong maxLength" in row
    assert "at most 9 *while `Turbo` is on*" in page
    assert "In v1: requests for the object, `/status`." in page


def test_hostile_texts_stay_text(tmp_path: Path) -> None:
    """No comment, name or value becomes HTML or a link, and every row has as many cells as the head."""
    pages = render_pages(made.hostile(tmp_path))
    for page in pages.values():
        prose = re.sub(r"(`+).*?\1", "", page.replace("<br>", ""))
        assert not re.search(r"<\w|</", prose)
        assert "](javascript" not in prose
        assert not re.search(r"[\x00-\x08\x0b-\x1f\u202e]", page)
    table = [line for line in pages["widgets.example.com/Evil.md"].splitlines() if line.startswith("|")]
    assert 1 == len({len(re.findall(r"(?<!\\)\|", line)) for line in table})


@pytest.mark.parametrize(
    ("given", "wanted"), [("a`b", "``a`b``"), ("`", "`` ` ``"), ("a|b", "`a\\|b`"), ("", ""), ("a\nb", "`a b`")]
)
def test_code_ends_where_it_should(given: str, wanted: str) -> None:
    """Fences are longer than what they hold, and a table's bars are escaped."""
    assert wanted.replace("``a`b``", "`` a`b ``") == code(given)


def test_words_keep_their_code() -> None:
    """What stands between backquotes is code; the rest is escaped."""
    assert "while `A` is on \\*now\\*" == text_with_code("while `A` is on *now*")
    assert "&lt;b&gt; snake_case" == text("<b> snake_case")


def test_no_name_leaves_the_folder(tmp_path: Path) -> None:
    """Groups and kinds become names that any file system holds, each its own."""
    document = made.widgets(tmp_path)
    group = document.groups[0]
    names = ["../../etc", "a/b", "a-b", "A-B", "..", ""]
    kinds = tuple(replace(group.kinds[0], key=Key("../x", name), used_by=(), linked_types=()) for name in names)
    pages = render_pages(ApiReference("x", "1.37", (replace(group, name="../x", kinds=kinds, shared=()),)))
    assert len(names) + 1 == len({name.lower() for name in pages})
    assert not [name for name in pages if ".." in name.split("/") or name.startswith("/")]
