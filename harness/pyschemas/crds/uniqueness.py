"""What a server checks beside the OpenAPI schema: lists without duplicates, resources inside of others, scale paths.

Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema/listtype and objectmeta, pkg/registry/customresource v0.37.1
(2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from harness.case import Json
from harness.content import label_key, label_value, path_segment_name, short_name
from harness.field import ErrorType, FieldError
from harness.pyschemas.crds.schema import Node
from harness.pyschemas.rules import show

_MOST_REPLICAS = (1 << 31) - 1
_UNSPECIFIED = "\0unspecified"
"""The key of an item that has none."""
_TYPES = {"apiVersion": "a group and a version, such as apps/v1", "kind": "a kind, such as Deployment"}


def check_lists(value: Json, node: Node, path: str = "") -> Iterator[FieldError]:
    """Yield the duplicates in lists of type `set` and `map`."""
    if not node.has_keys:
        return
    if isinstance(value, dict):
        for name, one in value.items():
            if name in node.properties:
                yield from check_lists(one, node.properties[name], f"{path}.{name}" if path else name)
            elif node.values is not None:
                yield from check_lists(one, node.values, f"{path}[{name}]")
    elif isinstance(value, list):
        if node.list_type == "set":
            yield from _duplicates(value, path)
        elif node.list_type == "map":
            yield from _same_keys(value, node, path)
        for at, one in enumerate(value):
            if node.items is not None:
                yield from check_lists(one, node.items, f"{path}[{at}]")


def _same_keys(value: Sequence[Json], node: Node, path: str) -> Iterator[FieldError]:
    for at, one in enumerate(value):
        if one is not None and not isinstance(one, dict):
            detail = "must be an object for an array of list-type map"
            yield FieldError(
                ErrorType.INVALID.value, f"{path}[{at}]", detail, "x-kubernetes-list-type", value=show(one)
            )
            return
    items: list[Any] = [one if isinstance(one, dict) else {} for one in value]
    keys: list[Json] = [{name: one[name] for name in node.list_keys if name in one} for one in items]
    if len(node.list_keys) == 1:  # compared as it is, and not as JSON, in which 1.0 is 1
        keys = [next(iter(one.values()), _UNSPECIFIED) if isinstance(one, dict) else one for one in keys]
    yield from _duplicates(keys, path)


def _duplicates(value: Sequence[Json], path: str) -> Iterator[FieldError]:
    """Yield one error for each value that is there more than once, at its second place."""
    seen: dict[tuple[type, bytes], int] = {}
    for at, one in enumerate(value):
        key = type(one), msgspec.json.encode(_as_json(one) if isinstance(one, dict | list) else one, order="sorted")
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == 2:
            yield FieldError(ErrorType.DUPLICATE.value, f"{path}[{at}]", "", "", value=show(one))


def _as_json(value: Json) -> Json:
    """Return a value with whole numbers as Go writes them."""
    if isinstance(value, dict):
        return {name: _as_json(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_as_json(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e21 else value


def check_embedded(value: Json, node: Node | None, path: str = "") -> Iterator[FieldError]:
    """Yield what is wrong with the type and the metadata of resources inside of this one."""
    if node is None or not node.has_embedded:
        return
    if isinstance(value, dict):
        if node.is_embedded:
            yield from _embedded(value, path)
        for name, one in value.items():
            if name in node.properties:
                yield from check_embedded(one, node.properties[name], f"{path}.{name}" if path else name)
            else:
                yield from check_embedded(one, node.values, f"{path}[{name}]")
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from check_embedded(one, node.items, f"{path}[{at}]")


def _embedded(value: Mapping[str, Json], path: str) -> Iterator[FieldError]:
    for name in _TYPES:
        if name not in value:
            yield FieldError(ErrorType.REQUIRED.value, f"{path}.{name}", "", "required")
    for name in _TYPES:
        one = value.get(name)
        wrong = "" if name not in value else _wrong_type(name, one)
        if wrong:
            yield FieldError(ErrorType.INVALID.value, f"{path}.{name}", wrong, "", value=show(one))
    meta = value.get("metadata")
    if isinstance(meta, dict):
        yield from _metadata(meta, f"{path}.metadata")


def _wrong_type(name: str, value: Json) -> str:
    if not isinstance(value, str):
        return "must be a string"
    if not value:
        return "must not be empty"
    if name == "apiVersion":
        return f"unexpected GroupVersion string: {value}" if value.count("/") > 1 else ""
    fits = len(value) <= 63 and re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", value.lower())
    return "" if fits else "may have mixed case, but should otherwise match: a DNS-1035 label"


def _metadata(meta: Mapping[str, Json], path: str) -> Iterator[FieldError]:
    name, space = meta.get("name"), meta.get("namespace")
    if isinstance(name, str) and name:
        yield from (FieldError(ErrorType.INVALID.value, f"{path}.name", one, "") for one in path_segment_name(name))
    if isinstance(space, str) and space:
        yield from (FieldError(ErrorType.INVALID.value, f"{path}.namespace", one, "") for one in short_name(space))
    labels, notes = meta.get("labels"), meta.get("annotations")
    for key, value in labels.items() if isinstance(labels, dict) else ():
        wrong = [*label_key(key), *(label_value(value) if isinstance(value, str) else ())]
        yield from (FieldError(ErrorType.INVALID.value, f"{path}.labels", one, "") for one in wrong)
    for key in notes if isinstance(notes, dict) else ():
        yield from (
            FieldError(ErrorType.INVALID.value, f"{path}.annotations", one, "") for one in label_key(key.lower())
        )


def unreadable(value: Json, node: Node | None, path: str = "") -> Iterator[FieldError]:
    """Yield metadata inside of an object that a server cannot decode, for which it refuses the whole request."""
    if node is None or not node.has_embedded:
        return
    if isinstance(value, dict):
        if node.is_embedded and "metadata" in value and not _is_metadata(value["metadata"]):
            yield FieldError(ErrorType.INVALID.value, f"{path}.metadata", "cannot be decoded", "type")
        for name, one in value.items():
            below, at = node.properties.get(name), f"{path}.{name}" if path else name
            yield from unreadable(one, below or node.values, at if below is not None else f"{path}[{name}]")
    elif isinstance(value, list):
        for at_item, one in enumerate(value):
            yield from unreadable(one, node.items, f"{path}[{at_item}]")


def _is_metadata(value: Json) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict):
        return False
    texts = ("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion")
    if any(not isinstance(value.get(name, ""), str | None) for name in texts):
        return False
    if not isinstance(value.get("generation", 0), int | None) or isinstance(value.get("generation"), bool):
        return False
    maps = [value.get(name) for name in ("labels", "annotations")]
    lists = [value.get(name) for name in ("finalizers", "ownerReferences", "managedFields")]
    return all(
        one is None or (isinstance(one, dict) and all(isinstance(text, str | None) for text in one.values()))
        for one in maps
    ) and all(one is None or isinstance(one, list) for one in lists)


def check_scale(obj: Mapping[str, Json], scale: Mapping[str, str]) -> Iterator[FieldError]:
    """Yield what is wrong with the numbers of replicas to which the scale subresource leads."""
    for word in ("specReplicasPath", "statusReplicasPath"):
        path = scale.get(word, "")
        if not path:
            continue
        value: Json = obj
        for name in path.removeprefix(".").split("."):
            value = value.get(name) if isinstance(value, dict) else "" if value is not None else None
        if value is None:
            continue
        detail = ""
        if not isinstance(value, int) or isinstance(value, bool):
            detail = f"{path} accessor error: the value is no whole number"
        elif value < 0:
            detail = "should be a non-negative integer"
        elif value > _MOST_REPLICAS:
            detail = f"should be less than or equal to {_MOST_REPLICAS}"
        if detail:
            yield FieldError(ErrorType.INVALID.value, path, detail, "", value=show(value))
