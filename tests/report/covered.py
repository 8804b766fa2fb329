"""A report with handwritten code, of which some was reached."""

from __future__ import annotations

import msgspec

from harness.report.model.assembly import build_report
from harness.report.model.code import BlockEntry, FunctionEntry
from harness.report.model.document import Report
from tests.report import made

PACKAGE = "k8s.io/kubernetes/pkg/apis/apps/validation"


def function(name: str, *blocks: BlockEntry, package: str = PACKAGE, reason: str = "") -> FunctionEntry:
    """Return a function of a package."""
    return FunctionEntry("kubernetes", f"{package}/validation.go", name, blocks, reason)


FIRST = function(
    "ValidateSpec",
    BlockEntry((3, 2), (5, 9), 3, reached=True, errors=(("Required", "name"),)),
    BlockEntry((5, 9), (7, 3), 1, condition="if spec.Size > 9", errors=(("Invalid", "name"), ("Invalid", ""))),
)
WHOLE = function("ValidateAll", BlockEntry((1, 1), (2, 2), 4, reached=True), package="k8s.io/x/validation")


def covered(*functions: FunctionEntry) -> Report:
    """Return a report without findings and with these functions."""
    return msgspec.structs.replace(build_report(made.result()), code=functions or (FIRST, WHOLE))
