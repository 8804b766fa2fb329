"""A compiled package as a module of its own: where its handwritten functions come from, and what to call."""

from __future__ import annotations

from collections.abc import Mapping

from harness.compiler.source import literal
from harness.compiler.validators import Module

_PLACE = "\nUPDATE = Operation.UPDATE\n"
_ROOTS = """

# Root types by name: what to call with (operation, Path(), new, old or None, options), and for which subresources.
# An absent object is {{}}; a NilDereferenceError is what Go reports as a panic.
ROOTS = {{
{lines}}}
"""


def standalone(module: Module, origins: Mapping[str, str]) -> str:
    """Return the text of a file that stands alone.

    `origins` says for every handwritten function that is called the statement that brings it in.
    """
    needed = "".join(f"{origins[name]}\n" for name in dict.fromkeys(module.custom))
    before, place, after = module.source.partition(_PLACE)
    assert place, "every emitted module has one"
    text = f"{before}{place}{_statements(needed)}{after}"
    lines = [
        f"    {literal(name)}: ({entry.function}, {literal(frozenset(entry.root.paths))}),\n"
        for name, entry in sorted(module.entries.items())
        if entry.function
    ]
    return text.rstrip("\n") + "\n" + _ROOTS.format(lines="".join(lines))


def _statements(needed: str) -> str:
    return f"\n# Handwritten checks, called by +k8s:customValidation\n{needed}" if needed else ""
