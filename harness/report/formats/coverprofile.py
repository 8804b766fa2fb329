"""Renders how much of the handwritten code was reached as a cover profile, which `go tool cover` reads."""

from __future__ import annotations

from harness.report.model.document import Report


def render_coverprofile(report: Report) -> str:
    """Render a report as a cover profile of mode `set`; one without blocks if its run did not count them."""
    lines = ["mode: set"]
    for function in report.code:
        for block in function.blocks:
            (line, column), (end, end_column) = block.start, block.end
            place = f"{function.file}:{line}.{column},{end}.{end_column}"
            lines.append(f"{place} {block.statements} {int(block.reached)}")
    return "\n".join([*lines, ""])
