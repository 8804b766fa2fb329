"""Reports of older versions of the schema: what they call otherwise gets its present name when they are read.

A version is added when a key or a word changes, with a function that brings a document of the version before up to it.
Documents may be damaged: what has another form than expected is left as it is, and breaks the schema afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.errormatch.oldcauses import current_cause

_KINDS: Mapping[str, str] = {
    "base": "has_seed",
    "sought": "seed_search_complete",
    "places": "paths",
    "reached": "accepted_paths",
    "unreached": "unaccepted_paths",
    "changed": "changed_paths",
    "refused": "rejected_paths",
}
"""Keys of a kind and operation, by their names in version 1."""
_NAMING_CAUSES = (
    ("findings",),
    ("verification", "known"),
    ("verification", "uncompared"),
    ("verification", "changes", "finding"),
    ("moves", "changes"),
    ("witnesses", "shown"),
)
"""Where records stand that name a cause."""
_COUNTING_CAUSES = (("totals", "by_cause"), ("moves", "causes"))
"""Where numbers stand by cause."""


def migrate(report: dict[str, Any]) -> None:
    """Give what a document of an older version says its present names, in place."""
    version = report.get("schema_version")
    for step in _STEPS[max(version, 1) - 1 if isinstance(version, int) else 0 :]:
        step(report)


def _from_1_to_2(report: dict[str, Any]) -> None:
    for kind in _records(report, "kinds"):
        _rename(kind, _KINDS)
    for field in _records(report, "verification", "fields"):
        _rename(field, {"places": "paths"})
    for change in _records(report, "moves", "changes"):
        _rename(change, {"place": "field"})
    for example in _records(report, "examples"):
        if example.get("expected") == "refused":
            example["expected"] = "rejected"
    for names in _NAMING_CAUSES:
        for record in _records(report, *names):
            rename_cause(record)
    for name, key in _COUNTING_CAUSES:
        for record in _records(report, name):
            if isinstance(record.get(key), dict):
                record[key] = {_cause(cause): number for cause, number in record[key].items()}


def rename_cause(record: dict[str, Any]) -> None:
    """Give the cause that a finding names its present name, in place; a finding alone names no version."""
    record.update({key: _cause(record[key]) for key in ("cause", "code") if key in record})


_STEPS: tuple[Callable[[dict[str, Any]], None], ...] = (_from_1_to_2,)
"""Each brings a document of one version up to the next, the first one those of version 1."""


def _cause(name: Any) -> Any:
    return current_cause(name) if isinstance(name, str) else name


def _rename(record: dict[str, Any], names: Mapping[str, str]) -> None:
    for old, new in names.items():
        if old in record:
            record[new] = record.pop(old)


def _records(report: dict[str, Any], *names: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that stand below these keys, one inside of the other, in lists or alone."""
    found: list[Any] = [report]
    for name in names:
        held = [one.get(name) for one in found if isinstance(one, dict)]
        found = [one for value in held for one in (value if isinstance(value, list) else [value])]
    yield from (one for one in found if isinstance(one, dict))
