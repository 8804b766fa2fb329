"""The structural schema of a custom resource, compiled once: what every step of a server reads of it.

The parts of `allOf`, `anyOf`, `oneOf` and `not` are schemas of the same sort, without types.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import re2

from harness.pyschemas.adapter import UnusableError
from harness.pyschemas.crds.definition import RULES
from harness.pyschemas.crds.formats import FORMATS, IGNORED, STORAGE_FORMATS

_TEXT = {"type": "string"}
_META = {"name": _TEXT, "generateName": _TEXT}


class Node:
    """A schema inside of a definition, with its constraints under the names that they have there."""

    def __init__(self, schema: Mapping[str, Any], path: str = "", *, is_part: bool = False) -> None:
        get = schema.get
        self.schema, self.path = schema, path
        self.type = str(get("type") or "")
        self.is_int_or_string = bool(get("x-kubernetes-int-or-string"))
        self.types = ("integer", "string") if self.is_int_or_string else (self.type,) if self.type else ()
        self.nullable = bool(get("nullable"))
        self.preserves = bool(get("x-kubernetes-preserve-unknown-fields"))
        self.is_embedded = bool(get("x-kubernetes-embedded-resource"))
        self.list_type = str(get("x-kubernetes-list-type") or "")
        self.list_keys = tuple(get("x-kubernetes-list-map-keys") or ())
        self.map_type = str(get("x-kubernetes-map-type") or "")
        self.default, self.required = get("default"), tuple(get("required") or ())
        self.enum: tuple[Any, ...] = tuple(get("enum") or ())
        self.format = _format(self.type, str(get("format") or ""))
        self.properties = {
            str(name): Node(below, f"{path}.{name}" if path else str(name), is_part=is_part)
            for name, below in (get("properties") or {}).items()
        }
        items, others, negated = get("items"), get("additionalProperties"), get("not")
        self.items = Node(items, f"{path}[*]", is_part=is_part) if isinstance(items, dict) else None
        self.values = Node(others, f"{path}[*]", is_part=is_part) if isinstance(others, dict) else None
        self.takes_others, self.closed = others is not None and others is not False, others is False
        self.all_of, self.any_of, self.one_of = (
            tuple(Node(one, path, is_part=True) for one in get(word) or ()) for word in ("allOf", "anyOf", "oneOf")
        )
        self.negated = Node(negated, path, is_part=True) if isinstance(negated, dict) else None
        self.has_parts = bool(self.any_of or self.one_of or self.all_of or self.negated)
        self.rules: tuple[Mapping[str, Any], ...] = tuple(get(RULES) or ())
        self.pattern = _compile(get("pattern"), path)
        self.limits: dict[str, Any] = {word: get(word) for word in _LIMITS if get(word) is not None}
        self.is_unique = bool(get("uniqueItems"))

    @cached_property
    def has_rules(self) -> bool:
        """Whether there is a CEL rule here or below."""
        return bool(self.rules) or any(one.has_rules for one in (*self.below, *self.all_of))

    @property
    def below(self) -> tuple[Node, ...]:
        """The schemas of members and items."""
        return tuple(one for one in (*self.properties.values(), self.items, self.values) if one is not None)

    @cached_property
    def has_keys(self) -> bool:
        """Whether there is a list of type `set` or `map` here or below."""
        return self.list_type in ("set", "map") or any(one.has_keys for one in self.below)

    @cached_property
    def has_embedded(self) -> bool:
        """Whether there is another resource here or below."""
        return self.is_embedded or any(one.has_embedded for one in self.below)

    @cached_property
    def resource(self) -> Node:
        """The schema with what the root of every resource has: the type, and the name of its metadata."""
        own = self.schema.get("properties") or {}
        added = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": {"type": "object", "properties": _META}}
        return Node({**self.schema, "type": "object", "properties": {**own, **added}}, self.path)


_LIMITS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems",
    "maxItems", "minProperties", "maxProperties",
)  # fmt: skip


def _format(type: str, format: str) -> str:
    """Return a format as the server reads it; one that it does not know, or not for the type, is none.

    Those that it is to know in stored definitions alone were taken out of any other when the definition was read.
    """
    match type:
        case "" | "string":
            name = format.replace("-", "")
            return format if name in FORMATS or name in IGNORED or name in STORAGE_FORMATS else ""
        case "integer":
            return format if format in ("int32", "int64") else ""
        case "number":
            return format if format in ("float", "double") else ""
    return ""


def _compile(pattern: Any, path: str) -> Any:
    if not isinstance(pattern, str) or not pattern:
        return None
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise UnusableError(f"{path} has the pattern {pattern!r}", f"RE2 refuses it: {error}") from None
