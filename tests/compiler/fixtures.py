"""Fixtures speak Go: compile a file's types, and say in short what became of an object."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.case import Operation
from harness.compiler import Compiled, compile_types
from harness.field import FieldError
from harness.gotypes.packages import Universe


def universe_of(go: str) -> Universe:
    """Return a universe of one package, `example`, with one file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "types.go"
        file.write_text(f"package example\n\n{go}\n")
        # What upstream's linter has to say is another question.
        doc = Path(folder) / "doc.go"
        doc.write_text("// +k8s:validation-gen-nolint\npackage example\n")
        universe = Universe.from_files({"example": [doc, file]})
        universe.package("example")
    return universe


def compiled(go: str, **more: Any) -> Compiled:
    """Compile Go declarations."""
    return compile_types(universe_of(go), "example", **more)


def errors(
    go: str, new: Any, old: Any = None, options: Mapping[str, bool] | None = None, **more: Any
) -> list[FieldError]:
    """Validate T: a create, or an update when `old` is given."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    return compiled(go, **more).validate("T", operation, new, old, options or {})


def seen(go: str, new: Any, old: Any = None, options: Mapping[str, bool] | None = None) -> list[str]:
    """Return the errors as `field: Type words: value: detail`, as users read them."""
    return [error.text for error in errors(go, new, old, options)]
