"""The webhook of backups, as it has grown: it gets what the CRD without its CEL rules accepts, with defaults.

Of an update it checks what has changed, so that a backup from before a check can still be edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Problem = tuple[str, str]
Object = dict[str, Any]

SHORTEST_OF_BUCKETS = 7
_SCHEDULE = re.compile(r"@(hourly|daily|weekly)|[0-9*/,-]+( [0-9*/,-]+){4}")


def validate_backup(backup: Object, old: Object | None) -> list[Problem]:
    """Return every problem of a new backup, or of an update of an old one, with its path."""
    spec, before = backup.get("spec"), (old or {}).get("spec")
    if spec is None:
        return []
    if problems := list(_decode(spec)):
        return problems
    source, was = spec.get("source"), before if isinstance(before, dict) else {}
    problems = [*_source(source, was.get("source")), *_hooks(spec.get("hooks", []), was.get("hooks", []))]
    if "schedule" in spec and spec["schedule"] != was.get("schedule") and not _SCHEDULE.fullmatch(spec["schedule"]):
        problems.append(("spec.schedule", "write @daily, or five fields as cron has them"))
    is_bucket = source is not None and source.get("type") == "Bucket"
    days = spec.get("retentionDays", SHORTEST_OF_BUCKETS)
    if is_bucket and not (type(days) is int and (_is_unchanged(spec, before) or days >= SHORTEST_OF_BUCKETS)):
        problems.append(("spec.retentionDays", "buckets are kept for a week at least"))
    return problems


def _is_unchanged(spec: Object, before: Any) -> bool:
    """Whether the server takes a spec for the old one: it compares a hook with the first old one of its name."""
    hooks, stored = spec.get("hooks"), before.get("hooks") if isinstance(before, dict) else None
    if not (
        isinstance(hooks, list) and isinstance(stored, list) and all(isinstance(one, dict) for one in hooks + stored)
    ):
        return bool(spec == before)
    first = [next((one for one in stored if one.get("name") == hook.get("name")), None) for hook in hooks]
    return bool(len(hooks) == len(stored) and {**spec, "hooks": first} == {**before, "hooks": hooks})


def _decode(spec: Any) -> Iterator[Problem]:
    """Refuse what is not of its type: the CRD lets a stored value of another type be that an update does not change."""
    members = spec if isinstance(spec, dict) else {}
    source = members.get("source", {})
    kind = source.get("type", "") if isinstance(source, dict) else ""
    for path, value, of in (
        ("spec", spec, dict), ("spec.schedule", members.get("schedule", ""), str), ("spec.source", source, dict),
        ("spec.source.type", kind, str),
    ):  # fmt: skip
        if not isinstance(value, of):
            yield path, "is of another type"


def _source(source: Object | None, before: Any) -> Iterator[Problem]:
    if source is None or source == before:
        return
    kind, was = source.get("type", ""), before.get("type") if isinstance(before, dict) else None
    if was is not None and kind != was:
        yield "spec.source.type", "a backup keeps its sort of source"
    for name, member in (("Volume", "volume"), ("Bucket", "bucket")):
        if (member in source) != (kind == name):
            yield "spec.source", f"{member} must be set for type {name} and for no other"


def _hooks(hooks: list[Object], before: Any) -> Iterator[Problem]:
    stored = [hook for hook in before if isinstance(hook, dict)] if isinstance(before, list) else []
    for index, hook in enumerate(hooks if isinstance(hooks, list) else []):
        # As the server, which takes the first old hook of the same name.
        is_unchanged = hook == next((one for one in stored if one.get("name") == hook.get("name")), None)
        command, seconds = hook.get("command", ""), hook.get("seconds", 0)
        is_text = isinstance(command, str)
        is_forgiven = is_text and is_unchanged  # a rule that raises, as over a list, forgives nothing
        is_enough = type(seconds) is int and (seconds >= 1 or is_forgiven)
        if not (is_text and not command.strip(" ")) and not is_enough:
            yield f"spec.hooks[{index}]", "a hook with a command needs its time"
