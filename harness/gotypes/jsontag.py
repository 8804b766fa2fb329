"""Parses the JSON name of a Go field from its struct tag. Source: semantics.md#2.3; reflect.StructTag."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PAIR = re.compile(r'\s*([^\s":\x00-\x1f]+):"((?:\\.|[^"\\])*)"')


@dataclass(frozen=True, slots=True)
class JsonTag:
    """A parsed `json:"..."` tag. `json_name` is empty when the field is inline."""

    json_name: str
    inline: bool = False
    ignored: bool = False
    options: tuple[str, ...] = ()


def tag_value(tag: str, key: str = "json") -> str | None:
    """Return the value of a key in a struct tag; None when missing. Raises: ValueError for invalid syntax."""
    at = 0
    tag = tag.rstrip()
    while at < len(tag):
        found = _PAIR.match(tag, at)
        if not found:
            raise ValueError(tag[at:].strip())
        if found[1] == key:
            return found[2]
        at = found.end()
    return None


def json_tag(value: str | None, go_name: str, embedded: bool) -> JsonTag:
    """Resolve the JSON name of a field, as validation uses it."""
    if value == "-":
        return JsonTag("", inline=True, ignored=True)  # semantics.md#S21: its rules run at the parent's path
    name, *options = (value or "").split(",")
    listed = tuple(options)
    if not name and (embedded or "inline" in listed):
        return JsonTag("", inline=True, options=listed)
    return JsonTag(name or go_name, options=listed)
