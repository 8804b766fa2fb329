"""`harness explain`: what a word of a report or of a message means, and what to do about it."""

from __future__ import annotations

from typing import NoReturn

import click

from harness.cli import completion
from harness.diagnostics import UsageError, near_miss
from harness.errormatch.oldcauses import current_cause
from harness.explain import all_pages, pages_of


@click.command("explain")
@click.argument("code", required=False, shell_complete=completion.words)
def command(code: str | None) -> int:
    """Explain a cause, a severity, a lint rule, a tag or the code of a message. Without CODE: list them all."""
    if code is None:
        _list()
        return 0
    texts = [f"{page.code} ({page.sort})\n\n{page.text}" for page in pages_of(current_cause(code))]
    texts += _of_rule(code)
    if texts:
        click.echo("\n\n".join(texts))
        return 0
    # Imported here: most codes are no tags, and a tag's page is made by running its examples.
    from harness.apidocs.catalogue import page_of

    text = page_of(code)
    if not text:
        _refuse(code)
    click.echo(text, nl=False)
    return 0


def _list() -> None:
    from harness.lint.rules import RULES

    listed = {name: [(page.code, page.summary) for page in pages] for name, pages in all_pages().items()}
    listed["lint"] = [(rule.code, rule.summary) for rule in RULES]
    for category, entries in listed.items():
        click.echo(f"{category}:")
        width = max(len(code) for code, _ in entries)
        for code, summary in entries:
            click.echo(f"  {code:<{width}}  {summary}")
        click.echo()


def _of_rule(code: str) -> list[str]:
    """The page of a lint rule, made of its record."""
    from harness.lint.pages import page_of
    from harness.lint.rules import RULES

    return [f"{code} (lint)\n\n{page_of(rule)}" for rule in RULES if rule.code == code]


def _refuse(code: str) -> NoReturn:
    from harness.lint.rules import RULES
    from harness.tags.registry import ALL_SPECS

    pages = [page.code for pages in all_pages().values() for page in pages]
    known = [*pages, *ALL_SPECS, *(rule.code for rule in RULES)]
    hint = near_miss(code, known) or "harness explain lists every code"
    raise UsageError(f"there is no page for {code!r}\n  fix: {hint}")
