"""Names the rules of errors whose validator does not: that a value is missing, null, of another type, or unknown.

One message of a handwritten check, such as "a whole number from 1 to 9", stands for several of these. They are mended
in different ways, so they are different findings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from harness.case import Json
from harness.field import ErrorType, FieldError
from harness.fuzzers.schemashape import UNEXPECTED
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import resolve_path
from harness.jsonpath import ABSENT, JsonPath, look

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "time": (str,), "int": (int,), "float": (int, float), "decimal": (int, float, str),
    "bool": (bool,), "list": (list,), "map": (dict,), "struct": (dict,), "int-or-string": (int, str),
}  # fmt: skip
"""The JSON types of the values of a kind of shape."""


def name_rules(errors: Sequence[FieldError], obj: Json, shape: Shape) -> list[FieldError]:
    """Return errors with a rule for each that has none, where the value at its path says which."""
    return [error if error.origin or not error.field else _named(error, obj, shape) for error in errors]


def _named(error: FieldError, obj: Json, shape: Shape) -> FieldError:
    path, declared = resolve_path(error.field, shape)
    value = look(obj, path)
    if value is ABSENT:
        return msgspec.structs.replace(error, type=ErrorType.REQUIRED.value, origin="required")
    if declared is UNEXPECTED or _is_unknown(path, shape):
        return msgspec.structs.replace(error, type=ErrorType.FORBIDDEN.value, origin="additionalProperties")
    if value is None:
        return msgspec.structs.replace(error, origin="null")
    types = _TYPES.get(declared.kind)
    return error if types is None or value.__class__ in types else msgspec.structs.replace(error, origin="type")


def _is_unknown(path: JsonPath, shape: Shape) -> bool:
    """Whether a path ends at a member that the schemas of its struct do not name."""
    for part in path[:-1]:
        shape = shape.child(part)
    return shape.kind == "struct" and str(path[-1]) not in shape.by_name
