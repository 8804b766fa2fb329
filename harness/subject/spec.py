"""The specification of a subject, from which every process of a run opens it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from harness.case import Mode

DeclarativeSide: TypeAlias = Literal["target", "python"]
"""The source of the declarative errors: the target, or types compiled to Python."""


SCHEMA = "schema"
"""What stands in `against` of a subject that is compared with its own tags in OpenAPI and CEL."""


@dataclass(frozen=True, slots=True)
class SubjectSpec:
    """Describes how to open a subject, as plain data that can be pickled.

    `kind` is the name of a kind of target (`harness.subject.openers`). `location` is a suite folder, a folder of Go
    types, a Kubernetes release or checkout, CRDs, a program with arguments, or the address of a server.

    `types` is a folder of Go types for a program (`DIR`, or `IMPORT/PATH=DIR` for the import path in its kinds), or, if
    `declarative` is `python`, an edited copy of the types of a release. `against` is the location of another subject of
    the same kind: the served errors of both are compared, instead of the handwritten and declarative errors of one;
    `SCHEMA` stands for the same tags in OpenAPI and CEL.
    `handwritten` is the file of a recording that replaces the handwritten errors. `release` is the Kubernetes release
    whose API server judges CRDs or policies, or that a server is compared with, None for the newest known; `validator`
    validates beside the CRDs of `against`, or in place of policies. `crds` are the CRDs whose objects policies are
    about, or that a server is compared with, None for native kinds.

    `beside` is the number of processes of the run that open targets at the same time, and share the cores of the
    machine. `in_process` runs the code of a suite in the process of the search, for debugging and measurements.
    `allow_exec` runs the program that a kubeconfig names for credentials; no report says it.
    `counts_blocks` opens a target that says which blocks of its handwritten code a case reaches, a release or CRDs with
    a validator in Go behind them; `branches` is the folder into which the process of a function in Python writes the
    branches that it took.
    """

    kind: str
    location: str
    gates: Mapping[str, bool] = field(default_factory=dict)
    types: str | None = None
    mode: Mode = "served"
    declarative: DeclarativeSide = "target"
    against: str | None = None
    handwritten: str | None = None
    release: str | None = None
    validator: str | None = None
    crds: str | None = None
    beside: int = 1
    in_process: bool = False
    allow_exec: bool = False
    counts_blocks: bool = False
    branches: str | None = None

    @property
    def gates_text(self) -> str:
        """The gates in the syntax of --gates: `A=true,B=false`; empty without gates."""
        return ",".join(f"{name}={str(value).lower()}" for name, value in self.gates.items())
