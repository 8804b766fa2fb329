"""What conformance tests share: a way to tell numbers that the output shows even when all is well."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

Tell: TypeAlias = Callable[[str], None]

_LINES = pytest.StashKey[list[str]]()


@pytest.fixture
def tell(pytestconfig: pytest.Config) -> Tell:
    """Note a line for the end of the run."""
    return pytestconfig.stash.setdefault(_LINES, []).append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what was told: how much was compared is the result of a conformance run."""
    lines = config.stash.get(_LINES, [])
    if lines:
        terminalreporter.section("conformance")
    for line in lines:
        terminalreporter.write_line(line)
