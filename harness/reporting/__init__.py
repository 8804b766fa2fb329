"""Reports are functions of the document: terminal, page and what CI reads are made of what is saved, nothing else.

`REPORTS` is in reading order. A new report is one module and one line here; commands offer what stands in it, so that
none of them has a list of its own. Modules are imported when their report is written.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """One form a report can be written in: the option, its name in a folder of all, its function, one line of help.

    `function` is `module:function` in this package; it takes the document and returns text or bytes.
    """

    name: str
    file: str
    function: str
    summary: str

    def render(self, report: Any) -> bytes:
        """Write a report in this form."""
        module, _, name = self.function.partition(":")
        made = getattr(importlib.import_module(f"{__name__}.{module}"), name)(report)
        return made if isinstance(made, bytes) else str(made).encode("utf-8", "backslashreplace")


REPORTS: tuple[ReportFormat, ...] = (
    ReportFormat("json", "report.json", "document:encode", "the report document"),
    ReportFormat("html", "report.html", "html:render_html", "one self-contained HTML page"),
    ReportFormat("markdown", "summary.md", "markdown:render_markdown", "a CI job summary in Markdown"),
    ReportFormat("junit", "junit.xml", "junit:render_junit", "JUnit XML"),
    ReportFormat("sarif", "report.sarif", "alerts:render_sarif", "SARIF 2.1.0"),
    ReportFormat("annotations", "annotations.txt", "alerts:render_annotations", "pull request annotations"),
    ReportFormat("metrics", "metrics.prom", "metrics:render_metrics", "Prometheus metrics"),
)
"""What a report can be written as, in reading order."""
