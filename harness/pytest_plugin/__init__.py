"""The pytest plugin: `pytest suites/` tests whether the validators of each kind of a suite are equivalent.

There is one item per kind, version, subresource and operation, named like `widgets-v1-create`. The engine is imported
only when a suite is collected, because pytest loads the plugin in every project of an environment with the harness.
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
        help="run the code of suites in this process, without limits; default with --pdb and under coverage",
    )
    group.addoption(
        "--harness-fail-on",
        choices=("verdict", "graduation", "visible", "shadow", "unreachable"),
        default="unreachable",
        help="fail on findings of this severity or above (default: unreachable, which is the lowest)",
    )
    group.addoption(
        "--harness-allow-incomplete",
        action="append",
        default=[],
        metavar="PATTERN",
        help='do not fail when no accepted object is found for these kinds, such as "widgets"; repeatable',
    )
    # pytest-html also defines --html: where it is installed, only --harness-html is added.
    names = ("--harness-html",) if find_spec("pytest_html") else ("--html", "--harness-html")
    group.addoption(
        *names, dest="harness_html", metavar="FILE", help="write the findings of all items as one HTML report"
    )
    group.addoption(
        "--kubernetes",
        metavar="RELEASE",
        default=None,
        help="Kubernetes release or checkout to test; without it, suites for Kubernetes are skipped",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a suite.py that defines SUITE. For a file named on the command line pytest calls the hook below."""
    if not _is_suite(file_path) or parent.session.isinitpath(file_path):
        return None
    if any(fnmatch.fnmatch(file_path.name, pattern) for pattern in parent.config.getini("python_files")):
        return None
    return _suite_file(file_path, parent)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Any:
    """Collect a suite.py as a suite where pytest would import it as a test module."""
    return _suite_file(module_path, parent) if _is_suite(module_path) else None


def pytest_configure(config: pytest.Config) -> None:
    """Register the collector of the HTML report, except in worker processes of xdist."""
    file = config.getoption("harness_html", None)
    if file and not hasattr(config, "workerinput"):
        from harness.pytest_plugin.page import SessionPage

        config.pluginmanager.register(
            SessionPage(Path(file).absolute(), config.rootpath / EXCEPTIONS_FILE), "harness-page"
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the report document of an item to its pytest report."""
    report = yield
    if report.when == "call" and item.config.getoption("harness_html", None):
        from harness.pytest_plugin.items import SuiteItem

        if isinstance(item, SuiteItem):
            item.attach_document(report)
    return report


def _is_suite(path: Path) -> bool:
    if path.name != SUITE_FILE:
        return False
    with suppress(OSError, UnicodeDecodeError):
        text = path.read_text(encoding="utf-8")
        return "SUITE" in text and "harness" in text
    return False


def _suite_file(path: Path, parent: pytest.Collector) -> pytest.Collector:
    from harness.pytest_plugin.collection import SuiteFile

    return SuiteFile.from_parent(parent, path=path)
