"""`harness explain`: what a word of a report or of a message means, and what to do about it."""

from __future__ import annotations

import click

from harness.diagnostics import UsageError, near_miss
from harness.explain import all_pages, pages_of


@click.command("explain")
@click.argument("code", required=False)
def command(code: str | None) -> int:
    """Explain a cause, a severity, a kind of mismatch, a tag or the code of a message. Without CODE: list them all."""
    if code is None:
        for category, pages in all_pages().items():
            click.echo(f"{category}:")
            width = max(len(page.code) for page in pages)
            for page in pages:
                click.echo(f"  {page.code:<{width}}  {page.summary}")
            click.echo()
        return 0
    found = pages_of(code)
    if not found:
        # Imported here: most codes are no tags, and a tag's page is made by running its examples.
        from harness.apidocs.catalogue import page_of
        from harness.tags.registry import ALL_SPECS

        if text := page_of(code):
            click.echo(text, nl=False)
            return 0
        known = [*(page.code for pages in all_pages().values() for page in pages), *ALL_SPECS]
        hint = near_miss(code, known) or "harness explain lists every code"
        raise UsageError(f"there is no page for {code!r}\n  fix: {hint}")
    click.echo("\n\n".join(f"{page.code} ({page.category.rstrip('s')})\n\n{page.text}" for page in found))
    return 0
