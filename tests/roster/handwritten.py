"""Validation of rosters as it was written by hand; it agrees with the tags of types.go."""

from __future__ import annotations

import re
from typing import Any

from harness.content import names
from harness.field import FieldError, Path
from harness.field.make import duplicate, invalid, required, too_long_characters, too_many
from harness.suite import Context

WARD = re.compile(r"[A-Z]{3}/[0-9]{2}[A-F]")


def validate_roster(new: dict[str, Any], old: dict[str, Any] | None, context: Context) -> list[FieldError]:
    """Validate a new roster, or a change of one."""
    spec, before = new.get("spec", {}), None if old is None else old.get("spec", {})
    path = Path().child("spec")
    errors = validate_ward(spec.get("ward", ""), path.child("ward"))
    if before is None or spec.get("weeks") != before.get("weeks"):
        errors += validate_weeks(spec.get("weeks", 0), path.child("weeks"))
    if before is not None and spec.get("lead") != before.get("lead"):
        errors.append(invalid(path.child("lead"), None, "field is immutable", origin="immutable", covered=True))
    errors += validate_shifts(spec.get("shifts", []), (before or {}).get("shifts", []), path.child("shifts"))
    if "call" in spec and (before is None or spec["call"] != before.get("call")):
        errors += validate_call(spec["call"], (before or {}).get("call"), path.child("call"))
    return errors


def validate_ward(ward: str, path: Path) -> list[FieldError]:
    """A ward has a mark of its own."""
    return [] if WARD.fullmatch(ward) else [invalid(path, ward, "is not the mark of a ward")]


def validate_weeks(weeks: int, path: Path) -> list[FieldError]:
    """A plan holds for a quarter of a year at most."""
    if weeks == 0:
        return [required(path, covered=True)]
    if weeks < 1:
        return [invalid(path, weeks, "must be greater than or equal to 1", origin="minimum", covered=True)]
    if weeks > 14:
        return [invalid(path, weeks, "must be less than or equal to 14", origin="maximum", covered=True)]
    return []


def validate_shifts(shifts: list[Any], before: list[Any], path: Path) -> list[FieldError]:
    """No two shifts have one name."""
    if shifts == before:
        return []
    if len(shifts) > 6:
        return [too_many(path, len(shifts), 6, origin="maxItems", covered=True)]
    errors, seen = [], []
    for index, shift in enumerate(shifts):
        key = shift.get("name", "")
        if key in seen:
            errors.append(duplicate(path.index(index), {"name": key}, covered=True))
        seen.append(key)
    stored = {shift.get("name", ""): shift for shift in reversed(before)}
    for index, shift in enumerate(shifts):
        errors += validate_shift(shift, stored.get(shift.get("name", "")), path.index(index))
    return errors


def validate_shift(shift: dict[str, Any], before: dict[str, Any] | None, path: Path) -> list[FieldError]:
    """A shift has a name, and does not take too long."""
    errors = []
    if before is None:
        errors += validate_name(shift.get("name", ""), path.child("name"))
    hours, floor = shift.get("hours", 0), shift.get("floor", "")
    if before is None or hours != before.get("hours", 0):
        errors += validate_hours(hours, path.child("hours"))
    if (before is None or floor != before.get("floor", "")) and len(floor) > 20:
        errors.append(too_long_characters(path.child("floor"), 20, origin="maxLength", covered=True))
    return errors


def validate_name(name: str, path: Path) -> list[FieldError]:
    """A shift's name is a short name."""
    if not name:
        return [required(path, covered=True)]
    return [
        invalid(path, name, message, origin="format=k8s-short-name", covered=True) for message in names.short_name(name)
    ]


def validate_hours(hours: int, path: Path) -> list[FieldError]:
    """Nobody works for longer than half a day."""
    if hours < 2:
        return [invalid(path, hours, "must be greater than or equal to 2", origin="minimum", covered=True)]
    if hours > 12:
        return [invalid(path, hours, "must be less than or equal to 12", origin="maximum", covered=True)]
    return []


def validate_call(call: dict[str, Any], before: dict[str, Any] | None, path: Path) -> list[FieldError]:
    """Whoever is on call has a pager."""
    errors = []
    if call.get("pager") is None and (before is None or before.get("pager") is not None):
        errors.append(required(path.child("pager"), covered=True))
    note = call.get("note", "")
    if (before is None or note != before.get("note", "")) and len(note) > 40:
        errors.append(too_long_characters(path.child("note"), 40, origin="maxLength", covered=True))
    return errors
