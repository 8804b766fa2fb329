"""Exit codes that every command gives the same meaning."""

from __future__ import annotations

COULD_NOT_RUN = 2
INTERRUPTED = 130
