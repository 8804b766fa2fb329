"""The tables of words: complete, worst first, and the only ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from pathlib import Path
from typing import get_args

import pytest

import harness
from harness.compare.finding import SEVERITIES
from harness.compare.two_servers import DIRECTIONS
from harness.explain import all_pages
from harness.report.words import (
    DIRECTION,
    FIELD_VERDICT,
    LEVELS,
    SEVERITY,
    VERDICT,
    FieldVerdict,
    Verdict,
    meaning_of,
    rank,
)
from tests.report import made

ROOT = Path(harness.__file__).parent
COLOUR = re.compile(r"(bold |dim )?(red|yellow|green|cyan|magenta)")


@pytest.mark.parametrize(
    ("words", "table"),
    [
        (SEVERITIES, SEVERITY), (DIRECTIONS, DIRECTION), (get_args(Verdict), VERDICT),
        (get_args(FieldVerdict), FIELD_VERDICT), ([page.code for page in all_pages()["severities"]], SEVERITY),
    ],
)  # fmt: skip
def test_every_word_has_its_row(words: Collection[str], table: Collection[str]) -> None:
    """Every possible value has a row, and there are no other rows."""
    assert sorted(words) == sorted(table)


def test_tables_are_worst_first() -> None:
    """Severities and directions are in the order of the judge, and a worse severity does not have a milder level."""
    assert [*SEVERITIES] == [*SEVERITY]
    assert [*DIRECTIONS] == [*DIRECTION]
    assert [*range(len(SEVERITIES))] == [*map(rank, SEVERITIES)]
    levels = [LEVELS.index(words.level) for words in SEVERITY.values()]
    assert sorted(levels) == levels


def strings(path: Path) -> set[str]:
    """Return all strings of a module."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_no_format_has_colours_of_its_own() -> None:
    """Styles of a terminal are in the tables only; a badge has the names of shields.io for its colours."""
    named = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if any(COLOUR.fullmatch(text) for text in strings(path))
    }
    assert {"report/words.py", "campaign/site/badges.py"} == named


def test_no_format_has_a_table_of_its_own() -> None:
    """No format has a dictionary by severity, direction, or verdict."""
    tables = [frozenset(table) for table in (SEVERITY, DIRECTION, VERDICT, FIELD_VERDICT)]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Dict)
        and frozenset(key.value for key in node.keys if isinstance(key, ast.Constant)) in tables
    }
    assert {"report/words.py"} == found


def test_a_crash_has_words_of_its_own() -> None:
    """The severity of a crash is that of a changed verdict, and what it means is another thing."""
    crash, other = (made.finding(mismatch=mismatch, severity="verdict") for mismatch in ("panic", "extra"))
    assert "crashes" in meaning_of(crash)
    assert SEVERITY["verdict"].meaning == meaning_of(other)
    assert "crash" in SEVERITY["verdict"].summary


def test_generated_code_has_words_of_its_own() -> None:
    """No setting of the gates is to blame for it: what is served changes once the code is generated anew."""
    wrong, hidden = (made.finding(mismatch="generated", severity=severity) for severity in ("verdict", "shadow"))
    assert "tags" in meaning_of(wrong)
    lost = made.finding(mismatch="conversion", severity="visible")
    assert "stores another object" in meaning_of(lost)
    assert SEVERITY["shadow"].meaning == meaning_of(hidden)
