"""What is left when the harness itself is wrong: the traceback in a file, and what was found in another."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from harness import __version__


def save_traceback(error: BaseException) -> Path | None:
    """Write the traceback where somebody can send it from; None when that is not possible."""
    head = f"harness {__version__}, python {sys.version}\narguments: {sys.argv[1:]}\n\n"
    return save_text(head + "".join(traceback.format_exception(error)), "harness-traceback-", ".txt")


def save_text(text: str, prefix: str, suffix: str) -> Path | None:
    """Write any text at all into the temporary folder; None when that is not possible."""
    with contextlib.suppress(OSError):
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=suffix)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        return Path(name)
    return None


@contextlib.contextmanager
def rescued(results: Sequence[Any]) -> Iterator[None]:
    """Save what was found when something raises on the way to the report; what was raised goes on."""
    try:
        yield
    except Exception:
        findings = [finding for result in results for finding in result.findings]
        if findings and (place := save_text(_written(findings), "harness-findings-", ".jsonl")):
            click.echo(f"harness: what was found is saved in {place}: {len(findings)} findings, a line each", err=True)
        raise


def _written(findings: Sequence[Any]) -> str:
    from harness.reporting.text import encode_json  # which takes time that only a bug costs

    lines = []
    for finding in findings:
        try:
            lines.append(encode_json(finding).decode())
        except Exception:  # the last resort does not ask what is wrong with it
            lines.append(ascii(finding))
    return "\n".join([*lines, ""])
