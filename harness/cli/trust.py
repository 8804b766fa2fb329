"""Decides whether a command may open the target that a report names, which may run any program.

Reports that this user wrote on this machine are trusted: their hashes are stored in a cache folder that no other user
may write to, so a copy of such a report is trusted as well. For any other report, the user adds `--trust` or names a
target.
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
from harness.files import delete_oldest, is_private
from harness.limits import MAX_REPORT, read_bounded
from harness.report.model.document import Reach
from harness.subject.openers.kubernetes import KUBERNETES
from harness.subject.opening import kind_of

F = TypeVar("F", bound=Callable[..., Any])

MAX_REMEMBERED: Final = 2000
"""At most this many reports are remembered; the oldest ones are removed first."""


def trust_option(function: F) -> F:
    """Add `--trust`, as `trust`."""
    text = "Open the target of a report from elsewhere: this runs the program or suite that it names."
    return click.option("--trust", is_flag=True, help=text)(function)


def remember(data: bytes) -> None:
    """Remember a report that this user wrote. If the cache cannot be written, opening the report needs `--trust`."""
    file = _hash_file(data)
    with contextlib.suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_private(file.parent):
            file.touch(mode=0o600)
            delete_oldest(file.parent, "*", MAX_REMEMBERED)


def is_own(data: bytes) -> bool:
    """Whether a report was written by this user on this machine."""
    file = _hash_file(data)
    return is_private(file.parent) and is_private(file)


def is_own_file(name: str) -> bool:
    """Whether a file is a report that this user wrote on this machine; False if it cannot be read."""
    try:
        return is_own(read_bounded(name, MAX_REPORT))
    except OSError:
        return False


def check_trust(reach: Reach, name: str, data: bytes, trust: bool) -> None:
    """Check that the target of a report may be opened. Raises: UsageError."""
    if trust or not _runs_code(reach) or is_own(data):
        return
    locations = [one for one in (reach.location, reach.against, reach.release, reach.validator, reach.crds) if one]
    raise UsageError(
        f"{name} was not written by you on this machine, and would run the {reach.kind} that it names: "
        f"{' and '.join(map(shlex.quote, locations))}\n"
        "  why: the author of a report chooses the program that it starts, or the suite that it imports\n"
        "  fix: add --trust if you know who wrote it, or name the target yourself: a suite folder, --kubernetes or "
        "--command"
    )


def _runs_code(reach: Reach) -> bool:
    """Whether opening the target runs code that the author of the report chose; a release number names upstream's."""
    if reach.validator or (reach.release and KUBERNETES.runs_code(reach.release)):
        return True
    return any(kind_of(reach.kind).runs_code(location) for location in (reach.location, reach.against) if location)


def _hash_file(data: bytes) -> Path:
    return platformdirs.user_cache_path("equivalence-harness") / "written" / hashlib.sha256(data).hexdigest()
