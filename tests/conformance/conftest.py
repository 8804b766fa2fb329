"""What conformance tests share: ways to tell what was compared, shown at the end even when all is well.

What is told travels with the tests' reports, so that it arrives from the processes of `-n`, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pytest

Tell: TypeAlias = Callable[[str], None]
Count: TypeAlias = Callable[[str, Mapping[str, int]], None]

_TOLD, _COUNTED = "conformance told", "conformance counted"


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> Tell:
    """Note a line for the end of the run."""
    return lambda line: request.node.user_properties.append((_TOLD, line))


@pytest.fixture
def count(request: pytest.FixtureRequest) -> Count:
    """Note numbers for the end of the run: those of all tests that name the same thing are added up."""
    return lambda what, numbers: request.node.user_properties.append((_COUNTED, [what, dict(numbers)]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was told: how much was compared is the result of a conformance run."""
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.getreports(outcome)]
    noted = [note for report in reports if report.when == "call" for note in report.user_properties]
    lines = [*(line for name, line in noted if name == _TOLD), *_added_up(noted)]
    if lines:
        terminalreporter.section("conformance")
    for line in lines:
        terminalreporter.write_line(line)


def _added_up(noted: list[tuple[str, Any]]) -> list[str]:
    totals: dict[str, dict[str, int]] = {}
    for what, numbers in (value for name, value in noted if name == _COUNTED):
        total = totals.setdefault(what, dict.fromkeys(numbers, 0))
        for name, number in numbers.items():
            total[name] += number
    return [
        f"{what}: " + ", ".join(f"{number:,} {name}" for name, number in total.items())
        for what, total in totals.items()
    ]
