"""The HTML report of a pytest session: the findings of all items, on one page like that of `harness run --html`.

Each item attaches its report document as text to the pytest report, which xdist sends to the controlling process.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from harness.report.model.document import Report

ATTRIBUTE = "harness_document"
"""The attribute of a pytest report that has the document."""


class SessionPage:
    """Collects the reports of a session's items and writes them as one page."""

    def __init__(self, file: Path, exceptions: Path) -> None:
        self.file, self._exceptions = file, exceptions
        self._documents: list[str] = []
        self._summary = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the document of an item."""
        document = getattr(report, ATTRIBUTE, None)
        if document is not None:
            self._documents.append(document)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the page; a write error fails the session."""
        from harness.diagnostics import HarnessError
        from harness.report.formats.html.page import render_html

        if not self._documents:
            self._summary = f"no page was written to {self.file}: no item of a suite ran"
            return
        try:
            page = render_html(self._report())
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text(page, encoding="utf-8", errors="backslashreplace")
        except (OSError, HarnessError) as error:
            self._summary = f"the page could not be written to {self.file}: {error}"
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        else:
            self._summary = f"written: {self.file}"

    def _report(self) -> Report:
        """Combine the documents of all items, and apply the exceptions file. Raises: InputError."""
        import msgspec

        from harness.compare.finding import CAUSE_CODES
        from harness.errormatch.exceptionfile import load_exceptions
        from harness.report.model.merging import combine
        from harness.report.model.reading import decode
        from harness.report.model.tolerance import tolerate

        every = [decode(text.encode(), "an item") for text in self._documents]
        names = dict.fromkeys(report.target.name for report in every)
        target = msgspec.structs.replace(every[0].target, name=", ".join(names))
        entries = load_exceptions(self._exceptions, date.today(), CAUSE_CODES) if self._exceptions.is_file() else None
        return tolerate(msgspec.structs.replace(combine(every), target=target), entries, self._exceptions.name)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the path of the page, or why it was not written."""
        from harness.report.escaping import visible

        terminalreporter.write_line(visible(self._summary))
