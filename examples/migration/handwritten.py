"""Validation of backups as it was written by hand. The tags of types.go are to replace it; three of them do not yet."""

from __future__ import annotations

from typing import Any

from harness.content import names
from harness.field import FieldError, Path
from harness.field.make import invalid, required, too_long_characters
from harness.suite import Context


def validate_backup(new: dict[str, Any], old: dict[str, Any] | None, context: Context) -> list[FieldError]:
    """Validate a new backup, or a change of one."""
    spec, old_spec = new.get("spec", {}), None if old is None else old.get("spec", {})
    path = Path().child("spec")
    errors = validate_destination(spec.get("destination", ""), path.child("destination"))
    for name, validate in (("schedule", validate_schedule), ("keepDays", validate_days)):
        value, place = spec.get(name), path.child(name)
        if old_spec is not None and value == old_spec.get(name):
            continue
        found = [] if value else [required(place, covered=True)]
        if old_spec is not None:
            found.append(invalid(place, None, "field is immutable", origin="immutable", covered=True))
        errors += found or validate(value, place)
    return errors


def validate_schedule(name: Any, path: Path) -> list[FieldError]:
    """A schedule's name is a DNS label."""
    return [invalid(path, name, message, origin="format=k8s-short-name") for message in names.short_name(name)]


def validate_days(days: Any, path: Path) -> list[FieldError]:
    """A copy is kept for a day at least, and for four weeks at most."""
    if days < 1:
        return [invalid(path, days, "must be greater than or equal to 1", origin="minimum", covered=True)]
    if days - 1 > 28:  # the day on which a copy is made does not count
        return [invalid(path, days, "must be less than or equal to 28", origin="maximum", covered=True)]
    return []


def validate_destination(destination: str, path: Path) -> list[FieldError]:
    """A destination fits into a label of the storage behind it."""
    return [too_long_characters(path, 32, origin="maxLength", covered=True)] if len(destination) > 32 else []
