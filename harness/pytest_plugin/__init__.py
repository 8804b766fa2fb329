"""Collects the kinds of suites as pytest items: `pytest suites/` asks of each whether both sides agree.

One item per kind, version, subresource and operation, named like `widgets-v1-create`. Nothing heavy is imported before
the plugin meets a suite: it is loaded in every pytest run of whoever has the harness installed.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Generator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

SUITE_FILE = "suite.py"
EXCEPTIONS_FILE = "equivalence_exceptions.yaml"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the harness."""
    group = parser.getgroup("harness", "equivalence of validators")
    group.addoption("--harness-seed", type=int, default=1, metavar="N", help="seed of the search (default: 1)")
    group.addoption(
        "--harness-max-cases", type=int, default=2000, metavar="N", help="cases for each item (default: 2000)"
    )
    group.addoption(
        "--harness-in-process",
        action="store_true",
        help="run the code of suites in this process, without limits; --pdb and coverage do",
    )
    group.addoption(
        "--harness-fail-on",
        choices=("verdict", "graduation", "visible", "shadow", "unreachable"),
        default="unreachable",
        help="the mildest severity that fails an item (default: unreachable, so all of them)",
    )
    group.addoption(
        "--harness-allow-incomplete",
        action="append",
        default=[],
        metavar="PATTERN",
        help='kinds such as "widgets" or "apps/*" of which no object need be accepted by both sides; may be repeated',
    )
    # pytest-html has an option of that name: where it is installed, ours has the long name alone.
    names = ("--harness-html",) if find_spec("pytest_html") else ("--html", "--harness-html")
    group.addoption(
        *names, dest="harness_html", metavar="FILE", help="write what all items found as the page of harness run --html"
    )
    group.addoption(
        "--kubernetes",
        metavar="RELEASE",
        default=None,
        help="release or checkout that a suite of Kubernetes asks; without it such a suite is skipped",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a suite.py that defines SUITE. A file named on the command line comes through the hook below."""
    if not _is_suite(file_path) or parent.session.isinitpath(file_path):
        return None
    if any(fnmatch.fnmatch(file_path.name, pattern) for pattern in parent.config.getini("python_files")):
        return None
    return _collected(file_path, parent)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Any:
    """Take a suite.py that pytest would import as a test module."""
    return _collected(module_path, parent) if _is_suite(module_path) else None


def pytest_configure(config: pytest.Config) -> None:
    """Collect the reports of items where a page is wanted: in the process that hears of all of them."""
    file = config.getoption("harness_html", None)
    if file and not hasattr(config, "workerinput"):
        from harness.pytest_plugin.page import SessionPage

        config.pluginmanager.register(
            SessionPage(Path(file).absolute(), config.rootpath / EXCEPTIONS_FILE), "harness-page"
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Hand over what an item found, with pytest's own report of it."""
    report = yield
    if report.when == "call" and item.config.getoption("harness_html", None):
        from harness.pytest_plugin.items import SuiteItem

        if isinstance(item, SuiteItem):
            item.hand_over(report)
    return report


def _is_suite(path: Path) -> bool:
    if path.name != SUITE_FILE:
        return False
    with suppress(OSError, UnicodeDecodeError):
        text = path.read_text(encoding="utf-8")
        return "SUITE" in text and "harness" in text
    return False


def _collected(path: Path, parent: pytest.Collector) -> pytest.Collector:
    from harness.pytest_plugin.collection import SuiteFile

    return SuiteFile.from_parent(parent, path=path)
