"""Replaces what is secret in an object, and keeps what validators read of it: names of keys, sizes, and shapes.

Replaced are the values of Secrets and ConfigMaps, the annotations of Secrets, and annotations of any object that hold
an object as it was applied. Two values of an update that differ still differ, and two that are equal still are.
Source: ValidateSecret and ValidateConfigMap of k8s.io/kubernetes/pkg/apis/core/validation (2026-11).
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from typing import TypeAlias

from harness.case import Json
from harness.objectmodel import KIND, METADATA

SERVICE_ACCOUNT = "kubernetes.io/service-account."
"""The annotations of a Secret that validation reads begin with this; they are names."""
DOCKER_CONFIGS = (".dockerconfigjson", ".dockercfg")
"""The keys of a Secret whose values have to be JSON."""
FILLS = ("x", "y")
"""What values consist of afterwards: the second where an update changes the value."""

Fill: TypeAlias = Callable[[Json, Json], Json]


def redact(obj: dict[str, Json], old: dict[str, Json] | None = None) -> dict[str, Json]:
    """Return the object without secrets; `old` is the one, as it is stored, that an update replaces."""
    before = old if old is not None else {}
    kind, was_applied = obj.get(KIND), _is_applied
    changed: dict[str, Json] = {}
    if kind in ("Secret", "ConfigMap"):
        was_applied = _is_of_secret if kind == "Secret" else was_applied
        for name in ("data", "binaryData", "stringData"):
            if name in obj:
                is_base64 = name == "binaryData" or (name == "data" and kind == "Secret")
                fill = _fill_base64 if is_base64 else _fill_text
                changed[name] = _members(obj[name], before.get(name), fill)
    metadata = obj.get(METADATA)
    if isinstance(metadata, dict) and metadata.get("annotations"):
        then = before.get(METADATA)
        were = then.get("annotations") if isinstance(then, dict) else None
        annotations = metadata["annotations"]
        if not isinstance(annotations, dict):
            changed[METADATA] = {**metadata, "annotations": _fill_text(annotations, were)}
        elif any(was_applied(name, value) for name, value in annotations.items()):
            were = were if isinstance(were, dict) else {}
            kept = {
                name: _fill_text(value, were.get(name)) if was_applied(name, value) else value
                for name, value in annotations.items()
            }
            changed[METADATA] = {**metadata, "annotations": kept}
    return {**obj, **changed} if changed else obj


def _is_applied(name: str, value: Json) -> bool:
    """Whether an annotation holds an object as it was applied, by kubectl or by other tools."""
    return "last-applied" in name or name.endswith("/applied") or (isinstance(value, str) and '"kind"' in value)


def _is_of_secret(name: str, value: Json) -> bool:
    """Whether an annotation of a Secret is replaced: all but those that validation reads."""
    return not name.startswith(SERVICE_ACCOUNT)


def _members(values: Json, before: Json, fill: Fill) -> Json:
    """Replace the values of a map by key; what is no map is replaced whole."""
    if not isinstance(values, dict):
        return fill(values, before)
    before = before if isinstance(before, dict) else {}
    return {
        key: _fill_config(value, before.get(key)) if key in DOCKER_CONFIGS else fill(value, before.get(key))
        for key, value in values.items()
    }


def _letter(value: Json, before: Json) -> str:
    return FILLS[0] if before is None or before == value else FILLS[1]


def _fill_text(value: Json, before: Json) -> Json:
    """Return a text of as many bytes; of lists and maps, their shape."""
    if isinstance(value, str):
        return _letter(value, before) * len(value.encode("utf-8", "surrogatepass"))
    if isinstance(value, dict):
        return {key: _fill_text(one, None) for key, one in value.items()}
    if isinstance(value, list):
        return [_fill_text(one, None) for one in value]
    return value if value is None or isinstance(value, bool) else 0


def _fill_base64(value: Json, before: Json) -> Json:
    """Return base64 of as many bytes; what is no base64 stays none."""
    content = _decode(value)
    if content is None:
        return "!" * len(value) if isinstance(value, str) else _fill_text(value, before)
    return _encode(_letter(value, before).encode() * len(content))


def _fill_config(value: Json, before: Json) -> Json:
    """Return base64 of an empty JSON value of the same form and of as many bytes; of what is no JSON, none either."""
    content = _decode(value)
    try:
        read = json.loads(content) if content is not None else None
    except (ValueError, RecursionError):
        return _fill_base64(value, before)
    if content is None:
        return _fill_base64(value, before)
    empty = {dict: b"{}", list: b"[]", type(None): b"null"}.get(type(read), b"0")
    space = b" " if _letter(value, before) == FILLS[0] else b"\n"
    return _encode(empty + space * (len(content) - len(empty)))


def _decode(value: Json) -> bytes | None:
    """Return what a text in base64 stands for, None for anything else. Go ignores line ends in it."""
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value.replace("\r", "").replace("\n", "").encode(), validate=True)
    except (binascii.Error, ValueError):
        return None


def _encode(content: bytes) -> str:
    return base64.b64encode(content).decode()
