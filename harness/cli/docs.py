"""`harness docs`: generate documentation of the rules of an API, of every tag, or of every word in reports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from harness.apidocs.catalogue import catalogue
from harness.apidocs.gather import gather
from harness.apidocs.markdown import render_pages
from harness.apidocs.page import render_page
from harness.cli.options import FOLDER, api_argument
from harness.diagnostics import UsageError
from harness.explain import references
from harness.files import write_atomically
from harness.report.escaping import count, visible
from harness.subject.api import open_api

DEFAULT_OUTPUT = Path("reports") / "docs"


@click.command("docs")
@api_argument
@click.option("--tags", is_flag=True, help="Write the tag catalogue instead.")
@click.option("--words", is_flag=True, help="Write all pages of `harness explain` instead.")
@click.option(
    "--format", "form", type=click.Choice(("markdown", "html", "both")), default="both", show_default=True,
    help="Markdown pages, one searchable HTML page, or both.",
)  # fmt: skip
@click.option(
    "--output", type=FOLDER, default=DEFAULT_OUTPUT, show_default=True,
    metavar="DIR", help="Output folder.",
)  # fmt: skip
def command(path: str, kubernetes: str, release: str, tags: bool, words: bool, form: str, output: Path) -> int:
    """Document what an API validates: the rules of each kind and field, by version.

    PATH is a folder with types.go, or one above several; or name a release with --kubernetes.
    """
    if tags or words:
        name = "--tags" if tags else "--words"
        if path or kubernetes or (tags and words):
            raise UsageError(
                f"{name} cannot be combined with an API or another selection\n  fix: use {name} alone, or omit it"
            )
        pages = catalogue() if tags else references()
        _write(output, pages)
        click.echo(f"written: {visible(str(output / next(iter(pages))))} and {count(len(pages) - 1, 'page')}")
        return 0
    document = gather(open_api(path, kubernetes=kubernetes, release=release))
    click.echo(
        f"{visible(document.name)}: {count(document.kind_count, 'kind')} with {count(document.rule_count, 'rule')} "
        f"in {count(len(document.groups), 'group')}"
    )
    if form != "markdown":
        page = render_page(document)
        _write(output, {"index.html": page})
        click.echo(f"written: {visible(str(output / 'index.html'))} ({len(page.encode()) // 1000:,} kB)")
    if form != "html":
        pages = render_pages(document)
        _write(output, pages)
        click.echo(f"written: {visible(str(output / 'index.md'))} and {count(len(pages) - 1, 'page')}")
    return 0


def _write(folder: Path, pages: Mapping[str, str]) -> None:
    try:
        for name, text in pages.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / name, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror or error}\n  fix: --output DIR") from None
