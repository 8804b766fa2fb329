"""Judges values by the OpenAPI schema of a custom resource, with the errors of an API server.

Paths, types and most texts are those of the server, and so is which branch of `anyOf` and `oneOf` speaks: the one in
which the most was right. On an update a value that did not change keeps its errors to itself.

Source: k8s.io/kube-openapi pkg/validation/validate, k8s.io/apiextensions-apiserver pkg/apiserver/validation v0.37.1
(2026-11).
"""

from __future__ import annotations

import json
import math

from harness.case import Json
from harness.field import ErrorType, FieldError
from harness.jsonpath import ABSENT
from harness.pyschemas.crds.correlation import Correlated, is_same
from harness.pyschemas.crds.formats import FORMATS, STORAGE_FORMATS
from harness.pyschemas.crds.schema import Node
from harness.pyschemas.rules import show

_RANGES = {"int32": 1 << 31, "int64": 1 << 63, "": 1 << 63}


_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}


class _Result:
    """Errors, each once, and the number of checks that a branch went through."""

    __slots__ = ("errors", "matches")

    def __init__(self) -> None:
        self.errors: dict[str, FieldError] = {}
        self.matches = 0

    def add(self, type: ErrorType, path: str, words: str, value: Json, origin: str, detail: str | None = None) -> None:
        """Add an error; the server's own sentence, which begins with the path, tells it from others."""
        text = f"{path} {words}".lstrip() if words.startswith("in body") else words
        field = path.removeprefix(".")
        known = FieldError(type.value, field, text if detail is None else detail, origin, value=show(value))
        self.errors.setdefault(text, known)

    def merge(self, other: _Result) -> None:
        """Take over the errors of another one."""
        for text, error in other.errors.items():
            self.errors.setdefault(text, error)
        self.matches += other.matches


def validate(obj: Json, root: Node, correlated: Correlated | None = None) -> list[FieldError]:
    """Return the errors of an object; `correlated` knows the old one, on an update."""
    return list(_validate(obj, root, "", correlated).errors.values())


def _validate(value: Json, node: Node, path: str, old: Correlated | None = None) -> _Result:
    """Judge a value, which keeps its errors to itself if it is its old value. Parts of a schema know no old value."""
    result = _Result()
    if value is None:
        if _has_type(value, node, path, result):
            result.matches += 1
        _check_enum(value, node, path, result)
    else:
        if node.types or node.format:
            if _has_type(value, node, path, result):
                result.matches += 1
            result.matches += 1
        _check_parts(value, node, path, result)
        _check_kind(value, node, path, old, result)
        _check_enum(value, node, path, result)
        result.matches += 3  # of parts, of enum, and of the whole
    if old is not None and result.errors and old.is_equal:
        result.errors.clear()
    return result


def _has_type(value: Json, node: Node, path: str, result: _Result) -> bool:
    named = ",".join(node.types)
    if value is None:
        if node.types and not node.nullable:
            result.add(ErrorType.TYPE_INVALID, path, f'in body must be of type {named}: "null"', "", "type")
            return False
        return True
    found = type_of(value)
    is_whole = found == "number" and math.isfinite(value) and value == int(value) and "integer" in node.types
    is_int = found == "integer" and "number" in node.types
    is_text = found in ("string", "array")
    if is_text and node.format and not {"number", "integer"} & set(node.types):
        return True
    if found in node.types or is_whole or is_int:
        return True
    if not node.types and not node.format:
        return True
    result.add(ErrorType.TYPE_INVALID, path, f'in body must be of type {named}: "{found}"', value, "type")
    return False


def type_of(value: Json) -> str:
    """Return the name of the JSON type of a value, as schemas write it."""
    return _NAMES.get(type(value), "null")


def _check_parts(value: Json, node: Node, path: str, result: _Result) -> None:
    result.matches += 1
    if not node.has_parts:
        return
    name = json.dumps(path, ensure_ascii=False)
    if node.any_of:
        tried = [_validate(value, one, path) for one in node.any_of]
        fitting = next((one for one in tried if not one.errors), None)
        if fitting is None:
            result.add(ErrorType.INVALID, "", f"{name} must validate at least one schema (anyOf)", "", "anyOf")
        result.merge(fitting or max(tried, key=lambda one: one.matches))
    if node.one_of:
        _check_one_of(value, node, path, result)
    if node.all_of:
        tried = [_validate(value, one, path) for one in node.all_of]
        for one in tried:
            result.merge(one)
        if any(one.errors for one in tried):
            more = ". None validated" if all(one.errors for one in tried) else ""
            result.add(ErrorType.INVALID, "", f"{name} must validate all the schemas (allOf){more}", "", "allOf")
    if node.negated is not None and not _validate(value, node.negated, path).errors:
        result.add(ErrorType.INVALID, "", f"{name} must not validate the schema (not)", "", "not")


def _check_one_of(value: Json, node: Node, path: str, result: _Result) -> None:
    tried = [_validate(value, one, path) for one in node.one_of]
    fitting = [one for one in tried if not one.errors]
    if len(fitting) == 1:
        result.merge(fitting[0])
        return
    more = f"Found {len(fitting)} valid alternatives" if fitting else "Found none valid"
    words = f"{json.dumps(path, ensure_ascii=False)} must validate one and only one schema (oneOf). {more}"
    result.add(ErrorType.INVALID, "", words, "", "oneOf")
    after = tried[max(at for at, one in enumerate(tried) if not one.errors) + 1 :] if fitting else tried
    if not fitting and after:
        result.merge(max(after, key=lambda one: one.matches))


def _check_kind(value: Json, node: Node, path: str, old: Correlated | None, result: _Result) -> None:
    match value:
        case bool():
            return
        case str():
            _check_text(value, node, path, result)
        case int() | float():
            _check_number(value, node, path, result)
        case list():
            _check_list(value, node, path, old, result)
        case dict():
            _check_map(value, node, path, old, result)


def _check_text(value: str, node: Node, path: str, result: _Result) -> None:
    limits = node.limits
    result.matches += 1
    if "maxLength" in limits and len(value) > limits["maxLength"]:
        detail = f"may not be more than {limits['maxLength']} bytes"
        words = f"in body should be at most {limits['maxLength']} chars long"
        result.add(ErrorType.TOO_LONG, path, words, ABSENT, "maxLength", detail)
    elif "minLength" in limits and len(value) < limits["minLength"]:
        words = f"in body should be at least {limits['minLength']} chars long"
        result.add(ErrorType.INVALID, path, words, value, "minLength")
    elif node.pattern is not None and not node.pattern.search(value):
        words = f"in body should match '{node.schema['pattern']}'"
        result.add(ErrorType.INVALID, path, words, value, "pattern")
    name = node.format.replace("-", "")
    check = FORMATS.get(name) or STORAGE_FORMATS.get(name)
    if check is not None:
        result.matches += 1
        if not check(value):
            words = f"in body must be of type {node.format}: {json.dumps(value, ensure_ascii=False)}"
            result.add(ErrorType.TYPE_INVALID, path, words, value, "type")


def _check_number(value: float, node: Node, path: str, result: _Result) -> None:
    limits = node.limits
    result.matches += 2
    if node.types == ("integer",):
        least = _RANGES.get(node.format, 1 << 63)
        if not -least <= value < least or (isinstance(value, float) and not value.is_integer()):
            named = f"with format {node.format}" if node.format else "(default format)"
            words = f"Checked value must be of type integer {named} in {path.removeprefix('.')}"
            result.add(ErrorType.INVALID, "", words, "", "format")
    if "multipleOf" in limits and not _is_multiple(value, limits["multipleOf"]):
        words = f"in body should be a multiple of {limits['multipleOf']}"
        result.add(ErrorType.INVALID, path, words, value, "multipleOf")
    for word, sign, than in (("minimum", -1, "greater than"), ("maximum", 1, "less than")):
        limit = limits.get(word)
        if limit is None:
            continue
        limit = int(limit) if isinstance(value, int) else limit
        exclusive = limits.get(f"exclusive{word.capitalize()}") is True
        if (value - limit) * sign > 0 or (exclusive and value == limit):
            words = f"in body should be {than} {'' if exclusive else 'or equal to '}{limit}"
            result.add(ErrorType.INVALID, path, words, value, word)


def _is_multiple(value: float, factor: float) -> bool:
    if isinstance(value, int):
        return int(factor) != 0 and value % int(factor) == 0
    quotient = 1 / factor * value if factor < 1 else value / factor
    return math.isfinite(quotient) and abs(quotient - round(quotient)) < 1e-9 * max(1.0, abs(quotient))


def _check_list(value: list[Json], node: Node, path: str, old: Correlated | None, result: _Result) -> None:
    result.matches += 2
    if node.items is not None:
        for at, one in enumerate(value):
            below = old.index(at) if old is not None else None
            result.merge(_validate(one, node.items, f"{path}[{at}]", below))
    limits, size = node.limits, len(value)
    if "minItems" in limits and size < limits["minItems"]:
        words = f"in body should have at least {limits['minItems']} items"
        result.add(ErrorType.INVALID, path, words, size, "minItems")
    if "maxItems" in limits and size > limits["maxItems"]:
        words, detail = f"in body should have at most {limits['maxItems']} items", _most(limits["maxItems"])
        result.add(ErrorType.TOO_MANY, path, words, size, "maxItems", detail)
    if node.is_unique and any(is_same(one, other) for at, one in enumerate(value) for other in value[:at]):
        result.add(ErrorType.INVALID, path, "in body shouldn't contain duplicates", "", "uniqueItems")


def _check_map(value: dict[str, Json], node: Node, path: str, old: Correlated | None, result: _Result) -> None:
    limits, size = node.limits, len(value)
    result.matches += 1
    if "minProperties" in limits and size < limits["minProperties"]:
        words = f"in body should have at least {limits['minProperties']} properties"
        result.add(ErrorType.INVALID, path, words, size, "minProperties")
    if "maxProperties" in limits and size > limits["maxProperties"]:
        words, detail = (
            f"in body should have at most {limits['maxProperties']} properties",
            _most(limits["maxProperties"]),
        )
        result.add(ErrorType.TOO_MANY, path, words, size, "maxProperties", detail)
    for name, one in value.items():
        below = node.properties.get(name) or node.values
        if below is None:
            if node.closed:
                result.add(ErrorType.INVALID, path, f"{path}.{name} in body is a forbidden property", "", "")
            continue
        at = f"{path}.{name}" if path or name not in node.properties else name
        is_type = not path and name in ("apiVersion", "kind")
        child = old.key(name) if old is not None and not is_type else None
        result.merge(_validate(one, below, at, child))
    for name in node.required:
        if name not in value:
            result.add(ErrorType.REQUIRED, f"{path}.{name}", "in body is required", ABSENT, "required", "")


def _most(limit: int) -> str:
    return f"must have at most {limit} item{'' if limit == 1 else 's'}"


def _check_enum(value: Json, node: Node, path: str, result: _Result) -> None:
    if node.enum and not any(_is_choice(value, one) for one in node.enum if one is not None):
        shown = ", ".join(json.dumps(one, ensure_ascii=False) for one in node.enum)
        words = f"in body should be one of {list(node.enum)}"
        result.add(ErrorType.NOT_SUPPORTED, path, words, value, "enum", f"supported values: {shown}")


def _is_choice(value: Json, choice: Json) -> bool:
    if isinstance(value, float) and isinstance(choice, int) and not isinstance(choice, bool):
        return math.isfinite(value) and int(value) == choice
    if isinstance(value, int) and isinstance(choice, float) and not isinstance(value, bool):
        return float(value) == choice
    return is_same(value, choice)
