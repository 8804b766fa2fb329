"""Crash reports: when the harness itself fails, save the traceback to one file and the findings so far to another."""

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
    """Write a traceback to a file that can be attached to a bug report.

    Returns: the path, None when the file could not be written.
    """
    head = f"harness {__version__}, python {sys.version}\narguments: {sys.argv[1:]}\n\n"
    return save_text(head + "".join(traceback.format_exception(error)), "harness-traceback-", ".txt")


def save_text(text: str, prefix: str, suffix: str) -> Path | None:
    """Write a text, which may hold lone surrogates, to a new file in the temporary folder.

    Returns: the path, None when the file could not be written.
    """
    with contextlib.suppress(OSError):
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=suffix)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        return Path(name)
    return None


@contextlib.contextmanager
def save_findings_on_crash(results: Sequence[Any]) -> Iterator[None]:
    """Save the findings of `results` when the body raises before their report is written, and raise again."""
    try:
        yield
    except Exception:
        findings = [finding for result in results for finding in result.findings]
        if findings and (path := save_text(_encode(findings), "harness-findings-", ".jsonl")):
            click.echo(f"harness: {len(findings)} findings are saved as JSON Lines in {path}", err=True)
        raise


def _encode(findings: Sequence[Any]) -> str:
    from harness.report.escaping import encode_json  # imported on a crash only, because it costs start-up time

    lines = []
    for finding in findings:
        try:
            lines.append(encode_json(finding).decode())
        except Exception:  # whatever cannot be encoded, a crash report must not crash
            lines.append(ascii(finding))
    return "\n".join([*lines, ""])
