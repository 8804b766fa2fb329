"""What a shell offers for a word that is being typed. Whatever goes wrong, nothing is offered."""

from __future__ import annotations

import json
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from harness.bounded import MOST_REPORT, read_bounded
from harness.diagnostics import HarnessError


def suites(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Folders of suites below the one that is typed, and any other folder."""
    folder = Path(word if word.endswith("/") else Path(word).parent)
    found = sorted(path for path in folder.glob("*") if path.is_dir() and str(path).startswith(word.removeprefix("./")))
    own = [CompletionItem(str(path)) for path in found if (path / "suite.py").is_file()]
    return own or [CompletionItem(word, type="dir")]


def words(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """What `harness explain` has a page for."""
    from harness.explain import all_pages

    pages = {page.code: page.summary for several in all_pages().values() for page in several}
    return [CompletionItem(code, help=summary) for code, summary in sorted(pages.items()) if code.startswith(word)]


def replayed(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """A report, then the fingerprints of its findings."""
    before = context.params.get("arguments") or ()
    if not before:
        return [CompletionItem(word, type="file")]
    try:
        findings = json.loads(read_bounded(before[0], MOST_REPORT))["findings"]
        told = [(str(one["fingerprint"]), f"{one['cause']} {one['kind']} {one['path']}") for one in findings]
    except (OSError, ValueError, LookupError, TypeError, RecursionError, HarnessError):
        return []
    return [CompletionItem(name, help=help) for name, help in told if name.startswith(word)]
