"""Reads the pages of the documentation: their blocks, what each is for, and the commands that they show."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
_BLOCK = re.compile(r"^(?P<before>[^\n]*)\n\n?^ *```(?P<language>\w*)\n(?P<body>.*?)^ *```", re.MULTILINE | re.DOTALL)
_IN_LINE = re.compile(r"`(harness [a-z-]+[^`\n]*)`")
_NAMED = re.compile(r"`([\w./-]+)`[^`]*:$")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. `file` is what the line before it names, as in "`suite.py`:"; empty where it names nothing."""

    language: str
    body: str
    file: str = ""

    @property
    def lines(self) -> list[str]:
        """The commands of a console block, each on one line, without what is a comment."""
        joined = self.body.replace("\\\n", " ")
        return [line.strip().removeprefix("$ ") for line in joined.splitlines() if line.strip()]


def name_of(page: Path) -> str:
    """The page as seen from the top of the project."""
    return str(page.relative_to(ROOT))


def blocks(page: Path, *languages: str) -> list[Block]:
    """The fenced blocks of a page in order; only those of some languages where they are named."""
    text = "\n" + page.read_text(encoding="utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        named = _NAMED.search(match["before"].strip())
        found.append(Block(match["language"], textwrap.dedent(match["body"]), named[1] if named else ""))
    return [block for block in found if not languages or block.language in languages]


def without_comment(line: str) -> str:
    """A command as a shell sees it."""
    return re.sub(r"\s+# .*$", "", line)


def commands() -> list[tuple[str, str]]:
    """Every call of `harness` that a page shows, in a block or in a line, with the page."""
    found = []
    for page in PAGES:
        in_blocks = [line for block in blocks(page, "console") for line in block.lines]
        for line in (*in_blocks, *_IN_LINE.findall(page.read_text(encoding="utf-8"))):
            for part in re.split(r"&&|\|(?!\|)", without_comment(line)):
                if re.match(r"(\.venv/bin/)?harness\s", part.strip()):
                    found.append((name_of(page), part.strip()))
    return list(dict.fromkeys(found))
