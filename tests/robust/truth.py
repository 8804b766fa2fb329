"""What a hostile program really did, kept by itself, and whether a report tells of the difference planted beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LOG, REPORT = Path("truth.log"), Path("out.json")
PLANTED = "spec.size"
"""Where the planted difference shows."""


def log() -> frozenset[str]:
    """Return what the program wrote down."""
    return frozenset(LOG.read_text("utf-8", "replace").splitlines()) if LOG.is_file() else frozenset()


def problems(code: object, *, harm: frozenset[str], lies: frozenset[str], strange: frozenset[str]) -> Iterator[str]:
    """Yield what the end of a run does not keep, given what the program wrote down.

    `harm` shows again whenever a case is asked again, so that no run is green after it; `lies` are faults after which
    nothing that was said may be believed; `strange` are answers whose own difference may stand beside the planted one.
    """
    said, found = log(), findings()
    if code in (0, 1) and found is None:
        yield "a run that has ended writes its report"
    if code == 0 and found:
        yield f"findings are exit code 1: {found[0]['fingerprint']}"
    if code == 1 and found is not None and not found:
        yield "exit code 1 has a finding"
    if "planted" in said and code == 0:
        yield "a planted difference that was shown is not lost"
    if code == 0 and (done := said & harm):
        yield f"what broke the program again and again is not exit code 0: {sorted(done)}"
    shown = any(one["path"] == PLANTED for one in found or ())
    if "planted" in said and found and not said & lies and not shown and not _was_given_up():
        yield f"the planted difference is in the report: {[(one['path'], one['cause']) for one in found]}"
    if not said & (harm | lies | strange) and "planted" not in said and code == 1:
        told = [(one["path"], one["detail"][:300]) for one in found or ()]
        yield f"an honest program is not called different: {told}"
    if "did flaky" in said:
        sure = [one["cause"] for one in found or () if one["path"] == "spec.tags" and one["cause"] == "wrong-path"]
        if sure:
            yield "a cause is told of what shows again only"


def findings() -> list[dict[str, Any]] | None:
    """Return the findings of the report, None without one."""
    found: list[dict[str, Any]] | None = _report().get("findings")
    return found


def _was_given_up() -> bool:
    """Whether the report says that the program was given up: answers that came beside broken ones were not read."""
    return any(part["stopped"] == "target-lost" for part in _report().get("parts", ()))


def _report() -> dict[str, Any]:
    if not REPORT.is_file() or not REPORT.stat().st_size:
        return {}
    report: dict[str, Any] = json.loads(REPORT.read_text("utf-8"))
    return report
