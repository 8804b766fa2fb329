"""`harness completion`: what a shell needs to complete commands, options and values."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

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
    # The script only: `source()` would first ask bash for its version, and a script may be made for another machine.
    script = kind(context.find_root().command, {}, "harness", "_HARNESS_COMPLETE")
    click.echo(script.source_template % script.source_vars())
    return 0
