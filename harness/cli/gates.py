"""Settings of feature gates as people write them, on the command line and in settings of a project."""

from __future__ import annotations

from collections.abc import Sequence

from harness.diagnostics import Diagnostic, InputError, Position

DEFAULT_GATES = "default"
"""What `--gates` says for the gates as the release sets them, and nothing else."""


def parse_gates(texts: Sequence[str]) -> dict[str, bool]:
    """Read `A=true,B=false`. Raises InputError with every part that is wrong."""
    gates: dict[str, bool] = {}
    wrong = []
    for part in (part.strip() for text in texts for part in text.split(",") if part.strip()):
        name, _, value = part.partition("=")
        if name and value.lower() in ("true", "false"):
            gates[name] = value.lower() == "true"
        else:
            wrong.append(
                Diagnostic(
                    Position("--gates"),
                    "gates-syntax",
                    f"{part!r} is no setting of a gate",
                    fix=f"{name or 'Name'}=true or {name or 'Name'}=false",
                )
            )
    if wrong:
        raise InputError(wrong)
    return gates
