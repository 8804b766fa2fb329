"""Reports: the report document, and the formats that render it (terminal, HTML, and formats for CI).

A format is a function of the saved document and reads nothing else. `model` builds the document, `words` has all
labels, ranks and colours, `text` the sentences that several formats share, and `formats` one file or folder per format.
Imports point from the last to the first.

`FORMATS` is in reading order. A new format is one file and one line here, and every command offers it. The module of a
format is imported when it is rendered.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A report format: the name of its option, its file name for `--report DIR`, its function, and one line of help.

    `function` is `module:function` in `harness.report.formats`; it takes the document and returns text or bytes.
    """

    name: str
    file: str
    function: str
    summary: str

    def render(self, report: Any) -> bytes:
        """Render a report in this format."""
        module, _, name = self.function.partition(":")
        rendered = getattr(importlib.import_module(f"{__name__}.formats.{module}"), name)(report)
        return rendered if isinstance(rendered, bytes) else str(rendered).encode("utf-8", "backslashreplace")


FORMATS: tuple[ReportFormat, ...] = (
    ReportFormat("json", "report.json", "json:encode", "the report document"),
    ReportFormat("html", "report.html", "html.page:render_html", "one self-contained HTML page"),
    ReportFormat("markdown", "summary.md", "markdown:render_markdown", "a CI job summary in Markdown"),
    ReportFormat("junit", "junit.xml", "junit:render_junit", "JUnit XML"),
    ReportFormat("sarif", "report.sarif", "sarif:render_sarif", "SARIF 2.1.0"),
    ReportFormat("annotations", "annotations.txt", "annotations:render_annotations", "pull request annotations"),
    ReportFormat("coverprofile", "cover.out", "coverprofile:render_coverprofile", "a profile for `go tool cover`"),
    ReportFormat("metrics", "metrics.prom", "metrics:render_metrics", "Prometheus metrics"),
)
"""All report formats, in reading order."""
