"""Structs of msgspec, asked with the decoded JSON. msgspec reports the first error of an object only."""

from __future__ import annotations

from typing import Any

import msgspec

from harness.case import Json
from harness.field import FieldError
from harness.pyschemas.adapter import Adapter, CheckObject, Surroundings, UnusableError
from harness.pyschemas.locations import locate, parts_of
from harness.pyschemas.rules import error_of

WORDS = {
    "required": "a field without a default: `name: type`",
    "additionalProperties": "class ...(msgspec.Struct, forbid_unknown_fields=True)",
    "enum": "Literal[...] or an Enum as the type",
    "maxLength": "Meta(max_length=<limit>)",
    "minLength": "Meta(min_length=<limit>)",
    "maxItems": "Meta(max_length=<limit>)",
    "minItems": "Meta(min_length=<limit>)",
    "minimum": "Meta(ge=<limit>)",
    "maximum": "Meta(le=<limit>)",
    "exclusiveMinimum": "Meta(gt=<limit>)",
    "exclusiveMaximum": "Meta(lt=<limit>)",
    "multipleOf": "Meta(multiple_of=<number>)",
    "pattern": 'Meta(pattern=r"...")',
    "null": "`name: type | None`",
    "default": "`name: type | None = None`",
    "check": "Meta(...), or a __post_init__ that raises ValueError",
}
_LENGTHS = {"str": ("minLength", "maxLength"), "array": ("minItems", "maxItems"), "object": ("", "maxProperties")}
_PHRASES = {
    "matching regex": "pattern", "`int` >= ": "minimum", "`int` <= ": "maximum", "`float` >= ": "minimum",
    "`float` <= ": "maximum", "`float` > ": "exclusiveMinimum", "`float` < ": "exclusiveMaximum",
    "`int` > ": "exclusiveMinimum", "`int` < ": "exclusiveMaximum", "multiple of": "multipleOf",
    "Invalid RFC3339": "format", "Invalid UUID": "format", "Invalid enum value": "enum",
}  # fmt: skip


def _is_struct(validator: Any) -> bool:
    return isinstance(validator, type) and issubclass(validator, msgspec.Struct)


def _check(struct: Any, _surroundings: Surroundings) -> CheckObject:
    convert = msgspec.convert

    def check(obj: Json, _old: Json = None, /) -> list[FieldError]:
        try:
            convert(obj, struct)
        except msgspec.ValidationError as error:
            return errors_of_msgspec(error, obj)
        return []

    return check


def _schema(struct: Any, _surroundings: Surroundings) -> Json:
    return schema_by_msgspec(struct)


def schema_by_msgspec(validator: Any) -> Json:
    """Return the JSON Schema that msgspec makes of a Struct, a dataclass or an attrs class. Raises: UnusableError."""
    try:
        return msgspec.json.schema(validator)
    except (TypeError, NotImplementedError) as error:
        fix = "Suite(schema={...}) says it instead"
        raise UnusableError(f"msgspec makes no JSON Schema of {validator.__name__}", str(error), fix) from None


def is_of_msgspec(error: BaseException) -> bool:
    """Whether an exception is a ValidationError of msgspec."""
    return isinstance(error, msgspec.ValidationError)


def errors_of_msgspec(error: BaseException, obj: Json) -> list[FieldError]:
    """Read an error of msgspec, which ends with its location: ``... - at `$.lines[0].quantity` ``."""
    message, _, place = str(error).partition(" - at `")
    location = place.rstrip("`").replace("[...]", "")  # any key of a map
    parts = list(parts_of(location)) if location.startswith("$") else []
    name = message.partition("`")[2].partition("`")[0]
    rule = _rule_of(message)
    field, value = locate([*parts, name] if rule in ("required", "additionalProperties") else parts, obj)
    return [error_of(rule, field, message, value)]


def _rule_of(message: str) -> str:
    if message.startswith("Object missing required field"):
        return "required"
    if message.startswith("Object contains unknown field"):
        return "additionalProperties"
    for unit, (least, most) in _LENGTHS.items():
        if f"`{unit}` of length " in message:
            return most if " <= " in message else least
    found = next((rule for words, rule in _PHRASES.items() if words in message), "")
    return found or ("type" if ", got " in message else "")


MSGSPEC_STRUCT = Adapter("struct", _is_struct, _check, _schema, WORDS)
