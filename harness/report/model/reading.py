"""Reads saved reports, and migrates reports of older versions of the schema: it renames their keys and words.

When a key or a word changes, a new version is added, with a function that migrates documents of the version before.
Documents may be damaged: unexpected values are left unchanged, and the validation against the schema reports them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from harness.diagnostics import Diagnostic, InputError, Position
from harness.errormatch.oldcauses import current_cause
from harness.limits import MAX_REPORT, decode_bounded, read_bounded
from harness.report.model.document import SCHEMA_ID, SCHEMA_IDS, SCHEMA_VERSION, Report

MAX_VALUES = 20_000_000
"""At most this many JSON values are read; the report of a whole release has less than a million."""


def read_report(path: Path | str) -> Report:
    """Read a saved report, of the present or an older version of the schema.

    Raises: InputError when the file does not exist, or is not JSON, not a report, or of a newer version.
    """
    return decode(read_data(path), str(path))


def read_data(path: Path | str) -> bytes:
    """Read the bytes of a saved report. Raises: InputError when the file cannot be read."""
    try:
        return read_bounded(path, MAX_REPORT)
    except OSError as error:
        raise _unreadable(
            path, f"cannot be read: {error.strerror}", "name a file written by harness run --json"
        ) from None


def decode(data: bytes, name: str) -> Report:
    """Read a report from bytes. Diagnostics call it `name`. Raises: InputError, as `read_report`."""
    try:
        head = decode_bounded(data, name, most_nodes=MAX_VALUES)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _unreadable(name, f"is not JSON: {error}", "the file was cut off or is no report", data) from None
    if not isinstance(head, dict) or "schema" not in head:
        raise _unreadable(name, "is JSON, but not a report", "name a file written by harness run --json")
    if head["schema"] not in SCHEMA_IDS:
        raise _unreadable(
            name,
            f"follows schema {head['schema']!r}; this harness reads {SCHEMA_ID!r}",
            f"read it with the harness that wrote it ({head.get('harness_version', 'unknown')})",
        )
    version = head.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise _unreadable(
            name,
            f"is of version {version} of the schema; this harness reads up to version {SCHEMA_VERSION}",
            f"read it with the harness that wrote it ({head.get('harness_version', 'unknown')})",
        )
    migrate(head)
    if isinstance(version, int):
        head |= {"schema": SCHEMA_ID, "schema_version": SCHEMA_VERSION}  # the migrated report may be saved again
    try:
        return msgspec.convert(head, Report)
    except (msgspec.ValidationError, RecursionError) as error:
        raise _unreadable(name, f"breaks the schema of reports: {error}", "write it again with harness run") from None


def _unreadable(path: Path | str, message: str, fix: str, data: bytes = b"") -> InputError:
    line = data.count(b"\n") + 1 if data else 0
    return InputError([Diagnostic(Position(str(path), line), "report-unreadable", message, fix=fix)])


_KIND_KEYS: Mapping[str, str] = {
    "base": "has_seed",
    "sought": "seed_search_complete",
    "places": "paths",
    "reached": "accepted_paths",
    "unreached": "unaccepted_paths",
    "changed": "changed_paths",
    "refused": "rejected_paths",
}
"""The present keys of a kind and operation, by their names in version 1."""


_RECORDS_WITH_CAUSE = (
    ("findings",),
    ("verification", "known"),
    ("verification", "uncompared"),
    ("verification", "changes", "finding"),
    ("moves", "changes"),
    ("witnesses", "shown"),
)
"""The keys that lead to records with a cause."""


_COUNTS_BY_CAUSE = (("totals", "by_cause"), ("moves", "causes"))
"""The keys that lead to numbers by cause."""


def migrate(report: dict[str, Any]) -> None:
    """Rename the keys and words of a document of an older version, in place."""
    version = report.get("schema_version")
    for step in _STEPS[max(version, 1) - 1 if isinstance(version, int) else 0 :]:
        step(report)


def _from_1_to_2(report: dict[str, Any]) -> None:
    for kind in _records(report, "kinds"):
        _rename(kind, _KIND_KEYS)
    for field in _records(report, "verification", "fields"):
        _rename(field, {"places": "paths"})
    for change in _records(report, "moves", "changes"):
        _rename(change, {"place": "field"})
    for example in _records(report, "examples"):
        if example.get("expected") == "refused":
            example["expected"] = "rejected"
    for names in _RECORDS_WITH_CAUSE:
        for record in _records(report, *names):
            rename_cause(record)
    for name, key in _COUNTS_BY_CAUSE:
        for record in _records(report, name):
            if isinstance(record.get(key), dict):
                record[key] = {_cause(cause): number for cause, number in record[key].items()}


def rename_cause(record: dict[str, Any]) -> None:
    """Rename the cause of a finding, in place. A saved finding has no version, so this is done for every finding."""
    record.update({key: _cause(record[key]) for key in ("cause", "code") if key in record})


_STEPS: tuple[Callable[[dict[str, Any]], None], ...] = (_from_1_to_2,)
"""The functions that migrate a document to the next version, starting with version 1."""


def _cause(name: Any) -> Any:
    return current_cause(name) if isinstance(name, str) else name


def _rename(record: dict[str, Any], names: Mapping[str, str]) -> None:
    for old, new in names.items():
        if old in record:
            record[new] = record.pop(old)


def _records(report: dict[str, Any], *names: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that a path of keys leads to, through objects and lists of objects."""
    found: list[Any] = [report]
    for name in names:
        values = [one.get(name) for one in found if isinstance(one, dict)]
        found = [one for value in values for one in (value if isinstance(value, list) else [value])]
    yield from (one for one in found if isinstance(one, dict))
