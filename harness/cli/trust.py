"""Whose report opens its target: what a report names is a program, and whoever writes a report chooses it.

A report that this user wrote on this machine is known by its content, wherever it was copied: its hash is kept in the
user's cache folder, which must be the user's own. Any other is asked about with `--trust`, or a target is named.
"""

from __future__ import annotations

import contextlib
import hashlib
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import platformdirs

from harness.diagnostics import UsageError
from harness.files import forget_old, is_private
from harness.limits import MOST_REPORT, read_bounded
from harness.reporting.document import Reach
from harness.subject.opening import kind_of

F = TypeVar("F", bound=Callable[..., Any])

MOST_KEPT: Final = 2000
"""Reports that are remembered; those that were written least recently are forgotten."""


def trust_option(function: F) -> F:
    """Add `--trust`, as `trust`."""
    words = "Open the target of a report from elsewhere: this runs the program or suite that it names."
    return click.option("--trust", is_flag=True, help=words)(function)


def remember(data: bytes) -> None:
    """Remember a report that was written here. A cache that cannot be written costs a `--trust`, not the report."""
    place = _place(data)
    with contextlib.suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_private(place.parent):
            place.touch(mode=0o600)
            forget_old(place.parent, "*", MOST_KEPT)


def is_own(data: bytes) -> bool:
    """Whether a report was written by this user on this machine."""
    place = _place(data)
    return is_private(place.parent) and is_private(place)


def is_own_file(name: str) -> bool:
    """Whether a file is such a report; False for one that cannot be read."""
    try:
        return is_own(read_bounded(name, MOST_REPORT))
    except OSError:
        return False


def check_trust(reach: Reach, name: str, data: bytes, trust: bool) -> None:
    """Let a report open what it names, or refuse. Raises: UsageError."""
    if trust or not _runs_code(reach) or is_own(data):
        return
    ends = [reach.location, *([reach.against] if reach.against else [])]
    raise UsageError(
        f"{name} was not written by you on this machine, and would run what it names: the {reach.kind} "
        f"{' and '.join(map(shlex.quote, ends))}\n"
        "  why: whoever writes a report chooses the program that it starts, or the suite that it imports\n"
        "  fix: add --trust if you know who wrote it, or name the target yourself: a suite folder, --kubernetes or "
        "--command"
    )


def _runs_code(reach: Reach) -> bool:
    """Whether opening it runs what the report chose. A release by its number is upstream's own code."""
    return any(kind_of(reach.kind).runs_code(end) for end in (reach.location, reach.against) if end)


def _place(data: bytes) -> Path:
    return platformdirs.user_cache_path("equivalence-harness") / "written" / hashlib.sha256(data).hexdigest()
