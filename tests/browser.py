"""Pages in a real browser: what they show, what keys do, how they look; nothing may be written to the console.

Chromium is the machine's own (Debian: `apt install chromium`), driven by Playwright. One process serves all tests.
"""

from __future__ import annotations

import atexit
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
Test = TypeVar("Test", bound=Callable[..., Any])


def needs_browser(test: Test) -> Test:
    """Mark a test: it is skipped on machines without Chromium; where HARNESS_NO_SKIPS is set, as in CI, that fails."""
    skip = pytest.mark.skipif(BROWSER is None, reason="needs Chromium: apt install chromium")
    marked: Test = pytest.mark.browser(skip(test))
    return marked


@cache
def chromium() -> Browser:
    """The browser that serves all tests of this process."""
    from playwright.sync_api import sync_playwright

    driver = sync_playwright().start()
    browser = driver.chromium.launch(executable_path=BROWSER)
    atexit.register(driver.stop)
    atexit.register(browser.close)
    return browser


@contextmanager
def visiting(page: Path, address: str = "", **options: Any) -> Iterator[Page]:
    """Open a page and go on with it; `options` are those of a browser context (viewport, color_scheme, ...).

    In the end nothing may stand in the console, no script may have failed, and no network may have been asked.
    """
    context = chromium().new_context(**options)
    told: list[str] = []
    try:
        tab = context.new_page()
        tab.on("console", lambda message: told.append(message.text))
        tab.on("pageerror", lambda error: told.append(str(error)))
        tab.on("request", lambda request: told.append(request.url) if not request.url.startswith("file:") else None)
        tab.on("dialog", lambda dialog: told.append(dialog.message))
        tab.goto(page.as_uri() + address)
        yield tab
    finally:
        context.close()
    assert [] == told


def wait(tab: Page, holds: Callable[[], bool]) -> None:
    """Wait until something holds; the page's policy lets no library evaluate code in it for that."""
    for _ in range(500):
        if holds():
            return
        tab.wait_for_timeout(20)
    pytest.fail(f"does not hold after ten seconds: {tab.evaluate('document.body.innerText')[:2000]}")


def opened(page: Path, query: str = "") -> str:
    """Open a page in a browser and return its document as it is after its scripts ran."""
    with visiting(page, query) as tab:
        return tab.content()
