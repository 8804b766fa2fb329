"""`harness completion`: the completion scripts of shells, and the completions of arguments.

An error while completing offers no completions, because a message would disturb the command line being typed.
"""

from __future__ import annotations

import json
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from harness.diagnostics import HarnessError
from harness.limits import MAX_REPORT, read_bounded


def suites(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete the folder of a suite; any folder when none matches."""
    folder = Path(word if word.endswith("/") else Path(word).parent)
    found = sorted(path for path in folder.glob("*") if path.is_dir() and str(path).startswith(word.removeprefix("./")))
    own = [CompletionItem(str(path)) for path in found if (path / "suite.py").is_file()]
    return own or [CompletionItem(word, type="dir")]


def words(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete the codes that `harness explain` has a page for."""
    from harness.explain import all_pages

    pages = {page.code: page.summary for several in all_pages().values() for page in several}
    return [CompletionItem(code, help=summary) for code, summary in sorted(pages.items()) if code.startswith(word)]


def replayed(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete a report, then the fingerprints of its findings."""
    before = context.params.get("arguments") or ()
    if not before:
        return [CompletionItem(word, type="file")]
    try:
        findings = json.loads(read_bounded(before[0], MAX_REPORT))["findings"]
        found = [(str(one["fingerprint"]), f"{one['cause']} {one['kind']} {one['path']}") for one in findings]
    except (OSError, ValueError, LookupError, TypeError, RecursionError, HarnessError):
        return []
    return [CompletionItem(name, help=help) for name, help in found if name.startswith(word)]


SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> int:
    """Print the completion script of a shell.

    \b
    bash   eval "$(harness completion bash)"     in ~/.bashrc
    zsh    eval "$(harness completion zsh)"      in ~/.zshrc, after compinit
    fish   harness completion fish | source      in ~/.config/fish/config.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    # `source()` would first run bash to check its version, which fails when the script is for another machine.
    script = kind(context.find_root().command, {}, "harness", "_HARNESS_COMPLETE")
    click.echo(script.source_template % script.source_vars())
    return 0
