"""What a server does with an object before it judges it: unknown fields and nulls go, defaults come.

Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema/pruning and defaulting v0.37.1 (2026-11).
"""

from __future__ import annotations

import copy
from typing import Any

from harness.case import Json
from harness.pyschemas.crds.schema import Node

_META = ("apiVersion", "kind", "metadata")
_LARGEST = 1 << 63


def decode(obj: dict[str, Json], root: Node) -> dict[str, Json]:
    """Return an object as a server has it after decoding. `apiVersion`, `kind` and `metadata` stay as they are."""
    made = _numbers(obj)
    meta = {name: made.pop(name) for name in _META if name in made}
    _prune(made, root)
    _drop_nulls(made, root)
    made = {**meta, **made}
    _default(made, root)
    return made


def _numbers(value: Json) -> Any:
    """Copy a value; whole numbers beyond 64 bits are floats, as JSON is decoded in Go."""
    if isinstance(value, dict):
        return {name: _numbers(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_numbers(one) for one in value]
    if value.__class__ is int and not -_LARGEST <= value < _LARGEST:
        try:
            return float(value)
        except OverflowError:
            return float("inf")
    return value


def _prune(value: Json, node: Node | None) -> None:
    """Remove members that the schema does not know."""
    if node is not None and node.preserves:
        _prune_known(value, node)
    elif isinstance(value, dict):
        for name in list(value):
            if node is None:
                del value[name]
            elif node.is_embedded and name in _META:
                continue
            elif name in node.properties:
                _prune(value[name], node.properties[name])
            elif node.takes_others:
                _prune(value[name], node.values)
            else:
                del value[name]
    elif isinstance(value, list):
        for one in value:
            _prune(one, None if node is None else node.items)


def _prune_known(value: Json, node: Node | None) -> None:
    """Keep what the schema does not know, and prune what it knows."""
    if node is None:
        return
    if isinstance(value, dict):
        for name in value:
            if node.is_embedded and name in _META:
                continue
            if name in node.properties:
                _prune(value[name], node.properties[name])
            elif node.takes_others:
                _prune(value[name], node.values)
    elif isinstance(value, list):
        for one in value:
            _prune_known(one, node.items)


def _drop_nulls(value: Json, node: Node | None) -> None:
    """Remove nulls that are neither allowed nor replaced by a default."""
    if node is None:
        return
    if isinstance(value, dict):
        for name in list(value):
            below = node.properties.get(name) or node.values
            if below is not None and value[name] is None and not below.nullable and below.default is None:
                del value[name]
            else:
                _drop_nulls(value[name], below)
    elif isinstance(value, list):
        for one in value:
            _drop_nulls(one, node.items)


def _default(value: Json, node: Node | None) -> None:
    if node is None:
        return
    if isinstance(value, dict):
        for name, below in node.properties.items():
            if below.default is not None and (name not in value or (value[name] is None and not below.nullable)):
                value[name] = copy.deepcopy(below.default)
        for name in value:
            of_value = node.properties.get(name) or node.values
            if name not in node.properties and of_value and value[name] is None and not of_value.nullable:
                value[name] = copy.deepcopy(of_value.default)
            _default(value[name], of_value)
    elif isinstance(value, list):
        for at, one in enumerate(value):
            if one is None and node.items is not None and not node.items.nullable:
                value[at] = copy.deepcopy(node.items.default)
            _default(value[at], node.items)
