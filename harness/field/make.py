"""Make field errors as Go's constructors do: the words and shown values that users know.

For authors of handwritten validators. `origin` names the rule, `covered` marks that a declarative rule exists.
Source: apimachinery pkg/util/validation/field/errors.go (2026-07); semantics.md#6.3, #6.4.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Any

from harness.field.error import ErrorType, FieldError, quote
from harness.field.path import Path

# Looking a member of an enum up costs as much as making an error.
_DUPLICATE = ErrorType.DUPLICATE
_FORBIDDEN = ErrorType.FORBIDDEN
_INTERNAL = ErrorType.INTERNAL
_INVALID = ErrorType.INVALID
_NOT_FOUND = ErrorType.NOT_FOUND
_NOT_SUPPORTED = ErrorType.NOT_SUPPORTED
_REQUIRED = ErrorType.REQUIRED
_TOO_FEW = ErrorType.TOO_FEW
_TOO_LONG = ErrorType.TOO_LONG
_TOO_MANY = ErrorType.TOO_MANY
_TOO_SHORT = ErrorType.TOO_SHORT

_HTML = re.compile("[<>&\u2028\u2029]")
# Each call of `json.dumps` with arguments makes an encoder.
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_ENCODE_SORTED = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def shown(value: Any) -> str:
    """Render a bad value as the text of an error shows it: strings quoted, numbers plain, all else as JSON."""
    if value.__class__ is int:
        return str(value)
    if isinstance(value, str):
        return quote(value)
    if value is None:
        return "null"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return plain_float(value) if isinstance(value, float) else as_json(value)


def plain_float(value: float) -> str:
    """Render a float as Go's `%v` does: an exponent below 0.0001 and from seven digits before the point on."""
    return _float(value, -4, 6, "{:02d}")


def json_float(value: float) -> str:
    """Render a float as Go's encoding/json does: an exponent below 0.000001 and from 22 digits before the point on."""
    return _float(value, -6, 21, "{:d}")


def _float(value: float, least: int, most: int, exponent: str) -> str:
    """Write the fewest digits that mean this float, with an exponent outside of [10**least, 10**most)."""
    shortest = Decimal(repr(float(value))).normalize()
    sign, digits, scale = shortest.as_tuple()
    if not isinstance(scale, int):  # neither NaN nor an infinity can be written in JSON
        return str(value)
    power = scale + len(digits) - 1
    if least <= power < most or not value:
        text = f"{abs(shortest):f}"
    else:
        first, rest = str(digits[0]), "".join(map(str, digits[1:]))
        text = f"{first}{'.' * bool(rest)}{rest}e{'-' if power < 0 else '+'}{exponent.format(abs(power))}"
    return "-" * sign + text


def as_json(value: Any) -> str:
    """Render a value as Go's encoding/json does."""
    if value.__class__ is float:
        return json_float(value)
    text = _ENCODE_SORTED(value) if isinstance(value, dict) else _ENCODE(value)
    return _HTML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def required(path: Path, detail: str = "", *, origin: str = "", covered: bool = False) -> FieldError:
    """A value is missing."""
    return FieldError(_REQUIRED, str(path), detail, origin, covered=covered)


def forbidden(path: Path, detail: str = "", *, origin: str = "", covered: bool = False) -> FieldError:
    """A value, or a change, is not allowed here."""
    return FieldError(_FORBIDDEN, str(path), detail, origin, covered=covered)


def invalid(path: Path, value: Any, detail: str, *, origin: str = "", covered: bool = False) -> FieldError:
    """A value breaks a rule, which `detail` states."""
    return FieldError(_INVALID, str(path), detail, origin, covered=covered, value=shown(value))


def duplicate(path: Path, value: Any, *, origin: str = "", covered: bool = False) -> FieldError:
    """A value stands twice where it may stand once; the path is that of the later one."""
    return FieldError(_DUPLICATE, str(path), origin=origin, covered=covered, value=shown(value))


def not_supported(
    path: Path, value: Any, supported: Iterable[str], *, origin: str = "", covered: bool = False
) -> FieldError:
    """A value is none of those supported, which are listed in the given order."""
    names = ", ".join(quote(name) for name in supported)
    detail = f"supported values: {names}" if names else ""
    return FieldError(_NOT_SUPPORTED, str(path), detail, origin, covered=covered, value=shown(value))


def not_found(path: Path, value: Any, *, origin: str = "", covered: bool = False) -> FieldError:
    """A value refers to something that is not there."""
    return FieldError(_NOT_FOUND, str(path), origin=origin, covered=covered, value=shown(value))


def too_long(path: Path, limit: int, *, origin: str = "", covered: bool = False) -> FieldError:
    """A string is too long. Units: bytes."""
    detail = _counted("may not be more than", limit, "byte") if limit >= 0 else "value is too long"
    return FieldError(_TOO_LONG, str(path), detail, origin, covered=covered)


def too_long_characters(path: Path, limit: int, *, origin: str = "", covered: bool = False) -> FieldError:
    """A string is too long. Units: Unicode code points."""
    detail = _counted("may not be more than", limit, "character") if limit >= 0 else "value is too long"
    return FieldError(_TOO_LONG, str(path), detail, origin, covered=covered)


def too_short(path: Path, limit: int, *, origin: str = "", covered: bool = False) -> FieldError:
    """A string is too short. Units: Unicode code points."""
    detail = _counted("must be at least", limit, "character") if limit >= 0 else "value is too short"
    return FieldError(_TOO_SHORT, str(path), detail, origin, covered=covered)


def too_many(path: Path, got: int, limit: int, *, origin: str = "", covered: bool = False) -> FieldError:
    """A list or map has too many items. A negative `got` is not shown."""
    detail = _counted("must have at most", limit, "item") if limit >= 0 else "has too many items"
    value = str(got) if got >= 0 else ""
    return FieldError(_TOO_MANY, str(path), detail, origin, covered=covered, value=value)


def too_few(path: Path, got: int, limit: int, *, origin: str = "", covered: bool = False) -> FieldError:
    """A list or map has too few items."""
    detail = _counted("must have at least", limit, "item") if limit >= 0 else "has too few items"
    return FieldError(_TOO_FEW, str(path), detail, origin, covered=covered, value=str(got))


def internal(path: Path, detail: str) -> FieldError:
    """Validation itself went wrong."""
    return FieldError(_INTERNAL, str(path), detail)


@lru_cache(1024)
def _counted(words: str, count: int, unit: str) -> str:
    return f"{words} {count} {unit}" if count == 1 else f"{words} {count} {unit}s"
