"""The page of a pytest session: what every item found, on one page as `harness run --html` writes it.

An item hands its report over as text in pytest's own report, which comes to the controlling process with xdist too.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from harness.reporting.document import Report

ATTRIBUTE = "harness_document"
"""What the report of an item is called in pytest's."""


class SessionPage:
    """Collects the reports of a session's items and writes them as one page."""

    def __init__(self, file: Path, exceptions: Path) -> None:
        self.file, self._exceptions = file, exceptions
        self._documents: list[str] = []
        self._told = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what an item found."""
        document = getattr(report, ATTRIBUTE, None)
        if document is not None:
            self._documents.append(document)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the page; one that cannot be written fails the session."""
        from harness.diagnostics import HarnessError
        from harness.reporting.html import render_html

        if not self._documents:
            self._told = f"no page was written to {self.file}: no item of a suite was asked"
            return
        try:
            page = render_html(self._report())
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text(page, encoding="utf-8", errors="backslashreplace")
        except (OSError, HarnessError) as error:
            self._told = f"the page could not be written to {self.file}: {error}"
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        else:
            self._told = f"written: {self.file}"

    def _report(self) -> Report:
        """Add up what all items found, and tolerate what the exceptions tolerate. Raises: InputError."""
        import msgspec

        from harness.errormatch.exceptionfile import load_exceptions
        from harness.reporting.document import decode
        from harness.reporting.merging import combine
        from harness.reporting.tolerance import tolerate

        every = [decode(text.encode(), "an item") for text in self._documents]
        names = dict.fromkeys(report.target.name for report in every)
        target = msgspec.structs.replace(every[0].target, name=", ".join(names))
        entries = load_exceptions(self._exceptions, date.today()) if self._exceptions.is_file() else None
        return tolerate(msgspec.structs.replace(combine(every), target=target), entries, self._exceptions.name)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the page is."""
        from harness.reporting.text import visible

        terminalreporter.write_line(visible(self._told))
