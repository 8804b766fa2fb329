"""What all tests share: in CI a skipped test is a failure, because a fresh CI machine can run every one of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, and no opinion on how fast a machine is.
settings.register_profile("tests", derandomize=True, deadline=None, database=None)
settings.load_profile("tests")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let digests be written anew."""
    parser.addoption("--accept", action="store_true", help="write the digests of tests/golden anew")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether digests are written anew, and not compared."""
    return bool(request.config.getoption("--accept"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files without the mark that is asked for: that takes longer than reading them."""
    mark = str(config.option.markexpr).split(" ")[0]
    if mark in ("kubernetes", "older") and collection_path.match("test_*.py"):
        return f"mark.{mark}" not in collection_path.read_text(encoding="utf-8") or None
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was skipped, so that nobody has to ask."""
    for report in terminalreporter.stats.get("skipped", []):
        if os.environ.get("HARNESS_NO_SKIPS"):
            terminalreporter.write_line(f"FAILED because it was skipped: {report.nodeid}", red=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run when HARNESS_NO_SKIPS is set and something was skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("HARNESS_NO_SKIPS") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
