"""From the errors of pydantic v2 to field errors: its error types as keywords of JSON Schema.

Source: https://docs.pydantic.dev/latest/errors/validation_errors/ (2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from harness.case import Json
from harness.field import FieldError
from harness.pyschemas.locations import locate
from harness.pyschemas.rules import error_of

_RULES: Mapping[str, str] = {
    "missing": "required", "missing_argument": "required", "missing_keyword_only_argument": "required",
    "extra_forbidden": "additionalProperties", "unexpected_keyword_argument": "additionalProperties",
    "enum": "enum", "literal_error": "enum", "union_tag_invalid": "enum", "union_tag_not_found": "required",
    "string_too_long": "maxLength", "bytes_too_long": "maxLength", "url_too_long": "maxLength",
    "string_too_short": "minLength", "bytes_too_short": "minLength",
    "too_long": "maxItems", "too_short": "minItems",
    "greater_than_equal": "minimum", "less_than_equal": "maximum",
    "greater_than": "exclusiveMinimum", "less_than": "exclusiveMaximum",
    "multiple_of": "multipleOf", "finite_number": "type", "int_from_float": "type",
    "decimal_max_digits": "decimalMaxDigits", "decimal_max_places": "decimalPlaces",
    "decimal_whole_digits": "decimalMaxDigits",
    "string_pattern_mismatch": "pattern", "string_not_ascii": "pattern",
    "url_parsing": "format", "url_scheme": "format", "url_syntax_violation": "format", "uuid_parsing": "format",
    "uuid_version": "format", "time_zone_offset": "format", "date_from_datetime_inexact": "format",
    "timezone_aware": "format", "timezone_naive": "format", "date_past": "format", "date_future": "format",
    "datetime_past": "format", "datetime_future": "format",
}  # fmt: skip
_DISCRIMINATOR = re.compile(r"using (?:discriminator )?'(\w+)'")
_PREFIXES = ("Value error, ", "Assertion failed, ")


def is_of_pydantic(error: BaseException) -> bool:
    """Whether an exception is a ValidationError of pydantic v2."""
    return type(error).__name__ == "ValidationError" and type(error).__module__.startswith("pydantic_core")


def errors_of_pydantic(error: Any, obj: Json) -> list[FieldError]:
    """Read a ValidationError of pydantic."""
    listed = error.errors(include_url=False, include_context=False, include_input=False)
    return [pydantic_error(one, obj) for one in listed]


def pydantic_error(error: Mapping[str, Any], obj: Json) -> FieldError:
    """Read one entry of `ValidationError.errors()`."""
    error_type = str(error.get("type", ""))
    rule, location = rule_of(error_type), error.get("loc", ())
    if error_type.startswith("union_tag_"):  # reported for the whole union, about its discriminator
        location = (*location, *_DISCRIMINATOR.findall(str(error["msg"]))[:1])
    if location and location[-1] == "[key]":
        location = location[:-1]
    field, value = locate(location, obj, names_variants=True, is_missing=rule == "required")
    detail = str(error["msg"])
    for prefix in _PREFIXES:
        detail = detail.removeprefix(prefix)
    return error_of(rule, field, detail, value)


def rule_of(error_type: str) -> str:
    """Return the keyword of an error type, empty for a function's own check."""
    known = _RULES.get(error_type)
    if known is None and error_type.endswith(("_type", "_parsing", "_attributes_type")):
        return "type"
    return known or ""
