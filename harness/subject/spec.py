"""What names a subject of examination, so that every process of a run can open it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from harness.case import Mode

DeclarativeSide: TypeAlias = Literal["target", "python"]
"""Whose declarative list counts: the target's own, or that of types compiled to Python."""


@dataclass(frozen=True, slots=True)
class SubjectSpec:
    """How to open a subject: plain data, may be pickled.

    `kind` is the name of a kind of target (`harness.subject.openers`), `location` what that kind calls one: a suite
    folder, a folder of Go types, a Kubernetes release or checkout, a program with arguments.
    `types` is a folder of Go types for a program (`DIR`, or `IMPORT/PATH=DIR` for the import path its kinds name), or
    with the declarative side `python` an edited copy of a release's. `against` is the location of another subject
    of the same kind: then what users of both are served is compared, not the two sides of one. `handwritten` is the
    file of a recording that stands for the handwritten side. `beside` is how many processes open it, or another part
    of the same run, at the same time: they share the cores of the machine. `in_process` runs the code of a suite in the
    process that searches: for a debugger, and for those who measure it.
    """

    kind: str
    location: str
    gates: Mapping[str, bool] = field(default_factory=dict)
    types: str | None = None
    mode: Mode = "served"
    declarative: DeclarativeSide = "target"
    against: str | None = None
    handwritten: str | None = None
    beside: int = 1
    in_process: bool = False

    @property
    def gates_text(self) -> str:
        """The gates as a command line says them: `A=true,B=false`; empty when none was named."""
        return ",".join(f"{name}={str(value).lower()}" for name, value in self.gates.items())
