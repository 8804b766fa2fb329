"""Links lead somewhere: to a file of the project, and to a heading that it has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, name_of


def prose(page: Path) -> str:
    """A page without its code."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """What a link into a page can name: its headings as code hosts spell them, a second one of a name with a number."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.*)$", prose(page), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", shown.strip().lower()).replace(" ", "-")
        spelt = [slug, *(f"{slug}-{number}" for number in range(1, 100))]
        found.add(next(one for one in spelt if one not in found))
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    """Relative links point at files that are there, and anchors at headings."""
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"(?<!\[)`[^`\n]*`(?!\])", "", prose(page))):
        file, _, anchor = link.partition("#")
        place = page.parent / file if file else page
        if "://" in link:
            continue
        if not place.exists() or (anchor and place.suffix == ".md" and anchor not in anchors(place)):
            lost.append(link)
    assert [] == lost


def test_every_page_is_on_the_map() -> None:
    """A reader finds every page from docs/README.md, by a question; tags have a map of their own."""
    root = next(page for page in PAGES if name_of(page) == "docs/README.md")
    told = {(root.parent / link.partition("#")[0]).resolve() for link in re.findall(r"\]\(([^)\s]+)\)", prose(root))}
    pages = {page for page in PAGES if page.is_relative_to(root.parent) and page.parent.name != "tags"} - {root}
    assert set() == pages - told
