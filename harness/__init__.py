"""Equivalence and fuzz test harness for migrations of validation: the public names, nothing else.

Names are imported when they are first used, so that the command line starts quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.case import Answer, Case, Operation
    from harness.strategies import ask, differences, objects, pairs
    from harness.suite import Context, KubernetesSuite, Suite, SuiteKind

__version__ = "0.2.0"

__all__ = [
    "Answer",
    "Case",
    "Context",
    "KubernetesSuite",
    "Operation",
    "Suite",
    "SuiteKind",
    "__version__",
    "ask",
    "differences",
    "objects",
    "pairs",
]

_HOMES = {
    "harness.case": ("Answer", "Case", "Operation"),
    "harness.strategies": ("ask", "differences", "objects", "pairs"),
    "harness.suite": ("Context", "KubernetesSuite", "Suite", "SuiteKind"),
}


def __getattr__(name: str) -> Any:
    """Import a public name from its home."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'harness' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Show the public names."""
    return sorted(__all__)
