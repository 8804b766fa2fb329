"""Pages in a real browser: what has become of them after their scripts ran."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="needs Chromium: apt install chromium")
"""For machines without one; where HARNESS_NO_SKIPS is set, as in CI, a skipped test fails."""


def opened(page: Path, query: str = "") -> str:
    """Open a page in a browser and return its document as it is then; nothing may be written to the console."""
    done = subprocess.run(
        [
            str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
            f"--user-data-dir={page.parent / 'profile'}", "--enable-logging=stderr", "--dump-dom",
            page.as_uri() + query,
        ],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    return done.stdout
